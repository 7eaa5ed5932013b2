# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Measures of a drill, from the files that drill.sh has left.

From the bytes that the receiving program has compared:

  undisturbed  goodput before the first action, without the first second
  settled      goodput in the second half of the time from an action to the
               next one, in percent of what the faults leave: the percentage that
               the drill states, of the undisturbed goodput
  gap          longest time, from a fault to the next action, during which the
               goodput stays below half of what the faults leave; also reported
               for the undisturbed time
  stall        longest time between two reports of the receiving program, which
               makes one every 10 ms while it is scheduled

From the state of the sender's queue pairs, sampled ten times a second:

  queue        mean round trip less that of an idle network, after the first
               second and before the first action
  back         time from the event that a path is good again to the first sample
               in which it has carried data
"""
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
sys.path.insert(0, os.path.join(root, "tests", "lab"))
from goodput import Progress, json_lines, read, read_json

WARM_UP_S = 1.0
BIN_S = 0.01
RTTS = 5		# round trips that a gap may last, in addition to ..
REO_WND_MS = 32	# .. the reordering window; this is its default
SHORTEST_S = 0.5	# shortest time after an action that is measured
BACK_S = 1.0		# a path that is good for less need not have carried data
UNUSED = ("bad", "denied", "down")	# states of paths that are not used
PROTOCOLS = ("tcp", "mptcp", "roce")


# --- input --------------------------------------------------------------------

class Drill:
    """Title, sentence, bounds and expected outcome from the file of a drill."""

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
                        "fault": verb not in ("restore", "idle"),
                        "action": " ".join([verb] + what)})
    return actions


def read_events(directory):
    """Changes of paths and ports from the events of hosts 0 and 1."""
    events = []
    for host in (0, 1):
        for event in json_lines(read(directory, f"events-h{host}")):
            if event.get("event") in ("path", "port"):
                events.append({"time": event["time_ns"] / 1e9, "host": host,
                               **{k: event[k] for k in
                                  ("event", "qpn", "ev", "port", "state")
                                  if k in event}})
    return sorted(events, key=lambda e: e["time"])


def read_sampled(directory):
    """Pairs of a time and the output of "qp show" at that time."""
    times = [float(line) for line in read(directory, "sampled").split()]
    return list(zip(times, json_lines(read(directory, "qps"))))


def windows(sampled):
    """Window and round trip of the queue pairs of the watched host over time."""
    samples = []
    for when, qps in sampled:
        qps = [q for q in qps if q.get("cwnd")]
        if qps:
            samples.append({"time": when,
                            "cwnd": [q["cwnd"] for q in qps],
                            "srtt_ms": [round(q["srtt_ns"] / 1e6, 2)
                                        for q in qps]})
    return samples


def path_counter(path, name):
    return path.get("counters", path).get(name, 0)


def carried(sampled):
    """Packets sent on each path of a queue pair over time, if paths were sampled:
    pairs of a time and packets by path.
    """
    result = []
    for when, qps in sampled:
        paths = [p for q in qps[:1] for p in q.get("paths", [])]
        if paths:
            result.append((when, {p["ev"]: path_counter(p, "tx_pkts")
                                  for p in paths}))
    return result


def dropped(directory):
    """Packets that queues of switches dropped, or None."""
    before, after = (read(directory, f"{when}-dropped")
                     for when in ("before", "after"))
    return int(after) - int(before) if before and after else None


def idle(directory):
    """Percent of the time in which the CPUs were idle, or None."""
    begin, end = ([int(n) for n in read(directory, f"{when}-cpu").split()[1:9]]
                  for when in ("begin", "end"))
    if not begin or not end or sum(end) == sum(begin):
        return None
    return round(100 * (end[3] - begin[3]) / (sum(end) - sum(begin)), 1)


def share(lines):
    """Goodput of the slowest flow, in percent of the mean, after the first second;
    or None.
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
    """Largest deviation of a plane's packets from the mean of all, in percent."""
    ports = {}
    for qp in read_json(directory, "paths") or []:
        for path in qp.get("paths", []):
            ports[path["port"]] = ports.get(path["port"], 0) + \
                path_counter(path, "tx_pkts")
    mean = sum(ports.values()) / len(ports) if ports else 0
    if not mean:
        return None
    return round(100 * max(abs(n - mean) for n in ports.values()) / mean, 1)


