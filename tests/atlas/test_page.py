# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page as a person uses it: search, links, keys, tenants, checks, pods; nothing may complain."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    atlas,
    atlas_results,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    is_converged,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    tenant_addresses,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._pages.svg import PALETTE
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    NETWORKS,
    example,
)

from ..unit.plugins.plugin_utils._fabric.export.dcim.wishes import changed
from .browser import Page

Visit = Callable[..., Page]
Keep = Callable[[Page, str], None]
HOSTILE = "</script><img src=x onerror=\"document.title='broken'\"><b>bold</b>"


def result(device: str, state: str, sentence: str = "As planned.", **more: Any) -> dict[str, Any]:
    """One result as checks write it."""
    return {
        "schema": 1,
        "id": "switch.cabling",
        "fabric": "lab",
        "place": "su01",
        "tenant": None,
        "device": device,
        "port": None,
        "expected": None,
        "found": None,
        "state": state,
        "sentence": sentence,
        "at": "2026-11-24T23:35:10+00:00",
        **more,
    }


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The atlas of the lab after checks of which two failed."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "results").mkdir()
    leaf = [
        result("leaf-p1-su001-r1", "pass"),
        result("leaf-p1-su001-r1", "fail", "swp1s0 sees worker-9.", port="swp1s0"),
        result("leaf-p1-su001-r1", "not_realised", "No counters here."),
    ]
    node = [result("worker-su02-rack01-h02", "fail", HOSTILE), result("elsewhere", "waived")]
    other = [result("leaf-p1-su001-r1", "fail", "Of another fabric.", fabric="other")]
    for name, rows in {"leaf": leaf, "node": node, "other": other}.items():
        (folder / "results" / f"{name}.json").write_text(json.dumps(rows))
    fabric = example("lab")
    found = atlas_results.read(str(folder), "lab")
    atlas.write(fabric, Registry.load(fabric), Output(str(folder)), results=found)
    return folder / "atlas.html"


@pytest.fixture(scope="module")
def largest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("largest")
    fabric = example("max-524288")
    verdict = atlas_results.Verdicts()
    verdict.add(result("spine-p1-pod002-s01", "fail", "Down."))
    found = {"spine-p1-pod002-s01": verdict}
    atlas.write(fabric, Registry.load(fabric), Output(str(folder)), results=found)
    return folder / "atlas.html"


def find(page: Page, text: str) -> str:
    """Type into the search box as a person would; returns the answer."""
    if page.eval("document.activeElement.id") != "query":
        page.press("/")
    page.type(text)
    page.press("Enter")
    page.wait(f"decodeURIComponent(location.hash) === {json.dumps('#' + text)}")
    page.wait(f"document.title.startsWith({json.dumps(text)})")
    return told(page, "#answer")


def named(state: str) -> str:
    """An expression: the names of the cells in a state."""
    return f"[...document.querySelectorAll('.rack .{state}')].map((one) => one.dataset.name)"


def told(page: Page, selector: str) -> str:
    """The text of an element on one line."""
    return " ".join(page.text(selector).split())


ANSWERS = [
    ("172.18.1.2", ["172.18.1.2 is the NIC end of a host link, on worker-su02-rack01-h02 port rail2p1"]),
    ("172.18.1.2", ["leaf-p1-su002-r2 port swp1s1 172.18.1.3", "Tenant: globex"]),
    ("leaf-p1-su001-r1:swp3s0", ["spine-p1-s01 port swp1s0"]),
    ("su01/h03", ["worker-su01-rack02-h03", "Tenant: quarantine", "rail2p1"]),
    ("su01/h04", ["(not built)", "Tenant: not built"]),
    ("spine-p1-s02", ["10.132.0.1", "leaf-p1-su002-r2"]),
    ("10.99.0.1", ["is nothing that this page knows of fabric lab", "host links 172.16.0.0/12"]),
    ("leaf-p1-su001-r1", ["1 passed, 1 failed, 1 not realised", "swp1s0 sees worker-9."]),
]  # fmt: skip


