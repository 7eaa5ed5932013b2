#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Execution of a drill in a guest, in virtual time.

  guest.py FILE PROTOCOL OUT   PROTOCOL is mrc, tcp, mptcp, roce, or smoke: mrc in real
                               time on slow links, without pauses, for stock kernels

Leaves in OUT what measure.py reads: who received how much when ("record"), samples of
queue pairs and paths, events, what links recorded, counters before and after, actions
with their times, and in "end.json" why the drill failed, if it did.
"""
import json
import os
import shutil
import signal
import sys
import time

from scenario import HERE, Scenario
from traffic import (Failure, JOBS, LINKS, PROTOCOLS, Tool, exact_sleeps, fabric,
                     link, mrcctl, output, prefer_network, prefer_programs, run)

PERIOD_US = 10		# of all records
SHORT_US = 1		# .. that show how long single messages take
# Links of a smoke test, and a CC profile that fits them: an emulated machine has idle
# time at this rate.
SLOW = ("--rate", "12", "--queue", "64", "--ecn", "8", "--delay", "2500")
SLOW_CC = ("algorithm nscc rate 48 window 110000 base-rtt 6000000 target-delay 9000000 "
           "reo-wnd-path 8000000 reo-wnd-any 16000000")
SLOW_MESSAGE = 16384
PATIENCE_NS = 60 * 10**9
SLOW_SAMPLE_NS = 10**8

SAMPLE_NS = 100000	# time between two samples of the queue pairs ..
WAITS = 50		# .. also when waiting for a condition
SAMPLES = 500		# .. and the part of the elapsed time that it has at least
FLOWING_NS = 200000
DRAIN_NS = 2 * 10**9	# a limit for the first message


class Monitor:
    """Events of a host, in a file."""

    def __init__(self, host, out):
        self.path = f"{out}/events-{host}"
        with open(self.path, "w", encoding="utf-8") as f:
            self.process = JOBS.start(mrcctl(host, "-j", "monitor"), stdout=f)

    def events(self):
        with open(self.path, encoding="utf-8") as f:
            for line in f:
                if line.endswith("\n"):
                    yield json.loads(line)


class Drill:
    """A drill while it runs."""

    def __init__(self, scenario, protocol, out):
        self.scenario = scenario
        self.out = out
        self.smoke = protocol == "smoke"
        self.mrc = protocol in ("mrc", "smoke")
        self.period = SHORT_US if "repair" in scenario.bounds else PERIOD_US
        self.traffic = PROTOCOLS["mrc" if self.smoke else protocol](
            scenario, out, self.period)
        self.among = PROTOCOLS[scenario.among](scenario, out, self.period, "among-") \
            if scenario.among else None
        self.interval = SLOW_SAMPLE_NS if self.smoke else SAMPLE_NS
        self.begin = 0
        self.first_action = None
        self.left = 100
        self.last_sample = 0
        self.samples = []
        self.received = []
        self.actions = []
        self.steps = []
        self.monitors = []
        self.tool = None

    # --- set up and records ---------------------------------------------------

    def set_up(self):
        s = self.scenario
        env = dict(os.environ, ICRC="always" if s.icrc else "",
                   CC=SLOW_CC if self.smoke else " ".join(s.cc))
        options = SLOW if self.smoke else \
            ("--topology", s.topology.path, *s.network, "--seed", str(s.seed))
        lines = output([os.path.join(HERE, "network.sh"), *options], env=env)
        if self.smoke:
            s.traffic["message"] = SLOW_MESSAGE
        self.traffic.hosts = {h: words for h, *words in
                              map(str.split, lines.splitlines())}
        for x in self.links():
            LINKS.run(["-n", x["netns"], "set", x["dev"], "series", f"{PERIOD_US}us"])
        for words in s.before:
            self.act(*words)

    def links(self):
        return [] if self.smoke else LINKS.links("*")

    def count(self, when):
        """Counters of all hosts and links."""
        hosts = {h: json.loads(output(mrcctl(h, "-j", "-s", "dev", "show",
                                              f"mrc{h[1:]}")))
                 for h in self.scenario.topology.hosts()} if self.mrc else {}
        self.save(f"{when}.json", {
            "hosts": {h: d[0]["stats"] for h, d in hosts.items()},
            "links": self.links()})

    def save(self, name, data):
        with open(f"{self.out}/{name}", "w", encoding="utf-8") as f:
            # Faster than json.dump, by far.
            f.write(json.dumps(data, separators=(",", ":")))

    def save_links(self):
        """Copy what links have recorded; measure.py reads it outside of the guest,
        where Python gets memory faster.
        """
        os.makedirs(f"{self.out}/links")
        for netns, dev, data in LINKS.records("*"):
            with open(f"{self.out}/links/{netns}-{dev}", "wb") as f:
                f.write(data)
        self.save("epoch.json", link.epoch())

    # --- time -----------------------------------------------------------------

    def sample(self):
        """Note what has arrived, and the state of the queue pairs."""
        now = time.time_ns()
        self.last_sample = now
        self.received.append((now, self.traffic.received()))
        if not self.tool:
            return
        qps = self.tool.ask(f"qp show dev mrc{self.scenario.watched()[1:]} paths")
        self.qps = qps
        self.samples.append([now, [[q.get("cwnd", 0), q.get("srtt_ns", 0)]
                                   for q in qps],
                             {p["ev"]: counter(p, "tx_pkts")
                              for q in qps[:1] for p in q.get("paths", [])}])

    def pause(self, until):
        """Sample regularly until a time."""
        while True:
            now = time.time_ns()
            wait = max(self.interval, (now - self.begin) // SAMPLES)
            due = min(self.last_sample + wait, until)
            if due > now:
                time.sleep((due - now) / 1e9)
            self.check()
            if due >= until:
                return
            self.sample()

    def check(self):
        for traffic in filter(None, (self.traffic, self.among)):
            traffic.check()

    def wait(self, limit, condition):
        """Sample until a condition holds; whether it did within "limit" ns."""
        start = time.time_ns()
        end = start + limit
        while True:
            self.sample()
            if condition():
                return True
            now = time.time_ns()
            if now >= end:
                return False
            self.pause(min(now + max(self.interval, (now - start) // WAITS), end))

    # --- conditions -----------------------------------------------------------

    def paths(self):
        return [p for q in self.qps for p in q.get("paths", [])]

    def until_bad(self, wanted):
        bad = {p["ev"] for p in self.paths() if p["state"] == "bad"}
        return {int(ev) for ev in wanted.split(",")} <= bad

    def until_down(self, wanted):
        down = {p["port"] for p in self.paths() if p["state"] == "down"}
        return {int(port) for port in wanted.split(",")} == down

    def until_good(self):
        return all(p["state"] == "good" for p in self.paths())

    def until_flowing(self, percent):
        now, total = self.received[-1]
        if self.actions and now < self.actions[-1]["done"] + FLOWING_NS:
            return False
        then, before = next((r for r in reversed(self.received)
                             if r[0] <= now - FLOWING_NS), self.received[0])
        rate = (total - before) / max(now - then, 1)
        return rate * 100 >= self.undisturbed * int(percent) * self.left / 100

    def until_progress(self):
        return self.received[-1][1] > self.received[self.mark][1]

    def until_failed(self):
        return any(e.get("event") == "qp" for m in self.monitors
                   for e in m.events())

    @staticmethod
    def until_logged(*words):
        return " ".join(words) in output(["dmesg"])

    def until_reported(self, cause):
        peers = {words[1] for words in self.traffic.hosts.values()}
        return any(e.get("event") == "qp" and e.get("cause") == cause and
                   e.get("dst") in peers for m in self.monitors
                   for e in m.events())

    def until_again(self):
        return self.traffic.again()

    # --- steps ----------------------------------------------------------------

    def act(self, verb, *args):
        if verb in ("join", "leave"):
            self.traffic.say(verb)
        elif verb in ("deny", "allow"):
            self.rules(verb, *args)
        elif verb in ("hold", "release"):
            fabric("hold", *args, "on" if verb == "hold" else "off")
        elif verb == "blackout":
            fabric("blackout", str(round(float(args[0].rstrip("msu")))))
        else:
            fabric(verb, *args)

    def do(self, step):
        verb, *args = step.words
        start = time.time_ns()
        if self.first_action is None:
            self.first_action = start
            self.undisturbed = self.received[-1][1] / max(start - self.begin, 1)
        self.mark = len(self.received) - 1
        self.act(verb, *args)
        if step.left is not None:
            self.left = step.left
        self.actions.append({
            "start": start, "done": time.time_ns(), "left": step.left,
            "fault": verb not in ("restore", "release", "leave", "allow"),
            "action": str(step).removeprefix("do ")})

    def rules(self, verb, hosts, rules):
        for host in hosts.split(","):
            run(mrcctl(host, "-b", "-"), input="".join(
                f"path {verb} dev mrc{host[1:]} {rule.replace(':', ' ')}\n"
                for rule in rules.split(",")))

    def until(self, step):
        name, *args = step.words
        if not self.mrc and name not in ("flowing", "progress"):
            return
        limit = PATIENCE_NS if self.smoke else step.time
        held = self.wait(limit, lambda: getattr(self, f"until_{name}")(*args))
        # How much flows is judged by the bounds.
        if not held and self.mrc and name != "flowing":
            raise Failure(f"{self.scenario.name}.drill:{step.line}: {step}: not "
                          f"within {limit / 1e6:g} ms")

    def carry_out(self, step):
        now = time.time_ns()
        self.steps.append({"time": now, "step": str(step)})
        print(f"{(now - self.begin) / 1e3:10.0f} us  {step}", flush=True)
        if step.kind == "hold" and self.smoke:
            self.mark = len(self.received) - 1
            if not self.wait(PATIENCE_NS, self.until_progress):
                raise Failure("no further message arrives")
        elif step.kind == "hold":
            self.pause(time.time_ns() + step.time)
        elif step.kind == "do":
            self.do(step)
        else:
            self.until(step)

    # --- the run --------------------------------------------------------------

    def start(self):
        if self.mrc:
            self.monitors = [Monitor(h, self.out)
                             for h in self.scenario.topology.hosts()]
        self.count("before")
        if self.mrc:
            self.tool = Tool(self.scenario.watched())
        if self.among:
            self.among.hosts = self.traffic.hosts
            self.among.start()
        self.traffic.start()
        self.begin = self.last_sample = time.time_ns()
        end = self.begin + (PATIENCE_NS if self.smoke else DRAIN_NS)
        while not self.traffic.received():
            self.traffic.check()
            if time.time_ns() > end:
                raise Failure("no message arrives at the start")
            time.sleep(PERIOD_US / 1e6)
        self.begin = time.time_ns()
        self.undisturbed = 0
        self.mark = 0
        self.sample()

    def finish(self):
        """End the traffic; the records are complete afterwards."""
        self.sample()
        if self.tool:
            self.save("paths.json", self.qps)
            self.tool.close()
        end = time.time_ns()
        prefer_programs()
        if self.tool:
            self.save("qps.json", {
                h: json.loads(output(mrcctl(h, "-j", "-s", "qp", "show", "dev",
                                             f"mrc{h[1:]}")))
                for h in self.scenario.topology.hosts()})
        for traffic in filter(None, (self.traffic, self.among)):
            traffic.stop()
        self.count("after")
        for monitor in self.monitors:
            monitor.process.send_signal(signal.SIGTERM)
            monitor.process.wait()
        if not self.smoke:
            self.save_links()
        for traffic in filter(None, (self.traffic, self.among)):
            traffic.save()
        self.save("samples.json", self.samples)
        self.save("actions.json", self.actions)
        self.save("steps.json", self.steps)
        return end

    def run(self):
        result = {"failure": None}
        try:
            self.set_up()
            self.start()
            for step in self.scenario.steps:
                if step is self.scenario.steps[-1] and step.kind == "do":
                    # What happens while it acts is not measured.
                    prefer_programs()
                self.carry_out(step)
        except Failure as failure:
            result["failure"] = str(failure)
        try:
            result.update(begin=self.begin, end=self.finish())
        except Failure as failure:
            result["failure"] = result["failure"] or str(failure)
        if not self.smoke and backlog_drops():
            result["failure"] = result["failure"] or \
                f"the guest lost {backlog_drops()} packets that no link counts"
        result["uname"] = os.uname().release
        self.save("end.json", result)
        JOBS.end()
        return 1 if result["failure"] else 0


def backlog_drops():
    """Packets for which the queue between devices and protocols had no room."""
    with open("/proc/net/softnet_stat", encoding="ascii") as f:
        return sum(int(line.split()[1], 16) for line in f)


def counter(path, name):
    return path.get("counters", path).get(name, 0)


def main():
    path, protocol, out = sys.argv[1:]
    shutil.rmtree(f"{out}/links", ignore_errors=True)
    # Sleeps end in time: the kernel may add 50 us otherwise.
    exact_sleeps()
    prefer_network()
    scenario = Scenario(path)
    scenario.seed = int(os.environ.get("SEED") or scenario.seed)
    sys.exit(Drill(scenario, protocol, out).run())


if __name__ == "__main__":
    main()