def fairness(directory):
    """Jain's index of the bytes sent by queue pairs of the watched host, in percent."""
    sent = [q["tx_bytes"] for q in read_json(directory, "paths") or []
            if q.get("tx_bytes")]
    if not sent:
        return None
    return round(100 * sum(sent) ** 2 / len(sent) / sum(n * n for n in sent), 1)


def hosts(directory):
    """Hosts whose counters were read; none if the drill has not begun."""
    if not os.path.isdir(directory):
        return []
    return sorted(name.removeprefix("before-")
                  for name in os.listdir(directory)
                  if name.startswith("before-h"))


def grown(directory, host):
    """Increase of the counters of a host during the drill."""
    before, after = (read_json(directory, f"{when}-{host}")
                     for when in ("before", "after"))
    if not before or not after:
        return {}
    before, after = before[0]["stats"], after[0]["stats"]
    return {k: v - before.get(k, 0) for k, v in after.items()
            if v != before.get(k, 0)}


def counted(report, name):
    """Increase of a counter during the drill, summed over all hosts."""
    return sum(c.get(name, 0) for c in report["counters"].values())


def retransmissions(report):
    return counted(report, "retrans_pkts")


def beyond_losses(report):
    """Packets retransmitted in excess of the losses, or None if losses were not
    counted.
    """
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


def end_of(directory, progress):
    """Time when the drill ended or, if earlier, when the last message arrived: the
    messages after the end are those that were in flight when the program was
    terminated.
    """
    last = progress.points[-1][1]
    arrived = next(when for when, count in progress.points if count == last)
    return min(arrived, float(read(directory, "ended") or "inf"))


def stall(progress, start, end):
    """Longest time between two reports, in ms."""
    times = [when for when, _ in progress.points if start <= when <= end]
    return round(1000 * max((b - a for a, b in zip(times, times[1:])),
                            default=0))


def measure(report, progress, actions, end):
    begin = progress.points[0][0]
    first = actions[0]["start"] if actions else end
    calm = min(begin + WARM_UP_S, (begin + first) / 2)
    undisturbed = progress.rate(calm, first)
    report["undisturbed_mb_s"] = round(undisturbed / 1e6, 2)
    report["undisturbed_gap_ms"] = round(
        1000 * progress.gap(calm, first, undisturbed / 2))
    report["stall_ms"] = stall(progress, calm, end)
    ends = [a["start"] for a in actions[1:]] + [end]
    for action, until in zip(actions, ends):
        if action["left"] is not None:
            measure_action(progress, action, until, undisturbed)
    report["bins_ms"] = round(BIN_S * 1000)
    report["bins_mb_s"] = [
        round(progress.rate(begin + i * BIN_S, begin + (i + 1) * BIN_S) / 1e6, 2)
        for i in range(int((end - begin) / BIN_S))]


def judge(bounds, kind, figure, what, least=False):
    """A list of one entry; an empty one if there is no bound or no figure."""
    if kind not in bounds or figure is None:
        return []
    bound = bounds[kind]
    limit = "at least" if least else "at most"
    return [{"bound": f"{limit} {bound:g} {what}", "kind": kind,
             "limit": bound, "figure": figure,
             "met": figure >= bound if least else figure <= bound}]


def calm_samples(report):
    """Samples of the undisturbed time."""
    first = report["actions"][0]["start"] if report["actions"] else \
        float("inf")
    return [s for s in report["samples"]
            if report.get("begin", 0) + WARM_UP_S < s["time"] < first]


