# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Plots of drills: the timeline of one drill, and the goodput of several protocols."""
import os
import sys

from measure import BIN_US, path_states
from scenario import ROOT

sys.path.insert(0, os.path.join(ROOT, "bench"))
from svg import document, text  # noqa: E402

MOST_BINS = 860		# of a plot, one per pixel
MOST_SAMPLES = 300
MEAN_US = 200
PORTS = 4
PATHS_PER_PORT = 4
LEFT, WIDTH, HEIGHT, RIGHT = 64, 860, 190, 20
BESIDE_H = 90
LONGEST = 70		# characters of a label
NAMES = {"mrc": "MRC", "tcp": "TCP", "mptcp": "MPTCP", "roce": "RoCE"}
LINE_H, ROW_H, PORT_GAP, CURVE_H = 15, 6, 4, 40
COLORS = {"goodput": "#a9cbea", "mean": "#1d4f86", "acting": "#f3ead7",
          "left": "#c0392b", "mark": "#555",
          "cwnd": "#7a3e9d", "srtt": "#b5651d", "queue": "#4d7c3a",
          "good": "#cfe3f5", "bad": "#c0392b", "down": "#8c8c8c"}


def nice_step(most):
    step = 0.1
    while most / step > 6:
        step *= 2.5 if f"{step:e}".startswith("2") else 2
    return step


def label(action):
    """Label of an action in a plot; of many links only the first is named."""
    verb, *what = action.split(" ")
    if what and what[0].count(",") > 1:
        first, *others = what[0].split(",")
        what[0] = f"{first} and {len(others)} more"
    words = " ".join([verb] + what)
    return words if len(words) <= LONGEST else words[:LONGEST - 2] + " .."


def length_of(report):
    """us."""
    return max(len(report["bins_gb_s"]) * BIN_US, BIN_US)


def most_of(report):
    """Upper end of the goodput axis; a burst after a pause is cut."""
    return 1.1 * report["ideal_gb_s"]


