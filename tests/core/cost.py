#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Instructions per packet of the core, counted by callgrind, cache lines per burst, and
memory per QP.

    cost.py PROGRAM RACK OUT RUNNER

PROGRAM is tests/core/cost.c, RACK tests/core/bench_rack.c, built with the flags of
the library. Only the functions in PARTS and cost_rack() are counted, not the set-up
before the first packet. RUNNER has a test that prints the memory of a QP. The
status is 0 if no figure exceeds its limit.
"""
import re
import subprocess
import sys

import lines

PACKETS = 20000
# Packets that are sent before any is received.
FLIGHT = 128
BURSTS = (1, 8)
# Function -> name of the part, and its limits, one for each number of BURSTS: about a
# sixth above the figures of the compiler of Debian 12.
PARTS = {
    "cost_send": ("send: message to headers", (1250, 345)),
    "cost_receive": ("receive: headers to acknowledgments", (650, 580)),
    "cost_complete": ("acknowledgments to completions", (300, 245)),
}
# A SACK while most of a window of 1024 packets is on its way over slower paths.
RACK_ROUNDS = 5
RACK_LIMIT = 5800
# Bursts -> cache lines of a QP that one of them may use in each part.
LINES = {
    1: {"cost_send": 28, "cost_receive": 13, "cost_complete": 9},
    16: {"cost_send": 34, "cost_receive": 14, "cost_complete": 35},
}
MEMORY = 66560
MEMORY_TEST = "mrc_loss.mrc_loss_memory"


def measure(command, profile):
    """{function: instructions, callees included, per packet or SACK}: as many of
    these as the line of the output says that begins with a number.
    """
    output = subprocess.run(
        ["valgrind", "--quiet", "--tool=callgrind",
         f"--callgrind-out-file={profile}", *map(str, command)],
        check=True, capture_output=True, text=True).stdout
    number = int(re.search(r"^(\d+) ", output, re.M)[1])
    table = subprocess.run(
        ["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile],
        check=True, capture_output=True, text=True).stdout
    costs = {}
    for line in table.splitlines():
        found = re.match(r"\s*([\d,]+) .*:(cost_\w+)", line)
        if found:
            costs[found[2]] = int(found[1].replace(",", "")) / number
    return costs


def memory(runner):
    """Bytes of a QP with all its paths."""
    output = subprocess.run([runner, MEMORY_TEST], check=True,
                          capture_output=True, text=True).stdout
    return int(re.search(r"^# mrc_loss_memory: (\d+) bytes", output, re.M)[1])


def judge(what, figure, limit, unit):
    """Print a line of TAP; true if the figure does not exceed the limit."""
    good = figure <= limit
    print(f"{'ok' if good else 'not ok'} - {what}: {figure:.0f} {unit}, "
          f"at most {limit}")
    return good


def main():
    """Measure all parts and compare them with their limits."""
    program, rack, out, runner = sys.argv[1:]
    good = True
    for at, burst in enumerate(BURSTS):
        costs = measure([program, burst, PACKETS, FLIGHT], f"{out}.{burst}")
        for function, (what, limits) in PARTS.items():
            good &= judge(f"bursts of {burst}, {what}", costs[function],
                          limits[at], "instructions per packet")
        print(f"# bursts of {burst}, sum of all parts: "
              f"{sum(costs[f] for f in PARTS):.0f} instructions per packet")
    costs = measure([rack, RACK_ROUNDS], f"{out}.rack")
    good &= judge("SACK that misses most of a window", costs["cost_rack"],
                  RACK_LIMIT, "instructions")
    for burst, limits in LINES.items():
        counted = lines.count(program, burst)
        for part, limit in limits.items():
            figures = counted[part]
            what = f"a burst of {burst}, {PARTS[part][0]}"
            print(f"# {what}:", ", ".join(f"{name} {n:.1f}" for name, n in figures.items()))
            good &= judge(what, lines.data(figures), limit, "cache lines of the QP")
    good &= judge("memory per QP", memory(runner), MEMORY, "bytes")
    return not good


if __name__ == "__main__":
    sys.exit(main())
