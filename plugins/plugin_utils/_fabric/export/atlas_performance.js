// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The last run of playbook performance: what is suspected, and the ports at which measurements failed.

const measured = data.performance || { suspects: [], devices: {} };
const suspected = new Set(measured.suspects.flatMap(([, ends]) => ends.map(([device]) => device)));

function measuredLine() {
  if (!data.performance) return [];
  return [el("strong", {}, `Last performance run: ${measured.ended.slice(0, 16).replace("T", " ")} UTC`),
    linkTo("performance", `${SIGN[measured.state]} ${measured.words}`, { class: `state ${measured.state}` })];
}

const portRows = (name) => measured.devices[name].map(([port, failed, tests, words]) =>
  [linkTo(name), linkTo(`${name}:${port}`, port), `${failed} of ${plural(tests, "measurement")} failed`, words]);

const portTableOf = (names) => section("Ports with failed measurements", ["node", "port", "failed", "the worst"], names.flatMap(portRows));

function performanceView() {
  if (!data.performance) return card("No performance run", el("p", {}, "The report that this page was made of has none."));
  const more = measured.left_out ? el("p", {}, `and ${measured.left_out} more in the record ${measured.run}`) : null;
  const listed = measured.suspects.map(([title, ends, reasons]) => el("div", {}, el("h3", {}, title),
    el("p", {}, ends.flatMap(([device, port], n) => [n ? " to " : "", linkTo(port ? `${device}:${port}` : device, `${device} ${port}`)])),
    el("ul", {}, reasons.map((words) => el("li", {}, words)))));
  const names = Object.keys(measured.devices);
  return card(`Performance, run ${measured.run}`, el("p", {}, measured.words), listed, more, names.length ? portTableOf(names) : null);
}

// What a device's own answer says; nothing where no measurement failed.
function measuredOf(name) {
  return [suspected.has(name) ? el("p", {}, "The last performance run suspects it or a cable of it: ", linkTo("performance"), ".") : null,
    name in measured.devices ? portTableOf([name]) : null];
}
