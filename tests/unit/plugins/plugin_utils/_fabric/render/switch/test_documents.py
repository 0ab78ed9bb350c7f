# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every document, in every release that has a spelling for it, as NVIDIA's own schema sees it."""

from __future__ import annotations

import functools
import inspect
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import schema
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.dialect import spell
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    OLDEST,
    Release,
    parse,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    build,
    descriptions,
    networks,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.render.switch.test_accepted import (
    BASE,
    CASES,
    CONVERGED,
    SERVICES,
    TWO,
    converged,
    planned,
)

RELEASES = [found for found in map(parse, schema.releases()) if found >= OLDEST]
EXAMPLES = [
    pytest.param(name, marks=() if name.startswith("lab") else pytest.mark.large)
    for name in sorted(path.parents[1].name for path in INVENTORIES.glob("*/model/fabric.yml"))
]
REFUSED = ("has no spelling in", "no key of Cumulus Linux", "takes one", "cannot be disabled")
"""Sentences of the dialect about what a release cannot express."""
TELEMETRY = Release(5, 14)
"""Older releases do not have what our groups of telemetry need: such a fabric is refused there, in one sentence."""


def judge(ctx):
    """Return each deviation of a switch's documents: the renderer's file, the key, and the releases that refuse it."""
    refusing = [("the whole document", *found) for found in refusals(compose.render(ctx))]
    if refusing:  # features one by one cost more, and are needed only for the name of the file
        refusing = [*_by_feature(ctx)] or refusing
    releases = {}
    for file, release, sentence in refusing:
        releases.setdefault(f"{file}, {sentence}", []).append(str(release))
    return [f"{sentence} ({', '.join(found)})" for sentence, found in releases.items()]


def _by_feature(ctx):
    for file, part in parts(ctx):
        for release, sentence in refusals(part):
            yield file, release, sentence


def parts(ctx):
    """Yield the file of each renderer of a switch with what it writes."""
    for feature in compose.FEATURES:
        if part := feature.of(ctx):
            file = Path(inspect.getsourcefile(inspect.unwrap(renderer(feature, ctx)))).name
            yield f"render/switch/{file}", part


def renderer(feature, ctx):
    """Return the function that renders a feature of a switch."""
    return (feature.converged if ctx.converged else None) or feature.render


def refusals(document):
    """Yield the releases that have a spelling for a neutral document and refuse some of it, with the key and why."""
    for release in RELEASES:
        try:
            spelled = spell(document, release)
        except RefusedError as error:
            if not any(words in str(error) for words in REFUSED):
                yield release, str(error)
            continue
        for deviation in schema.deviations(schema.of(release), spelled):
            if not (release < TELEMETRY and "telemetry" in deviation.path):
                yield (
                    release,
                    str(deviation).replace(f" Cumulus Linux {release.major}.{release.minor}", ""),
                )


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_no_key_that_a_release_refuses(name):
    fabric = Fabric.load(str(INVENTORIES / name / "model" / "fabric.yml"))
    written = INVENTORIES / name / "model" / "tenants.yml"
    registry = Registry.parse(fabric, written.read_text() if written.exists() else "tenants: []")
    roles = {switch.role: switch for switch in fabric.switches()}
    for switch in roles.values():
        ctx = compose.context(fabric, switch, options={}, tenants=registry)
        assert judge(ctx) == [], switch


@pytest.mark.parametrize("case", CASES)
def test_an_option_has_no_key_that_a_release_refuses(load, case):
    example, changes, options, devices = CASES[case]
    fabric = load(example, **changes)
    for device in devices:
        assert judge(planned(fabric, device, options)) == [], device


@pytest.mark.parametrize("case", CONVERGED)
def test_a_network_has_no_key_that_a_release_refuses(load, case):
    fabric, text, devices = converged(load, case)
    for device in devices:
        assert judge(planned(fabric, device, {"tenants": text})) == [], device


def random_fabric(data, others):
    """The fabric of a random description; a new one where it is impossible."""
    stated = {**data, "networks": others} if others else data
    try:
        return build(**stated)
    except FabricError:
        reject()


