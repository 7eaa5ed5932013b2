#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tell what happened in the drills.

  report.py DIR STATUS NAME...   STATUS is that of the guest

DIR holds a folder for each drill, as drill.sh left it. Makes NAME.json and
NAME.svg in DIR, index.html of all, and a table on the terminal. The status is
non-zero if a drill could not be carried out, a queue pair failed that should
not have, or a byte was wrong. Bounds of goodput and gaps are told as met or
missed, no more: how fast an emulated machine is proves nothing.

What is measured, of the bytes that the receiving program has compared:

  undisturbed  goodput before the first action, but for the first second
  settled      goodput in the second half of the time from an action to the
               next one, in percent of what is left by then: the percentage that
               the drill states, of the undisturbed goodput
  gap          longest time in a row, from a fault to the next action, with less
               than half of what is left; also told for the undisturbed time
"""
import html
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
sys.path.insert(0, os.path.join(root, "bench"))
sys.path.insert(0, os.path.join(root, "tests", "integration"))
from goodput import Progress, json_lines, read, read_json
from svg import document, text

WARM_UP_S = 1.0
BIN_S = 0.01
RTTS = 5		# that a gap may last, and ..
INFERENCE_MS = 32	# .. the time after which software hosts take a packet for lost
MOST_BINS = 1000	# of a plot
MOST_SAMPLES = 300
MEAN = 20		# bins
SHORTEST_S = 0.5	# after an action, for anything to be measured
PORTS = 4
PATHS_PER_PORT = 4


# --- what a drill is and has left --------------------------------------------

class Drill:
    """The lines of a drill's file that matter here."""

    def __init__(self, name):
        self.name = name
        self.title = self.says = ""
        self.bounds = {}
        self.broken = False
        with open(os.path.join(here, f"{name}.drill"), encoding="utf-8") as f:
            for line in f:
                self.take(*line.rstrip("\n").partition(" ")[::2])

    def take(self, word, rest):
        if word == "title":
            self.title = rest
        elif word == "says":
            self.says = rest
        elif word == "outcome":
            self.broken = rest == "broken"
        elif word == "bound":
            kind, value = rest.split()
            self.bounds[kind] = float(value)


def read_actions(directory):
    actions = []
    for line in read(directory, "actions").splitlines():
        start, done, left, verb, *what = line.split()
        actions.append({"start": float(start), "done": float(done),
                        "left": None if left == "-" else float(left),
                        "fault": verb != "restore",
                        "action": " ".join([verb] + what)})
    return actions


def read_events(directory):
    """Changes of paths and ports as host 0 and host 1 saw them."""
    events = []
    for host in (0, 1):
        for event in json_lines(read(directory, f"events-h{host}")):
            if event.get("event") in ("path", "port"):
                events.append({"time": event["time_ns"] / 1e9, "host": host,
                               **{k: event[k] for k in
                                  ("event", "ev", "port", "state")
                                  if k in event}})
    return sorted(events, key=lambda e: e["time"])


def read_samples(directory):
    """Window and round trip of the queue pairs of the watched host over time."""
    samples = []
    for line in json_lines(read(directory, "qps")):
        qps = [q for q in line["qps"] if q.get("cwnd")]
        if qps:
            samples.append({"time": line["time"],
                            "cwnd": [q["cwnd"] for q in qps],
                            "srtt_ms": [round(q["srtt_ns"] / 1e6, 2)
                                        for q in qps]})
    return samples


def dropped(directory):
    """Packets for which queues of switches had no room, or None."""
    before, after = (read(directory, f"{when}-dropped")
                     for when in ("before", "after"))
    return int(after) - int(before) if before and after else None


def idle(directory):
    """Percent of the time in which the processors had nothing to do."""
    begin, end = ([int(n) for n in read(directory, f"{when}-cpu").split()[1:9]]
                  for when in ("begin", "end"))
    if not begin or not end or sum(end) == sum(begin):
        return None
    return round(100 * (end[3] - begin[3]) / (sum(end) - sum(begin)), 1)


