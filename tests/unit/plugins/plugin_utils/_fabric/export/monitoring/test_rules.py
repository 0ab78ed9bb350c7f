# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each alert fires on its fault, names place, far end and tenant, and is silent beside it; `promtool` judges."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import telemetry
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.monitoring import (
    dashboards,
    files,
    places,
    rules,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

LEAF, OTHER, SPINE = "leaf-p1-su001-r1", "leaf-p1-su001-r2", "spine-p1-s01"
NODE, FAR = "worker-su01-rack01-h01", "worker-su01-rack01-h02"
ALERTS = table("alerts")["alerts"]

PORT = f'device="{LEAF}",interface="swp1s1"'
QUIET = f'device="{LEAF}",interface="swp1s0"'
UPLINKS = [
    f'device="{LEAF}",interface="{port}"' for port in ("swp3s0", "swp3s1", "swp4s0", "swp4s1")
]
NIC = f'device="{NODE}",interface="rail1p1"'
LIGHT = "nvswitch_platform_transceiver_channel_power_alarm"
TC, SP = (
    "nvswitch_interface_tc_tx_no_buffer_discard_uc",
    "nvswitch_interface_sp_rx_pause_duration",
)
AT_HOST = {
    "device": LEAF,
    "interface": "swp1s1",
    "far_device": FAR,
    "far_interface": "rail1p1",
    "tenant": "globex",
}
AT_NIC = {
    "device": NODE,
    "interface": "rail1p1",
    "far_device": LEAF,
    "far_interface": "swp1s0",
    "tenant": "acme",
}

# alert: series that make it fire, series beside it that do not, labels of what fires
FAULTS = {
    "SpxLink": (
        [(f"nvswitch_interface_oper_state{{{PORT}}}", "2x360")],
        [(f"nvswitch_interface_oper_state{{{QUIET}}}", "1x360"),
         (f"nvswitch_interface_carrier_down_changes_total{{{QUIET}}}", "7x40 8x320"),
         (f'nvswitch_interface_oper_state{{device="{LEAF}",interface="swp60"}}', "2x360")],
        [AT_HOST],
    ),
    "SpxBitErrors": (
        [(f"nvswitch_interface_phy_stats_effective_ber{{{PORT}}}", "1e-9x360")],
        [(f"nvswitch_interface_phy_stats_effective_ber{{{QUIET}}}", "1.5e-254x360"),
         (f"nvswitch_interface_phy_stats_phy_symbol_errors{{{QUIET}}}", "5000x360")],
        [AT_HOST],
    ),
    "SpxLosslessDrop": (
        [(f'{TC}{{{PORT},tc="3"}}', "0+5x360")],
        [(f'{TC}{{{QUIET},tc="0"}}', "0+5x360"), (f'{TC}{{{QUIET},tc="3"}}', "9x360")],
        [AT_HOST],
    ),
    "SpxPauseStorm": (
        [(f'{SP}{{{PORT},sp="3"}}', "0+5000000x360")],
        [(f'{SP}{{{QUIET},sp="3"}}', "0+900x360"), (f'{SP}{{{UPLINKS[0]},sp="3"}}', "0+5000000x360")],
        [AT_HOST],
    ),
    "SpxWatchdog": (
        [(f'spx_check{{check="switch.watchdog.deadlock",{PORT}}}', "1x360"),
         (f'spx_nic_counter_total{{counter="tx_pause_storm_error_events",{NIC}}}', "0+1x360")],
        [(f'spx_check{{check="switch.watchdog.deadlock",{QUIET}}}', "0x360")],
        [AT_HOST, AT_NIC],
    ),
    "SpxUplinksUneven": (
        [(f"nvswitch_interface_if_out_octets{{{port}}}", f"0+{octets}x360")
         for port, octets in zip(UPLINKS, (400e9, 400e9, 400e9, 200e9))]
        + [(f"nvswitch_interface_oper_state{{{port}}}", "1x360") for port in UPLINKS],
        [(f'nvswitch_interface_if_out_octets{{device="{OTHER}",interface="{port}"}}', f"0+{octets}x360")
         for port, octets in (("swp3s0", 9e6), ("swp3s1", 1e3))]
        + [(f'nvswitch_interface_oper_state{{device="{OTHER}",interface="{port}"}}', "1x360")
           for port in ("swp3s0", "swp3s1")],
        [{"device": LEAF}],
    ),
    "SpxRetransmits": (
        [(f'spx_nic_counter_total{{counter="local_ack_timeout_err",{NIC}}}', "0+50x360")],
        [(f'spx_nic_counter_total{{counter="out_of_sequence",{NIC}}}', "0+5000x360"),
         (f'spx_nic_counter_total{{counter="local_ack_timeout_err",device="{FAR}",interface="rail1p1"}}', "7x360")],
        [AT_NIC],
    ),
    "SpxOptics": (
        [(f'{LIGHT}{{device="{LEAF}",port="swp1",channel="{channel}"}}', "2x360") for channel in (1, 2)],
        [(f'nvswitch_platform_transceiver_temperature_alarm{{device="{LEAF}",port="swp3"}}', "4x360"),
         (f'nvswitch_platform_transceiver_temperature_alarm{{device="{SPINE}",port="swp1"}}', "2x360"),
         (f'nvswitch_platform_info_last_reboot_time{{device="{SPINE}"}}', "1300x360")],
        [AT_HOST, {**AT_HOST, "interface": "swp1s0", "far_device": NODE, "tenant": "acme"}],
    ),
    "SpxHardware": (
        [(f'nvswitch_platform_environment_fan_state{{device="{LEAF}",name="FAN1"}}', "2x360")],
        [(f'nvswitch_platform_environment_psu_state{{device="{LEAF}",name="PSU1"}}', "1x360")],
        [{"device": LEAF}],
    ),
    "SpxSessionLost": (
        [(f'nvrouting_bgp_peer_state{{device="{LEAF}",peer_id="swp3s0",vrf="default"}}', "4x360")],
        [(f'nvrouting_bgp_peer_state{{device="{LEAF}",peer_id="swp3s1",vrf="default"}}', "1x360"),
         (f'nvrouting_bgp_peer_state{{device="{LEAF}",peer_id="swp9",vrf="t21-acme"}}', "4x360")],
        [{"device": LEAF, "interface": "swp3s0", "far_device": SPINE, "far_interface": "swp1s0"}],
    ),
    "SpxLosslessOff": (
        [(f'spx_host_desired{{device="{NODE}",what="algorithm"}}', "0x360"),
         (f'spx_check{{check="switch.pfc",device="{LEAF}"}}', "1x360")],
        [(f'spx_host_desired{{device="{FAR}",what="algorithm"}}', "1x360"),
         (f'spx_check{{check="switch.link.state",device="{OTHER}"}}', "1x360")],
        [{"device": NODE, "tenant": "acme"}, {"device": LEAF}],
    ),
    "SpxSwitchSilent": (
        [],
        [(f'nvswitch_interface_oper_state{{device="{name}",interface="swp1s0"}}', "1x360")
         for name in (OTHER, "leaf-p1-su002-r1", "leaf-p1-su002-r2", SPINE, "spine-p1-s02")],
        [{"device": LEAF, "far_device": LEAF}],
    ),
    "SpxHostSilent": (
        [(f'up{{job="spx-hosts",device="{NODE}"}}', "0x360"),
         (f'spx_host_time_seconds{{device="{FAR}"}}', "100x360")],
        [(f'up{{job="spx-hosts",device="{FAR}"}}', "1x360"),
         ('spx_host_time_seconds{device="worker-su02-rack01-h01"}', "0+15x360")],
        [{"device": NODE, "far_device": NODE, "tenant": "acme"},
         {"device": FAR, "far_device": FAR, "tenant": "globex"}],
    ),
    "SpxCertificate": (
        [(f'spx_check{{check="switch.certificate",device="{LEAF}"}}', "1x360")],
        [(f'spx_check{{check="switch.certificate",device="{OTHER}"}}', "0x360")],
        [{"device": LEAF}],
    ),
    "SpxRouteTable": (
        [(f'nvrouting_rib_count{{device="{LEAF}",vrf="{vrf}"}}', "40000x360") for vrf in ("default", "t21-acme")],
        [(f'nvrouting_rib_count{{device="{OTHER}",vrf="default"}}', "70000x360")],
        [{"device": LEAF}],
    ),
}  # fmt: skip


def expanded(values: str) -> str:
    """Write `1x360` as promtool wants it: `1+0x360`."""
    return " ".join(
        text if "+" in text.partition("x")[0].replace("e+", "") else text.replace("x", "+0x")
        for text in values.split()
    )


@pytest.fixture(scope="module")
def fabric():
    return example("lab")


@pytest.fixture(scope="module")
def info(fabric):
    """The series that the plan itself writes."""
    lines = [*places.ports(fabric, None), *places.nodes(fabric, Registry.load(fabric))]
    texts = [line.strip().rpartition(" ")[0] for line in lines if not line.startswith("#")]
    return [{"series": text, "values": "1+0x360"} for text in texts]


@pytest.fixture(scope="module")
def promtool():
    found = shutil.which("promtool")
    if not found:
        pytest.skip("promtool is not installed: run make packages")
    return found


def told(fabric, name: str, labels: dict[str, str]) -> str:
    """The command that an alert with these labels names."""
    alerts = {rule["alert"]: rule for rule in rules.rules(fabric)["groups"][1]["rules"]}
    text = alerts[name]["annotations"]["command"]
    return re.sub(r"{{ \$labels\.(\w+) }}", lambda found: labels[found[1]], text)


def case(fabric, info, name: str) -> dict[str, object]:
    faults, beside, fires = FAULTS[name]
    series = [{"series": text, "values": expanded(values)} for text, values in (*faults, *beside)]
    return {
        "interval": "15s",
        "name": name,
        "input_series": [*info, *series],
        "promql_expr_test": [
            {
                # an alert whose labels are those of its device, port, far end and tenant, and nothing else fires
                "expr": f'count by (device, interface, far_device, far_interface, tenant) '
                f'(ALERTS{{alertname="{name}",alertstate="firing"}})',
                "eval_time": "24m",
                "exp_samples": [
                    {
                        "labels": "{" + ",".join(f'{key}="{text}"' for key, text in row.items()) + "}",
                        "value": 1,
                    }
                    for row in fires
                ],
            }
        ],
    }  # fmt: skip


def idle(info) -> dict[str, object]:
    """Every switch port of the plan is up and evenly busy, and nothing counts a fault: nothing fires."""
    ports = [
        re.search(r'device="([^"]+)",interface="([^"]+)"', row["series"]).groups()
        for row in info
        if 'kind="nic"' not in row["series"] and "spx_port_info" in row["series"]
    ]
    own = {
        "oper_state": "1+0x100",
        "if_out_octets": "0+7e11x100",
        "carrier_down_changes_total": "7+0x100",
    }
    series = [
        {"series": f'nvswitch_interface_{name}{{device="{device}",interface="{port}"}}', "values": text}
        for device, port in ports
        for name, text in own.items()
    ]  # fmt: skip
    return {
        "interval": "15s",
        "name": "idle",
        "input_series": [*info, *series],
        "promql_expr_test": [{"expr": "count(ALERTS)", "eval_time": "24m", "exp_samples": []}],
    }


def test_every_alert_fires_on_its_fault_and_is_silent_beside_it(fabric, info, promtool, tmp_path):
    made = dict(files.files(fabric, None))
    (tmp_path / "rules.yml").write_text("".join(made["monitoring/rules.yml"]))
    cases = [*(case(fabric, info, name) for name in ALERTS), idle(info)]
    tests = {"rule_files": ["rules.yml"], "evaluation_interval": "2m", "tests": cases}
    (tmp_path / "tests.yml").write_text(yaml.safe_dump(tests))
    done = subprocess.run(
        [promtool, "test", "rules", "tests.yml"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_at_most_15_alerts_and_each_says_what_to_do(fabric):
    assert len(ALERTS) <= 15
    assert FAULTS.keys() == ALERTS.keys()
    for name, row in ALERTS.items():
        assert row["meaning"], name
        assert row["cause"], name
        assert row["fault"], name
        assert row["command"].startswith("ansible-playbook spectrum_x.fabric."), name
        assert row["from"] in ("switch", "host", "check"), name


def test_commands_name_the_place(fabric):
    assert told(fabric, "SpxPauseStorm", AT_HOST) == (
        f"ansible-playbook spectrum_x.fabric.slow_job -e spx_nodes={FAR}"
    )


METRIC = re.compile(r"\b(?:nvswitch|nvrouting)_\w+")
OWN = re.compile(r"\bspx_[a-z_]+")
EXPORTED = {
    "spx_check",
    "spx_host_desired",
    "spx_host_time_seconds",
    "spx_nic_counter_total",
    "spx_node_info",
    "spx_port_info",
    "spx_switch_info",
}
"""Series that the plan, `validate` and the agent write; tests at their places see them."""


@pytest.mark.parametrize("release", ["5.13.0", "5.14.0", "5.16.1", "5.18.0", "5.19.0"])
def test_what_rules_and_dashboards_read_is_kept_on_the_release(load, release):
    fabric = load(release={"ra": "2.1", "cumulus": release}, accept_releases=[release])
    words = rules.figures(fabric)
    texts = [rule["expr"] for group in rules.rules(fabric)["groups"] for rule in group["rules"]] + [
        panel["targets"][0]["expr"]
        for name in dashboards.names()
        for panel in dashboards.dashboard(fabric, name, words)["panels"]
    ]
    read = {name for text in texts for name in METRIC.findall(text)}
    assert read <= telemetry.kept([release]).keys()
    assert {name for text in texts for name in OWN.findall(text)} <= EXPORTED