RANDOM = given(
    data=descriptions(),
    others=st.one_of(st.none(), networks()),
    model=st.sampled_from(["SN5600", "SN5400", "SN5640"]),
    evpn=st.sampled_from(["links", "loopbacks"]),
    restart=st.sampled_from(["standard", "issu", "bfd", "templates"]),
    options=st.sampled_from([{}, BASE]),
    management=st.sampled_from([{}, SERVICES]),
)


def of_random(data, others, model, evpn, restart, options, management):
    switches = {**data["switches"], "model": model}
    routing = {**data["routing"], "evpn": evpn, "restart": restart}
    stated = {**data, "switches": switches, "routing": routing, "management": management}
    fabric = random_fabric(stated, others)
    for switch in {switch.role: switch for switch in fabric.switches()}.values():
        try:
            ctx = planned(fabric, switch, options)
            compose.render(ctx)
        except FabricError:  # constants of a speed that nobody has published, and the like
            continue
        assert judge(ctx) == []


@RANDOM
@settings(max_examples=3, suppress_health_check=list(HealthCheck))
def test_a_random_fabric_has_no_key_that_a_release_refuses(**drawn):
    of_random(**drawn)


@pytest.mark.large
@RANDOM
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
def test_many_random_fabrics_have_no_key_that_a_release_refuses(**drawn):
    of_random(**drawn)


def test_a_misspelt_key_is_named_with_its_file_and_releases(load, monkeypatch):
    roce = next(feature for feature in compose.FEATURES if feature.name == "roce")

    @functools.wraps(roce.render)
    def misspelt(ctx):
        document = roce.render(ctx)
        document["qos"]["rocee"] = document["qos"].pop("roce")
        return document

    features = [one._replace(render=misspelt) if one is roce else one for one in compose.FEATURES]
    monkeypatch.setattr(compose, "FEATURES", tuple(features))
    (found,) = judge(planned(load("lab"), TWO[0], {}))
    assert found.startswith("render/switch/roce.py, qos.rocee: no key of: write roce (5.9.0, ")
    assert found.endswith(", 5.18.0)")


NEWEST = schema.of(RELEASES[-1]).root
WRITTEN = Path(__file__).with_name("written_keys.json")


def keys_of(document, node=NEWEST, path=""):
    """Yield the places of a document that hold a value, with `*` for the key of a map."""
    if not isinstance(document, dict) or not document:
        yield path
        return
    for key, value in document.items():
        below = node.below(key) if node else None
        name = key if node and key in node.members else schema.EACH
        yield from keys_of(value, below, f"{path}.{name}" if path else name)


def written(load):
    """Return the keys that each renderer writes in all cases."""
    contexts = [
        planned(load(example, **changes), device, options)
        for example, changes, options, devices in CASES.values()
        for device in devices
    ]
    for case in CONVERGED:
        fabric, text, devices = converged(load, case)
        contexts += [planned(fabric, device, {"tenants": text}) for device in devices]
    found = {}
    for ctx in contexts:
        for file, part in parts(ctx):
            found.setdefault(file, set()).update(keys_of(part))
    return {file: sorted(keys) for file, keys in sorted(found.items())}


def lost(before, after):
    """Return a sentence for each key that a renderer writes no longer, with the releases that have it."""
    return [
        f"{file} no longer writes {key} ({schema.having(tuple(key.split('.')))})"
        for file, keys in before.items()
        for key in keys
        if key not in after.get(file, ())
    ]


def test_each_renderer_writes_the_keys_that_it_wrote(load):
    """`SPX_UPDATE_GOLDEN=1` writes the file anew; read the difference before it is committed."""
    found = written(load)
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        WRITTEN.write_text(json.dumps(found, indent=1) + "\n")
    before = json.loads(WRITTEN.read_text())
    assert lost(before, found) == []
    assert found == before


def test_a_deleted_key_is_named_with_its_file_and_releases():
    before = {"render/switch/roce.py": ["qos.roce.mode", "qos.roce.state"]}
    (sentence,) = lost(before, {"render/switch/roce.py": ["qos.roce.mode"]})
    assert sentence == "render/switch/roce.py no longer writes qos.roce.state (5.15 to 5.18)"