def share(lines):
    """What the slowest of the flows got, in percent of their mean, after the
    first second.
    """
    flows = [line for line in lines if line.get("progress") and "flows" in line]
    flows = [line["flows"] for line in flows
             if line["time"] >= flows[0]["time"] + WARM_UP_S]
    if len(flows) < 2:
        return None
    moved = [b - a for a, b in zip(flows[0], flows[-1])]
    return round(100 * min(moved) * len(moved) / sum(moved), 1) \
        if sum(moved) else None


def uneven(directory):
    """By how many percent a plane is off the mean of what planes carried."""
    ports = {}
    for qp in read_json(directory, "paths") or []:
        for path in qp.get("paths", []):
            ports[path["port"]] = ports.get(path["port"], 0) + \
                path.get("counters", path).get("tx_pkts", 0)
    mean = sum(ports.values()) / len(ports) if ports else 0
    if not mean:
        return None
    return round(100 * max(abs(n - mean) for n in ports.values()) / mean, 1)


def fairness(directory):
    """Jain's index of what the watched host's queue pairs have sent, in percent."""
    sent = [q["tx_bytes"] for q in read_json(directory, "paths") or []
            if q.get("tx_bytes")]
    if not sent:
        return None
    return round(100 * sum(sent) ** 2 / len(sent) / sum(n * n for n in sent), 1)


def hosts(directory):
    return sorted(name.removeprefix("before-")
                  for name in os.listdir(directory)
                  if name.startswith("before-h"))


def grown(directory, host):
    """How much the counters of a host grew."""
    before, after = (read_json(directory, f"{when}-{host}")
                     for when in ("before", "after"))
    if not before or not after:
        return {}
    before, after = before[0]["stats"], after[0]["stats"]
    return {k: v - before.get(k, 0) for k, v in after.items()
            if v != before.get(k, 0)}


def counted(report, name):
    """How much a counter grew, over all hosts."""
    return sum(c.get(name, 0) for c in report["counters"].values())


def retransmissions(report):
    return counted(report, "retrans_pkts")


def beyond_losses(report):
    """Packets sent again for no loss, where losses were counted."""
    if report["dropped"] is None:
        return None
    lost = report["dropped"] + counted(report, "trimmed_pkts")
    return max(retransmissions(report) - lost, 0)


# --- measures -----------------------------------------------------------------

def measure_action(progress, action, end, undisturbed):
    left = undisturbed * action["left"] / 100
    if not left or end - action["done"] < SHORTEST_S:
        return
    half = (action["done"] + end) / 2
    action["settled_percent"] = round(100 * progress.rate(half, end) / left, 1)
    if action["fault"]:
        action["gap_ms"] = round(1000 * progress.gap(action["start"], end,
                                                     left / 2))


def last_arrival(progress):
    """When the last message arrived: what follows is not of the run."""
    last = progress.points[-1][1]
    return next(when for when, count in progress.points if count == last)


def measure(report, progress, actions):
    begin = progress.points[0][0]
    end = last_arrival(progress)
    first = actions[0]["start"] if actions else end
    calm = min(begin + WARM_UP_S, (begin + first) / 2)
    undisturbed = progress.rate(calm, first)
    report["undisturbed_mb_s"] = round(undisturbed / 1e6, 2)
    report["undisturbed_gap_ms"] = round(
        1000 * progress.gap(calm, first, undisturbed / 2))
    ends = [a["start"] for a in actions[1:]] + [end]
    for action, until in zip(actions, ends):
        if action["left"] is not None:
            measure_action(progress, action, until, undisturbed)
    report["bins_ms"] = round(BIN_S * 1000)
    report["bins_mb_s"] = [
        round(progress.rate(begin + i * BIN_S, begin + (i + 1) * BIN_S) / 1e6, 2)
        for i in range(int((end - begin) / BIN_S))]


