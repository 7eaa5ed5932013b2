#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The table of integration tests in tests/README.md against the scripts.

Every script has a row and every row a script; no number is given twice, and
each lies in a range of the table of numbers. The column of programs names what
the script uses of this tree, the column "Where" what its head says
(tests/integration/run.sh). Programs of tests/integration/tools that no script uses
and folders of tests/ that the map does not name are found, too.
"""
import pathlib
import re
import sys

MAP = pathlib.Path("tests/README.md")
TESTS = pathlib.Path("tests/integration")
NAME = re.compile(r"`([^`]+)`")
# Where a script runs besides or instead of virtual time; lines that look like one.
PLACE = re.compile(
    r"^# (Needs|Also): "
    r"(virtual time|stock kernel|several processors|two guests|older kernels|every kernel): \S.*$",
    re.M)
ANY_PLACE = re.compile(r"^# *(needs|also|every kernel):.*$", re.M | re.I)
# How the column "Where" calls it.
WHERE = {"virtual time": "virtual", "stock kernel": "newest", "several processors": "newest",
         "two guests": "newest, a pair",
         "older kernels": "older", "every kernel": "all"}
# What a script calls, each with the name of the program in group 1.
USES = (re.compile(r"\$programs/((?:mrc|gloo)_\w+)"),
        re.compile(r"\$programs/\$\(uname -r\)/(mrc_\w+)\.ko"),
        re.compile(r"\$tests/tools/(\w+)/"),
        re.compile(r"{PROGRAMS}/(mrc_\w+)"))
# Libraries whose programs are those of the scripts that source them.
LIBRARIES = (TESTS / "lib/soak.sh", TESTS / "lib/soak_traffic.sh",
             TESTS / "lib/torture.sh")
# What the drills run.
DRILLS = pathlib.Path("drills/traffic.py")
# Functions of lab/hosts.sh that run mrc_verify.
VERIFY = re.compile(r"(?<![-=\w])verify(?:_begin)? +[-$\"]")


def rows(text):
    """Cells of each row of a table."""
    for line in text.splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def scripts():
    """Path of each script by name."""
    paths = [path for pattern in ("[0-9]*_*.sh", "long_*.sh")
             for path in TESTS.glob(pattern)]
    return {path.stem: path for path in paths}


def used(text):
    """Programs of this tree that a script calls."""
    names = {name for use in USES for name in use.findall(text)}
    if VERIFY.search(text):
        names.add("mrc_verify")
    for library in LIBRARIES:
        if f"source={library}" in text:
            names |= used(library.read_text(encoding="utf-8"))
    if "/../drills" in text:
        names |= used(DRILLS.read_text(encoding="utf-8"))
    return names


def where(name, text):
    """Where a script runs, as the column "Where" says it."""
    place = PLACE.search(text)
    if name.startswith("long_"):
        return "virtual" if place and place.group(2) == "virtual time" else "all"
    if not place:
        return "virtual"
    kernels = WHERE[place.group(2)]
    return kernels if place.group(1) == "Needs" else f"virtual, {kernels}"


def check_row(name, path, cells):
    """What is wrong with the row of a script."""
    text = path.read_text(encoding="utf-8")
    listed, uses = set(NAME.findall(cells[2])), used(text)
    for program in uses - listed:
        yield f"{name}: uses {program}, which its row does not list"
    for program in listed - uses:
        yield f"{name}: does not use {program}, which its row lists"
    places = [match.group() for match in ANY_PLACE.finditer(text)]
    for line in places:
        if not PLACE.fullmatch(line):
            yield f"{name}: run.sh does not understand '{line}'"
    if len(places) > 1:
        yield f"{name}: has more than one line that says where it runs"
    if cells[3] != where(name, text):
        yield f"{name}: runs in '{where(name, text)}', not in '{cells[3]}'"


def check_numbers(names, ranges):
    """Numbers that are given twice, or that no range has."""
    owner = {}
    for name in sorted(names):
        number = name.split("_")[0]
        if number == "long":
            continue
        if number in owner:
            yield f"{name}: {owner[number]} has the same number"
        owner[number] = name
        if not any(low <= number <= high for low, high in ranges):
            yield f"{name}: no range of numbers has {number}"


def check_folders(text, table):
    """Programs that nothing uses, and folders that the map does not name."""
    listed = {name for cells in table.values()
              for name in NAME.findall(cells[2])}
    for path in sorted((TESTS / "tools").iterdir()):
        if path.is_dir() and path.name not in listed | {"lib", "__pycache__"}:
            yield f"{path}: no test lists it"
    for path in sorted(MAP.parent.iterdir()):
        if path.is_dir() and f"({path.name})" not in text:
            yield f"{path}: not in the map"


def findings():
    """Every difference between map and files."""
    text = MAP.read_text(encoding="utf-8")
    table, ranges = {}, []
    for cells in rows(text):
        if re.fullmatch(r"`(\d\d|long)_\w+`", cells[0]):
            name = cells[0].strip("`")
            if name in table:
                yield f"{name}: has two rows"
            table[name] = cells
        elif re.fullmatch(r"\d\d-\d\d", cells[0]):
            ranges.append(cells[0].split("-"))
    there = scripts()
    for name in sorted(table.keys() - there.keys()):
        yield f"{name}: in the map, but no such script"
    for name in sorted(there.keys() - table.keys()):
        yield f"{name}: not in the map"
    for name in sorted(table.keys() & there.keys()):
        yield from check_row(name, there[name], table[name])
    yield from check_numbers(there, ranges)
    yield from check_folders(text, table)


def main():
    """Print the findings."""
    found = [f"{MAP}: {finding}" for finding in findings()]
    print(*found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
