# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Regular expressions of plugins, each with the text that costs it most.

r"^\\s*level": Worst("\\n")          a text of 1 MB: head, then pump again and again, then tail
"leaf" + number: Worst("leaf", each=("number", "range(9)"))    made at run time: once for each value
r"\\w+": Ours("roles of the collection")                     reads nothing from outside

A pattern stands as in its file: by its text, or, where it is put together, by its source. The worst
text of a pattern nearly fits, at many places: a repeat, or a beginning that is found again and again,
without what has to follow. `pattern=` of pydantic is not here, as its engine is linear.
"""

from __future__ import annotations

from typing import NamedTuple, Union


class Worst(NamedTuple):
    """A text of any length; `each` names a variable of the pattern, and says where its values are.

    `by` is the function that the pattern is used by, where the test cannot see it.
    """

    pump: str
    head: str = ""
    tail: str = ""
    each: tuple[str, str] = ("_", "[0]")
    by: str = ""

    def text(self, size: int) -> str:
        """Return the text of about this many characters."""
        return self.head + self.pump * (size // len(self.pump)) + self.tail


class Ours(NamedTuple):
    """Text of a pattern that comes from the collection itself."""

    what: str


PATTERNS: dict[str, dict[Union[str, bytes], Union[Worst, Ours]]] = {
    "action/locate_info.py": {
        "[0-9]{1,10}": Worst("0", tail="\n"),
    },
    "action/guard.py": {
        b"^[^\\S\\n]*plugin[^\\S\\n]*:[^\\S\\n]*['\\\"]?spectrum_x\\.": Worst("\n", head="plugin"),
    },
    "plugin_utils/_fabric/export/monitoring/rules.py": {
        r"\b(?:nvswitch|nvrouting)_\w+": Ours("expressions of the catalog of alerts"),
    },
    "module_utils/_host/backends.py": {
        r"net\.(ipv[46])\.conf\.(.+)\.([^.]+)": Worst("net.ipv4.conf."),
        r"(?:30-)?spectrum-x-((?:front|stor)(?:\.\d+)?)\.(?:network|netdev|nmconnection)": Worst(
            "0", head="30-spectrum-x-front.", tail="\x00"
        ),
    },
    "module_utils/_host/conformance.py": {
        'psid="([^"]+)"': Worst("a", head='psid="'),
    },
    "module_utils/_host/definitions.py": {
        r"(?:10-|99-)?netplan-(.+)\.(?:network|link|rules|nmconnection)": Worst(
            ".network", head="netplan-", tail="x"
        ),
        r"^\S{0,4}[ \t]{0,8}\d{1,10}: (\S+)[^\n]*$|^ *Network File: (\S+)$": Worst(" 1"),
    },
    "module_utils/_host/driver.py": {
        (
            r"(?:mlx|ib_|iw_|rdma_|rpcrdma|nvmet?_|smc|siw$|rds|fwctl|macsec|vfio|srpt?$|iser)"
        ): Worst("siw\n"),
        r"\[(\w+)\]": Worst("["),
        r"^saved_entry=(.+)$": Worst("saved_entry="),
        r"\d+": Worst("0\n"),
    },
    "module_utils/_host/gpudirect.py": {
        "pci[0-9a-f]{4,}:[0-9a-f]{2}": Worst("a", head="pci", tail="\n\x00"),
    },
    "module_utils/_host/interfaces.py": {
        "^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$": Worst("\n"),
        "^([A-Za-z][A-Za-z0-9_.-]{0,62})?$": Worst("a0"),
    },
    "module_utils/_host/networks.py": {
        r"^(front|stor)(\.[0-9]{1,4})?$": Worst("\n"),
    },
    "module_utils/_host/packages.py": {
        "suse|sles": Worst("sus"),
        "mlnx-ofed-": Worst("\n", tail="\x00"),
        "doca-(all|networking|ofed|roce|host-basic)(-userspace|-kernel)?$": Worst(
            "doca-netwo", tail="\n\x00"
        ),
        r"hpcx-v?(\d+(?:\.\d+)+)-": Worst(".0", head="hpcx-v0"),
        r'^(\w+)="?([^"\n]*)"?$': Worst('a="\n'),
        r"(\d+\.\d+)\.": Worst("0", head="0."),
    },
    "module_utils/_host/places.py": {
        (
            r"^[^\S\n]*(Exec\w+|User|Group|DynamicUser|Environment\w*|Root\w+|BindPaths"
            r"|BindReadOnlyPaths|OnFailure|OnSuccess|On\w+Sec|OnCalendar|Unit|Condition\w+"
            r"|Assert\w+)[^\S\n]*="
        ): Worst("\n", head="Exec"),
    },
    "module_utils/_host/probe.py": {
        "pattern": Worst("a ", head="Network u", each=("pattern", "REASONS")),
    },
    "module_utils/_host/renames.py": {
        r'([A-Z]{1,16})(?:\{([^{}"\n]{0,64})\})?[ \t]{0,8}(==|!=|\+=|-=|:=|=)[ \t]{0,8}"([^"\n]*)"': Worst(
            "A{"
        ),
        r"rdma_rename \S{1,32} NAME_FIXED (\S+)": Worst("rdma_rename %k "),
        r"[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}": Worst("00:00:00:00:00-"),
        r"^network:(.*)$": Worst("network\n"),
        r"config:[ \t]*[\"']?disabled": Worst("config: "),
    },
    "module_utils/_host/writers.py": {
        (
            r"^[^#\n]*?\b(?:mlnx_qos|cma_roce_(?:tos|mode)|lldptool|(?:mlx|mst)(?:config|reg)"
            r"|dcb (?:pfc|ets|app|dcbx))\b"
        ): Worst("\n"),
        r"^Exec\w+=[-@:+!]*(/\S+)": Worst("E", head="Exec"),
    },
    "module_utils/_nic/discover.py": {
        r"^((0000)?[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$": Worst("A", tail="\x00"),
        r"^p\d+$": Worst("1", head="p", tail="\x00"),
    },
    "module_utils/_nic/firmware.py": {
        (
            r"CRITICAL ERROR|(?:^|\s)ERR(?:\[|\s|:)|Transfer/Verify failed"
            r"|ActivateFirmware Failed|No matching image found"
        ): Worst("\n"),
        "In Enhanced NIC mode|Runtime upgrade finished": Worst("Runtime upgrade f"),
        r"DPU is ready|Linux up|Rebooting\.\.\.": Worst("Reboot", tail="\x00"),
        r"^[^\S\n]*Unbinding \S+ \((\S+?)\)": Worst("\n"),
        r"^[^\S\n]*Binding \S+ \((\S+?)\)": Worst("\n"),
        r"^DEV_NAME\s+pcie-(\S+)": Worst("\n", head="DEV_NAME", tail="\n\x00"),
        r"^rshim\d+$": Worst("0", head="rshim", tail="\x00"),
        r"\d+": Worst("0\n"),
    },
    "module_utils/_nic/parse/flint.py": {
        r"^([A-Z][A-Za-z ]*(?:\(Running\))?):(.*)$": Worst("A"),
    },
    "module_utils/_nic/parse/listings.py": {
        r"^[^\S\n]*level[^\S\n]*:[^\S\n]*(\w+)": Worst("\n", head="level"),
        r"PCC host status\s+(\w+)": Worst("\n", head="PCC host status", tail="\n\x00"),
        r"^[^\S\n]*(\d):[^\S\n].*?-[^\S\n]*(Not Supported|Supported)": Worst("1: -"),
        "^Reset-(?!levels)": Worst("Reset-\n"),
    },
    "module_utils/_nic/parse/mlxconfig.py": {
        r"^[A-Z][A-Z0-9_]*(\[\d+(\.\.\d+)?\])?$": Worst("1", head="A0[", tail="\x00"),
        r"^(.*)\(([^()]*)\)$": Worst("a("),
        r"\s{2,}": Worst("0"),
        r"^Device #\d+:": Worst("1", head="Device #"),
        r"RO\s": Worst("\n"),
    },
    "module_utils/_nic/parse/mlxreg.py": {
        r"^\s*([A-Za-z0-9_\[\]]+)\s*\|\s*(0x[0-9a-fA-F]+|\d+)\s*$": Worst(
            "\t", head=" a |", tail="\n\x00"
        ),
    },
    "module_utils/_nic/parse/pci.py": {
        r"[0-9a-f]{4}\s*": Worst(" ", head="aaaa", tail="\n\x00"),
    },
    "module_utils/_nic/parse/qos.py": {
        r"RoCE v([12])\s*$": Worst("\t", head="RoCE v1", tail="\x00"),
        r"pfc-prevention-tout:?\s+(\d+)": Worst("\n", head="pfc-prevention-tout:", tail="\n\x00"),
        r"^[^\S\n]+([\w.\[\]-]+):[^\S\n]+(\d+)[^\S\n]*$": Worst(" \n"),
        r"^\s*prio:(\d)\s+dscp:([\d,]+)": Worst(",", head=" prio:0 dscp:"),
        r"Global tclass=(\d+)": Worst("0", head="Global tclass=", tail="\x00"),
        r"^\s*(\d+)\s*$": Worst("1", head=" ", tail="\x00"),
    },
    "module_utils/_perf/command.py": {
        r"(\d+(?:\.\d+)?)\s*(\S+)": Worst("0.1", tail="\n\x00"),
        "'{(' + '|'.join(known) + ')}'": Worst("{p", each=("known", "[['peer', 'port', 'rdma']]")),
    },
    "module_utils/_perf/counters.py": {
        r"_phy$|_prio\d|pause|_pci_|^outbound|out_of_buffer|dropped": Worst("_"),
        r"^(rx|tx|ch|xdp|xsk)\d+_": Worst("0", head="rx"),
    },
    "module_utils/_perf/nccl.py": {
        "IB|SPCX": Worst("\n"),
        r"spectrum-x rails =(\S{1,2000})": Worst("spectrum-x rails ="),
        r"NET/\S{1,40} ?: Using (\[.*)": Worst("NET/aaaaaaaa"),
        r"\[\d+\]([\w.-]{1,64}):\d+/(\w+)": Worst("0", head="["),
        r" mtu \d+ GID -?\d+ \(([0-9A-F]{1,16})/([0-9A-F]{1,16})\)": Worst("0", head=" mtu "),
        r"\bMNNVL 1\b": Worst("MNNVL 11 "),
        r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$": Worst(" "),
        r"\s*(\d+)\s+(\d+)\s+([a-z]\w*)\s+(?:([a-z]\w*)\s+)?(?!\s)(?=.*\d)(.*)$": Worst(
            " ", head="1 2 float sum", tail="x"
        ),
        (
            r"process rank \d+ with PID \d+ on node \S+ exited on signal (?:9|15)\b.*"
            r"|error: (\S{1,99}: tasks? \S{1,99} (?:Out Of Memory|Killed).*)|Detected \d+ oom.kill event.*"
        ): Worst("error: "),
        r"Invalid number of GPUs.*|^(?:ssh: .*|\S*Permission denied.*|Host key verif.*)": Worst(
            "Invalid "
        ),
        "NCCL WARN (.*)": Worst("NCCL "),
        "Test (?:NCCL|CUDA)? ?failure.*": Worst("Test N"),
        (
            r"^(?:srun|slurmstepd): (?:error: |fatal: )?(?!job \d+ (?:queued|has been allocated))(\S.*)"
        ): Worst(" ", head="srun: error:"),
        r"\s*(AND|OR|MOD|DIV|[&|%/])\s*(0x[0-9a-f]+|0b[01]+|\d+)\s*": Worst("\n "),
        r"(\d+(?:\.\d+)?)([KMGT]?)": Worst("0", tail="\x00"),
        r"Channel \S{1,40} ?: .{0,160} via (NET/[^/\n]+|\S+)(\S*)": Worst("Channel 0 : a "),
        "Using network (.+)": Worst("Using network a\n"),
        r"NET/Plugin ?: Loaded net plugin (.{1,160}?) \(v\d+\)": Worst(
            "NET/Plugin : Loaded net plugin a"
        ),
        r"nNodes (\d+)": Worst("nNodes 0"),
        r"-?\d+(\.\d+)?(e[+-]?\d+)?": Worst("0", head="-", tail="\n\x00"),
        r"#\s*Out of bounds values\s*:\s*(\d+)": Worst(
            " ", head="# Out of bounds values :", tail="\x00"
        ),
        r"#\s+Rank\s+(\d+)\s": Worst(" ", head="# Rank", tail="\x00"),
    },
    "module_utils/_perf/perftest.py": {
        r"#\w+|(?<![\w.%])[\w.%]+(?: \w+)?\[[^\[\]]+\]": Worst("a["),
        r"^ *(\S+(?: Bidirectional)? (?:BW|Latency)) Test *$": Worst("x", head=" "),
        r"(?:Couldn't|Failed status|Failed to modify QP)\b.*\S": Worst(
            " ", head="Couldn't ", tail="\n\x00"
        ),
        r'Link[ _]type"?\s*:\s*"?(\w+)': Worst("\n", head='Link type" :'),
        "f'^[^\\\\S\\\\n]*\"?(\\\\w[\\\\w.]*)\"?:[^\\\\S\\\\n]*({NUMBER}),?[^\\\\S\\\\n]*$'": Worst(
            "\n"
        ),
        "NUMBER": Worst("0.0 ", tail="\n\x00"),
    },
    "module_utils/_perf/process.py": {
        "f'^(?:{STAMPED})?(?:{TAG})?'": Worst(" "),
        "-{74}$": Worst("-", tail="x"),
        (
            r"$|[#*]|-{20,}|\d+ +\d+ +[a-z]|Primary job +terminated|a non-zero exit code|thus causing"
            r"|the job to be terminated|(?:Process name|Exit code):"
            r"|.{1,100}(?: NCCL INFO |exited with non-zero status|aborted, but has no info)"
        ): Worst("0", tail=" "),
        r"oom_kill \d{1,18}": Worst("0", head="oom_kill ", tail="\n\x00"),
    },
    "module_utils/_perf/task.py": {
        "NODE": Worst("0", head="a", tail="\n\x00"),
        "VARIABLE": Worst("_", head="a", tail="\x00"),
        "pattern": Worst("a", head="/", tail="\x00", each=("pattern", "PATTERNS.values()")),
    },
    "plugin_utils/_dcim/dialect.py": {
        r"\d+": Worst("0\n"),
    },
    "plugin_utils/_fabric/audit/switch_neighbours.py": {
        r"en(?:P(\d{1,5}))?p(\d{1,3})s(\d{1,2})(?:f(\d))?(?:np\d{1,2}|d\d{1,2})?": Worst(
            "0", head="enp"
        ),
    },
    "plugin_utils/_fabric/tenants/tenant_addresses.py": {
        r"^(?:asn?|l[23]?vni|vni|vlan|vrf|tenant)[ :]*(?=.)": Worst(" ", head="vni", tail="\n"),
    },
    "plugin_utils/_dcim/netbox_table.py": {
        "[^a-z0-9_]+": Worst("a "),
    },
    "plugin_utils/_jobs/conformance/anonymous.py": {
        "state|(oper-|admin-)?status|mode|type|severity|protocol|origin|progress": Worst(
            "oper-stat"
        ),
        "build|product-release|version|image|model|product-name|part-number|asic-model": Worst(
            "product-release\n"
        ),
        "(remote|local|peer)-as|autonomous-system|asn": Worst("remote ", tail="\n\x00"),
        (
            "user|peer-group|route-map|(prefix|community)-list|snippet|role|class|profile"
            "|acl|neighbor|interface|vrf|server|destination|(ca-)?certificate|hostname"
        ): Worst("hostname\n", tail="\x00"),
        (
            "on|off|yes|no|true|false|enabled?|disabled?|none|auto|up|down|full|half|n/?a"
            "|unknown|ok|green|yes/no|lossless|lossy|external|internal"
        ): Worst("lossles"),
        r"swp\d+(s\d+)?|eth\d+|lo|vlan\d+|bond\d+|br_\w+|default|mgmt|\d{1,6}|ipv[46]|\*": Worst(
            "0", head="swp", tail="\n\x00"
        ),
        r"[A-Za-z][A-Za-z _/-]{0,30}( \([A-Za-z -]{1,20}\))?": Worst("\n"),
        r"[-+]?\d{1,20}(\.\d+)?([eE][-+]?\d+)?( ?[A-Za-z%/]{1,8})?": Worst(
            "0", head="-0.", tail="\n\x00"
        ),
        "serial|guid|id|mac": Worst("g", tail="\x00"),
        r"(?<![\w:])[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}(?![\w:])": Worst(
            "aa-aa-aa-aa-aa-aa", tail="\x00"
        ),
        r"(?<![\w:])(?:[0-9a-f]{4}:){3}[0-9a-f]{4}(?![\w:])|\b0x[0-9a-f]{16}\b": Worst(
            "\n ", tail="\x00"
        ),
        (
            r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}"
            r"|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?:/\d{1,3})?(?![\w.:])"
        ): Worst("0.0.0.0\n", tail="\n\x00"),
        "f'(?<![A-Za-z0-9])(?:{any_of_them})(?![A-Za-z0-9])'": Worst(
            "leaf01a ", each=("any_of_them", "['leaf01|leaf0|leaf']")
        ),
    },
    "plugin_utils/_jobs/conformance/questions.py": {
        r"swp\d+(s\d+)?": Worst("0", head="swp", tail="\x00"),
    },
    "plugin_utils/_edge/project.py": {
        "spx_fabric_.": Worst("0"),
    },
    "plugin_utils/_jobs/switch/silences.py": {
        "[0-9A-Za-z-]{1,64}": Worst("a"),
    },
    "plugin_utils/_jobs/summary.py": {
        (
            "^(?:Task failed: |Action failed: |Module failed: "
            "|Finalization of task args for '[^']*' failed: "
            "|Error while resolving value for '[^']*': |The (?:lookup|filter"
            "|test) plugin '[^']*' failed: )+"
        ): Worst("Action failed: "),
        r"f'(?<![\\w.-]){re.escape(said.name)}(?![\\w-])'": Worst(
            "leaf01a ", each=("said", "[type('Name', (), {'name': 'leaf01'})]")
        ),
    },
    "plugin_utils/_edge/unused_variables.py": {
        "pattern": Ours("roles and playbooks of the collection"),
    },
    "plugin_utils/_fabric/plan/addressing/oob.py": {
        "dpu([1-9][0-9]?)?_(bmc|oob)": Worst("dpu1", tail="\x00"),
    },
    "plugin_utils/_fabric/plan/addressing/table.py": {
        "[0-9]{1,3}": Worst("\n"),
    },
    "plugin_utils/_fabric/catalog/ra.py": {
        r"f'{re.escape(version)}(\\d{{3,}})?([-._]|$)'": Worst(
            "1", head="3.3.0", tail="x", each=("version", "['3.3.0']")
        ),
    },
    "plugin_utils/_fabric/plan/devices.py": {
        r"[a-z0-9_.\[\]]+": Worst("a", tail="\n\x00"),
    },
    "plugin_utils/_fabric/export/atlas.py": {
        r"(?:^|(?<=[(\[{,;])\n)(?:\s+|//.*\n)*": Ours("the page's own script"),
        b"<!doctype html>": Worst("<!", tail="\n\x00"),
    },
    "plugin_utils/_fabric/export/atlas_results.py": {
        r"(?<!\S)(?=[^\s0-9]*[0-9])\S+": Worst("a"),
    },
    "plugin_utils/_fabric/export/dcim_files.py": {
        r"'|'.join((*exact, f'(.*,)?cf_{FIELD}(,.*)?\\n')).encode()": Worst(
            "a,", each=("exact", r"[('name,site\n', 'name,cf_x\n')]"), by="match"
        ),
        "[^a-z0-9_]+": Worst("a "),
    },
    "plugin_utils/_fabric/export/dns.py": {
        rb"\$ORIGIN \S+\n\$TTL [0-9]+\n@ SOA \S+ \S+ \([0-9]+ 3600 600 ": Worst(
            "x", head="$ORIGIN ", tail="\n\x00"
        ),
        rb"\(([0-9]+) ": Worst("(0 \n"),
        rb"(?i)\bSOA\s+\S+\s+\S+\s*(?:\(\s*)?([0-9]+)": Worst(" ", head="SOA a b", tail="x"),
        rb"\n(?!@ NS )": Worst("A"),
    },
    "plugin_utils/_fabric/export/exports.py": {
        rb'\{\n "schema": 1,\n "fabric": ': Worst('{\n "', tail="\n\x00"),
        rb'graph "[a-z0-9-]+" \{\n': Worst('graph "0', tail="\n\x00"),
    },
    "plugin_utils/_fabric/export/handover/cables.py": {
        r"[NLST][0-9]{1,4}(\.[0-9]{1,4}){1,3}": Worst("N0.0 "),
        r"([A-Z]{2})([0-9]{1,4})(?:\.([12]))?": Worst("\n"),
    },
    "plugin_utils/_fabric/export/schedulers.py": {
        b"# Export schedulers of ": Worst("# Export schedulers"),
    },
    "plugin_utils/_fabric/export/handover/files.py": {
        "re.escape(html.BEGIN.encode())": Worst("<!doctype html>\n<html lan", tail="\x00"),
    },
    "plugin_utils/_fabric/export/handover/label_search.py": {
        r"([A-Z]{1,2}[0-9.]+)/([0-9]{1,4})(?:\.[0-9]+)?-\S+": Worst("0", head="A0/0."),
        r"(?:to[ :])?(\S{1,255}?)[ :](\S{1,255})": Worst(":", head="to ", tail="\n"),
        "^to[ :]": Worst("to "),
    },
    "plugin_utils/_fabric/render/host/host_files.py": {
        r"[\w./+-]+": Worst("-", tail="\x00"),
    },
    "plugin_utils/_fabric/render/host/versions.py": {
        r"bf-(?:fw)?bundle-(\d+(?:\.\d+)+(?:-\d+)?)(?:-[^_]*)?(_\d+\.\d+)?": Worst(
            ".0", head="bf-fwbundle-0"
        ),
    },
    "plugin_utils/_fabric/plan/locate.py": {
        (
            r"(?:[a-z]{1,9}://)?(?:([0-9]{1,3}(?:\.[0-9]{1,3}){3})|\[([0-9A-Fa-f:.]{2,45})\])(?::[0-9]{1,5})?(?:/.*)?"
        ): Worst("/", head="1.1.1.1", tail="\n"),
        r"[0-9]+\.[0-9.]+|(?!([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$)[0-9A-Fa-f]*:[0-9A-Fa-f:.]*": Worst(
            "0"
        ),
    },
    "plugin_utils/_fabric/description/description.py": {
        r"[\x20-\x7e]*": Worst("x", tail="\n\x00"),
        "[A-Za-z0-9._+-]{1,64}": Worst("\n"),
        "endpoints.DOMAIN": Worst("aaa."),
    },
    "plugin_utils/_fabric/description/devices.py": {
        "([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}": Worst("\n"),
        ("f'{MAC.pattern}|([0-9A-Fa-f]{{4}}\\\\.){{2}}[0-9A-Fa-f]{{4}}|[0-9A-Fa-f]{{12}}'"): Worst(
            "0000."
        ),
        r"(?:R?U[ -]?)?([0-9]{1,3}([.,][05])?) ?U?": Worst("\n"),
        r"(?:AS ?)?(?:([0-9]{1,5})\.)?([0-9]{1,10})": Worst("\n"),
        r"f'(?=.{{1,63}}$){_LABEL}(\\.{_LABEL})*$'": Worst("\n"),
        "[0-9]{1,3}": Worst("\n"),
    },
    "plugin_utils/_fabric/description/base.py": {
        "f'{PCI}0'": Worst("0"),
        "f'{PCI}[0-7]'": Worst("0"),
    },
    "plugin_utils/_fabric/description/endpoints.py": {
        r"\[([0-9A-Fa-f:.]+)\](?::([0-9]{1,5}))?": Worst(".", head="[", tail="\n\x00"),
        r"([^:\[\]]+)(?::([0-9]{1,5}))?": Worst(" ", tail="\x00"),
        "DOMAIN": Worst("aaa."),
    },
    "plugin_utils/_fabric/description/errors.py": {
        "'[^']*'|[0-9]+": Worst("'"),
    },
    "plugin_utils/_fabric/description/load.py": {
        "'([^']+)'": Worst("'a"),
    },
    "plugin_utils/_fabric/description/networks.py": {
        "([1-9][0-9]{0,2}/)?[1-9][0-9]{0,2}": Worst("\n"),
    },
    "plugin_utils/_fabric/description/places.py": {
        r"(?P<kind>pod|su|h|rack)?(?:(?P<one>[0-9]{1,9})|\[(?P<many>[0-9,\-]+)\]|(?P<all>\*))$": Worst(
            "-", head="pod[", tail="\n\x00"
        ),
        "([0-9]{1,9})(?:-([0-9]{1,9}))?": Worst("0\n"),
    },
    "plugin_utils/_fabric/description/racks.py": {
        "[0-9]{1,4}": Worst("\n"),
        r"[0-9]{1,4}([.,][0-9]{1,3})?": Worst("\n"),
    },
    "plugin_utils/_fabric/description/tables.py": {
        r'"?sep=([,;\t|])"?[,;\t|]*[\r\n]*': Worst(";", head="sep=;", tail="\x00"),
    },
    "plugin_utils/_fabric/description/yaml_source.py": {
        "[-+]?0[0-9_]+$": Worst("_", head="-0", tail="\x00"),
        r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$": Worst(":0", head="-00"),
        r"f'^[ \\t?:-]{{{MOST_LEVELS}}}'": Worst("- \n"),
    },
    "plugin_utils/_fabric/measure/judge/baselines.py": {
        r"f'\\S(.{{0,{MOST_CHARACTERS - 2}}}\\S)?'": Worst("\n"),
    },
    "plugin_utils/_fabric/measure/report/figures.py": {
        "-?(?<![0-9])[0-9]+$": Worst("1", tail="x"),
        "(?:MOD|DIV|AND|OR)[0-9]+$": Worst("0", head="MOD", tail="\n\x00"),
    },
    "plugin_utils/_fabric/measure/report/schema.py": {
        "pattern": Ours("patterns of pydantic"),
    },
    "plugin_utils/_fabric/measure/plan/noise_tenants.py": {
        r"t\d+-(quiet|noisy)": Worst("1", head="t", tail="\x00"),
    },
    "plugin_utils/_fabric/tenants/nodes.py": {
        r"\[([0-9,\-]+)\]": Worst("[0]"),
        r"(pod|su)[0-9\[*]|[^/]*/": Worst("pod\n"),
    },
    "plugin_utils/_fabric/tenants/rules.py": {
        "lo|(swp|eth|vlan|vxlan|bond)[0-9].*": Worst("swp0 ", tail="\n\x00"),
    },
    "plugin_utils/_fabric/tenants/schema.py": {
        "([1-9][0-9]{0,9}):(0|[1-9][0-9]{0,9})": Worst("\n"),
    },
    "plugin_utils/_fabric/plan/topology/cages.py": {
        "swp([1-9][0-9]{0,2})(?:s([0-7]))?": Worst("swp1", tail="\x00"),
    },
    "plugin_utils/_fabric/plan/topology/names.py": {
        r"f'{_LABEL}(\\.{_LABEL})*'": Worst("aaa."),
        "rail([1-9][0-9]?)p([1-9][0-9]?)": Worst("ra", tail="\n\x00"),
        "(front|stor)([12])": Worst("a "),
        "pattern": Worst(
            "1",
            head="leaf",
            each=(
                "pattern",
                "[_compile('leaf{pod}-{index:02}', {'pod': 9, 'index': 99}, role='leaf')[1]]",
            ),
        ),
        "(0[0-9])?": Worst("\n"),
    },
    "plugin_utils/_fabric/catalog/variables.py": {
        "spx_(slice|_[a-z_]+)$": Worst("x", head="spx__", tail="\n\x00"),
        (
            r"(__\w+|ansible_(facts|failed_result)|batch_(done|first|line)|commit_diff"
            r"|hook(_(bmc|diff|from|macs|managed|name|node|path|prefixes|serial|to|user))?|host_ready"
            r"|performance_(collected|hosts|next|plan|refused|round|served|started|stopped)"
            r"|registry_edit|step|switch_apply_result|tenant_edit|validate_tenants_leaf"
            r"|spx_slice)$"
        ): Worst("_", head="__", tail="\x00"),
        (
            "spx_(nvue_(host|port|((next|spare)_)?(user|password)|token|ca|server_name|validate_certs|timeout)"
            "|dcim|dcim_token|external_passwords|backup_secrets)$"
        ): Worst("spx_nvue_password "),
        r"(?:[^,\[]+|\[[^\]]*\]?)+": Worst(","),
        "[0-9]{1,9}": Worst("a ", tail="\n\x00"),
        "pattern": Worst("a.", tail="\x00", each=("pattern", "PATTERNS")),
    },
    "plugin_utils/_nicdata/zipapp.py": {
        "pattern": Ours("the collection's own manifest"),
    },
    "plugin_utils/_nvue/wire/api.py": {
        r"[\x21-\x7e]+": Worst("0", tail="\n\x00"),
    },
    "plugin_utils/_nvue/wire/connect.py": {
        "sendable": Worst(
            "a", tail="\x00", each=("sendable", "[row[0] for row in _SENDABLE.values()]")
        ),
    },
    "plugin_utils/_nvue/wire/images.py": {
        "(?:partition)?([12])": Worst("partition", tail="\x00"),
    },
    "plugin_utils/_nvue/wire/operational.py": {
        r"SN\d{4}": Worst("SN", tail="\n\x00"),
        r"(?:(\d{1,5}) days?, )?(?:(\d{1,2}):(\d{2}):)?(\d{1,9})(?:\.\d{1,9})?": Worst("0:"),
    },
    "plugin_utils/_nvue/document/kinds.py": {
        "pattern": Ours("NVIDIA's schema, and the table beside it"),
        r"0|[1-9]\d{0,9}": Worst("1", tail="\x00"),
    },
    "plugin_utils/_nvue/document/paths.py": {
        "fnmatch.translate(key)": Worst(
            "a-", tail="\n", each=("key", "['swp*', 'a-*-b-?']"), by="match"
        ),
    },
    "plugin_utils/_nvue/wire/ping.py": {
        r"\b0 received,.{0,80} 100% packet loss": Worst("0 received,"),
        "Network is unreachable|No route to host|Host Unreachable": Worst("Network is "),
    },
    "plugin_utils/_nvue/document/ranges.py": {
        (
            r"(?P<name>swp|eth|bond"
            r"|vlan)(?P<first>\d+)(?:-(?P<last>\d+))?(?:s(?P<sub>\d+)(?:-(?P<sublast>\d+))?)?"
        ): Worst("e", tail="\n\x00"),
        r"(?P<first>\d+)(?:-(?P<last>\d+))?": Worst("\n "),
    },
    "plugin_utils/_nvue/document/release.py": {
        r"(?<![\d.])(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?!\d)": Worst("0.0\n"),
        r"\d+": Worst("0\n"),
    },
    "plugin_utils/_nvue/change/report.py": {
        r"[^\w.-]": Worst("\n"),
    },
    "plugin_utils/_nvue/document/secrets.py": {
        r"\$nvsec\$.*|\*+": Worst("*", tail="\x00"),
        "\\$nvsec\\$[^\\s'\\\"]+": Worst("$nvsec$a\n"),
    },
    "plugin_utils/_http/reply.py": {
        r"<(?:(!--)|(script|style|head)\b|[a-z/!?])": Worst("<"),
        r"f'</{name}\\b'": Worst("</s", each=("name", "['script', 'style', 'head']")),
    },
    "plugin_utils/_http/secret_words.py": {
        rb"\\(?:u00([2-6][0-9a-fA-F]|7[0-9a-eA-E])|(/)|.)": Worst("\\"),
        "%[0-9A-F]{2}": Worst("%00"),
    },
}