def test_a_gid_is_found_as_the_address_that_it_has(visit: Visit, lab: Path) -> None:
    page = visit(lab, "0000:0000:0000:0000:0000:ffff:ac12:0102")
    page.wait("document.title.startsWith('172.18.1.2')")
    assert "172.18.1.2 is the NIC end of a host link" in page.text("#answer")


@pytest.mark.parametrize("text, words", ANSWERS)
def test_search(visit: Visit, lab: Path, text: str, words: list[str]) -> None:
    answer = find(visit(lab), text)
    for word in words:
        assert word in answer


def test_deep_link_and_back(visit: Visit, keep: Keep, lab: Path) -> None:
    page = visit(lab, "172.18.1.2")
    keep(page, "search")
    assert "worker-su02-rack01-h02 port rail2p1" in page.text("#answer")
    assert page.eval("document.getElementById('query').value") == "172.18.1.2"
    here = "[...document.querySelectorAll('.here')].map((one) => one.dataset.name)"
    assert page.eval(here) == ["leaf-p1-su002-r2", "worker-su02-rack01-h02"]
    page.eval("document.querySelector('#answer p a').click()")
    page.wait("location.hash === '#leaf-p1-su002-r2:swp1s1'")
    assert "the leaf end of a host link" in page.text("#answer")
    page.eval("history.back()")
    page.wait("document.title.startsWith('172.18.1.2')")


def test_suggestions_by_keyboard(visit: Visit, lab: Path) -> None:
    page = visit(lab)
    page.press("/")
    page.type("su002-r")
    names = "[...document.querySelectorAll('#suggestions li')].map((one) => one.textContent)"
    assert page.eval(names) == ["leaf-p1-su002-r1", "leaf-p1-su002-r2"]
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        page.press(key)
    selected = "document.querySelector('#suggestions [aria-selected=true]').textContent"
    assert page.eval(selected) == "leaf-p1-su002-r1"
    page.press("Enter")
    page.wait("location.hash === '#leaf-p1-su002-r1'")
    assert page.eval("document.getElementById('suggestions').hidden")
    page.press("/")
    page.type("su002")
    page.press("Escape")
    assert page.eval("document.getElementById('suggestions').hidden")


def test_map_by_keyboard(visit: Visit, lab: Path) -> None:
    """One tab stop for each group; arrows move within it; Enter opens."""
    page = visit(lab)
    groups = "document.querySelectorAll('[data-roving]').length"
    stops = "document.querySelectorAll('[data-roving] a[tabindex=\"0\"]').length"
    assert page.eval(groups) == page.eval(stops) == 5
    page.eval("document.querySelector('.cells a').focus()")
    focused = "document.activeElement.dataset.name"
    walked = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"):
        page.press(key)
        walked.append(page.eval(focused)[-3:])
    assert walked == ["h02", "h03", "h02", "h04", "h01"]
    page.press("Enter")
    page.wait("location.hash === '#worker-su01-rack01-h01'")


def test_browse_down(visit: Visit, keep: Keep, lab: Path) -> None:
    """Fabric, SU, leaf, port, each by a link; the way back is shown."""
    page = visit(lab)
    steps = [
        ("#map h3 a", "#/p1/pod01/su001"),
        ("#map .switches a", "#leaf-p1-su001-r1"),
        ("#answer td a", "#leaf-p1-su001-r1:swp1s0"),
    ]
    for selector, fragment in steps:
        page.eval(f"document.querySelector({json.dumps(selector)}).click()")
        page.wait(f"location.hash === {json.dumps(fragment)}")
        keep(page, f"browse-{fragment.strip('#/').replace('/', '-').replace(':', '-')}")
    assert told(page, "#crumbs") == "lab › SU 1 › leaf-p1-su001-r1"


def test_tenants(visit: Visit, keep: Keep, lab: Path) -> None:
    page = visit(lab)
    assert page.text("#legend").split("\n") == ["acme: 2", "globex: 2", "quarantine: 2"]
    colour = (
        "[...document.querySelectorAll('.cells a')].map((one) => "
        "[one.dataset.tenant, one.style.getPropertyValue('--own')])"
    )
    first, second = (f"linear-gradient({colour}, {colour})" for colour in PALETTE[:2])
    su = [["acme", first], ["globex", second], ["quarantine", ""], ["", ""]]
    assert page.eval(colour) == su * 2
    page.eval("document.querySelector('#legend a').click()")
    page.wait("location.hash === '#tenant/acme'")
    assert page.eval("document.querySelectorAll('.cells .faint').length") == 6
    keep(page, "tenants")


