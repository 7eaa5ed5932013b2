#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Receive counters of the interfaces of many network namespaces.

  received.py NETNS...     prints "NETNS INTERFACE BYTES PACKETS" for each
                           interface

(One process for all namespaces: one process for each takes seconds in an emulated
guest.)
"""
import ctypes
import os
import sys

CLONE_NEWNET = 0x40000000


def enter(netns):
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open(f"/run/netns/{netns}", os.O_RDONLY)
    if libc.setns(fd, CLONE_NEWNET):
        sys.exit(f"{netns}: {os.strerror(ctypes.get_errno())}")
    os.close(fd)


def main():
    for netns in sys.argv[1:]:
        enter(netns)
        with open("/proc/thread-self/net/dev", encoding="ascii") as f:
            for line in f.readlines()[2:]:
                name, values = line.split(":")
                print(netns, name.strip(), *values.split()[:2])


main()
