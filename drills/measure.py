# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Measures of a drill, from the files that guest.py has left. All times are virtual, in
us since the first message arrived.

From the bytes that the receiving program has compared, in periods of 10 us:

  undisturbed  goodput before the first action, without the beginning
  rate         the same, in percent of what the links can carry
  settled      goodput in the second half of the last "hold" between an action and the
               next one, in percent of what the faults leave: the percentage that
               the drill states, of what the links can carry; for other protocols of
               their undisturbed goodput
  gap          longest time, from a fault to the next action, during which the
               goodput stays below half of what the faults leave
  start        time until the goodput of 20 us reaches 90 % of the undisturbed one
  repair       by how much longer than the median 99 % of the times between two
               messages last that contain a repair; of one message in flight
  theirs       goodput of the protocol that shares the links, in percent of what
               these can carry
  fair, share  Jain's index of the flows, and the slowest flow, in percent of the mean

From samples of the sender's queue pairs, events and links:

  back         time from an action after which all links work, or from the event that a
               path is good again, to the first sample in which the path has carried data
  queue        longest queue of a port of a switch before the first action
"""
import os
import sys

from scenario import BOUNDS, PAYLOAD, ROOT
sys.path.insert(0, os.path.join(ROOT, "tests", "lab"))
from goodput import json_lines, read, read_json  # noqa: E402
from traffic import ENTRY, HEAD, link  # noqa: E402

WARM_UP_US = 500
WARM_UP_ROUNDS = 20	# .. and at least so many round trips
FULL_BINS = 2		# time over which the full goodput at the start ..
FULL_PERCENT = 90	# .. has this percentage of the undisturbed one
BIN_US = 10
SHORTEST_US = 100	# shortest time after an action that is measured
BACK_US = 5000		# a path that is good for less need not have carried data
# What a data packet with SRv6 takes on the wire: PAYLOAD, headers of MRC, UDP, two
# of IPv6, Ethernet with preamble and gap.
ON_WIRE = 4262
UNUSED = ("bad", "denied", "down")	# states of paths that are not used
PROTOCOLS = ("tcp", "mptcp", "roce")


# --- input --------------------------------------------------------------------

class Goodput:
    """Bytes received in each period, of all flows together and of each."""

    def __init__(self, directory, begin_ns, end_ns, counted, name="record"):
        self.errors = self.total = 0
        self.arrivals = []
        self.bins = [0] * max(1, (end_ns - begin_ns) // (BIN_US * 1000))
        self.flows = {}
        path = os.path.join(directory, name)
        if not os.path.exists(path):
            return
        with open(path, "rb") as f:
            data = f.read()
        _, self.total, self.errors, _, _ = HEAD.unpack_from(data)
        for begin, flow, count in ENTRY.iter_unpack(data[HEAD.size:]):
            i = (begin - begin_ns) // (BIN_US * 1000)
            if flow not in counted or not 0 <= i < len(self.bins):
                continue
            self.bins[i] += count
            self.arrivals.append(begin)
            bins = self.flows.setdefault(flow, {})
            bins[i] = bins.get(i, 0) + count

    def rate(self, start, end):
        """Gb/s."""
        bins = self.bins[int(start / BIN_US):int(end / BIN_US)]
        return sum(bins) * 8 / (len(bins) * BIN_US * 1000) if bins else 0.0

    def gap(self, start, end, limit):
        """Longest time in a row with less than "limit" Gb/s."""
        longest = now = 0
        for count in self.bins[int(start / BIN_US):int(end / BIN_US)]:
            now = now + BIN_US if count * 8 / (BIN_US * 1000) < limit else 0
            longest = max(longest, now)
        return longest

    def full_after(self, rate):
        """us until the goodput reaches FULL_PERCENT of a rate, or None."""
        for i in range(len(self.bins) - FULL_BINS):
            if self.rate(i * BIN_US, (i + FULL_BINS) * BIN_US) >= \
               rate * FULL_PERCENT / 100:
                return i * BIN_US
        return None

    def repairs(self):
        """us by which the times between messages exceed their median, where this is
        more than the half: something was lost. Sorted.
        """
        times = sorted((b - a) / 1000 for a, b in
                       zip(self.arrivals, self.arrivals[1:]))
        if not times:
            return []
        median = times[len(times) // 2]
        return [t - median for t in times if t > 1.5 * median]

    def shares(self, start):
        """Bytes of each flow after a time."""
        return [sum(n for i, n in bins.items() if i * BIN_US >= start)
                for bins in self.flows.values()]


class Times:
    """Conversion from ns of the guest's clock to us since the begin."""

    def __init__(self, begin_ns):
        self.begin = begin_ns

    def __call__(self, ns):
        return round((ns - self.begin) / 1000, 3)