def test_checks(visit: Visit, keep: Keep, lab: Path) -> None:
    page = visit(lab)
    keep(page, "validation-map")
    chips = "[...document.querySelectorAll('#verdict a')].map((one) => one.textContent)"
    assert page.eval(chips) == ["✓ 1 passed", "✕ 2 failed", "◆ 1 waived", "○ 1 not realised"]
    assert "Last validation: 2026-11-24 23:35 UTC" in told(page, "#verdict")
    assert "✕ 2 devices failed ? 10 devices not checked" in told(page, "#verdict")
    assert page.eval(named("failed")) == ["leaf-p1-su001-r1", "worker-su02-rack01-h02"]
    page.eval("document.querySelector('#verdict a').click()")
    page.wait("location.hash === '#checks'")
    rows = page.text("#answer tbody").split("\n")
    assert "failed" in rows[0]
    assert "Of another fabric." not in page.text("#answer")
    keep(page, "validation-checks")


COLOURS = """
[...document.querySelectorAll(".rack a")].map((one) =>
  [one.dataset.name, one.textContent[0], getComputedStyle(one).backgroundColor])
"""


def test_what_was_not_checked_looks_neither_healthy_nor_failed(visit: Visit, lab: Path) -> None:
    """Red with a cross, grey with a question mark, and the ground of what passed are three."""
    cells = {name: (sign, colour) for name, sign, colour in visit(lab).eval(COLOURS)}
    assert cells["leaf-p1-su001-r1"] == ("✕", "rgb(179, 38, 30)")
    unchecked = cells.pop("spine-p1-s01")
    assert unchecked == ("?", "rgb(201, 205, 212)")
    assert sum(found == unchecked for found in cells.values()) == 9
    assert cells["worker-su01-rack02-h04"] == ("0", "rgba(0, 0, 0, 0)")


def test_a_page_without_results_has_no_healthy_device(visit: Visit, tmp_path: Path) -> None:
    fabric = example("lab")
    atlas.write(fabric, Registry.load(fabric), Output(str(tmp_path)))
    page = visit(tmp_path / "atlas.html")
    assert told(page, "#verdict") == (
        "Last validation: none that this page knows ? 12 devices not checked"
    )
    assert {row[1] for row in page.eval(COLOURS)} == {"?", "0"}
    find(page, "leaf-p1-su001-r1:swp1s0")
    assert "? not checked" in told(page, "#answer")


