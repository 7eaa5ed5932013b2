#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Instructions per packet of the core, counted by callgrind.

    cost.py PROGRAM OUT

PROGRAM is tests/core/cost.c, built as the library is. What it spends before
the first packet is not counted: only what happens in the functions below.
"""
import re
import subprocess
import sys

PACKETS = 20000
BURSTS = (1, 8)
PARTS = {
    "cost_send": "send: message to headers",
    "cost_receive": "receive: headers to answers",
    "cost_answer": "answers to completions",
}


def measure(program, out, burst):
    """{function: instructions per packet, what it calls included}."""
    profile = f"{out}.{burst}"
    said = subprocess.run(
        ["valgrind", "--quiet", "--tool=callgrind",
         f"--callgrind-out-file={profile}", program, str(burst),
         str(PACKETS)],
        check=True, capture_output=True, text=True).stdout
    packets = int(said.split()[0])
    table = subprocess.run(
        ["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile],
        check=True, capture_output=True, text=True).stdout
    costs = {}
    for line in table.splitlines():
        found = re.match(r"\s*([\d,]+) .*:(cost_\w+)", line)
        if found:
            costs[found[2]] = int(found[1].replace(",", "")) / packets
    return costs


def main():
    """Print the table."""
    costs = [measure(sys.argv[1], sys.argv[2], burst) for burst in BURSTS]
    print(f"{'instructions per packet':<30}" +
          "".join(f"{'N = ' + str(burst):>8}" for burst in BURSTS))
    for function, what in PARTS.items():
        print(f"{what:<30}" +
              "".join(f"{cost[function]:>8.0f}" for cost in costs))
    print(f"{'all':<30}" +
          "".join(f"{sum(cost[f] for f in PARTS):>8.0f}" for cost in costs))


if __name__ == "__main__":
    main()
