#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Find functions that nothing calls and struct members that nothing reads.

  idle.py DIR EXCEPTIONS

DIR has the sources in src and what scripts/idle/index has made of them in index.
EXCEPTIONS has a line "PATTERN REASON" for the findings that stand; the pattern
is that of a shell for SYMBOL or, with a colon, for FILE:SYMBOL. An exception that
matches no finding is reported as well. Prints one line for each finding; the
status is 1 if there is any.

A member that is only incremented or assigned is not read.
"""
import collections
import fnmatch
import functools
import glob
import os
import re
import sqlite3
import sys

# Values of semind: kinds are letters, modes are bits (sparse's dissect.h).
FUNCTION = ord("f")
MEMBER = ord("m")
WORDS = {FUNCTION: "calls this function", MEMBER: "reads this member"}
DEFINITION = 0x10000
WRITE = {0x02, 0x08}
# By value, read and written: "x++", "x += 1", of which the value may be used.
CHANGE = 0x0c
CHANGE_ONLY = re.compile(r"^\s*(\+\+|--)?[^\s=]+(\+\+|--|\s*[-+|&^]=\s.*)?;?\s*$")
# What the kernel's macros for tracepoints define.
TRACEPOINTS = (":", "trace_event_")

Symbol = collections.namedtuple("Symbol", "kind name")


@functools.lru_cache(maxsize=None)
def source(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def read_indexes(directory):
    """Which symbols are defined where, and which of them are used."""
    places = {}
    used = set()
    for path in sorted(glob.glob(os.path.join(directory, "index", "*.sqlite"))):
        with sqlite3.connect(path) as index:
            rows = index.execute(
                "select s.kind, s.symbol, s.mode, f.name, s.line"
                " from semind s join file f on f.id = s.file")
            for kind, name, mode, file, line in rows:
                symbol = Symbol(kind, name)
                if mode == DEFINITION:
                    places[symbol] = (file, line)
                elif is_use(directory, symbol, mode, file, line):
                    used.add(symbol)
    return places, used


def is_use(directory, symbol, mode, file, line):
    if symbol.kind != MEMBER:
        return symbol.kind == FUNCTION
    if mode in WRITE:
        return False
    return mode != CHANGE or not CHANGE_ONLY.match(
        source(os.path.join(directory, "src", file))[line - 1])


def read_exceptions(path):
    exceptions = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            name, _, reason = line.strip().partition(" ")
            if name and not name.startswith("#"):
                exceptions[name] = reason.strip()
    return exceptions


def main():
    directory, exceptions_path = sys.argv[1:]
    places, used = read_indexes(directory)
    if not places:
        sys.exit(f"idle.py: no index in {directory}")
    exceptions = read_exceptions(exceptions_path)
    unmatched = set(exceptions)
    findings = []
    for symbol, (file, line) in sorted(places.items(), key=lambda x: x[1]):
        if (symbol in used or symbol.kind not in WORDS or
                not file.startswith("kernel/") or
                symbol.name.startswith(TRACEPOINTS)):
            continue
        matches = {p for p in exceptions if fnmatch.fnmatchcase(
            f"{file}:{symbol.name}" if ":" in p else symbol.name, p)}
        unmatched -= matches
        if not matches:
            findings.append(f"{file}:{line}: {symbol.name}: "
                            f"nothing {WORDS[symbol.kind]}")
    findings += [f"{exceptions_path}: {p}: matches no finding"
                 for p in sorted(unmatched)]
    findings += [f"{exceptions_path}: {p}: no reason"
                 for p, reason in exceptions.items() if not reason]
    if findings:
        print("\n".join(findings))
    sys.exit(1 if findings else 0)


main()