@pytest.fixture(scope="module")
def brownfield(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hosts without credentials, a switch whose links are well but one, and the site's racks."""
    folder = tmp_path_factory.mktemp("brownfield")
    fabric = example("brownfield-256")
    found = {
        name: atlas_results.Verdicts()
        for name in ["tor-a1", *(f"gpu-{n}" for n in range(101, 131))]
    }
    for name, verdict in found.items():
        if name == "tor-a1":
            down = {"id": "switch.lldp.neighbour", "port": "swp1s1"}
            verdict.add(result(name, "fail", "swp1s1: nothing is heard.", **down))
        else:
            why = f"{name} has no credentials: set ansible_user."
            verdict.add(result(name, "not_run", why, id="host.reachable"))
    atlas.write(fabric, Registry.load(fabric), Output(str(folder)), results=found)
    return folder / "atlas.html"


def test_causes_are_lines_with_counts(visit: Visit, keep: Keep, brownfield: Path) -> None:
    page = visit(brownfield, "checks")
    keep(page, "causes")
    rows = page.eval(
        "[...document.querySelectorAll('#answer tbody tr')].map((one) => one.innerText)"
    )
    assert ["30 devices" in row for row in rows] == [False, True]
    assert "such as: gpu-101 has no credentials" in rows[1]
    page.eval("document.querySelector('#answer details').open = true")
    assert "gpu-130: gpu-130 has no credentials" in page.text("#answer")


@pytest.fixture(scope="module")
def converged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The atlas of the lab with all networks, after a check of a storage leaf that failed."""
    folder = tmp_path_factory.mktemp("converged")
    fabric = example("lab-converged")
    verdict = atlas_results.Verdicts()
    verdict.add(result("storage-leaf-001-1", "fail", "swp1s0 is down.", port="swp1s0"))
    found = {"storage-leaf-001-1": verdict}
    atlas.write(fabric, Registry.load(fabric), Output(str(folder)), results=found)
    return folder / "atlas.html"


OTHERS = [
    ("front-end-leaf-001-1", ["a front-end-leaf", "pair 1 member 1", "t21-acme front-end 4100021 21 acme"]),
    ("10.200.128.1/32", ["is the loopback address of front-end-leaf-001-2"]),
    ("storage-leaf-001-1:swp1s0", ["vast-1", "bond5001", "acme, globex", "swp1s0 is down."]),
    ("worker-su01-rack01-h01:front2", ["front-end-leaf-001-2 port", "worker-su01-rack01-h01 port front2", "acme"]),
    ("worker-su01-rack01-h01", ["Front end and storage", "stor2", "rail1p1"]),
    ("isp-a", ["isp-a, outside of the fabric", "border-leaf-01-1", "acme, globex"]),
    ("converged-spine-s01", ["a converged-spine", "number 1", "border-leaf-01-1"]),
]  # fmt: skip


@pytest.mark.parametrize("text, words", OTHERS)
def test_search_on_the_other_networks(
    visit: Visit, converged: Path, text: str, words: list[str]
) -> None:
    answer = find(visit(converged), text)
    assert [word for word in words if word not in answer] == []


@pytest.mark.parametrize(
    "address",
    ["10.208.14.1", "10.208.15.252", "10.216.14.77", "10.216.14.9", "198.51.100.2", "198.51.100.3"],
)
def test_an_address_of_a_tenant_has_the_words_of_locate(
    visit: Visit, tmp_path: Path, address: str
) -> None:
    fabric = example("lab-converged")
    text = Path(fabric.beside("tenants.yml")).read_text(encoding="utf-8")
    own = text.replace("    quotas: {nodes: 4}\n", "    storage: {vips: [10.216.14.9]}\n")
    registry = Registry.parse(fabric, own)
    (place,) = tenant_addresses.places(fabric, registry, address)
    atlas.write(fabric, registry, Output(str(tmp_path)))
    answer = find(visit(tmp_path / "atlas.html"), address)
    assert tenant_addresses.sentence(place).partition(": ")[2] in answer


def test_the_other_networks_are_on_the_map_and_have_a_view(
    visit: Visit, keep: Keep, converged: Path, lab: Path
) -> None:
    page = visit(converged)
    keep(page, "networks-map")
    names = "[...document.querySelectorAll('#map .rack a')].map((one) => one.dataset.name)"
    switches = [x for x in example("lab-converged").switches() if is_converged(x)]
    planned = [example("lab-converged").name(switch) for switch in switches]
    assert [name for name in page.eval(names) if name in planned] == planned
    assert page.eval(named("failed")) == ["storage-leaf-001-1"]
    assert "1 device failed" in told(page, "#verdict")
    page.eval("document.querySelector('.views a[href=\"#networks\"]').click()")
    page.wait("location.hash === '#networks'")
    keep(page, "networks")
    answer = told(page, "#answer")
    assert "t22-globex front-end 4100022 22 globex" in answer
    assert "s22-globex storage 4200022 2022 globex" in answer
    assert page.eval(CONTRAST) == []
    assert "Networks" not in visit(lab).text(".views")


FOUND = [
    ("G02", ["Rack G02: 4 devices", "U28 gpu-108 node ? not checked", "U4 gpu-105"]),
    ("g02", ["Rack G02: 4 devices"]),
    ("jk74435", ["gpu-106, a node", "serial JK74435", "rack G02"]),
    ("00-00-5E-00-53-10", ["tor-a1, a leaf", "rack N1"]),
    ("10.40.0.0/29", ["8 of its addresses are in use", "10.40.0.1 gpu-101 rail1p1"]),
    ("10.128.0.0/13", ["loopback 10.128.0.0/13 holds it", "at most 1,024 addresses"]),
    ("quarantine", ["quarantine: 32 nodes", "VRF t1-quarantine", "tor-a1", "30 devices"]),
]  # fmt: skip


@pytest.mark.parametrize("text, words", FOUND)
def test_search_beyond_devices(visit: Visit, brownfield: Path, text: str, words: list[str]) -> None:
    answer = find(visit(brownfield), text)
    assert [word for word in words if word not in answer] == []


def test_devices_lie_by_rack_from_its_top(visit: Visit, keep: Keep, brownfield: Path) -> None:
    page = visit(brownfield, "/p1/pod01/su001")
    keep(page, "racks")
    racks = page.eval(
        "[...document.querySelectorAll('.rack')].map((one) => one.innerText.split('\\n'))"
    )
    assert racks[0] == ["N1", "✕tor-a1 U40", "?tor-b1 U38", "?tor-a2 U36", "?tor-b2 U34"]
    assert racks[2] == ["G01", "?04 U28", "?03 U20", "?02 U12", "?01 U4"]
    assert len(racks) == 10


def test_links(visit: Visit, keep: Keep, brownfield: Path) -> None:
    """One failed, the others of the switch that was checked are well, the rest is not known."""
    page = visit(brownfield, "links")
    keep(page, "links")
    assert "512 links ✕ 1 failed ? 448 not checked ✓ 63 passed" in told(page, "#answer")
    first = page.eval("document.querySelector('#answer tbody tr').innerText.split('\\t')")
    assert first == ["✕ failed", "gpu-102", "rail1p1", "tor-a1", "swp1s1"]
    find(page, "gpu-102")
    assert "rail1p1 ✕ failed" in told(page, "#answer")


def test_one_tenant(visit: Visit, keep: Keep, lab: Path) -> None:
    page = visit(lab)
    answer = find(page, "globex")
    keep(page, "tenant")
    for words in (
        "globex, a tenant: 2 nodes",
        "VRF t22-globex, RD <loopback of the leaf>:22",
        "4000022 64512:4000022",
        "172.16.0.2/31, 172.16.1.2/31",
        "✕ failed leaf-p1-su001-r1 1 swp1s1",
        "✕ failed worker-su02-rack01-h02 su02/rack01",
    ):
        assert words in answer
    assert "swp1s0 sees worker-9." not in answer  # a port of another tenant


def test_what_devices_say_is_text(visit: Visit, lab: Path) -> None:
    page = visit(lab, "checks")
    assert HOSTILE in page.text("#answer")
    assert page.eval("document.querySelectorAll('img, b').length") == 0
    assert page.eval("document.title") == "lab"


def test_without_network(lab: Path) -> None:
    """The file names no other file, and its policy would refuse one."""
    text = lab.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert re.findall(r"""(?:src|href)=["'](?!#|data:)[^"'{]*["']""", text) == []
    assert re.findall(r"\b(?:fetch|XMLHttpRequest|import|WebSocket)\(", text) == []


CONTRAST = """
(() => {
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const colour = (text) => text.match(/[0-9.]+/g).map(Number);
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found.slice(0, 3);
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("p, a, h1, h2, h3, td, th, dt, dd, button, label")]
    .filter((one) => one.innerText && one.offsetParent)
    .map((one) => {
      const [a, b] = [luminance(colour(getComputedStyle(one).color).slice(0, 3)), luminance(ground(one))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), one.outerHTML.slice(0, 90)];
    }).filter(([ratio]) => ratio < 4.5);
})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(visit: Visit, keep: Keep, lab: Path, scheme: str) -> None:
    """Text stands out from its ground by 4.5 to 1 in both schemes (WCAG 2, level AA)."""
    page = visit(lab, "leaf-p1-su001-r1")
    page.call(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
    )
    keep(page, f"scheme-{scheme}")
    assert page.eval(CONTRAST) == []


