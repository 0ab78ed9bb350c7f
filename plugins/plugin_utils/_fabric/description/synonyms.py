# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words that people write where they mean a key of the description or of the registry, or a variable."""

from __future__ import annotations

MEANINGS = {
    "capacity": "gpu gpus nodes hosts servers su sus scalable_units racks pod pods size counts",
    "slots_per_su": "gpu gpus nodes hosts servers slots nodes_per_su hosts_per_su servers_per_su",
    "sus_per_pod": "su sus scalable_units",
    "pods": "pod",
    "nodes_per_rack": "racks rack hosts_per_rack",
    "switches": "switch leaf leafs leaves spine spines",
    "nics": "nic card cards dpu dpus supernic supernics adapters bluefield connectx",
    "rails": "rail gpus_per_node nics_per_node",
    "tiers": "layers levels stages",
    "release": "releases version versions os",
    "cumulus": "os version cumulus_version cumulus_linux",
    "ra": "version ra_version reference_architecture",
    "host_speed": "speed port_speed nic_speed downlink_speed",
    "fabric_speed": "uplink_speed spine_speed link_speed",
    "usable_ports": "ports port_count",
    "pci": "pci_address pci_addresses bdf",
    "addressing": "ip ips ipam address addresses subnets",
    "pools": "prefix prefixes blocks subnets",
    "host_oob": "oob",
    "loopback": "lo loopbacks",
    "inter_switch": "underlay p2p links",
    "naming": "names hostnames",
    "management": "services oob mgmt",
    "dns": "dns_servers nameserver nameservers",
    "ntp": "ntp_servers time",
    "syslog": "syslog_servers logging",
    "domain": "domain_name dns_domain",
    "manage": "roles managed write",
    "unmanaged": "ignore exclude",
    "absent": "missing spare not_built",
    "out_of_service": "broken down maintenance",
    "devices": "inventory serials",
    "balancing": "balance load_balancing",
    "routing": "bgp evpn",
    "qos": "pfc roce ecn buffers",
    "networks": "north_south ns converged other_networks",
    "front_end": "frontend front in_band inband",
    "border": "edge exit external",
    "oversubscription": "oversub contention blocking",
    "attachment": "attach lag mlag multihoming",
    "slug": "name customer tenant",
    "spx_where": "spx_pod spx_pods spx_su spx_sus spx_plane spx_planes spx_rack spx_racks spx_place spx_devices",
}
"""Keys and variables, each with the words that mean it; of several keys the first one that is a key there counts."""
