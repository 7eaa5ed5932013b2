#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Report of the benchmark: a table, bench.json and bench.svg.

  report.py DIR

DIR holds machine.json and results as guest.sh left them. Ratios are taken within a
round, between measurements that ran shortly after each other. The table has the
minimum, the median and the maximum of all rounds.
"""
import json
import os
import statistics
import sys

from svg import document, text

# Least bandwidth of writes, as ratio to rdma_rxe and to TCP, by accelerator ("tcg": an
# emulated guest), placement, size and whether bursts have more than one packet.
TARGETS = {
    ("tcg", "shared", 65536, True): (8.0, 1.5),
    ("tcg", "own", 65536, True): (None, 1.3),
    ("tcg", "virtio", 65536, True): (None, 1.0),
    ("tcg", "e1000e", 65536, True): (None, 1.0),
    ("user-mode Linux", "shared", 65536, True): (10.0, 4.0),
    ("user-mode Linux", "shared", 65536, False): (4.0, None),
    ("user-mode Linux", "shared", 1048576, True): (12.0, None),
}
# Most of the latency of rdma_rxe, as a ratio, with all CPUs for both hosts. That of two
# programs that poll on one processor is the length of a time slice.
TARGET_LATENCY = 0.6
# Least bandwidth of other operations, as ratio to that of writes.
TARGET_SHARE = 0.9
OTHERS = {"send_bw": "ib_send_bw", "read_bw": "ib_read_bw"}
LATENCIES = {
    "write_lat": "ib_write_lat 8 B",
    "send_lat_events": "ib_send_lat 8 B, programs that wait for events",
    "send_lat": "ib_send_lat 8 B, programs that poll",
    "call": "A system call",
}
# What a placement but the usual one adds to a label: each host has processors of its own,
# or is a guest of its own, with these NICs.
PLACES = {"own": ", own CPUs", "virtio": ", virtio", "e1000e": ", e1000e"}
# Columns of the longest name of a measurement.
LABEL = 28


def size_name(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else \
           f"{size >> 10} KiB" if size >= 1 << 10 else f"{size} B"


def label(result):
    """Label of a measurement, equal for all rounds."""
    if result["placement"] != "shared":
        return label({**result, "placement": "shared"}) + PLACES[result["placement"]]
    if result["system"] == "tcp":
        return "TCP"
    if result["system"] != "mrc":
        return result["system"]
    planes = result["planes"]
    return f"mrc {planes} plane{'s' if planes > 1 else ''}, " \
           f"N={result['burst']}"


class Series:
    """One measurement in all rounds."""

    def __init__(self, result):
        self.system = result["system"]
        self.burst = result.get("burst")
        self.placement = result["placement"]
        self.label = label(result)
        self.test = result["test"]
        self.size = result["size"]
        self.unit = result["unit"]
        self.values = {}
        self.retransmissions = 0

    def add(self, result):
        self.values[result["round"]] = result["value"]
        self.retransmissions += result.get("retransmissions", 0)

    def ratios(self, base):
        """By round, of the rounds in which both were measured."""
        both = [(v, base.values[r]) for r, v in self.values.items()
                if r in base.values]
        if self.unit == "us":
            return [b / v for v, b in both]
        return [v / b for v, b in both]


def spread(values):
    return min(values), statistics.median(values), max(values)


def load(directory):
    series = {}
    with open(os.path.join(directory, "results"), encoding="utf-8") as f:
        for line in f:
            result = json.loads(line)
            key = (result["test"], result["size"], label(result))
            series.setdefault(key, Series(result)).add(result)
    return list(series.values())


def find(series, system, test, size, placement):
    for s in series:
        if s.system == system and s.test == test and \
           s.placement == placement and (size is None or s.size == size):
            return s
    return None


def write_sizes(series):
    return sorted({s.size for s in series if s.test == "write_bw"})


def bandwidths(series, size):
    """The series of writes of a size, after TCP: with that size, or its only one."""
    tcp = [s for s in series if s.test == "stream"]
    same = [s for s in tcp if s.size == size]
    return (same or tcp) + [s for s in series
                            if s.test == "write_bw" and s.size == size]


def tcp_base(series, s):
    if s.test != "write_bw" and s.test not in OTHERS:
        return find(series, "tcp", s.test, s.size, s.placement)
    return find(series, "tcp", "stream", s.size, s.placement) or \
        find(series, "tcp", "stream", None, s.placement)


def bases(series, s):
    """The series to compare with: the same test of rdma_rxe, and TCP.

    TCP with the same placement; rdma_rxe, which may be a self-loop, has all CPUs.
    None without a round in which both were measured.
    """
    rxe = find(series, "rdma_rxe", s.test, s.size, "shared")
    return [base if base and base.values.keys() & s.values.keys() else None
            for base in (rxe, tcp_base(series, s))]


# --- table ------------------------------------------------------------------

def cell(values, digits):
    low, mid, high = spread(values)
    return f"{low:6.{digits}f} {mid:6.{digits}f} {high:6.{digits}f}"


def row(name, s, base):
    cells = [cell(s.values.values(), 2 if s.unit == "Gb/s" else 0)]
    cells += [cell(s.ratios(b), 2) if b and s.system == "mrc" else ""
              for b in base]
    return f"{name:{LABEL}} " + "  ".join(f"{c:20}" for c in cells).rstrip()


def print_table(series, title, chosen):
    if not chosen:
        return
    print(f"\n{title}")
    print(f"{'':{LABEL}} {'min    median    max':20}  {'x rdma_rxe':20}  x TCP")
    for s in chosen:
        print(row(s.label, s, bases(series, s)))


def print_tables(series):
    for size in write_sizes(series):
        print_table(series, f"ib_write_bw {size_name(size)}, one QP, Gb/s",
                    bandwidths(series, size))
    for test, title in OTHERS.items():
        print_table(series, f"{title} 64 KiB, one QP, Gb/s",
                    [s for s in series if s.test == test])
    for test, title in LATENCIES.items():
        print_table(series, f"{title}, us (ratio: times faster)",
                    [s for s in series if s.test == test])


# --- plot -------------------------------------------------------------------

COLORS = {"tcp": "#8c8c8c", "rdma_rxe": "#d08a2e", "mrc": "#2e6fb0",
          "siw": "#5a9c4b", "system": "#8c8c8c"}
BAR_H, GAP, LEFT, WIDTH, TOP = 18, 6, 230, 430, 46


def bar(s, y, scale):
    """A bar up to the median, a line from minimum to maximum."""
    low, mid, high = spread(s.values.values())
    middle = y + BAR_H / 2
    return [
        text(LEFT - 8, middle + 4, s.label, text_anchor="end"),
        f'<rect x="{LEFT}" y="{y}" width="{mid * scale:.1f}" '
        f'height="{BAR_H}" fill="{COLORS[s.system]}"/>',
        f'<path d="M{LEFT + low * scale:.1f} {middle}'
        f'H{LEFT + high * scale:.1f}" stroke="#000"/>',
        text(LEFT + high * scale + 6, middle + 4,
             f"{mid:.2f}" if mid < 10 else f"{mid:.0f}"),
    ]


def panel(title, chosen, top):
    scale = WIDTH / max(max(s.values.values()) for s in chosen)
    parts = [text(LEFT, top - 8, title, font_weight="bold")]
    y = top
    for s in chosen:
        parts += bar(s, y, scale)
        y += BAR_H + GAP
    return parts, y + 34


def make_svg(series, machine):
    parts = [text(10, 18, f"{machine['kernel']}, {machine['cpus']} CPUs "
                  f"({machine['accelerator']}), {machine.get('links', 'veth')}, "
                  f"MTU {machine['mtu']}, "
                  f"{machine['rounds']} rounds: median, minimum to maximum; "
                  f"rdma_rxe: {machine['rdma_rxe']}", font_size=11)]
    y = TOP
    for size in write_sizes(series):
        new, y = panel(f"ib_write_bw, {size_name(size)} messages, one QP: "
                       "Gb/s (more is better)", bandwidths(series, size), y)
        parts += new
    for test, title in LATENCIES.items():
        chosen = [s for s in series if s.test == test]
        if chosen:
            new, y = panel(f"{title}: us (less is better)", chosen, y)
            parts += new
    return document(LEFT + WIDTH + 80, y, parts)


# --- report -----------------------------------------------------------------

def make_report(series, machine):
    rows = []
    for s in series:
        entry = {"name": s.label, "test": s.test, "size": s.size,
                 "unit": s.unit, "rounds": list(s.values.values()),
                 "spread": spread(s.values.values())}
        if s.system == "mrc":
            entry["retransmissions"] = s.retransmissions
            for name, base in zip(("rdma_rxe", "tcp"), bases(series, s)):
                if base:
                    entry[f"times_{name}"] = spread(s.ratios(base))
        rows.append(entry)
    return {"machine": machine, "results": rows}


def verdict(value, least, name):
    """A ratio and whether it meets its target, in words."""
    if least is None:
        return f"{value:.2f} x {name}"
    return f"{value:.2f} x {name} ({'met' if value >= least else 'missed'}: {least:g})"


def write_target(s, series, machine):
    """Does a series of writes meet its targets, in words?  "" if it has none."""
    least = TARGETS.get((machine["accelerator"], s.placement, s.size, s.burst > 1))
    if not least:
        return ""
    return ", ".join(verdict(statistics.median(s.ratios(base)), bound, name)
                     for base, name, bound in
                     zip(bases(series, s), ("rdma_rxe", "TCP"), least) if base)


def share_target(s, series):
    """How fast is another operation, beside the writes of the same device?"""
    same = [w for w in series
            if w.test == "write_bw" and w.size == s.size and w.label == s.label]
    return verdict(statistics.median(s.ratios(same[0])), TARGET_SHARE, "ib_write_bw")


def latency_target(s, series):
    rxe = bases(series, s)[0]
    if not rxe:
        return ""
    value = 1 / statistics.median(s.ratios(rxe))
    met = "met" if value <= TARGET_LATENCY else "missed"
    return f"{value:.2f} x rdma_rxe ({met}: at most {TARGET_LATENCY})"


def print_targets(series, machine):
    """Print for each series of mrc whether it meets its targets, in the median."""
    print("\ntargets, median")
    for s in series:
        if s.system != "mrc":
            continue
        words = ""
        if s.test == "write_bw":
            words = write_target(s, series, machine)
        elif s.test in OTHERS:
            words = share_target(s, series)
        elif s.placement == "shared" and s.test != "send_lat":
            words = latency_target(s, series)
        if words:
            print(f"  {s.label:{LABEL}} {s.test:16} {size_name(s.size):>7}  {words}")
    lost = sum(s.retransmissions for s in series)
    print(f"  retransmissions of mrc, without losses in the network: {lost} "
          f"({'missed' if lost else 'met'}: 0)")


def main():
    directory = sys.argv[1]
    with open(os.path.join(directory, "machine.json"), encoding="utf-8") as f:
        machine = json.load(f)
    series = load(directory)
    print_tables(series)
    print_targets(series, machine)
    with open(os.path.join(directory, "bench.json"), "w",
              encoding="utf-8") as f:
        json.dump(make_report(series, machine), f, indent=2)
        f.write("\n")
    with open(os.path.join(directory, "bench.svg"), "w",
              encoding="utf-8") as f:
        f.write(make_svg(series, machine))
    print(f"\nbench: {os.path.relpath(directory)}/bench.json and bench.svg")


if __name__ == "__main__":
    main()
