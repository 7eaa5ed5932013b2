#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Report of the drills.

  report.py DIR STATUS NAME...   STATUS is the exit status of the guest

DIR holds a folder for each drill, as drill.sh left it. Writes to DIR NAME.json and
NAME.svg for each drill, NAME-beside.svg if other protocols were run as well, and
index.html; prints a table. The status is non-zero if a drill could not be carried
out, a queue pair failed unexpectedly, or a byte was wrong. Bounds are reported as met
or missed and do not affect the status: the speed of an emulated machine proves
nothing.
"""
import json
import os
import sys

from measure import Drill, make_report, read, read_json
from page import make_page, print_table
from plot import PORTS, Plot, beside_svg


def write(directory, name, content):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as f:
        f.write(content)


def draw(report):
    """The plots of a drill and of all protocols, or None."""
    if "begin" not in report:
        return None, None
    # With many peers the number of a path does not identify it.
    ports = PORTS if len(report["counters"]) == 2 else 0
    return (Plot(report, ports).svg(),
            beside_svg(report) if report["beside"] else None)


def main():
    directory, status, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    machine = read_json(directory, "machine.json") or {}
    machine["minutes"] = round(int(read(directory, "seconds") or 0) / 60, 1)
    reports, plots = [], []
    for name in names:
        report = make_report(Drill(name), os.path.join(directory, name),
                             machine)
        write(directory, f"{name}.json", json.dumps(report, indent=1) + "\n")
        plot, beside = draw(report)
        for svg, end in ((plot, ""), (beside, "-beside")):
            if svg:
                write(directory, f"{name}{end}.svg", svg)
        reports.append(report)
        plots.append((plot, beside))
    write(directory, "index.html", make_page(reports, plots, machine))
    print_table(reports)
    failed = [r for r in reports if r["failure"]]
    print(f"\ndrills: {len(reports) - len(failed)} of {len(reports)} passed "
          f"in {machine['minutes']} minutes, "
          f"{os.path.relpath(directory)}/index.html")
    if status:
        print(f"drills: the guest ended with status {status}")
    return 1 if failed or status else 0


sys.exit(main())