def judge_whole(bounds, kind, figure, what, least=False):
    """A bound on a figure of the whole drill."""
    if kind not in bounds or figure is None:
        return []
    bound = bounds[kind]
    limit = "at least" if least else "at most"
    return [{"bound": f"{limit} {bound:g} {what}", "kind": kind,
             "limit": bound, "figure": figure,
             "met": figure >= bound if least else figure <= bound}]


def round_trip(report):
    """The usual one in ms before anything happened, or None."""
    first = report["actions"][0]["start"] if report["actions"] else 0
    before = sorted(max(s["srtt_ms"]) for s in report["samples"]
                    if report.get("begin", 0) + WARM_UP_S < s["time"] < first)
    return before[len(before) // 2] if before else None


def judge_inference(actions, report):
    """What the drills allow whoever has to find out about a fault."""
    gaps = [a["gap_ms"] for a in actions if "gap_ms" in a]
    rtt = round_trip(report)
    if not gaps or not rtt:
        return []
    limit = round(RTTS * rtt + INFERENCE_MS)
    return [{"bound": f"at most {limit} ms, {RTTS} round trips of {rtt:g} ms and "
                      f"a loss inference of {INFERENCE_MS} ms",
             "kind": "round trips", "limit": limit, "figure": max(gaps),
             "met": max(gaps) <= limit}]


def judge_bounds(drill, actions, report):
    """One entry for each bound, with the worst figure there is."""
    result = []
    for kind, key, unit, worst in (
            ("settled", "settled_percent", "% of what is left", min),
            ("gap", "gap_ms", "ms below half of what is left", max)):
        figures = [a[key] for a in actions if key in a]
        if not figures or kind not in drill.bounds:
            continue
        bound, figure = drill.bounds[kind], worst(figures)
        met = figure >= bound if worst is min else figure <= bound
        limit = "at least" if worst is min else "at most"
        result.append({"bound": f"{limit} {bound:g} {unit}", "kind": kind,
                       "limit": bound, "figure": figure, "met": met})
    if "gap" in drill.bounds:
        result += judge_inference(actions, report)
    return result + \
        judge_whole(drill.bounds, "again", retransmissions(report),
                    "packets sent again") + \
        judge_whole(drill.bounds, "beyond", beyond_losses(report),
                    "packets sent again beyond those dropped or trimmed") + \
        judge_whole(drill.bounds, "uneven", report["uneven_percent"],
                    "% between a plane and the mean") + \
        judge_whole(drill.bounds, "fair", report["fair_percent"],
                    "% of Jain's index", least=True) + \
        judge_whole(drill.bounds, "share", report["share_percent"],
                    "% of the mean for each flow", least=True)


def failure_of(drill, directory, report):
    """What nothing excuses, or None."""
    if read(directory, "status").strip() != "0":
        lines = read(directory, "failure").splitlines() or ["did not end"]
        failed = [x for x in lines if x.startswith("failed: ")]
        return (failed or lines)[0]
    if report["wrong_bytes"]:
        return "messages with wrong bytes"
    failed = counted(report, "unresponsive_remote_events")
    if failed and not drill.broken:
        return "a queue pair failed"
    if drill.broken and not failed:
        return "no queue pair failed"
    return None


def make_beside(directory):
    """What TCP and MPTCP did with the same faults, by name."""
    result = {}
    for protocol in ("tcp", "mptcp"):
        at = os.path.join(directory, protocol)
        progress = Progress(json_lines(read(at, "progress")))
        if len(progress.points) < 2:
            continue
        result[protocol] = {"begin": progress.points[0][0],
                            "actions": read_actions(at),
                            "events": [], "samples": []}
        measure(result[protocol], progress, result[protocol]["actions"])
    return result


def make_report(drill, directory, machine):
    lines = json_lines(read(directory, "progress"))
    progress = Progress(lines)
    actions = read_actions(directory)
    report = {
        "name": drill.name, "title": drill.title, "says": drill.says,
        "machine": machine, "actions": actions,
        "network": read_json(directory, "network.json") or {},
        "events": read_events(directory),
        "samples": read_samples(directory),
        "uneven_percent": uneven(directory),
        "fair_percent": fairness(directory),
        "share_percent": share(lines) if "share" in drill.bounds else None,
        "idle_percent": idle(directory),
        "dropped": dropped(directory),
        "counters": {h: grown(directory, h) for h in hosts(directory)},
        # In the last line of a run that breaks, requests of the receiver that
        # failed are errors, too.
        "wrong_bytes": max([line.get("errors", 0) for line in lines
                            if line.get("progress") or not drill.broken] + [0]),
        "bytes": max([line.get("bytes", 0) for line in lines] + [0]),
    }
    if len(progress.points) > 1:
        report["begin"] = progress.points[0][0]
        measure(report, progress, actions)
    report["beside"] = make_beside(directory)
    report["bounds"] = judge_bounds(drill, actions, report)
    report["failure"] = failure_of(drill, directory, report)
    return report


# --- plot ---------------------------------------------------------------------

LEFT, WIDTH, HEIGHT, RIGHT = 64, 860, 190, 20
LINE_H, ROW_H, PORT_GAP, CURVE_H = 15, 6, 4, 40
COLORS = {"goodput": "#a9cbea", "mean": "#1d4f86", "acting": "#f3ead7",
          "left": "#c0392b", "mark": "#555",
          "cwnd": "#7a3e9d", "srtt": "#b5651d",
          "good": "#cfe3f5", "bad": "#c0392b", "down": "#8c8c8c"}


def nice_step(most):
    for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500):
        if most / step <= 6:
            return step
    return most


