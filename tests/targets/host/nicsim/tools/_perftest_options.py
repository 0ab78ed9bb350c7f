# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of ib_write_bw and ib_write_lat, and what is refused before any device is looked for."""

from __future__ import annotations

import getopt
import os
from collections.abc import Callable
from typing import NamedTuple, Optional

from nicsim.call import ToolError

DEBIAN, NEWEST = "6.06", "6.28"
"""Output of `--version`: Debian 12 (package 4.5+0.17-1), and the first that compares options with its peer."""
LARGEST = 2147483647
MTUS = (256, 512, 1024, 2048, 4096)
PARSER = " Parser function exited with Error"
RULE = "-" * 87

#: (short, long, placeholder of its value or "", tools it is an option of)
ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("a", "all", "", "both"),
    ("b", "bidirectional", "", "both"),
    ("c", "connection", "RC/XRC/UC/DC", "both"),
    ("C", "report-cycles", "", "lat"),
    ("d", "ib-dev", "dev", "both"),
    ("D", "duration", "seconds", "both"),
    ("f", "margin", "seconds", "both"),
    ("F", "CPU-freq", "", "both"),
    ("h", "help", "", "both"),
    ("H", "report-histogram", "", "lat"),
    ("i", "ib-port", "port", "both"),
    ("I", "inline_size", "size", "both"),
    ("l", "post_list", "list size", "both"),
    ("L", "hop_limit", "hop_limit", "both"),
    ("m", "mtu", "mtu", "both"),
    ("n", "iters", "iters", "both"),
    ("N", "noPeak", "", "both"),
    ("O", "dualport", "", "both"),
    ("p", "port", "port", "both"),
    ("q", "qp", "num of qp's", "both"),
    ("Q", "cq-mod", "number", "both"),
    ("R", "rdma_cm", "", "both"),
    ("s", "size", "size", "both"),
    ("S", "sl", "sl", "both"),
    ("t", "tx-depth", "dep", "both"),
    ("T", "tos", "tos value", "both"),
    ("u", "qp-timeout", "timeout", "both"),
    ("U", "report-unsorted", "", "lat"),
    ("V", "version", "", "both"),
    ("w", "limit_bw", "value", "both"),
    ("W", "report-counters", "list of counter names", "both"),
    ("x", "gid-index", "index", "both"),
    ("y", "limit_msgrate", "value", "both"),
    ("z", "com_rdma_cm", "", "both"),
    ("", "out_json", "", "both"),
    ("", "out_json_file", "file", "both"),
    ("", "cpu_util", "", "both"),
    ("", "dlid", "value", "both"),
    ("", "dont_xchg_versions", "", "both"),
    ("", "force-link", "value", "both"),
    ("", "ipv6", "", "both"),
    ("", "latency_gap", "delay_time", "lat"),
    ("", "mr_per_qp", "", "both"),
    ("", "odp", "", "both"),
    ("", "output", "units", "both"),
    ("", "use_old_post_send", "", "both"),
    ("", "perform_warm_up", "", "both"),
    ("", "pkey_index", "pkey index", "both"),
    ("", "report-both", "", "both"),
    ("", "report_gbits", "", "both"),
    ("", "report-per-port", "", "both"),
    ("", "reversed", "", "both"),
    ("", "run_infinitely", "", "both"),
    ("", "retry_count", "value", "both"),
    ("", "source_ip", "address", "both"),
    ("", "tclass", "value", "both"),
    ("", "use_hugepages", "", "both"),
    ("", "wait_destroy", "seconds", "both"),
    ("", "disable_pcie_relaxed", "", "both"),
    ("", "log_dci_streams", "number", "both"),
    ("", "log_active_dci_streams", "number", "both"),
    ("", "aes_xts", "", "both"),
    ("", "encrypt_on_tx", "", "both"),
    ("", "sig_before", "", "both"),
    ("", "aes_block_size", "size", "both"),
    ("", "data_enc_keys_number", "number", "both"),
    ("", "kek_path", "path", "both"),
    ("", "credentials_path", "path", "both"),
    ("", "data_enc_key_app_path", "path", "both"),
    ("", "recv_post_list", "list size", "both"),
    ("", "mmap", "file", "both"),
    ("", "mmap-offset", "offset", "both"),
    ("", "burst_size", "size", "both"),
    ("", "typical_pkt_size", "bytes", "both"),
    ("", "rate_limit", "rate", "both"),
    ("", "rate_units", "units", "both"),
    ("", "rate_limit_type", "type", "both"),
    ("", "use_cuda", "index", "cuda"),
    ("", "use_cuda_bus_id", "bus", "cuda"),
    ("", "use_cuda_dmabuf", "", "cuda"),
)