def test_2048_nodes_on_one_page(visit: Visit, keep: Keep, tmp_path: Path) -> None:
    fabric = example("multiplane-16384")
    atlas.write(fabric, Registry.load(fabric), Output(str(tmp_path)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["atlas.html"]
    page = visit(tmp_path / "atlas.html")
    assert page.eval("document.querySelectorAll('.cells a').length") == 2048
    milliseconds = page.eval(
        "(() => { const t = performance.now(); show(); return performance.now() - t; })()"
    )
    assert milliseconds < 3000
    page.eval("document.querySelectorAll('.tabs a')[7].click()")
    page.wait("location.hash === '#/p8'")
    assert "Spines of plane 8" in page.text("#map")
    assert "plane 8" in page.text("#crumbs")
    keep(page, "2048-nodes")


def test_pages_of_pods(visit: Visit, keep: Keep, largest: Path) -> None:
    """The index knows every place and leads to the page of its pod."""
    files = sorted(path.name for path in (largest.parent / "atlas").iterdir())
    assert files == [f"pod-{n:03}.html" for n in range(1, 129)]
    index = visit(largest, "10.0.8.2")
    keep(index, "pods")
    assert "Tenant: acme" in told(index, "#answer")
    assert index.eval("document.querySelectorAll('.pods > a').length") == 128
    assert index.eval(
        "[...document.querySelectorAll('.pods .failed')].map((one) => one.ariaLabel)"
    ) == ["Pod 2, 1 failed, 639 not checked"]
    assert index.eval("document.querySelectorAll('.pods .unchecked').length") == 127
    link = index.eval("document.querySelector('#answer a[href^=\"atlas/\"]').getAttribute('href')")
    assert link == "atlas/pod-002.html#10.0.8.2"
    answer = find(index, "pod03/su01/rack02")
    assert "Rack pod03/su01/rack02: 4 devices" in answer
    assert "checks are on the page of pod 3" in answer
    assert "not checked" not in answer  # which only the page of the pod knows
    answer = find(index, "globex")
    assert "Its nodes and checks are on the pages of: pod 3" in answer
    assert "10.0.16.0/25" in answer


def test_the_page_of_a_pod_knows_the_other_networks(
    visit: Visit, keep: Keep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the leaves that its nodes meet; all of them are on the page of the whole fabric."""
    monkeypatch.setattr(atlas, "MOST_NODES", 1)
    fabric = changed("lab-3tier", networks=NETWORKS, addressing={"profile": "octet-v4"})
    atlas.write(fabric, Registry.parse(fabric, ""), Output(str(tmp_path)))
    page = visit(tmp_path / "atlas" / "pod-001.html")
    keep(page, "networks-of-a-pod")
    assert "front-end-leaf-001-1" in page.eval(
        "[...document.querySelectorAll('#map .rack a')].map((one) => one.dataset.name)"
    )
    in_pod = [*fabric.nodes(pods=[0]), *fabric.east_west(pods=[0])]
    assert f"{len(in_pod)} devices not checked" in told(page, "#verdict")
    answer = find(page, "worker-pod01-su01-rack01-h01")
    keep(page, "networks-of-a-node")
    assert "Front end and storage" in answer
    assert "front-end-leaf-001-2" in answer
    answer = find(page, "front-end-leaf-001-1")
    assert "Its other ports, VRFs and checks are on the page of the whole fabric" in answer
    assert "worker-pod01-su01-rack01-h01" in answer
    link = "document.querySelector('#answer a[href^=\"../\"]').getAttribute('href')"
    assert page.eval(link) == "../atlas.html#front-end-leaf-001-1"
    find(page, "border-leaf-01-1")
    assert page.eval(link) == "../atlas.html#border-leaf-01-1"
    assert page.eval(CONTRAST) == []


def test_page_of_a_pod(visit: Visit, largest: Path) -> None:
    page = visit(largest.parent / "atlas" / "pod-002.html")
    assert page.eval("document.querySelectorAll('.cells a').length") == 512
    assert page.text("#legend") == "acme: 512"
    assert page.eval(named("failed")) == ["spine-p1-pod002-s01"]
    find(page, "worker-pod003-su01-rack01-h01")
    assert page.eval(
        "document.querySelector('#answer a[href^=\"pod-\"]').getAttribute('href')"
    ) == ("pod-003.html#worker-pod003-su01-rack01-h01")
    find(page, "no-such-thing")
    assert page.eval("document.querySelector('#answer a[href^=\"..\"]').getAttribute('href')") == (
        "../atlas.html#no-such-thing"
    )
