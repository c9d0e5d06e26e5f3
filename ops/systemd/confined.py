"""Runs a command under the SystemCallFilter of a unit, without systemd: confined.py UNIT COMMAND...

It reads the SystemCallFilter lines as systemd does (the first is a list of what is allowed, those
with ~ take away), asks systemd-analyze which calls a group has, and loads the filter by libseccomp.
Calls that are not allowed fail with EPERM, as under the unit.
"""
import ctypes
import errno
import os
import subprocess
import sys


def group(name, seen):
    """Returns the calls of a group, such as @system-service, with those of groups inside of it."""
    if not name.startswith("@"):
        return {name}
    if name in seen:
        return set()
    seen.add(name)
    text = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", name], check=True, capture_output=True, text=True).stdout
    calls = set()
    for line in text.splitlines()[1:]:
        word = line.strip()
        if word and not word.startswith("#"):
            calls |= group(word, seen)
    return calls


def allowed(unit):
    calls = set()
    for line in open(unit, encoding="utf-8"):
        key, _, value = line.strip().partition("=")
        if key != "SystemCallFilter":
            continue
        without = value.startswith("~")
        for name in value.lstrip("~").split():
            calls = calls - group(name, set()) if without else calls | group(name, set())
    return calls


def main():
    unit, command = sys.argv[1], sys.argv[2:]
    calls = allowed(unit)
    if len(calls) < 100:
        sys.exit(f"{unit} allows {len(calls)} calls, which is no filter of a node")
    lib = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    lib.seccomp_init.restype = ctypes.c_void_p
    lib.seccomp_init.argtypes = [ctypes.c_uint32]
    lib.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
    lib.seccomp_load.argtypes = [ctypes.c_void_p]
    refuse, allow = 0x00050000 | errno.EPERM, 0x7FFF0000
    context = lib.seccomp_init(refuse)
    added = 0
    for name in sorted(calls):
        number = lib.seccomp_syscall_resolve_name(name.encode())
        if number < 0:  # not a call of this processor
            continue
        if lib.seccomp_rule_add(context, allow, number, 0) != 0:
            sys.exit(f"libseccomp refuses {name}")
        added += 1
    if lib.seccomp_load(context) != 0:
        sys.exit("the filter was not loaded")
    print(f"confined to {added} system calls", file=sys.stderr)
    os.execvp(command[0], command)


main()
