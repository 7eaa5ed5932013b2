#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Do the functions and tests exist that a table of rules names?

    rule-tables.py FILE

In a table with a column "Function" or "Test", names stand in backquotes. A
function is one of the kernel, a test a KUnit case without its "mrc_", a KUnit
suite, or a script of tests/integration without its suffix. An asterisk stands
for any ending, two dots for the beginning of the name before.
"""
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = re.compile(r"`([^`]+)`")
DEFINITION = re.compile(r"^(?:\w[\w *]*?[ *]|#define )(\w+)\(|^(\w+)\(", re.M)
CASE = re.compile(r"KUNIT_CASE(?:_PARAM)?\(\s*(\w+)")
SUITE = re.compile(r'\.name = "(\w+)"')


def sources(*patterns):
    """Texts of the files that match."""
    for pattern in patterns:
        for path in ROOT.glob(pattern):
            yield path.read_text(encoding="utf-8")


def functions():
    """Names that the kernel part defines; those of ops tables included."""
    names = set()
    for text in sources("kernel/**/*.[ch]"):
        names.update(a or b for a, b in DEFINITION.findall(text))
    return names


def tests():
    """Names by which tests may be called."""
    names = set()
    for text in sources("tests/kunit/*.c", "tests/core/*.c"):
        for name in CASE.findall(text) + SUITE.findall(text):
            names |= {name, name.removeprefix("mrc_")}
    names |= {path.stem for path in ROOT.glob("tests/integration/[0-9]*.sh")}
    return names


def cells(line):
    """Cells of a row of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def named(text):
    """(line number, kind, name) for each name in a table of rules."""
    header = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            header = []
            continue
        row = cells(line)
        header = header or row
        for kind, cell in zip(header, row):
            if kind in ("Function", "Test") and row is not header:
                yield from ((number, kind, name)
                            for name in NAME.findall(cell))


def spelt_out(name, before):
    """What a name that begins with two dots may stand for."""
    if not name.startswith(".."):
        return [name]
    words = before.split("_")
    return ["_".join(words[:n]) + name[2:] for n in range(1, len(words) + 1)]


def main():
    """Print what is missing."""
    known = {"Function": functions(), "Test": tests()}
    status = count = 0
    before = ""
    path = sys.argv[1]
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for number, kind, name in named(text):
        count += 1
        found = [full for full in spelt_out(name, before)
                 if fnmatch.filter(known[kind], full)]
        if not found:
            print(f"{path}:{number}: no {kind.lower()} {name}")
            status = 1
        before = found[0] if found else name
    if not count:
        print(f"{path}: no table of rules")
    return status or not count


if __name__ == "__main__":
    sys.exit(main())
