#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Run the verbs test suite of rdma-core and print TAP.

  verbs_suite.py SUITE SKIPS --dev DEVICE --gid INDEX [PATTERN...]

SUITE is the directory with run_tests.py. SKIPS lists the tests that may be skipped: a
pattern of test names and a reason on each line. A test that skips itself without being
listed fails. With PATTERN only tests with matching names run. Tests for the devices of
one vendor never run.
"""
import fnmatch
import importlib
import os
import sys
import unittest

VENDORS = ("test_mlx5_*", "test_efa*")


def read_skips(path):
    with open(path, encoding="ascii") as f:
        lines = [line.split(None, 1) for line in f if line.strip()]
    return [(words[0], words[1].strip()) for words in lines
            if not words[0].startswith("#")]


class Tap(unittest.TestResult):
    """Prints each result as a TAP line when its test ends."""

    def __init__(self, skips):
        super().__init__()
        self.skips = skips
        self.n = 0

    def report(self, good, test, comment="", lines=""):
        self.n += 1
        print("ok" if good else "not ok", self.n, "-", name_of(test) + comment,
              flush=True)
        for line in lines.splitlines():
            print("#", line, flush=True)

    def addSuccess(self, test):
        self.report(True, test)

    def addFailure(self, test, err):
        self.report(False, test, lines=self._exc_info_to_string(err, test))

    def addError(self, test, err):
        self.addFailure(test, err)

    def addSubTest(self, test, subtest, err):
        if err:
            self.addFailure(subtest, err)

    def addSkip(self, test, reason):
        for pattern, why in self.skips:
            if fnmatch.fnmatchcase(name_of(test), pattern):
                self.report(True, test, f" # SKIP {why}")
                return
        self.report(False, test, lines=f"skipped but not listed in the file of skips: {reason}")


def name_of(test):
    return test.id().removeprefix("tests.")


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def chosen(test, patterns):
    return (any(fnmatch.fnmatchcase(name_of(test), p) for p in patterns) and
            not any(fnmatch.fnmatchcase(name_of(test), p) for p in VENDORS))


def main():
    path, skips = sys.argv[1:3]
    sys.argv[1:] = sys.argv[3:]
    # Modules of the suite import each other with and without the package name.
    sys.path[:0] = [path, os.path.dirname(os.path.abspath(path))]
    importlib.import_module("args_parser").parser.parse_args()
    suite = unittest.defaultTestLoader.loadTestsFromModule(
        importlib.import_module("tests"))
    patterns = sys.argv[1:] or ["*"]
    result = Tap(read_skips(skips))
    unittest.TestSuite(test for test in tests_of(suite)
                       if chosen(test, patterns)).run(result)
    print(f"1..{result.n}")


main()
