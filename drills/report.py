#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Report of the drills.

  report.py [--tap] DIR NAME...

DIR holds a folder for each drill, with one for each protocol, as guest.py left them.
Writes to DIR NAME.json, NAME.svg and NAME.trace for each drill, NAME-beside.svg if other
protocols were run as well, and index.html; prints a table, or with --tap a line of TAP
for each drill and a last line "N passed, N failed, N skipped".

The status is non-zero if a drill could not be carried out, a queue pair failed
unexpectedly, a byte was wrong, or a bound was missed that the file "missed" does not
list.
"""
import json
import os
import sys

from measure import make_report, read, read_json
from page import make_page, print_table, verdict, wrong
from plot import PORTS, Plot, beside_svg
from scenario import load, paths, read_missed
from timeline import write_trace


def write(directory, name, content):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as f:
        f.write(content)


def draw(report):
    """The plots of a drill and of all protocols, or None."""
    if "undisturbed_gb_s" not in report:
        return None, None
    # With many peers the number of a path does not identify it.
    ports = PORTS if len(report["counters"]) == 2 else 0
    return (Plot(report, ports).svg(),
            beside_svg(report) if report["beside"] else None)


def print_tap(reports):
    for number, report in enumerate(reports, 1):
        state = "not ok" if wrong(report) else "ok"
        print(f"{state} {number} - drill {report['name']}: {report['title']}")
        if verdict(report) != "ok":
            print(f"# {verdict(report)}")
    failed = sum(1 for r in reports if wrong(r))
    print(f"{len(reports) - failed} passed, {failed} failed, 0 skipped")


def main():
    args = sys.argv[1:]
    tap = args[0] == "--tap"
    directory, *names = args[tap:]
    scenarios = {s.name: s for s in load(paths())}
    missed = read_missed(scenarios.values())
    machine = read_json(directory, "machine.json") or {}
    machine["minutes"] = round(int(read(directory, "seconds") or 0) / 60, 1)
    reports, plots = [], []
    for name in names:
        there = os.path.join(directory, name)
        report = make_report(scenarios[name], there, machine, missed)
        write(directory, f"{name}.json", json.dumps(report, indent=1) + "\n")
        write_trace(os.path.join(directory, f"{name}.trace"), report,
                    os.path.join(there, "mrc"))
        plot, beside = draw(report)
        for svg, end in ((plot, ""), (beside, "-beside")):
            if svg:
                write(directory, f"{name}{end}.svg", svg)
        reports.append(report)
        plots.append((plot, beside))
    write(directory, "index.html", make_page(reports, plots, machine))
    if tap:
        print_tap(reports)
    else:
        print_table(reports)
        print(f"\ndrills: {sum(1 for r in reports if not wrong(r))} of "
              f"{len(reports)} passed in {machine['minutes']} minutes, "
              f"{os.path.relpath(directory)}/index.html")
    return 1 if any(wrong(r) for r in reports) else 0


sys.exit(main())