class Options(NamedTuple):
    """Options of a call. `seconds` is 0 where it asks for iterations."""

    tool: str
    version: str
    host: str = ""
    device: str = ""
    ib_port: int = 1
    port: int = 18515
    size: int = 65536
    all_sizes: bool = False
    qps: int = 1
    iters: int = 5000
    seconds: int = 0
    margin: int = -1
    depth: int = 128
    mtu: int = 0
    gid: int = -1
    tclass: int = 0
    tos: int = -1
    bidirectional: bool = False
    both: bool = False
    gbits: bool = False
    output: str = ""
    json: str = ""
    cm: bool = False
    no_peak: bool = False
    cuda: int = -1

    @property
    def latency(self) -> bool:
        """Check whether this is ib_write_lat."""
        return self.tool == "ib_write_lat"

    @property
    def outstanding(self) -> int:
        """Count the messages that may be under way: no more than a test of iterations has."""
        return self.depth if self.seconds else min(self.depth, self.iters)

    @property
    def sampled(self) -> int:
        """Seconds of a run whose iterations count: a quarter is left out at both ends, or the margin."""
        margin = self.margin if self.margin >= 0 else self.seconds // 4
        return self.seconds - 2 * margin


def read(tool: str, argv: list[str], *, cuda: bool) -> Options:
    """The options of a call; raises ToolError as the real program ends where it cannot use them."""
    rows = [row for row in ROWS if row[3] != "cuda" or cuda]
    shorts = "".join(row[0] + (":" if row[2] else "") for row in rows)
    longs = [row[1] + ("=" if row[2] else "") for row in rows]
    try:
        found, words = getopt.gnu_getopt(argv, shorts, longs)
    except getopt.GetoptError as wrong:
        raise ToolError(_usage_error(tool, wrong, rows, argv), 1, "stderr") from wrong
    version = os.environ.get("NICSIM_PERFTEST") or NEWEST
    latency = tool == "ib_write_lat"
    options = Options(
        tool,
        version,
        size=2 if latency else 65536,
        iters=1000 if latency else 5000,
        depth=1 if latency else 128,
    )
    names = {f"-{short}": long for short, long, _value, _tools in rows if short}
    for name, value in found:
        options = _taken(options, names.get(name, name[2:]), value, rows)
    if len(words) > 1:
        raise ToolError(
            f" Invalid Command line. Please check command rerun \n{PARSER}", 1, "stderr"
        )
    return _checked(options._replace(host=words[0] if words else ""))


def usage(tool: str, rows: Optional[list[tuple[str, str, str, str]]] = None) -> str:
    """Usage of the tool; each option is as in the real program, without its explanation."""
    lines = ["Usage:", f"  {tool}            start a server and wait for connection"]
    lines += [f"  {tool} <host>     connect to server at <host>", "", "Options:"]
    for short, long, value, _tools in rows or [row for row in ROWS if row[3] != "cuda"]:
        lines.append(
            f"  {f'-{short}, ' if short else '    '}--{long}{f'=<{value}>' if value else ''}"
        )
    return "\n".join(lines) + "\n"


def _usage_error(
    tool: str, wrong: getopt.GetoptError, rows: list[tuple[str, str, str, str]], argv: list[str]
) -> str:
    written = [word for word in argv if word.startswith(f"--{wrong.opt}")]
    dashed = written[0] if written else wrong.opt
    if "requires argument" in wrong.msg:
        said = (
            f"option '{dashed}' requires an argument"
            if len(wrong.opt) > 1
            else f"option requires an argument -- '{dashed}'"
        )
    elif "not a unique prefix" in wrong.msg:
        said = f"option '{dashed}' is ambiguous"
    elif "must not have an argument" in wrong.msg:
        said = f"option '{dashed}' doesn't allow an argument"
    else:
        said = (
            f"unrecognized option '{dashed}'"
            if len(wrong.opt) > 1
            else f"invalid option -- '{dashed}'"
        )
    print(usage(tool, rows), end="")
    return f"{tool}: {said}\n Invalid Command or flag.\n Please check command line and run again.\n\n{PARSER}"


def _taken(
    options: Options, name: str, value: str, rows: list[tuple[str, str, str, str]]
) -> Options:
    """One option taken in; the names and limits of numbers are those of the real program's refusals."""
    if name == "help":
        print(usage(options.tool, rows), end="")
        raise ToolError("", 1)
    if name == "version":
        raise ToolError(f"Version: {options.version}", 1)
    if name in NUMBERS:
        field, number = NUMBERS[name]
        return options._replace(**{field: number(value)})
    if name in FLAGS:
        return options._replace(**{FLAGS[name]: True})
    return options._replace(**TEXTS[name](options, value)) if name in TEXTS else options