class Plot:
    """The timeline of one drill: goodput and actions, and below them the states of
    @ports times four paths, congestion windows, round trips, and the longest queue of
    the switches.
    """

    def __init__(self, report, ports=0, length=None, most=None, height=HEIGHT,
                 labels=True):
        self.report = report
        self.length = length or length_of(report)
        self.most = most or most_of(report)
        self.height = height
        self.labels = labels
        self.top = 26 + LINE_H * len(report["actions"]) if labels else 6
        self.bottom = self.top + height
        self.parts = []
        self.strips = {}
        self.ports = ports
        # Few enough for a plot of some ten kilobytes.
        n, bins = len(report["bins_gb_s"]), MOST_BINS * height // HEIGHT
        self.wide = (n + bins - 1) // bins or 1

    def x(self, us):
        return LEFT + WIDTH * min(max(us / self.length, 0), 1)

    def y(self, gb_s):
        return self.bottom - self.height * min(gb_s / self.most, 1)

    def line(self, x0, y0, x1, y1, color, extra=""):
        self.parts.append(f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" '
                          f'stroke="{color}" {extra}/>')

    def axes(self, bottom):
        step = nice_step(self.most * HEIGHT / self.height)
        for i in range(int(self.most / step) + 1):
            y = self.y(i * step)
            self.line(LEFT, y, LEFT + WIDTH, y, "#e5e5e5")
            self.parts.append(text(LEFT - 6, y + 4, f"{i * step:g}",
                                   text_anchor="end", font_size=11))
        if self.labels:
            self.parts.append(text(LEFT - 6, self.top - 8, "Gb/s",
                                   text_anchor="end", font_size=11))
        self.time_axis(bottom)

    def time_axis(self, bottom):
        step = nice_step(self.length / 2)
        unit, name = (1000, "ms") if step >= 1000 else (1, "us")
        for i in range(int(self.length / step) + 1):
            x = self.x(i * step)
            self.line(x, bottom, x, bottom + 4, "#000")
            self.parts.append(text(x, bottom + 17, f"{i * step / unit:g} {name}",
                                   text_anchor="middle", font_size=11))

    def goodput(self):
        bins, wide = self.report["bins_gb_s"], self.wide
        steps = [f"M{self.x(0):.1f} {self.bottom}"]
        for i in range(0, len(bins), wide):
            some = bins[i:i + wide]
            steps.append(f"V{self.y(sum(some) / len(some)):.0f}"
                         f"H{self.x((i + len(some)) * BIN_US):.1f}")
        self.parts.append(f'<path d="{"".join(steps)}V{self.bottom}Z" '
                          f'fill="{COLORS["goodput"]}"/>')

    def mean(self):
        """The mean goodput of MEAN_US, at its middle."""
        bins, n = self.report["bins_gb_s"], MEAN_US // BIN_US
        points = [f"{self.x((i + n / 2) * BIN_US):.1f},"
                  f"{self.y(sum(bins[i:i + n]) / n):.0f}"
                  for i in range(0, len(bins) - n + 1,
                                 max(n // 2, 2 * self.wide))]
        self.parts.append(f'<polyline points="{" ".join(points)}" fill="none" '
                          f'stroke="{COLORS["mean"]}" stroke-width="1.2"/>')

    def acting(self):
        """Shade the duration of each action."""
        for a in self.report["actions"]:
            x0, x1 = (self.x(a[k]) for k in ("start", "done"))
            self.parts.append(
                f'<rect x="{x0:.1f}" y="{self.top}" height="{self.height}" '
                f'width="{x1 - x0:.1f}" fill="{COLORS["acting"]}"/>')

    def what_is_left(self):
        """A dashed line: what faults leave."""
        since, left = 0.0, 100.0
        steps = [(a["done"], a["left"])
                 for a in self.report["actions"] if a["left"] is not None]
        for when, following in steps + [(length_of(self.report), 0)]:
            y = self.y(self.report["whole_gb_s"] * left / 100)
            self.line(self.x(since), y, self.x(when), y, COLORS["left"],
                      'stroke-dasharray="5 3"')
            since, left = when, following

    def mark_y(self, i):
        return 18 + LINE_H * i if self.labels else self.top - 3

    def marks(self, bottom):
        """A line for each action, with its label above all lines."""
        actions = [(self.x(a["start"]), self.mark_y(i), a)
                   for i, a in enumerate(self.report["actions"])]
        for x, y, _ in actions:
            self.line(x, y + 3, x, bottom, COLORS["mark"],
                      'stroke-dasharray="2 2"')
        for x, y, action in actions if self.labels else ():
            beyond = x > LEFT + WIDTH / 2
            self.parts.append(text(x - 4 if beyond else x + 4, y + 4,
                                   label(action["action"]), font_size=11,
                                   text_anchor="end" if beyond else "start",
                                   stroke="#fff", stroke_width=4,
                                   paint_order="stroke"))

    def strip(self, y, since, until, state):
        x = self.x(since)
        self.strips.setdefault(COLORS.get(state, COLORS["bad"]), []).append(
            f"M{x:.1f} {y}h{max(self.x(until) - x, 1):.1f}")

    def path_strip(self, ev, port, y):
        since, state = 0.0, "good"
        for when, following in path_states(self.report, ev, port):
            when = max(when, 0)
            self.strip(y, since, when, state)
            since, state = when, following
        self.strip(y, since, self.length, state)

    def paths(self):
        y = self.bottom + 10
        for port in range(1, self.ports + 1):
            middle = y + PATHS_PER_PORT * ROW_H / 2
            self.parts.append(text(LEFT - 6, middle + 4, f"port {port}",
                                   text_anchor="end", font_size=11))
            for i in range(PATHS_PER_PORT):
                ev = (port - 1) * PATHS_PER_PORT + i + 1
                self.path_strip(ev, port, y + ROW_H // 2)
                y += ROW_H
            y += PORT_GAP
        for color, strips in self.strips.items():
            self.parts.append(f'<path d="{"".join(strips)}" stroke="{color}" '
                              f'stroke-width="{ROW_H - 1}"/>')
        return y

    def curve(self, key, name, top, color, unit, scale):
        """One line for each queue pair; the label has the largest value."""
        samples = self.report["samples"]
        n = max(len(s[key]) for s in samples)
        samples = samples[::(len(samples) * n - 1) // (2 * MOST_SAMPLES) + 1]
        most = max(max(s[key]) for s in samples) or 1
        for i in range(n):
            points = " ".join(
                f"{self.x(s['time']):.1f},"
                f"{top + CURVE_H * (1 - s[key][i] / most):.1f}"
                for s in samples if i < len(s[key]))
            self.parts.append(f'<polyline points="{points}" fill="none" '
                              f'stroke="{color}" stroke-width="1"/>')
        for i, words in enumerate((name, f"to {most * scale:.4g} {unit}")):
            self.parts.append(text(LEFT - 6, top + 10 + 12 * i, words,
                                   text_anchor="end", font_size=10,
                                   fill=color))

    def queue(self, top):
        """Longest queue of the switches, of the bins that share a pixel."""
        bins, wide = self.report["bins_queue_kib"], self.wide
        most = max(bins, default=0) or 1
        steps = [f"M{LEFT} {top + CURVE_H}"]
        for i in range(0, len(bins), wide):
            some = bins[i:i + wide]
            steps.append(f"V{top + CURVE_H * (1 - max(some) / most):.0f}"
                         f"H{self.x((i + len(some)) * BIN_US):.1f}")
        self.parts.append(f'<path d="{"".join(steps)}V{top + CURVE_H}" fill="none" '
                          f'stroke="{COLORS["queue"]}"/>')
        for i, words in enumerate(("queue", f"to {most:.3g} KiB")):
            self.parts.append(text(LEFT - 6, top + 10 + 12 * i, words,
                                   text_anchor="end", font_size=10,
                                   fill=COLORS["queue"]))

    def congestion(self, top):
        if not self.report["samples"]:
            return
        self.curve("cwnd", "window", top, COLORS["cwnd"], "KB", 1e-3)
        top += CURVE_H + 6
        self.curve("srtt_us", "round trip", top, COLORS["srtt"], "us", 1)
        self.queue(top + CURVE_H + 6)

    def svg(self):
        bottom = self.bottom + 10 + \
            self.ports * (PATHS_PER_PORT * ROW_H + PORT_GAP)
        if self.report["samples"]:
            bottom += 3 * (CURVE_H + 6)
        self.acting()
        self.axes(bottom)
        self.goodput()
        self.mean()
        self.what_is_left()
        self.congestion(self.paths() + 2)
        self.marks(bottom)
        return document(LEFT + WIDTH + RIGHT, bottom + 24, self.parts)

    def band(self, name):
        """Goodput only, for a plot of several protocols."""
        self.acting()
        self.axes(self.bottom)
        self.goodput()
        self.mean()
        self.what_is_left()
        self.marks(self.bottom)
        self.parts.append(text(LEFT + WIDTH - 4, self.top + 14, name,
                               text_anchor="end", font_weight="bold",
                               fill=COLORS["mean"]))
        return self.bottom + 24


def beside_svg(report):
    """Goodput of all protocols with the same faults, on one scale."""
    all_reports = {"mrc": report, **report["beside"]}
    length = max(length_of(r) for r in all_reports.values())
    most = max(most_of(r) for r in all_reports.values())
    parts, y = [], 0
    for protocol, one in all_reports.items():
        plot = Plot(one, length=length, most=most, height=BESIDE_H,
                    labels=protocol == "mrc")
        bottom = plot.band(NAMES[protocol])
        parts += [f'<g transform="translate(0 {y})">', *plot.parts, "</g>"]
        y += bottom
    return document(LEFT + WIDTH + RIGHT, y, parts)
