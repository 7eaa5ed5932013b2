#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Occupy a CPU periodically.

  busy.py MS EVERY     for MS ms every EVERY ms

To be run at a real-time priority and bound to a CPU. Periods begin at multiples of
EVERY on the clock, so that several of these processes take all CPUs at the same time.
"""
import sys
import time


def main():
    busy, every = (int(arg) / 1000 for arg in sys.argv[1:])
    while True:
        now = time.monotonic()
        begin = now - now % every + every
        time.sleep(begin - now)
        while time.monotonic() < begin + busy:
            pass


main()