def round_trip(report):
    """Median round trip of the undisturbed time in ms, or None."""
    before = sorted(max(s["srtt_ms"]) for s in calm_samples(report))
    return before[len(before) // 2] if before else None


def cc_time(network, word):
    """A time of the CC profile, in ms, or None."""
    found = re.search(rf"\b{word} (\d+)", network.get("cc", ""))
    return int(found[1]) / 1e6 if found else None


def measure_queue(report):
    """Add the mean queueing delay and the target delay to the report."""
    base = cc_time(report["network"], "base-rtt")
    target = cc_time(report["network"], "target-delay")
    times = [t for s in calm_samples(report) for t in s["srtt_ms"] if t]
    if not times or base is None or not target:
        return
    report["queue_ms"] = round(sum(times) / len(times) - base, 1)
    report["target_ms"] = round(target, 1)
    report["queue_percent"] = round(100 * report["queue_ms"] / target)


def path_states(events, ev, port):
    """State of a path of host 0 over time: pairs of a time and "good", "bad" or
    "down". The worst state for any queue pair counts; a path is down while its port
    of either host is. SKIP counts as good.
    """
    paths, down, state = {}, set(), "good"
    for event in events:
        if event["event"] == "path" and event["host"] == 0 and \
           event.get("ev") == ev:
            paths[event["qpn"]] = event["state"]
        elif event["event"] == "port" and event["port"] == port:
            (down.discard if event["state"] == "up" else down.add)(
                event["host"])
        else:
            continue
        unused = [s for s in paths.values() if s in UNUSED] or ["good"]
        now = "down" if down else unused[0]
        if now != state:
            state = now
            yield event["time"], state


def back_after(counts, ev, since, until):
    """Seconds from @since to the first sample in which the path has sent more
    packets than before, or to @until if there is none; None if it was good for too
    short a time.
    """
    base = max((sent[ev] for when, sent in counts
                if when <= since and ev in sent), default=None)
    if base is None:
        return None
    for when, sent in counts:
        if since < when <= until and sent.get(ev, 0) > base:
            return when - since
    return until - since if until - since >= BACK_S else None


def recoveries(report, sampled, end):
    """For each path that became good again, the time until it carried data."""
    counts, result = carried(sampled), []
    ports = {p["ev"]: p["port"] for _, qps in sampled for q in qps[:1]
             for p in q.get("paths", [])}
    for ev, port in ports.items():
        states = list(path_states(report["events"], ev, port))
        for (since, state), (until, _) in zip(states, states[1:] + [(end, "")]):
            took = back_after(counts, ev, since, until) \
                if state == "good" else None
            if took is not None:
                result.append({"time": since, "ev": ev,
                               "ms": round(1000 * took)})
    return sorted(result, key=lambda r: r["time"])


def slowest_back(report):
    """Largest of recoveries() in ms, or None if there is none."""
    return max((r["ms"] for r in report["back"]), default=None)


def judge_detection(actions, report):
    """Judge the longest gap against the time that loss detection may take: RTTS
    round trips and the reordering window.
    """
    gaps = [a["gap_ms"] for a in actions if "gap_ms" in a]
    rtt = round_trip(report)
    if not gaps or not rtt:
        return []
    reo_wnd = cc_time(report["network"], "reo-wnd-any") or REO_WND_MS
    limit = round(RTTS * rtt + reo_wnd)
    return [{"bound": f"at most {limit} ms, {RTTS} round trips of {rtt:g} ms and "
                      f"a reordering window of {reo_wnd:g} ms",
             "kind": "round trips", "limit": limit, "figure": max(gaps),
             "met": max(gaps) <= limit}]


def judge_bounds(drill, actions, report):
    """One entry for each bound, with the worst figure."""
    settled = [a["settled_percent"] for a in actions if "settled_percent" in a]
    gaps = [a["gap_ms"] for a in actions if "gap_ms" in a]
    result = \
        judge(drill.bounds, "settled", min(settled, default=None),
              "% of what is left", least=True) + \
        judge(drill.bounds, "gap", max(gaps, default=None),
              "ms below half of what is left")
    if "gap" in drill.bounds:
        result += judge_detection(actions, report)
    return result + \
        judge(drill.bounds, "back", slowest_back(report),
              "ms until a path that is good again carries data") + \
        judge(drill.bounds, "queue", report.get("queue_percent"),
              "% of the target queueing delay") + \
        judge(drill.bounds, "again", retransmissions(report),
              "packets retransmitted") + \
        judge(drill.bounds, "beyond", beyond_losses(report),
              "packets retransmitted beyond those dropped or trimmed") + \
        judge(drill.bounds, "uneven", report["uneven_percent"],
              "% difference of a plane from the mean") + \
        judge(drill.bounds, "fair", report["fair_percent"],
              "% of Jain's index", least=True) + \
        judge(drill.bounds, "share", report["share_percent"],
              "% of the mean for each flow", least=True)


def failure_of(drill, directory, report):
    """Reason why the drill has failed, or None."""
    if report["wrong_bytes"]:
        return "messages with wrong bytes"
    if read(directory, "status").strip() != "0":
        lines = read(directory, "failure").splitlines() or ["did not end"]
        failed = [x for x in lines if x.startswith("failed: ")]
        return (failed or lines)[0]
    failed = counted(report, "unresponsive_remote_events")
    if failed and not drill.broken:
        return "a queue pair failed"
    if drill.broken and not failed:
        return "no queue pair failed"
    return None


def with_end(progress, directory):
    """Extend the progress to the end of the run, and return that time: a failed
    connection has stopped reporting before.
    """
    end = float(read(directory, "end") or 0)
    if end > progress.points[-1][0]:
        progress.points.append((end, progress.points[-1][1]))
    return progress.points[-1][0]


def make_one_beside(directory, protocol):
    progress = Progress(json_lines(read(directory, "progress")))
    if len(progress.points) < 2:
        return None
    actions = read_actions(directory)
    for action in actions:
        # Any link that is left suffices for the one path of RoCE.
        if protocol == "roce" and action["left"]:
            action["left"] = 100.0
    report = {"begin": progress.points[0][0], "actions": actions,
              "events": [], "samples": []}
    if read(directory, "ended"):
        report["ended"] = progress.points[-1][0]
    measure(report, progress, actions, with_end(progress, directory))
    return report


def make_beside(directory):
    """Reports of the other protocols with the same faults, by name."""
    reports = {p: make_one_beside(os.path.join(directory, p), p)
               for p in PROTOCOLS}
    return {p: r for p, r in reports.items() if r}


def make_report(drill, directory, machine):
    lines = json_lines(read(directory, "progress"))
    progress = Progress(lines)
    actions = read_actions(directory)
    sampled = read_sampled(directory)
    report = {
        "name": drill.name, "title": drill.title, "says": drill.says,
        "machine": machine, "actions": actions,
        "network": read_json(directory, "network.json") or {},
        "events": read_events(directory),
        "samples": windows(sampled),
        "back": [],
        "uneven_percent": uneven(directory),
        "fair_percent": fairness(directory),
        "share_percent": share(lines) if "share" in drill.bounds else None,
        "idle_percent": idle(directory),
        "dropped": dropped(directory),
        "counters": {h: grown(directory, h) for h in hosts(directory)},
        # In the last line of a run in which queue pairs fail, failed requests of
        # the receiver are counted as errors, too.
        "wrong_bytes": max([line.get("errors", 0) for line in lines
                            if line.get("progress") or not drill.broken] + [0]),
        "bytes": max([line.get("bytes", 0) for line in lines] + [0]),
    }
    if len(progress.points) > 1:
        report["begin"] = progress.points[0][0]
        end = end_of(directory, progress)
        measure(report, progress, actions, end)
        measure_queue(report)
        report["back"] = recoveries(report, sampled, end)
    report["beside"] = make_beside(directory)
    report["bounds"] = judge_bounds(drill, actions, report)
    report["failure"] = failure_of(drill, directory, report)
    return report