def _number(
    name: str, kind: str, least: Optional[int] = None, most: int = 0
) -> Callable[[str], int]:
    def read_it(text: str) -> int:
        try:
            number = int(text, 0)
        except ValueError:
            raise ToolError(
                f" {name} argument {text} should be {kind}\n{PARSER}", 1, "stderr"
            ) from None
        if least is not None and not least <= number <= most:
            raise ToolError(f" {name} should be between {least} and {most}\n{PARSER}", 1, "stderr")
        return number

    return read_it


def _size(text: str) -> int:
    factor = {"K": 1024, "M": 1024**2, "G": 1024**3}.get(text[-1:].upper(), 1)
    digits = text[:-1] if factor > 1 else text
    number = int(digits) * factor if digits.isdigit() else 0
    if not 1 <= number <= LARGEST + 1024**3 * (factor == 1024**3):
        raise ToolError(f" Message Size should be between 1 and {LARGEST}\n{PARSER}", 1, "stderr")
    return number


def _period(text: str) -> int:
    seconds = _number("Duration period", "int")(text)
    if seconds <= 0:
        raise ToolError(f" Duration period must be positive\n{PARSER}", 1, "stderr")
    return seconds


def _connection(_options: Options, value: str) -> dict[str, str]:
    if value not in ("RC", "UC", "UD", "XRC", "DC", "SRD"):
        said = " Invalid Connection type. Please choose from {RC,UC,UD,XRC,DC,SRD}"
        raise ToolError(said, 1, "stderr")
    if value in ("UD", "SRD"):
        raise ToolError(f" {value} connection only possible in SEND verb", 1, "stderr")
    return {}


def _output(_options: Options, value: str) -> dict[str, str]:
    if value not in ("bandwidth", "message_rate", "latency"):
        said = " Invalid verbosity level output flag. Please use bandwidth, latency, message_rate"
        raise ToolError(f"{said}\n{PARSER}", 1, "stderr")
    return {"output": value}


def _only_checked(number: Callable[[str], int]) -> Callable[[Options, str], dict[str, str]]:
    """An option whose value is checked, and changes nothing here."""

    def check(_options: Options, value: str) -> dict[str, str]:
        number(value)
        return {}

    return check


def _level(_options: Options, value: str) -> dict[str, str]:
    if _number("SL", "uint8_t")(value) > 15:
        raise ToolError(f" Only 15 Service levels\n{PARSER}", 1, "stderr")
    return {}


NUMBERS: dict[str, tuple[str, Callable[[str], int]]] = {
    "size": ("size", _size),
    "duration": ("seconds", _period),
    "qp": ("qps", _number("num of Qps", "int", 1, 16384)),
    "iters": ("iters", _number("Iteration num", "int", 5, 100000000)),
    "tx-depth": ("depth", _number("Tx depth", "int", 1, 15000)),
    "tos": ("tos", _number("TOS", "int", 0, 255)),
    "margin": ("margin", _number("margin", "int")),
    "port": ("port", _number("Port", "int")),
    "ib-port": ("ib_port", _number("IB Port", "uint8_t")),
    "mtu": ("mtu", _number("MTU", "int")),
    "gid-index": ("gid", _number("Gid index", "uint8_t")),
    "tclass": ("tclass", _number("traffic class", "uint16_t")),
    "use_cuda": ("cuda", _number("CUDA device id", "int")),
}
FLAGS = {
    "all": "all_sizes",
    "bidirectional": "bidirectional",
    "report-both": "both",
    "report_gbits": "gbits",
    "rdma_cm": "cm",
    "noPeak": "no_peak",
}
TEXTS: dict[str, Callable[[Options, str], dict[str, str]]] = {
    "ib-dev": lambda _options, value: {"device": value},
    "connection": _connection,
    "output": _output,
    "sl": _level,
    "cq-mod": _only_checked(_number("CQ moderation", "int", 1, 1024)),
    "qp-timeout": _only_checked(_number("QP Timeout", "uint8_t")),
    "out_json": lambda options, _value: {"json": options.json or "perftest_out.json"},
    "out_json_file": lambda _options, value: {"json": value},
}


def _checked(options: Options) -> Options:
    """Options that do not go together; the real program prints a rule on its standard output with some."""
    if options.latency and options.bidirectional:
        raise ToolError(f" Bidirectional is only available in BW test\n{PARSER}", 1, "stderr")
    if options.latency and options.qps > 1:
        raise ToolError(f" Multiple QPs only available on bw tests\n{PARSER}", 1, "stderr")
    if options.all_sizes and options.seconds:
        _rule("Duration mode currently doesn't support running on all sizes.")
    if options.seconds and options.sampled <= 0:
        _rule("please check that DURATION > 2*MARGIN")
    if options.tos >= 0 and not options.cm:
        print(" TOS only valid for rdma_cm based QP and RawEth QP ")
        raise ToolError("", 1)
    return options


def _rule(text: str) -> None:
    print(RULE)
    raise ToolError(text, 1, "stderr")
