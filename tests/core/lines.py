# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cache lines that tests/core/cost.c uses for each burst, from a trace of valgrind's lackey.

The payload of a burst displaces what the processor had in its nearest cache, so this is
how many lines it has to fetch again.
"""
import re
import subprocess

LINE = 64
# Bursts of which each is received before the next one, and how many of them are not counted.
BURSTS = 40
SKIPPED = 8
CODE = "code"


def objects(output):
    """{name: (address, size)} that the program has printed."""
    return {name: (int(at, 16), int(size))
            for name, at, size in re.findall(r"^(\S+) 0x([0-9a-f]+) (\d+)$", output, re.M)}


def owner(ranges, address):
    """The object to which an address belongs, or None."""
    for name, (at, size) in ranges.items():
        if at <= address < at + size:
            return name
    return None


def accesses(trace):
    """(kind, address, size) of each line of the trace."""
    for kind, address, size in re.findall(r"^([I ][ LSM]) ([0-9a-fA-F]+),(\d+)$", trace, re.M):
        yield kind.strip(), int(address, 16), int(size)


def used(trace, ranges):
    """(part, {object: its lines that are used}) of each part of the work."""
    starts = {at: name for name, (at, size) in ranges.items() if not size}
    part, seen = None, {}
    for kind, address, size in accesses(trace):
        if kind == "I" and address in starts:
            if part:
                yield part, seen
            part, seen = starts[address], {}
        name = CODE if kind == "I" else owner(ranges, address)
        if part and name:
            seen.setdefault(name, set()).update(
                range(address // LINE, (address + size - 1) // LINE + 1))


def count(program, burst):
    """{function: {object: lines per burst}}."""
    run = subprocess.run(
        ["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-fd=2", program, str(burst),
         str(burst * BURSTS), str(burst)],
        check=True, capture_output=True, text=True)
    sums, turns = {}, {}
    for part, seen in used(run.stderr, objects(run.stdout)):
        turns[part] = turns.get(part, 0) + 1
        if part == "cost_end" or turns[part] <= SKIPPED:
            continue
        for name, its in seen.items():
            figures = sums.setdefault(part, {})
            figures[name] = figures.get(name, 0) + len(its)
    return {part: {name: n / (turns[part] - SKIPPED) for name, n in sorted(figures.items())}
            for part, figures in sums.items()}


def data(figures):
    """Lines of all objects, of which each part of the work uses some."""
    assert set(figures) - {CODE}, "the trace names no object of the program"
    return sum(n for name, n in figures.items() if name != CODE)
