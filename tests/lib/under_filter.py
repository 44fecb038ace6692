# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program that is killed at the first system call not allowed.

    python3 under_filter.py FILE PROGRAM [ARGUMENT]...

FILE has the names of those that are, one a line; names that this machine does
not have are passed over, as systemd does. Needs libseccomp.so.2, which apt
needs, too.
"""
import ctypes
import os
import sys

KILL_PROCESS, ALLOW = 0x80000000, 0x7FFF0000


def load(names):
    lib = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    lib.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(lib.seccomp_init(ctypes.c_uint32(KILL_PROCESS)))
    for name in names:
        number = lib.seccomp_syscall_resolve_name(name.encode())
        # Below zero: not one of this architecture's.
        if number >= 0 and lib.seccomp_rule_add(
                context, ctypes.c_uint32(ALLOW), ctypes.c_int(number),
                ctypes.c_uint(0)) != 0:
            sys.exit("under_filter: %s can't be allowed" % name)
    if lib.seccomp_load(context) != 0:
        sys.exit("under_filter: the kernel does not take the filter")


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        load(file.read().split())
    os.execv(sys.argv[2], sys.argv[2:])
