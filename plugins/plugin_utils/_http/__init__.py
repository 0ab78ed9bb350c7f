# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP for switches (``_nvue``) and for a DCIM (``_dcim``). Imports no Ansible, and neither of the two.

The same for both: the standard library, TLS 1.2 or newer, no redirect, no proxy, one deadline for each whole request,
connections that are kept and looked at before use, bounded bodies, strict JSON, no credential in what comes back.
Different by purpose, and so an argument or a decision of the caller:

                  switch                                    DCIM
authorization     Basic, then a token that is renewed       one token of the run
deadline          30 s unless stated                        120 s
TLS               always; a name of its own                 not on loopback, or where nobody verifies
read again        twice, where no usable answer came        3 times: 429, 502 to 504, no answer
write again       never                                     3 times: 429, no connection
rate              as the switch answers                     20 requests a second over all threads
bytes             64 MiB; of revisions and actions 8 MiB    64 MiB; of the refusal of a list 4 MiB
pages             none                                      each begins with the last row of the one before
"""
