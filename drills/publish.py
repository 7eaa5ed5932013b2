#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Write the figures of a run of the drills to the documentation.

  publish.py DIR DOCUMENTATION   DIR is build/drills, as report.py left it

Writes DOCUMENTATION/figures/drills.md, and copies the plots of SHOWN to
DOCUMENTATION/figures/drills. A drill that was not run is listed as "not run".
"""
import os
import shutil
import sys

from measure import lost, read_json, retransmissions
from page import NAMES, back, beside_rows, gap, missed_reasons, settled, shown, wrong
from scenario import paths

# A selection; index.html of a run has all plots.
SHOWN = ("00-calm", "10-host-links", "10-host-links-beside", "12-links-flap",
         "22-t1-grey", "22-t1-grey-beside", "41-loss-1-percent", "50-blackout",
         "78-share-8", "80-permutation", "90-incast")


# What the MRC paper (see the glossary) reports, by its section or figure, and the drill
# that is most like it.
PAPER = (
    ("2.1", "a path fails", "bypassed within a few tens of microseconds",
     ("20-t0-t1-link", "22-t1-grey")),
    ("8", "a T1 forwards nothing, then is rebooted",
     "goodput dips at the failure only", ("22-t1-grey",)),
    ("9a", "links of a NIC are removed one by one and restored",
     "one link less each time, and back; interruptions below 1 s",
     ("10-host-links",)),
    ("9b", "four of eight links of a NIC flap at once",
     "half of the rate; quickly restored", ("11-host-links-flap",)),
    ("9c", "20 links between T0 and T1 go down, one per second", "hardly any effect",
     ("21-t0-t1-links",)),
    ("9d", "eight links between T0 and T1 flap together", "negligible",
     ("12-links-flap",)),
    ("10", "a T0 is down", "one plane less, then stable", ("24-t0-dead",)),
    ("11", "a T1 is down and returns", "no loss in the steady state",
     ("23-t1-dead",)),
    ("12, 13", "one of 16 EVs loses 20 %",
     "the EV is left at once; line rate is kept", ("34-lossy-path-20-percent",)),
    ("14", "two flows are forced onto one EV", "ECN moves one; both near line rate",
     ("79-two-flows-one-path",)),
    ("16", "ring of 64 GPUs; 0, 0.1 and 1 % random loss on all planes",
     "0.1 %: large messages hardly affected; 1 %: about a third",
     ("81-ring-loss-0-percent", "82-ring-loss-0-1-percent",
      "83-ring-loss-1-percent")),
    ("17", "all-to-all of 64 GPUs, the same losses",
     "better than RoCE at each message size",
     ("85-all-to-all-loss-0-percent", "86-all-to-all-loss-0-1-percent",
      "87-all-to-all-loss-1-percent")),
    ("18", "incast 7:1 and a flow to another host of the rack",
     "fair; the other flow is not affected", ("90-incast",)),
    ("20", "permutation from rack to rack at full load",
     "390 of 400 Gb/s for each flow", ("80-permutation",)),
    ("2.3", "balance of planes", "the same load on each plane", ("00-calm",)),
)


def all_drills():
    return [os.path.basename(path).removesuffix(".drill") for path in paths()]


def table(head, rows):
    """A Markdown table; columns of figures are right-aligned."""
    lines = ["| " + " | ".join(head) + " |",
             "|---" + "|---:" * (len(head) - 2) + "|---|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def whole_figures(report):
    """Figures of the whole drill that have a bound."""
    figures = {b["kind"]: b["figure"] for b in report["bounds"]}
    return ", ".join(f"{kind} {shown(figures[kind], unit)}" for kind, unit in
                     (("start", " us"), ("repair", " us"), ("fair", " %"),
                      ("share", " %"), ("uneven", " %"), ("dropped", " %"),
                      ("condemned", "")) if kind in figures)


def missed(report):
    """Bounds that were not met, each with its figure."""
    if report["failure"]:
        return f"**failed: {report['failure']}**"
    return ", ".join(f"{b['kind']} {shown(b['figure']) or 'none'} ({b['limit']:g})"
                     for b in report["bounds"] if not b["met"])


def figures_row(name, report):
    if not report:
        return (f"`{name}`", *[""] * 8, "not run")
    return (f"`{name}`", shown(report.get("undisturbed_gb_s")),
            shown(report.get("rate_percent")),
            shown(settled(report)), shown(gap(report)),
            shown(back(report)), shown(lost(report)),
            shown(retransmissions(report)), whole_figures(report),
            missed(report))


def figures_table(reports):
    return table(("drill", "undisturbed, Gb/s", "rate, %", "settled, %", "gap, us",
                  "back, us", "lost", "again", "whole drill", "bounds missed"),
                 [figures_row(*item) for item in reports.items()])


def beside_table(reports):
    rows = []
    for name, report in reports.items():
        if report and report["beside"]:
            rows += [(f"`{name}`" if i == 0 else "", *cells)
                     for i, cells in enumerate(beside_rows(report))]
    if not rows:
        return ""
    return ("## Other protocols with the same faults\n\n" +
            table(("drill", "", "undisturbed, Gb/s", "settled, at least",
                   "gap, at most", ""), rows) + "\n\n")


def likened(name, report):
    """The figures of a drill that the paper's can be compared with."""
    if not report:
        return f"`{name}`: not run"
    share = next((b["figure"] for b in report["bounds"] if b["kind"] == "share"), None)
    figures = (("rate", report.get("rate_percent"), " %"),
               ("settled", settled(report), " %"), ("gap", gap(report), " us"),
               ("share", share, " %"))
    if not report["actions"]:
        figures += (("uneven", report.get("uneven_percent"), " %"),)
    return f"`{name}`: " + ", ".join(f"{kind} {shown(figure, unit)}"
                                     for kind, figure, unit in figures
                                     if figure is not None)


