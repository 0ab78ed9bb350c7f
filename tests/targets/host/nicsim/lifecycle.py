# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses of the hardware: settings that live only until the next reboot, reset or reload."""

from __future__ import annotations

import secrets
import time
from typing import Any

from nicsim import faults, hardware, modules, nvdb, pci
from nicsim.store import State

Nic = dict[str, Any]

#: Value fields of ROCE_ACCL with the value of an unconfigured card.
ROCE_ACCL_DEFAULTS: dict[str, int] = {
    "roce_adp_retrans_en": 1,
    "roce_tx_window_en": 0,
    "roce_slow_restart_en": 1,
    "roce_slow_restart_idle_en": 0,
    "min_ack_timeout_limit_disabled": 0,
    "adaptive_routing_forced_en": 0,
    "selective_repeat_forced_en": 0,
    "dc_half_handshake_en": 0,
    "cc_per_plane_en": 0,
    "ack_dscp_force": 0,
    "ack_dscp": 0,
    "cc_burst_size": 0,
    "ifa2_turn_around_en": 0,
    "adp_retx_profile_id": 0,
    "adp_retx_base_timeout_min": 0,
    "cc_probe_mp_mode": 0,
}

#: Congestion-control slots: the firmware's own algorithm in 0 and 1, DCQCN in 15.
PPCC_SLOTS = (0, 1, 15)
PPCC_PARAMETERS = 25

PAUSE_DEFAULT_MS = 8000


def fresh_ppcc() -> dict[str, Any]:
    """Slots after a reset: DCQCN on, programmable slots off."""
    return {
        str(slot): {
            "enabled": int(slot == 15),
            "counter_en": 0,
            "params": {str(i): 0 for i in range(PPCC_PARAMETERS)},
        }
        for slot in PPCC_SLOTS
    }


def fresh_runtime(nic: Nic) -> dict[str, Any]:
    """Volatile settings of one function right after the firmware and driver came up."""
    return {
        "dcbx": "os",
        "dscp2prio": {},
        "pfc": [0] * 8,
        "cable_len": 7,
        "prio2buffer": None,
        "buffer_size": None,
        "prio_tc": [1, 0, 2, 3, 4, 5, 6, 7],
        "tsa": ["vendor"] * 8,
        "tc_bw": [0] * 8,
        "ratelimit_gbps": [0] * 8,
        "cma_roce_tos": 0,
        "cma_roce_mode": 2,
        "traffic_class": None,
        "cnp_dscp": nic["nv"]["current"].get("CNP_DSCP_P1", 48),
        "ecn_np": [0] * 8,
        "ecn_rp": [0] * 8,
        "roce_accl": dict(ROCE_ACCL_DEFAULTS),
        "ppcc": fresh_ppcc(),
        "ipg": 0,
        "ipg_oper": 0,
        "ipg_written_at": None,
        "pfc_prevention_ms": PAUSE_DEFAULT_MS,
        "pause_rx": 1,
        "pause_tx": 1,
        "ring_rx": 1024,
        "ring_tx": 1024,
        "devctl": pci.CARD_CONTROL,
        "cc": None,
    }


#: What `ethtool -S` and the statistics of RDMA devices count, by mlx5's names.
ETHTOOL_COUNTERS = (
    "rx_bytes_phy",
    "rx_packets_phy",
    "tx_bytes_phy",
    "tx_packets_phy",
    "rx_vport_rdma_unicast_bytes",
    "rx_vport_rdma_unicast_packets",
    "tx_vport_rdma_unicast_bytes",
    "tx_vport_rdma_unicast_packets",
    "rx_prio0_bytes",
    "rx_prio0_packets",
    "tx_prio0_bytes",
    "tx_prio0_packets",
    "tx_prio3_bytes",
    "tx_prio3_packets",
    "rx_prio3_bytes",
    "rx_prio3_packets",
    "rx_prio3_discards",
    "rx_prio3_pause",
    "rx_prio3_pause_duration",
    "rx_prio3_pause_transition",
    "rx_prio3_buf_discard",
    "rx_prio3_cong_discard",
    "rx_prio3_marked",
    "tx_prio3_pause",
    "tx_prio3_pause_duration",
    "rx_discards_phy",
    "tx_discards_phy",
    "rx_crc_errors_phy",
    "rx_symbol_err_phy",
    "rx_pcs_symbol_err_phy",
    "rx_out_of_buffer",
    "rx_oversize_pkts_phy",
    "rx_pause_ctrl_phy",
    "tx_pause_ctrl_phy",
    "link_down_events_phy",
    "tx_pause_storm_warning_events",
    "tx_pause_storm_error_events",
    "module_bad_shorted",
    "module_high_temp",
    "module_unplug",
)
RDMA_COUNTERS = (
    "np_cnp_sent",
    "np_ecn_marked_roce_packets",
    "rp_cnp_handled",
    "rp_cnp_ignored",
    "roce_adp_retrans",
    "roce_adp_retrans_to",
    "roce_slow_restart",
    "roce_slow_restart_cnps",
    "roce_slow_restart_trans",
    "out_of_sequence",
    "packet_seq_err",
    "local_ack_timeout_err",
    "out_of_buffer",
    "rx_icrc_encapsulated",
)


