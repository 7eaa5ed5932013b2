#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Report of the demonstration.

  report.py paths DIR    table of packets by path; fails if a path has none
  report.py DIR STATUS   timeline, DIR/report.json and the result; STATUS is the
                         exit status of the guest

DIR holds the files of guest.sh. The gap of a fault is the longest time, between
the action and the next one, during which the goodput stayed below half of the
goodput in the second before the action. Its resolution is the interval of the
progress reports. A busy machine causes gaps without any fault: the gap of the time
before the first action is reported for comparison.
"""
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests", "lab"))
from goodput import Progress, json_lines, read, read_json

ROW_MIN_S = 0.1		# of the timeline
ROWS = 60
BEFORE_S = 1.0		# goodput of this time before a fault is its reference
BAR = 36		# columns


# --- paths ------------------------------------------------------------------

def paths_of(directory, host, moment):
    """Paths of a host with the names of their T1 switches."""
    t1 = {}
    for line in read(directory, "t1").splitlines():
        name, ev, _, switch, _ = line.split()
        if name == host:
            t1[int(ev)] = switch
    paths = read_json(directory, f"paths-{host}-{moment}.json") or []
    for path in paths:
        path["t1"] = t1.get(path["ev"], "?")
    return paths


def packets(path):
    return path.get("counters", path).get("tx_pkts", 0)


def print_paths(directory):
    paths = paths_of(directory, "h0", 1)
    most = max([packets(p) for p in paths] + [1])
    print(f"{'ev':>4} {'port':>4} {'T1':7} {'uSID list':36} {'packets':>8}")
    for p in paths:
        bar = "#" * (packets(p) * 12 // most)
        print(f"{p['ev']:>4} {p['port']:>4} {p['t1']:7} {p['sid']:36} "
              f"{packets(p):>8} {bar}")
    return paths


# --- goodput ----------------------------------------------------------------

def read_actions(directory):
    actions = []
    for line in read(directory, "actions").splitlines():
        when, verb, *what = line.split()
        actions.append({"time": float(when), "action": verb,
                        "what": what[0], "silent": "silent" in what})
    return actions


def measure(progress, actions, events):
    """Add previous goodput, gap and changes of paths and ports to every action."""
    ends = [a["time"] for a in actions[1:]] + [progress.points[-1][0]]
    for action, end in zip(actions, ends):
        when = action["time"]
        before = progress.rate(when - BEFORE_S, when)
        action["goodput_before_mb_s"] = round(before / 1e6, 1)
        action["gap_ms"] = round(1000 * progress.gap(when, end, before / 2))
        changes = [e["state"] for e in events if e.get("event") == "path" and
                   when <= e["time_ns"] / 1e9 < end]
        action["paths_given_up"] = changes.count("bad")
        action["paths_taken_back"] = changes.count("good")
        action["ports"] = [f"{e['port']} {e['state']}" for e in events
                           if e.get("event") == "port" and
                           when <= e["time_ns"] / 1e9 < end]


def undisturbed_gap(progress, actions):
    """Gap, as measure() defines it, of the time before the first action."""
    start, end = progress.points[0][0] + BEFORE_S, actions[0]["time"]
    if start >= end:
        return None
    return round(1000 * progress.gap(start, end,
                                     progress.rate(start, end) / 2))


def describe(action):
    silently = " silently" if action["silent"] else ""
    return f"{action['action']} {action['what']}{silently}"


def row_length(seconds):
    """Seconds of a row, a multiple of ROW_MIN_S, for at most ROWS rows."""
    return max(1, math.ceil(seconds / ROWS / ROW_MIN_S)) * ROW_MIN_S


def print_timeline(progress, actions):
    start, end = progress.points[0][0], progress.points[-1][0]
    step = row_length(end - start)
    rows = [start + i * step for i in range(int((end - start) / step))]
    rates = [progress.rate(t, t + step) / 1e6 for t in rows]
    most = max(rates + [1])
    print(f"\nverified goodput in MB/s, {step * 1000:.0f} ms a line")
    for when, rate in zip(rows, rates):
        marks = [describe(a) for a in actions
                 if when <= a["time"] < when + step] or [""]
        bar = "#" * round(rate / most * BAR)
        print(f"{when - start:6.1f} {bar:{BAR}} {rate:5.0f}  "
              f"{marks[0]}".rstrip())
        for mark in marks[1:]:
            print(" " * (BAR + 15) + mark)
    return {"row_ms": round(step * 1000),
            "mb_s": [round(r, 1) for r in rates]}


def print_gaps(actions, undisturbed):
    print("\nlongest time in ms below half of the previous goodput, "
          "paths that became bad (-) and good (+)")
    if undisturbed is not None:
        print(f"  {'(before the first fault)':32} {undisturbed:>6} ms")
    for action in actions:
        print(f"  {describe(action):32} {action['gap_ms']:>6} ms  "
              f"-{action['paths_given_up']} +{action['paths_taken_back']}"
              + "".join(f", port {p}" for p in action["ports"]))


# --- report -----------------------------------------------------------------

def read_facts(directory):
    facts = {}
    for line in read(directory, "facts").splitlines():
        name, _, value = line.partition(" ")
        facts[name] = value
    return facts


def first_failure(report, facts, status):
    """Reason of the first failure, or None."""
    if "failed" in facts:
        return facts["failed"]
    if status == 124:
        return "time limit"
    if status == 126:
        return "problems in the kernel log"
    if status != 0:
        return f"the guest ended with status {status}"
    for name in ("write", "send", "faults"):
        run = report["verified"].get(name)
        if not run or run["errors"] or not run["bytes"]:
            return f"mrc_verify: {name}"
    for host in ("h0", "h1"):
        if len(report["paths"][host]) != int(facts[f"paths_{host}"]):
            return f"paths of {host} are missing"
    if not all(packets(p) for p in report["paths"]["h0"]):
        return "a path carried no packets"
    return None


def make_report(directory, facts):
    verified = {name: read_json(directory, f"verify-{name}")
                for name in ("write", "send", "faults")}
    return {
        "kernel": facts.get("kernel"),
        "accelerator": facts.get("accelerator"),
        "cpus": int(facts.get("cpus", 0)),
        "bandwidth_mb_s": {name: float(facts[name])
                           for name in ("ib_write_bw", "ib_send_bw")
                           if name in facts},
        "latency_us": {name: float(facts[name])
                       for name in ("ib_write_lat", "ib_send_lat")
                       if name in facts},
        "verified": verified,
        "paths": {host: paths_of(directory, host, 2)
                  for host in ("h0", "h1")},
        "devices": {host: read_json(directory, f"device-{host}.json")
                    for host in ("h0", "h1")},
        "events": {host: json_lines(read(directory, f"events-{host}"))
                   for host in ("h0", "h1")},
    }


def conclude(directory, status):
    facts = read_facts(directory)
    report = make_report(directory, facts)
    progress = Progress(json_lines(read(directory, "progress")))
    actions = read_actions(directory)
    if len(progress.points) > 1 and actions:
        measure(progress, actions, report["events"]["h0"])
        report["goodput"] = print_timeline(progress, actions)
        report["faults"] = actions
        report["undisturbed_gap_ms"] = undisturbed_gap(progress, actions)
        print_gaps(actions, report["undisturbed_gap_ms"])

    failure = first_failure(report, facts, status)
    report["result"] = "FAIL" if failure else "PASS"
    report["reason"] = failure
    name = os.path.join(directory, "report.json")
    with open(name, "w", encoding="utf-8") as f:
        json.dump(report, f, indent=2)
        f.write("\n")

    print(f"\ndemo: report in {os.path.relpath(name)}")
    if failure:
        print(f"demo: FAIL {failure}")
        return 1
    print(f"demo: PASS {len(report['paths']['h0'])} paths, "
          f"{report['bandwidth_mb_s']['ib_write_bw']:.0f} MB/s, "
          f"{len(actions) // 2} faults, no error")
    return 0


def main():
    if sys.argv[1] == "paths":
        paths = print_paths(sys.argv[2])
        return 0 if paths and all(packets(p) for p in paths) else 1
    return conclude(sys.argv[1], int(sys.argv[2]))


sys.exit(main())
