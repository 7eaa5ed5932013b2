# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Trace of a drill: what happened, in the order of virtual time. Each line has the ns
since the first message arrived, a word, and what follows it:

  step       a step of the drill begins
  action     a fault or its end, and how long it took
  path, port state of a path or port changed, for a queue pair of a host
  goodput    bytes that arrived in the period of 10 us that begins then
  qp         window in bytes and smoothed round trip in ns, for each queue pair
  sent       packets that the first queue pair has sent on each path since the sample
             before
  link       what a link did in the period of 10 us that begins then: bytes sent, longest
             queue, packets dropped and lost; only with a queue of 16 KiB, drops or losses
"""
from measure import BIN_US, read_json, read_links

QUEUE = 16 << 10


def goodput_lines(report):
    for i, rate in enumerate(report.get("bins_gb_s", [])):
        if rate:
            yield i * BIN_US * 1000, f"goodput {round(rate * BIN_US * 1000 / 8)}"


def event_lines(report):
    for action in report["actions"]:
        yield (round(action["start"] * 1000), f"action {action['action']}, "
               f"{round((action['done'] - action['start']) * 1000)} ns")
    for e in report["events"]:
        words = [f"{k} {e[k]}" for k in ("qpn", "ev", "port") if k in e]
        yield (round(e["time"] * 1000),
               f"{e['event']} {e['host']} {' '.join(words)} {e.get('state')}")


def sample_lines(samples, begin):
    before = {}
    for when, qps, sent in samples:
        now = when - begin
        yield now, "qp " + " ".join(f"{cwnd}/{srtt}" for cwnd, srtt in qps)
        more = [f"{ev}:{n - before.get(ev, 0)}" for ev, n in sent.items()
                if n > before.get(ev, 0)]
        if more:
            yield now, "sent " + " ".join(more)
        before = sent


def link_lines(links, begin):
    for name, entries in links.items():
        for when, sent, queue, drops, losses in entries:
            if when >= begin and (queue >= QUEUE or drops or losses):
                yield (when - begin, f"link {name} bytes {sent} queue {queue} "
                       f"drops {drops} losses {losses}")


def write_trace(path, report, directory):
    begin = (read_json(directory, "end.json") or {}).get("begin", 0)
    lines = list(goodput_lines(report)) + list(event_lines(report))
    lines += [(s["time"] - begin, f"step {s['step']}")
              for s in read_json(directory, "steps.json") or []]
    lines += sample_lines(read_json(directory, "samples.json") or [], begin)
    lines += link_lines(read_links(directory), begin)
    lines.sort(key=lambda line: line[0])
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(f"{when:>12} {words}\n" for when, words in lines)