class Plot:
    """The time line of one drill."""

    def __init__(self, report, ports):
        self.report = report
        self.begin = report["begin"]
        self.seconds = max(len(report["bins_mb_s"]) * BIN_S, BIN_S)
        self.most = max(report["bins_mb_s"] + [report["undisturbed_mb_s"]])
        self.most = min(self.most, 2.2 * report["undisturbed_mb_s"]) or 1
        self.top = 26 + LINE_H * len(report["actions"])
        self.bottom = self.top + HEIGHT
        self.parts = []
        self.ports = ports
        # Few enough for a plot of some ten kilobytes.
        n = len(report["bins_mb_s"])
        self.wide = (n + MOST_BINS - 1) // MOST_BINS or 1

    def x(self, seconds):
        return LEFT + WIDTH * min(max(seconds / self.seconds, 0), 1)

    def y(self, mb_s):
        return self.bottom - HEIGHT * min(mb_s / self.most, 1)

    def line(self, x0, y0, x1, y1, color, extra=""):
        self.parts.append(f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" '
                          f'stroke="{color}" {extra}/>')

    def axes(self, bottom):
        step = nice_step(self.most)
        for i in range(int(self.most / step) + 1):
            y = self.y(i * step)
            self.line(LEFT, y, LEFT + WIDTH, y, "#e5e5e5")
            self.parts.append(text(LEFT - 6, y + 4, f"{i * step:g}",
                                   text_anchor="end", font_size=11))
        self.parts.append(text(LEFT - 6, self.top - 8, "MB/s",
                               text_anchor="end", font_size=11))
        step = max(1, nice_step(self.seconds / 3))
        for i in range(int(self.seconds / step) + 1):
            x = self.x(i * step)
            self.line(x, bottom, x, bottom + 4, "#000")
            self.parts.append(text(x, bottom + 17, f"{i * step:g} s",
                                   text_anchor="middle", font_size=11))

    def goodput(self):
        bins, wide = self.report["bins_mb_s"], self.wide
        points = [f"{self.x(0):.1f},{self.bottom}"]
        for i in range(0, len(bins), wide):
            some = bins[i:i + wide]
            y = f"{self.y(sum(some) / len(some)):.0f}"
            points += [f"{self.x(i * BIN_S):.1f},{y}",
                       f"{self.x((i + len(some)) * BIN_S):.1f},{y}"]
        points.append(f"{self.x(self.seconds):.1f},{self.bottom}")
        self.parts.append(f'<polygon points="{" ".join(points)}" '
                          f'fill="{COLORS["goodput"]}"/>')

    def mean(self):
        """The goodput of MEAN bins, in the middle of them."""
        bins = self.report["bins_mb_s"]
        points = [f"{self.x((i + MEAN / 2) * BIN_S):.1f},"
                  f"{self.y(sum(bins[i:i + MEAN]) / MEAN):.1f}"
                  for i in range(0, len(bins) - MEAN + 1, MEAN // 2)]
        self.parts.append(f'<polyline points="{" ".join(points)}" fill="none" '
                          f'stroke="{COLORS["mean"]}" stroke-width="1.2"/>')

    def acting(self):
        """While an action is being carried out, which takes its time."""
        for a in self.report["actions"]:
            x0, x1 = (self.x(a[k] - self.begin) for k in ("start", "done"))
            self.parts.append(
                f'<rect x="{x0:.1f}" y="{self.top}" height="{HEIGHT}" '
                f'width="{x1 - x0:.1f}" fill="{COLORS["acting"]}"/>')

    def what_is_left(self):
        """A dashed line: the share of the undisturbed goodput."""
        since, left = 0.0, 100.0
        steps = [(a["done"] - self.begin, a["left"])
                 for a in self.report["actions"] if a["left"] is not None]
        for when, following in steps + [(self.seconds, 0)]:
            y = self.y(self.report["undisturbed_mb_s"] * left / 100)
            self.line(self.x(since), y, self.x(when), y, COLORS["left"],
                      'stroke-dasharray="5 3"')
            since, left = when, following

    def marks(self, bottom):
        for i, action in enumerate(self.report["actions"]):
            x = self.x(action["start"] - self.begin)
            y = 18 + LINE_H * i
            self.line(x, y + 3, x, bottom, COLORS["mark"],
                      'stroke-dasharray="2 2"')
            beyond = x > LEFT + WIDTH / 2
            self.parts.append(text(x - 4 if beyond else x + 4, y + 4,
                                   action["action"], font_size=11,
                                   text_anchor="end" if beyond else "start"))

    def strip(self, y, since, until, state):
        self.parts.append(
            f'<rect x="{self.x(since):.1f}" y="{y}" height="{ROW_H - 1}" '
            f'width="{max(self.x(until) - self.x(since), 1):.1f}" '
            f'fill="{COLORS.get(state, COLORS["bad"])}"/>')

    def path_strip(self, ev, port, y):
        """The states of a path of h0, under those of its port on any host."""
        since, path, down, state = 0.0, "good", set(), "good"
        for event in self.report["events"]:
            if event["event"] == "path" and event["host"] == 0 and \
               event.get("ev") == ev:
                path = event["state"]
            elif event["event"] == "port" and event["port"] == port:
                (down.discard if event["state"] == "up" else down.add)(
                    event["host"])
            else:
                continue
            now = "down" if down else path
            if now != state:
                when = max(event["time"] - self.begin, 0)
                self.strip(y, since, when, state)
                since, state = when, now
        self.strip(y, since, self.seconds, state)

    def paths(self):
        y = self.bottom + 10
        for port in range(1, self.ports + 1):
            middle = y + PATHS_PER_PORT * ROW_H / 2
            self.parts.append(text(LEFT - 6, middle + 4, f"port {port}",
                                   text_anchor="end", font_size=11))
            for i in range(PATHS_PER_PORT):
                ev = (port - 1) * PATHS_PER_PORT + i + 1
                self.path_strip(ev, port, y)
                y += ROW_H
            y += PORT_GAP
        return y

    def curve(self, key, top, color, unit, scale):
        """One line for each queue pair; its largest value stands beside it."""
        samples = self.report["samples"]
        n = max(len(s[key]) for s in samples)
        samples = samples[::(len(samples) * n - 1) // (2 * MOST_SAMPLES) + 1]
        most = max(max(s[key]) for s in samples) or 1
        for i in range(n):
            points = " ".join(
                f"{self.x(s['time'] - self.begin):.1f},"
                f"{top + CURVE_H * (1 - s[key][i] / most):.1f}"
                for s in samples if i < len(s[key]))
            self.parts.append(f'<polyline points="{points}" fill="none" '
                              f'stroke="{color}" stroke-width="1"/>')
        self.parts.append(text(LEFT - 6, top + 9, f"{most * scale:.3g} {unit}",
                               text_anchor="end", font_size=10, fill=color))

    def congestion(self, top):
        if self.report["samples"]:
            self.curve("cwnd", top, COLORS["cwnd"], "KB", 1e-3)
            self.curve("srtt_ms", top + CURVE_H + 6, COLORS["srtt"], "ms", 1)

    def svg(self):
        bottom = self.bottom + 10 + \
            self.ports * (PATHS_PER_PORT * ROW_H + PORT_GAP)
        if self.report["samples"]:
            bottom += 2 * (CURVE_H + 6)
        self.acting()
        self.axes(bottom)
        self.goodput()
        self.mean()
        self.what_is_left()
        self.congestion(self.paths() + 2)
        self.marks(bottom)
        return document(LEFT + WIDTH + RIGHT, bottom + 24, self.parts)


# --- page and table -----------------------------------------------------------

STYLE = """
body { font-family: sans-serif; max-width: 970px; margin: 2em auto; }
table { border-collapse: collapse; margin: .6em 0; }
td, th { padding: .15em .8em .15em 0; text-align: left; vertical-align: top; }
.met { color: #1e7d34; } .missed, .failed { color: #c0392b; }
h2 { margin-top: 2em; } svg { max-width: 100%; height: auto; }
.key { display: inline-block; width: 1em; height: .6em; }
"""


def words(met):
    return "met" if met else "missed"


def row(cells, tag="td"):
    return "<tr>" + "".join(f"<{tag}>{c}</{tag}>" for c in cells) + "</tr>"


def bound_rows(report):
    return [row((html.escape(b["bound"]), f"{b['figure']:g}",
                 f'<span class="{words(b["met"])}">{words(b["met"])}</span>'))
            for b in report["bounds"]]


def action_rows(report):
    rows = []
    for a in report["actions"]:
        when = a["start"] - report.get("begin", a["start"])
        rows.append(row((f"{when:.2f} s", html.escape(a["action"]),
                         "" if a["left"] is None else f"{a['left']:g} %",
                         f"{a['settled_percent']:g} %"
                         if "settled_percent" in a else "",
                         f"{a['gap_ms']} ms" if "gap_ms" in a else "")))
    return rows


def section(report, svg):
    network = report["network"]
    parts = [f'<h2 id="{report["name"]}">{html.escape(report["title"])}</h2>',
             f"<p>{html.escape(report['says'])} ({len(report['counters'])} hosts, "
             f"links of {network.get('rate_mbit')} Mbit/s with queues of "
             f"{network.get('queue_kib')} KiB that mark from "
             f"{network.get('ecn_kib')} KiB on.)</p>"]
    if report["failure"]:
        parts.append('<p class="failed">Failed: '
                     f'{html.escape(report["failure"])}</p>')
    parts.append(svg or "<p>Nothing was measured.</p>")
    if report["bounds"]:
        parts += ["<table>", row(("bound", "figure", ""), "th"),
                  *bound_rows(report), "</table>"]
    parts += ["<table>", row(("at", "action", "left", "settled", "gap"), "th"),
              *action_rows(report), "</table>",
              f"<p>Undisturbed {report.get('undisturbed_mb_s', 0):g} MB/s, "
              f"longest gap {report.get('undisturbed_gap_ms', 0)} ms; "
              f"processors idle for {report['idle_percent'] or 0:g} %; "
              f"{report['bytes']} bytes compared, "
              f"{report['wrong_bytes']} messages wrong; "
              f"{retransmissions(report)} packets sent again, "
              f"{counted(report, 'trimmed_pkts')} trimmed.</p>"]
    for protocol, beside in report["beside"].items():
        parts += [f"<h3>{protocol.upper()} with the same faults</h3>",
                  Plot(beside, 0).svg(),
                  "<table>", row(("at", "action", "left", "settled", "gap"), "th"),
                  *action_rows(beside), "</table>",
                  f"<p>Undisturbed {beside['undisturbed_mb_s']:g} MB/s.</p>"]
    return "\n".join(parts)


def make_page(reports, plots, machine):
    keys = "".join(f' <span class="key" style="background:{COLORS[c]}"></span>'
                   f" {c}" for c in ("good", "bad", "down"))
    links = "".join(row((f'<a href="#{r["name"]}">{html.escape(r["title"])}</a>',
                         verdict(r))) for r in reports)
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            f"<title>mrc: drills</title><style>{STYLE}</style></head><body>\n"
            f"<h1>Failure drills</h1>\n<p>Kernel {machine.get('kernel')}, "
            f"{machine.get('cpus')} CPUs ({machine.get('accelerator')}).</p>\n"
            "<p>Goodput is what the receiving program has compared, in bins of "
            "10 ms and (dark) its mean over 200 ms; the dashed line is what the "
            "faults leave of it, shaded is the time that an action took. Below, the "
            f"sixteen paths of the sender by port:{keys}. Below them the window "
            "and the round trip of the sender, from 0 to the largest value."
            "</p>\n"
            f"<table>{links}</table>\n" +
            "\n".join(section(r, p) for r, p in zip(reports, plots)) +
            "\n</body></html>\n")


def verdict(report):
    if report["failure"]:
        return f"FAIL: {report['failure']}"
    missed = [b["kind"] for b in report["bounds"] if not b["met"]]
    return f"missed: {', '.join(missed)}" if missed else "ok"


def figure(report, kind, unit):
    for b in report["bounds"]:
        if b["kind"] == kind:
            relation = ">=" if kind == "settled" else "<="
            return f"{b['figure']:g} {unit} ({relation} {b['limit']:g})"
    return ""


def print_table(reports):
    width = max(len(r["name"]) for r in reports)
    print(f"\n{'drill':{width}} {'MB/s':>6} {'settled':>16} {'gap':>16} "
          f"{'rtx':>6} {'beyond':>6} {'uneven':>6} {'fair':>6} {'share':>6} {'idle':>5}  verdict")
    for r in reports:
        print(f"{r['name']:{width}} {r.get('undisturbed_mb_s', 0):6.1f} "
              f"{figure(r, 'settled', '%'):>16} {figure(r, 'gap', 'ms'):>16} "
              f"{retransmissions(r):>6} "
              f"{'' if r['dropped'] is None else beyond_losses(r):>6} "
              f"{r['uneven_percent'] or 0:>5g}% "
              f"{r['fair_percent'] or 0:>5g}% "
              f"{r['share_percent'] or 0:>5g}% {r['idle_percent'] or 0:>4.0f}%  "
              f"{verdict(r)}")


def write(directory, name, content):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as f:
        f.write(content)


def main():
    directory, status, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    machine = read_json(directory, "machine.json") or {}
    reports, plots = [], []
    for name in names:
        report = make_report(Drill(name), os.path.join(directory, name),
                             machine)
        # With many peers a path is not told by its number.
        ports = PORTS if len(report["counters"]) == 2 else 0
        svg = Plot(report, ports).svg() if "begin" in report else None
        write(directory, f"{name}.json", json.dumps(report, indent=1) + "\n")
        if svg:
            write(directory, f"{name}.svg", svg)
        reports.append(report)
        plots.append(svg)
    write(directory, "index.html", make_page(reports, plots, machine))
    print_table(reports)
    failed = [r for r in reports if r["failure"]]
    print(f"\ndrills: {len(reports) - len(failed)} of {len(reports)} without "
          f"failure, {os.path.relpath(directory)}/index.html")
    if status:
        print(f"drills: the guest ended with status {status}")
    return 1 if failed or status else 0


sys.exit(main())