def counted_flows(scenario):
    """Numbers of the flows that count as goodput, as the programs number them."""
    flows = scenario.flows or ["0:1"]
    qps = scenario.traffic["qps"]
    return {i * qps + k for i, flow in enumerate(flows)
            if not flow.startswith("+") for k in range(qps)}


def ideal(scenario):
    """Payload in Gb/s that the links of the hosts can carry for these flows."""
    pairs = [flow.split(":") for flow in scenario.flows or ["0:1"]
             if not flow.startswith("+")]
    host = scenario.topology["planes"] * scenario.topology.rate() / 1e9
    sources = [source for source, _ in pairs]
    targets = [target for _, target in pairs]
    return host * PAYLOAD / ON_WIRE * sum(
        1 / max(sources.count(source), targets.count(target))
        for source, target in pairs)


def read_actions(directory, at):
    return [dict(a, start=at(a["start"]), done=at(a["done"]))
            for a in read_json(directory, "actions.json") or []]


def read_events(directory, at):
    """Changes of paths and ports from the events of all hosts."""
    events = []
    if not os.path.isdir(directory):
        return events
    for name in sorted(os.listdir(directory)):
        if not name.startswith("events-"):
            continue
        for event in json_lines(read(directory, name)):
            if event.get("event") in ("path", "port"):
                events.append({"time": at(event["time_ns"]),
                               "host": name.removeprefix("events-"),
                               **{k: event[k] for k in
                                  ("event", "qpn", "ev", "port", "state")
                                  if k in event}})
    return sorted(events, key=lambda e: e["time"])


def read_links(directory):
    """What links have recorded, by name."""
    there = os.path.join(directory, "links")
    epoch = read_json(directory, "epoch.json")
    links = {}
    for name in sorted(os.listdir(there)) if epoch else ():
        with open(os.path.join(there, name), "rb") as f:
            _, entries = link.recorded(f.read())
        links[name] = [(e[0] + epoch, *e[1:]) for e in entries]
    return links


def windows(samples, at):
    """Window and round trip of the queue pairs of the watched host over time."""
    return [{"time": at(when), "cwnd": [c for c, _ in qps],
             "srtt_us": [round(t / 1000, 1) for _, t in qps]}
            for when, qps, _ in samples if qps]


def grown(before, after):
    return {k: v - before.get(k, 0) for k, v in after.items()
            if v != before.get(k, 0)}


def growth(directory):
    """Increase of the counters of all hosts and links."""
    before, after = (read_json(directory, f"{when}.json") or
                     {"hosts": {}, "links": []} for when in ("before", "after"))
    hosts = {h: grown(before["hosts"][h], stats)
             for h, stats in after["hosts"].items() if h in before["hosts"]}
    links = {}
    for old, new in zip(before["links"], after["links"]):
        links[f"{new['netns']}-{new['dev']}"] = {
            k: new[k] - old[k] for k in ("packets", "bytes", "marks", "trims",
                                         "drops", "losses", "corruptions")}
    return hosts, links


def counted(report, name, hosts=None):
    """Increase of a counter during the drill, summed over hosts (default: all)."""
    return sum(c.get(name, 0) for h, c in report["counters"].items()
               if hosts is None or h in hosts)


def senders(scenario):
    """Hosts that send data; receivers send small messages that grant more of it."""
    return sorted({"h" + flow.lstrip("+").split(":")[0]
                   for flow in scenario.flows or ["0:1"]})


def retransmissions(report):
    """Packets retransmitted by hosts that send data."""
    return counted(report, "retrans_pkts", report["senders"])


