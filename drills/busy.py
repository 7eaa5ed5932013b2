#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Take a processor away for a while, again and again.

  busy.py MS EVERY     MS milliseconds at the beginning of every EVERY

To be run at a real-time priority and bound to a processor. The beginnings are
multiples of EVERY on the clock, so that several of these take all processors at
the same time.
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