def fresh_counters() -> dict[str, int]:
    """All counters at zero."""
    return dict.fromkeys((*ETHTOOL_COUNTERS, *RDMA_COUNTERS), 0)


def forget(nic: Nic, *, reset: bool = True) -> None:
    """Driver reload, reset or reboot: every volatile setting of the NIC is gone.

    Configuration space outlives a reload of the driver, which resets nothing on the bus.
    """
    for function in nic["functions"]:
        kept = {} if reset else {"devctl": function["runtime"]["devctl"]}
        function["runtime"] = {**fresh_runtime(nic), **kept}
        function["counters"] = fresh_counters()
        function["unbound"] = False
        function["lives"] = function.get("lives", 0) + 1
        function["carrier_base"] = hardware.carrier_downs(function)


def apply_nv(state: State, nic: Nic, *, cold: bool) -> list[str]:
    """Make next-boot settings current; return the names that changed.

    A change into NIC mode needs a power cycle, a change into DPU mode does not: the trap is
    that a card loses its mode sooner than it regains it.
    """
    if faults.active(state, "nv-not-applied", nic):
        return []
    if faults.active(state, "nv-needs-power-cycle", nic) and not cold:
        return []
    current, target = nic["nv"]["current"], dict(nic["nv"]["next"])
    gains_nic_mode = (
        target.get("INTERNAL_CPU_OFFLOAD_ENGINE") == 1
        and current.get("INTERNAL_CPU_OFFLOAD_ENGINE") == 0
    )
    if gains_nic_mode and not cold:
        for name in nvdb.MODE_PARAMETERS:
            target[name] = current[name]
    changed = sorted(name for name, value in target.items() if current.get(name) != value)
    current.update(target)
    return changed


def version_key(version: str) -> tuple[int, ...]:
    """Order firmware versions of one family: `32.46.1006` -> (32, 46, 1006)."""
    return tuple(int(part) for part in version.split("."))


def load_firmware(state: State, nic: Nic, *, cold: bool, tool: bool = False) -> bool:
    """Start the burned firmware where this kind of reset can; return whether it changed.

    `tool` is a reset by mlxfwreset, which cannot activate an older version.
    """
    firmware = nic["firmware"]
    staged_only = firmware["needs_power_cycle"] or faults.active(state, "staged-only", nic)
    older = version_key(firmware["burned"]) < version_key(firmware["running"])
    if faults.active(state, "never-loaded", nic):
        return False
    if firmware["running"] == firmware["burned"] or (staged_only and not cold) or (tool and older):
        return False
    firmware["running"] = firmware["burned"]
    firmware["needs_power_cycle"] = False
    return True


def restart_nic(state: State, nic: Nic, *, cold: bool = False, tool: bool = False) -> None:
    """The firmware starts again: burned image, next-boot settings, no volatile setting."""
    load_firmware(state, nic, cold=cold, tool=tool)
    apply_nv(state, nic, cold=cold)
    forget(nic)
    hardware.register_rdma(state, [nic])


def reboot(state: State, *, cold: bool) -> tuple[str, float]:
    """The host starts again; returns the new boot id and time."""
    for nic in state["nics"]:
        restart_nic(state, nic, cold=cold)
        if nic["rshim"]["owner"] == "host":
            nic["rshim"]["owner"] = "none"
    hardware.register_rdma(state, state["nics"])
    pci.boot(state)
    modules.boot(state)
    state["host"].update({"mst": False, "rshim_running": False})
    boot = state["boot"]
    boot.update({"id": _boot_id(), "time": round(time.time(), 3), "count": boot["count"] + 1})
    boot["cold"] = cold
    return boot["id"], boot["time"]


def _boot_id() -> str:
    text = secrets.token_hex(16)
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def new_boot() -> dict[str, Any]:
    """The first boot of a simulated host."""
    return {"id": _boot_id(), "time": round(time.time(), 3), "count": 1, "cold": True}