def lost(report):
    """Packets that links dropped, lost, damaged or trimmed."""
    return sum(report["links"].values()) - report["links"].get("packets", 0)


def beyond_losses(report):
    """Packets retransmitted in excess of the losses."""
    return max(counted(report, "retrans_pkts") - lost(report), 0)


def uneven(paths):
    """Largest deviation of a plane's packets from the mean of all, in percent."""
    ports = {}
    for qp in paths or []:
        for path in qp.get("paths", []):
            ports[path["port"]] = ports.get(path["port"], 0) + \
                path.get("counters", path).get("tx_pkts", 0)
    mean = sum(ports.values()) / len(ports) if ports else 0
    if not mean:
        return None
    return round(100 * max(abs(n - mean) for n in ports.values()) / mean, 1)


# --- measures -----------------------------------------------------------------

def measure_action(goodput, action, end, whole, holds):
    left = whole * action["left"] / 100
    if not left or end - action["done"] < SHORTEST_US:
        return
    since = max((h for h in holds if action["done"] <= h < end),
                default=action["done"])
    action["settled_percent"] = round(
        100 * goodput.rate((since + end) / 2, end) / left, 1)
    if action["fault"]:
        action["gap_us"] = goodput.gap(action["start"], end, left / 2)


def measure(report, goodput, whole=None):
    """@whole: Gb/s that can be had without faults; the undisturbed goodput if None."""
    actions, end = report["actions"], report["duration_us"]
    first = actions[0]["start"] if actions else end
    calm = min(report["warm_up_us"], first / 2)
    undisturbed = goodput.rate(calm, first)
    report["undisturbed_gb_s"] = round(undisturbed, 2)
    report["undisturbed_gap_us"] = goodput.gap(calm, first, undisturbed / 2)
    report["whole_gb_s"] = round(whole or undisturbed, 2)
    ends = [a["start"] for a in actions[1:]] + [end]
    for action, until in zip(actions, ends):
        if action["left"] is not None:
            measure_action(goodput, action, until, report["whole_gb_s"],
                           report["holds"])
    report["bins_us"] = BIN_US
    report["bins_gb_s"] = [round(n * 8 / (BIN_US * 1000), 1)
                           for n in goodput.bins]


def measure_flows(report, goodput):
    """Jain's index and the slowest flow."""
    shares = goodput.shares(min(report["warm_up_us"], report["duration_us"] / 2))
    if len(shares) < 2 or not sum(shares):
        return
    report["fair_percent"] = round(
        100 * sum(shares) ** 2 / len(shares) / sum(n * n for n in shares), 1)
    report["share_percent"] = round(100 * min(shares) * len(shares) /
                                    sum(shares), 1)


def measure_messages(report, goodput):
    """How soon the goodput was full, and how long repairs took."""
    report["start_us"] = goodput.full_after(report["undisturbed_gb_s"])
    repairs = goodput.repairs()
    report["repairs"] = len(repairs)
    report["repair_us"] = round(repairs[int(len(repairs) * 0.99)], 1) \
        if repairs else None


def measure_theirs(report, directory, end):
    """What the other protocol received through the same queues."""
    theirs = Goodput(directory, end["begin"], end["end"], {0}, "among-record")
    report["theirs_percent"] = round(
        100 * theirs.rate(report["warm_up_us"], report["duration_us"]) /
        report["ideal_gb_s"], 1)


def queues(report, links, at):
    """Longest queue of all ports of switches in each period, in KiB."""
    bins = [0] * len(report["bins_gb_s"])
    for name, entries in links.items():
        if name.startswith("h"):
            continue
        for begin, _, queue, _, _ in entries:
            i = int(at(begin) / BIN_US)
            if 0 <= i < len(bins):
                bins[i] = max(bins[i], queue)
    first = report["actions"][0]["start"] if report["actions"] else \
        report["duration_us"]
    report["queue_bytes"] = max(bins[:int(first / BIN_US)], default=0)
    report["bins_queue_kib"] = [round(n / 1024, 1) for n in bins]