def paper_table(reports):
    rows = [(where, what, result,
             "; ".join(likened(name, reports[name]) for name in names))
            for where, what, result, names in PAPER]
    return "\n".join(["| paper | experiment | result there | here |",
                      "|---|---|---|---|"] +
                     ["| " + " | ".join(row) + " |" for row in rows])


def missed_list(reports):
    """The reasons of bounds that were missed, and where."""
    lines = []
    for reason, some in missed_reasons([r for r in reports.values() if r]):
        where = {}
        for name, bound in some:
            where.setdefault(name, []).append(bound["kind"])
        lines.append(f"* {reason}: " + ", ".join(
            f"`{name}` ({', '.join(kinds)})" for name, kinds in where.items()))
    return "## Missed bounds\n\n" + "\n".join(lines) + "\n\n" if lines else ""


def plot_title(name, reports):
    drill = name.removesuffix("-beside")
    if drill == name:
        return reports[drill]["title"]
    others = ", ".join(NAMES[p] for p in reports[drill]["beside"])
    return f"{reports[drill]['title']}: MRC, {others}"


def plots(names, reports):
    return "\n\n".join(f"### {plot_title(name, reports)}\n\n"
                       f"![`{name}`](drills/{name}.svg)" for name in names)


def bounds_words(reports):
    run = [r for r in reports.values() if r]
    bounds = [b for r in run for b in r["bounds"]]
    return (f"{len(run)} of {len(reports)} drills were run, "
            f"{sum(1 for r in run if wrong(r))} failed; "
            f"{sum(1 for b in bounds if not b['met'])} of {len(bounds)} bounds "
            "were missed.")


def document(reports, names):
    machine = next(r["machine"] for r in reports.values() if r)
    return f"""<!-- Written by drills/publish.py; do not edit. -->
# Figures of the failure drills

{machine['date']}, kernel {machine['kernel']}, in virtual time:

	make drills
	make drills-figures

{bounds_words(reports)} The run took {machine['minutes']:g} minutes
on {machine['cpus']} processors.

The product has its own settings: no CC profile, nothing tuned. The terms are those of
[drills.md](../drills.md). *rate* is the undisturbed goodput in percent of what the links
can carry, *settled* and *gap* are the worst after any action, *back* is the longest time
until a path that was GOOD again carried data, *lost* the number of packets that links
dropped, lost, damaged or trimmed, *again* the number of retransmitted packets. A missed
bound is listed with its figure, and the bound in parentheses; "none" means that what the
bound is about did not happen.

{figures_table(reports)}

{missed_list(reports)}{beside_table(reports)}## Beside the figures of the MRC paper

The paper measured NICs of 400 and 800 Gb/s with 128 to 256 EVs for each QP, over seconds
and minutes, on production clusters and testbeds. Here two hosts have four planes of 100
Gb/s and 16 EVs, eight hosts have two planes; faults last milliseconds, and computation
takes no time. So shares of the rate can be compared, and times only as to
what bounds them. *uneven* is the largest difference of a plane from the mean of all.
Where the result here is far from that of the paper, the reason is in the list of missed
bounds above, if one is known.

{paper_table(reports)}

## Plots

{plots(names, reports)}
"""


def copy_plots(directory, documentation):
    """Copy those plots of SHOWN that exist; return their names."""
    target = os.path.join(documentation, "figures", "drills")
    os.makedirs(target, exist_ok=True)
    for name in os.listdir(target):
        os.remove(os.path.join(target, name))
    names = [name for name in SHOWN
             if os.path.exists(os.path.join(directory, f"{name}.svg"))]
    for name in names:
        shutil.copyfile(os.path.join(directory, f"{name}.svg"),
                        os.path.join(target, f"{name}.svg"))
    return names


def main():
    directory, documentation = sys.argv[1:]
    reports = {name: read_json(directory, f"{name}.json")
               for name in all_drills()}
    if not any(reports.values()):
        sys.exit(f"publish: no drill has been run in {directory}")
    names = copy_plots(directory, documentation)
    with open(os.path.join(documentation, "figures", "drills.md"), "w",
              encoding="utf-8") as f:
        f.write(document(reports, names))


main()