def round_trip(report):
    """Median round trip of the undisturbed time in us, or None."""
    first = report["actions"][0]["start"] if report["actions"] else \
        float("inf")
    before = sorted(max(s["srtt_us"]) for s in report["samples"]
                    if s["time"] < first)
    return before[len(before) // 2] if before else None


# --- paths --------------------------------------------------------------------

def path_states(report, ev, port):
    """State of a path of the watched host over time: pairs of a time and "good",
    "bad" or "down". The worst state for any queue pair counts; a path is down while
    its port of either host is. SKIP counts as good.
    """
    paths, down, state = {}, set(), "good"
    for event in report["events"]:
        if event["event"] == "path" and event.get("ev") == ev and \
           event["host"] == report["watched"]:
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


def back_after(counts, ev, since, until, from_us=None):
    """us from "from_us" (default: "since") to the first sample after "since" in which
    the path has sent more packets than before, or to "until" if there is none; None if
    it was good for too short a time.
    """
    from_us = since if from_us is None else from_us
    base = max((sent[ev] for when, sent in counts
                if when <= since and ev in sent), default=None)
    if base is None:
        return None
    for when, sent in counts:
        if since < when <= until and sent.get(ev, 0) > base:
            return when - from_us
    return until - from_us if until - since >= BACK_US else None


def whole_times(report):
    """(since, until) of each time at whose start an action has made all links work."""
    actions = report["actions"]
    ends = [a["start"] for a in actions[1:]] + [report["duration_us"]]
    for action, end in zip(actions, ends):
        if not action["fault"] and action["left"] == 100:
            yield action["done"], end


def back_from(states, since, until):
    """When a path that is not used at "since" becomes good, "until" if it does not; None
    if it is used at "since".
    """
    before = [state for when, state in states if when <= since]
    if not before or before[-1] not in UNUSED:
        return None
    return next((when for when, state in states
                 if since < when <= until and state == "good"), until)


def recoveries(report, samples, ports, at):
    """For each path that became good again, the time until it carried data; for each
    path that was not used when all links had been repaired, that since the repair.
    """
    counts = [(at(when), {int(ev): n for ev, n in sent.items()})
              for when, _, sent in samples]
    result = []

    def add(since, ev, took):
        if took is not None:
            result.append({"time": since, "ev": ev, "us": round(took)})

    for ev, port in ports.items():
        states = list(path_states(report, ev, port))
        ends = states[1:] + [(report["duration_us"], "")]
        for (since, state), (until, _) in zip(states, ends):
            if state == "good":
                add(since, ev, back_after(counts, ev, since, until))
        for since, until in whole_times(report):
            good = back_from(states, since, until)
            if good is None:
                continue
            if good < until:
                add(since, ev, back_after(counts, ev, good, until, since))
            elif until - since >= BACK_US:
                add(since, ev, until - since)
    return sorted(result, key=lambda r: r["time"])


# --- bounds -------------------------------------------------------------------

def worst(report, key, choose):
    """The worst figure of all actions, or None."""
    return choose((a[key] for a in report["actions"] if key in a), default=None)


FIGURES = {
    "rate": lambda r: r.get("rate_percent"),
    "settled": lambda r: worst(r, "settled_percent", min),
    "gap": lambda r: worst(r, "gap_us", max),
    "back": lambda r: max((x["us"] for x in r["back"]), default=None),
    "again": retransmissions,
    "beyond": beyond_losses,
    "start": lambda r: r.get("start_us"),
    "repair": lambda r: r.get("repair_us"),
    "theirs": lambda r: r.get("theirs_percent"),
    "uneven": lambda r: r["uneven_percent"],
    "fair": lambda r: r.get("fair_percent"),
    "share": lambda r: r.get("share_percent"),
    "queue": lambda r: r.get("queue_bytes"),
    "dropped": lambda r: round(100 * r["links"]["drops"] /
                               max(r["links"]["packets"], 1), 3),
    "condemned": lambda r: sum(1 for e in r["events"] if e["event"] == "path" and
                               e.get("state") == "bad"),
}


def judge(scenario, report, missed):
    """One entry for each bound. A bound without a figure is missed: what it is about
    has not happened.
    """
    result = []
    for kind, limit in scenario.bounds.items():
        _, least, words = BOUNDS[kind]
        figure = FIGURES[kind](report) if "undisturbed_gb_s" in report else None
        met = figure is not None and \
            (figure >= limit if least else figure <= limit)
        result.append({
            "kind": kind, "limit": round(limit, 2), "figure": figure, "met": met,
            "bound": f"at {'least' if least else 'most'} {limit:.6g} {words}",
            "known": missed.get((scenario.name, kind))})
    return result


def failure_of(scenario, end, report):
    """Reason why the drill has failed, or None."""
    if report["wrong_messages"]:
        return "messages with wrong bytes"
    if not end:
        return "the guest has not ended the drill"
    if end["failure"]:
        return end["failure"]
    failed = counted(report, "unresponsive_remote_events")
    if failed and not scenario.broken:
        return "a queue pair failed"
    if scenario.broken and not failed:
        return "no queue pair failed"
    return None


# --- reports ------------------------------------------------------------------

def make_common(scenario, directory):
    """What the reports of all protocols contain, and what it is made from."""
    end = read_json(directory, "end.json") or {}
    begin = end.get("begin", 0)
    at = Times(begin)
    actions = read_actions(directory, at)
    goodput = Goodput(directory, begin, end.get("end", begin),
                      counted_flows(scenario))
    report = {"actions": actions, "events": [], "samples": [], "back": [],
              "watched": scenario.watched(), "ideal_gb_s": round(ideal(scenario), 2),
              "duration_us": at(end.get("end", begin)),
              "warm_up_us": max(WARM_UP_US, WARM_UP_ROUNDS *
                                scenario.topology.round_trip() / 1000),
              "wrong_messages": goodput.errors, "bytes": goodput.total}
    report["holds"] = [at(s["time"]) for s in read_json(directory, "steps.json") or []
                       if s["step"].startswith("hold")]
    return report, goodput, at, end


def make_one_beside(scenario, directory, protocol):
    report, goodput, _, end = make_common(scenario, directory)
    if not goodput.total:
        return None
    if protocol == "roce":
        # Any link that is left suffices for the one path of RoCE.
        for action in report["actions"]:
            action["left"] = action["left"] and 100
    measure(report, goodput)
    if end.get("failure"):
        report["failure"] = end["failure"]
    return report


def make_report(scenario, directory, machine, missed):
    """Everything about a drill; its folder has one for each protocol."""
    mrc = os.path.join(directory, "mrc")
    report, goodput, at, end = make_common(scenario, mrc)
    samples = read_json(mrc, "samples.json") or []
    paths = read_json(mrc, "paths.json")
    hosts, links = growth(mrc)
    report = {"name": scenario.name, "title": scenario.title,
              "says": scenario.says, "machine": machine,
              "topology": scenario.topology.name,
              "round_trip_us": round(scenario.topology.round_trip() / 1000, 2),
              **report, "events": read_events(mrc, at),
              "samples": windows(samples, at),
              "uneven_percent": uneven(paths), "counters": hosts,
              "senders": senders(scenario),
              "links": {k: sum(link[k] for link in links.values())
                        for k in ("packets", "drops", "losses", "trims",
                                  "corruptions")}}
    if goodput.total:
        measure(report, goodput, report["ideal_gb_s"])
        report["rate_percent"] = round(100 * report["undisturbed_gb_s"] /
                                       report["ideal_gb_s"], 1)
        measure_flows(report, goodput)
        measure_messages(report, goodput)
        if scenario.among:
            measure_theirs(report, mrc, end)
        queues(report, read_links(mrc), at)
        ports = {p["ev"]: p["port"] for q in (paths or [])[:1]
                 for p in q.get("paths", [])}
        report["back"] = recoveries(report, samples, ports, at)
    report["beside"] = {}
    for protocol in PROTOCOLS if scenario.beside else ():
        one = make_one_beside(scenario, os.path.join(directory, protocol), protocol)
        if one:
            report["beside"][protocol] = one
    report["bounds"] = judge(scenario, report, missed)
    report["failure"] = failure_of(scenario, end, report)
    return report
