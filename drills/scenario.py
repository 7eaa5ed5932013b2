#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Scenarios: the files NAME.drill, each of which describes a whole run.

  scenario.py [FILE...]   check these files, or all in this folder

A mistake is reported as "file:line: word: what is wrong". Lines begin with one of
these words; "#" begins a comment. TIME is a number with ns, us, ms or s: virtual time.

  title TEXT          what happens
  says TEXT           one sentence on what the drill shows
  topology NAME       tests/lab/topologies/NAME.conf
  network OPTION N    an option of "fabric.sh up" in addition, without dashes
  seed N              of all random numbers (1; SEED in the environment overrides it)
  quick               the drill is part of "make test"
  smoke               the drill is also run on stock kernels, in real time, without
                      pauses and without bounds (98_drills)
  before ACTION...    carried out before the traffic starts: ACTION as in "do"
  beside PLANE T1     repeat the drill with TCP, MPTCP and RoCE; RoCE takes the path
                      of this plane and T1
  among PROTOCOL      tcp or roce: h0 sends to h1 with this protocol at the same time,
                      through the same queues; bounds tell how much of the links each
                      has
  outcome broken      queue pairs are expected to fail

Traffic. Without "flows" h0 writes to h1.

  flows FLOW...       FROM:TO between hosts; +FROM:TO begins with "join" and does not
                      count as goodput
  message BYTES       size of messages (64k)
  depth N             messages in flight per queue pair (64)
  qps N               queue pairs of each flow (1)
  class N             traffic class of the packets (0)
  ack-timeout N       local ACK timeout of the queue pairs (14)
  retry N             retry count (7); only without "flows"
  icrc always         hosts require the ICRC
  cc WORD VALUE       a setting of a CC profile, where the drill is about it; without
                      such a line there is no CC profile

Steps, carried out in order.

  hold TIME           let traffic flow
  do LEFT ACTION...   a fault or its end, after which LEFT percent of the capacity of
                      the hosts' links can be used (-: not judged). ACTION is one of
                        cut WHAT [silent|long], restore WHAT, impair WHAT NETEM...,
                        impair-down WHAT NETEM..., blackout TIME (see fabric.sh),
                        hold HOST, release HOST: what the host sends and what is
                        sent to it waits on the wire, as if the host stalled,
                        join, leave: start and stop the flows that begin later,
                        deny, allow HOST,.. RULE,..: add or delete deny rules; a rule
                        is port:N or usid:N
  flap LEFT BACK WHAT DOWN UP N
                      N times: cut WHAT (LEFT percent are left), wait for DOWN, restore
                      it (BACK percent are left), wait for UP
  until TIME CONDITION...
                      wait until the condition holds; the drill fails after TIME.
                        bad EV,..      exactly these paths of the watched host (the
                                       source of the first flow) are ASSUMED_BAD
                        down PORT,..   exactly these ports of it are down
                        good           all paths of it are GOOD
                        flowing N      the goodput of the last 200 us, all of them after
                                       the last action, is N percent of what is left; if
                                       not within TIME, the drill goes on: bounds judge
                                       the goodput
                        progress       further messages arrive
                        failed         a queue pair has failed
                        logged TEXT    the kernel log has the words
                        reported CAUSE "mrcctl monitor" reports that a queue pair failed with
                                       this cause
                        again          a new run of mrc_verify succeeds

Bounds. A missed bound fails the drill, unless the file "missed" lists it.

  bound KIND VALUE    see BOUNDS below
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TOPOLOGIES = os.path.join(ROOT, "tests", "lab", "topologies")

TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20}
LONGEST = 60 * 10**9		# ns of one step
# Payload of a packet and what it takes on a wire: Ethernet with preamble and gap 38,
# outer and inner IPv6 80, UDP 8, headers of MRC and ICRC.
PAYLOAD = 4096
MOST_FLOWS = 256
NETWORK = ("planes", "t0", "t1", "hosts", "mtu", "queue", "ecn", "trim",
           "link-delay", "host-delay", "host-jitter", "host-queue", "host-ecn")
CC_WORDS = ("lb", "trims", "algorithm", "rate", "base-rtt", "target-delay", "window",
            "reo-wnd-path", "reo-wnd-any", "timeout", "mpr")
AMONG = ("tcp", "roce")

# Kind: unit, whether the figure must be at least the bound, what it is.
BOUNDS = {
    "rate": ("%", True, "% of the payload that the links can carry, undisturbed"),
    "settled": ("%", True, "% of what is left, after an action"),
    "gap": ("time", False, "us below half of what is left"),
    "back": ("time", False, "us until a path that is good again carries data"),
    "again": ("count", False, "data packets retransmitted"),
    "beyond": ("count", False, "packets retransmitted beyond those that were lost"),
    "start": ("time", False, "us from the first message to the full goodput"),
    "repair": ("time", False, "us that 99 % of the losses delay a message"),
    "theirs": ("%", True, "% of the payload of the links for the other protocol"),
    "uneven": ("%", False, "% difference of a plane from the mean"),
    "fair": ("%", True, "% of Jain's index"),
    "share": ("%", True, "% of the mean for each flow"),
    "queue": ("bytes", False, "bytes in the longest queue of a switch, undisturbed"),
    "dropped": ("%", False, "% of the packets dropped by full queues"),
    "condemned": ("count", False, "times that a path was assumed bad"),
}


class Unknown(Exception):
    """A line cannot be checked, because of a mistake that has been reported."""


class Mistake(Exception):
    """A line is wrong: the word and the reason."""

    def __init__(self, word, reason):
        super().__init__(f"{word}: {reason}")


def whole(word, low, high):
    if not re.fullmatch(r"0|[1-9][0-9]{0,9}", word):
        raise Mistake(word, "not a whole number")
    if not low <= int(word) <= high:
        raise Mistake(word, f"not in the range {low} to {high}")
    return int(word)


def measured(word, units, what, high):
    """Value of a number with a unit."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([a-z]*)", word)
    if not match:
        raise Mistake(word, f"not a {what}")
    if match[2] not in units:
        known = ", ".join(unit for unit in units if unit)
        raise Mistake(word, f"not a {what}: the unit is none of {known}")
    value = float(match[1]) * units[match[2]]
    if not 0 < value <= high:
        raise Mistake(word, f"this {what} is 0 or too large")
    return value


def duration(word):
    """A time in ns."""
    return round(measured(word, TIMES, "time", LONGEST))


def size(word):
    return round(measured(word, BYTES, "number of bytes", 1 << 30))


def percent(word):
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)%", word)
    if not match or float(match[1]) > 100:
        raise Mistake(word, "not a percentage such as 95%")
    return float(match[1])


def words_of(line):
    return line.split("#")[0].split()


class Topology:
    """What a file of tests/lab/topologies says, and what follows from it."""

    def __init__(self, name):
        self.name = name
        self.path = os.path.join(TOPOLOGIES, f"{name}.conf")
        self.options = {"kind": "up", "planes": 4, "t0": 2, "t1": 4, "hosts": 2,
                        "link": "0", "link-delay": 500, "host-delay": 0,
                        "host-jitter": 0, "queue": 64, "trim": 0}
        if not re.fullmatch(r"[\w-]+", name) or not os.path.exists(self.path):
            raise Mistake(name, "there is no such topology")
        with open(self.path, encoding="utf-8") as f:
            for line in f:
                words = words_of(line)
                if words:
                    self.set(words[0], words[1])
        if self.options["kind"] != "up":
            raise Mistake(name, "a drill needs a topology with switches")

    def set(self, option, value):
        self.options[option] = int(value) if value.isdigit() else value

    def __getitem__(self, option):
        return self.options[option]

    def rate(self):
        """Bits per second of a link."""
        match = re.fullmatch(r"([0-9.]+)([kmgt])", str(self["link"]))
        return float(match[1]) * 1000 ** (" kmgt".index(match[2]))

    def round_trip(self):
        """ns of a packet of 4 KiB and its acknowledgment over a T1 while queues are
        empty; headers and acknowledgments are counted as a sixteenth of the packet.
        """
        packet = PAYLOAD * 8 * 17 / 16 / self.rate() * 1e9
        return 8 * self["link-delay"] + 4 * packet + \
            2 * self["host-delay"] + self["host-jitter"]

    def hosts(self):
        return [f"h{i}" for i in range(self["hosts"])]

    def links(self):
        """Names of links and switches that can fail."""
        names = set()
        for p in range(self["planes"]):
            names |= {f"h{h}:p{p}" for h in range(self["hosts"])}
            for i in range(self["t0"]):
                names.add(f"t0-{p}-{i}")
                for j in range(self["t1"]):
                    names |= {f"t1-{p}-{j}", f"t0-{p}-{i}:t1-{p}-{j}",
                              f"t1-{p}-{j}:t0-{p}-{i}"}
        return names


class Step:
    """One step, with the number of its line."""

    def __init__(self, line, kind, words, time=0, left=None):
        self.line = line
        self.kind = kind
        self.words = words
        self.time = time
        self.left = left

    def __str__(self):
        return f"{self.kind} {' '.join(self.words)}".strip()


class Scenario:
    """A file NAME.drill."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path).removesuffix(".drill")
        self.title = self.says = ""
        self.topology = None
        self.network = []
        self.seed = 1
        self.quick = self.smoke = self.broken = False
        self.beside = self.among = None
        self.before = []
        self.flows = []
        self.traffic = {"message": 65536, "depth": 64, "qps": 1, "class": 0,
                        "ack-timeout": 14, "retry": 7}
        self.icrc = False
        self.cc = []
        self.steps = []
        self.bounds = {}
        self.seen = set()
        self.read()

    # --- lines ----------------------------------------------------------------

    def read(self):
        mistakes = []
        try:
            with open(self.path, encoding="utf-8") as f:
                lines = f.read().splitlines()
        except OSError as error:
            raise SystemExit(f"{self.path}: {error.strerror}") from None
        for number, line in enumerate(lines, 1):
            words = words_of(line)
            if not words:
                continue
            try:
                self.take(number, words, line)
            except Mistake as mistake:
                mistakes.append(f"{self.path}:{number}: {mistake}")
            except Unknown:
                pass
        try:
            if not mistakes:
                self.complete()
        except Mistake as mistake:
            mistakes.append(f"{self.path}:{len(lines)}: {mistake}")
        if mistakes:
            raise ValueError("\n".join(mistakes))

    def take(self, number, words, line):
        word, args = words[0], words[1:]
        method = getattr(self, "take_" + word.replace("-", "_"), None)
        if not method:
            raise Mistake(word, "unknown word")
        if word not in ("network", "cc", "before", "hold", "do", "flap", "until", "bound"):
            if word in self.seen:
                raise Mistake(word, "twice")
            self.seen.add(word)
        if word in ("title", "says"):
            setattr(self, word, line.split(None, 1)[1] if args else "")
            return
        method(number, args)

    @staticmethod
    def count(args, least, most, usage):
        if len(args) < least:
            raise Mistake(args[-1] if args else usage.split()[0],
                          f"something is missing: {usage}")
        if len(args) > most:
            raise Mistake(args[most], "too much")

    def need_topology(self):
        if not self.topology and "topology" in self.seen:
            raise Unknown
        if not self.topology:
            raise Mistake("topology", "must come before this line")
        return self.topology

    def complete(self):
        for word in ("title", "says"):
            if not getattr(self, word):
                raise Mistake(word, "is missing")
        if "topology" not in self.seen:
            raise Mistake("topology", "is missing")
        if not self.steps:
            raise Mistake("hold", "there is no step")
        if self.beside and self.flows:
            raise Mistake("beside", "not with flows")
        if ("theirs" in self.bounds) > bool(self.among):
            raise Mistake("theirs", "only with among")
        if self.beside and self.among:
            raise Mistake("among", "not with beside")
        if self.flows and "retry" in self.seen:
            raise Mistake("retry", "not with flows")

    # --- the run --------------------------------------------------------------

    def take_title(self, number, args):
        """Taken as text."""

    take_says = take_title

    def take_topology(self, _, args):
        self.count(args, 1, 1, "topology NAME")
        self.topology = Topology(args[0])

    def take_network(self, _, args):
        self.count(args, 2, 2, "network OPTION N")
        if args[0] not in NETWORK:
            raise Mistake(args[0], "not an option of the network")
        whole(args[1], 0, 10**9)
        self.need_topology().set(*args)
        self.network += [f"--{args[0]}", args[1]]

    def take_seed(self, _, args):
        self.count(args, 1, 1, "seed N")
        self.seed = whole(args[0], 0, 2**31 - 1)

    def take_quick(self, _, args):
        self.count(args, 0, 0, "quick")
        self.quick = True

    def take_smoke(self, _, args):
        self.count(args, 0, 0, "smoke")
        self.smoke = True

    def take_beside(self, _, args):
        self.count(args, 2, 2, "beside PLANE T1")
        self.beside = (whole(args[0], 0, self.need_topology()["planes"] - 1),
                       whole(args[1], 0, self.topology["t1"] - 1))

    def take_among(self, _, args):
        self.count(args, 1, 1, "among PROTOCOL")
        if args[0] not in AMONG:
            raise Mistake(args[0], f"none of {', '.join(AMONG)}")
        self.among = args[0]

    def take_before(self, _, args):
        self.count(args, 1, 99, "before ACTION...")
        if args[0] in ("join", "leave"):
            raise Mistake(args[0], "not before the traffic")
        self.check_action(args)
        self.before.append(args)

    def take_outcome(self, _, args):
        self.count(args, 1, 1, "outcome broken")
        if args[0] != "broken":
            raise Mistake(args[0], "the outcome can only be broken")
        self.broken = True

    # --- traffic --------------------------------------------------------------

    def host(self, word):
        if word not in self.need_topology().hosts():
            raise Mistake(word, f"topology {self.topology.name} has no such host")
        return word

    def take_flows(self, _, args):
        self.count(args, 1, MOST_FLOWS, "flows FROM:TO...")
        for flow in args:
            match = re.fullmatch(r"\+?(\d+):(\d+)", flow)
            if not match or match[1] == match[2]:
                raise Mistake(flow, "not a flow between two hosts")
            self.host(f"h{match[1]}")
            self.host(f"h{match[2]}")
        self.flows = args

    def number(self, word, args, low, high):
        self.count(args, 1, 1, f"{word} N")
        self.traffic[word] = whole(args[0], low, high)

    def take_message(self, _, args):
        self.count(args, 1, 1, "message BYTES")
        self.traffic["message"] = size(args[0])

    def take_depth(self, _, args):
        self.number("depth", args, 1, 16384)

    def take_qps(self, _, args):
        self.number("qps", args, 1, MOST_FLOWS)

    def take_class(self, _, args):
        self.number("class", args, 0, 255)

    def take_ack_timeout(self, _, args):
        self.number("ack-timeout", args, 1, 31)

    def take_retry(self, _, args):
        self.number("retry", args, 0, 7)

    def take_icrc(self, _, args):
        self.count(args, 1, 1, "icrc always")
        if args[0] != "always":
            raise Mistake(args[0], "the ICRC can only be always")
        self.icrc = True

    def take_cc(self, _, args):
        self.count(args, 2, 2, "cc WORD VALUE")
        if args[0] not in CC_WORDS:
            raise Mistake(args[0], "not a setting of a CC profile")
        self.cc += args

    # --- steps ----------------------------------------------------------------

    def take_hold(self, number, args):
        self.count(args, 1, 1, "hold TIME")
        self.steps.append(Step(number, "hold", args, duration(args[0])))

    @staticmethod
    def left(word):
        return None if word == "-" else whole(word, 0, 100)

    def take_do(self, number, args):
        self.count(args, 2, 99, "do LEFT ACTION...")
        left = self.left(args[0])
        self.check_action(args[1:])
        self.steps.append(Step(number, "do", args[1:], left=left))

    def check_action(self, words):
        check = getattr(self, "action_" + words[0].replace("-", "_"), None)
        if not check:
            raise Mistake(words[0], "unknown action")
        check(words[1:])

    def take_flap(self, number, args):
        self.count(args, 6, 6, "flap LEFT BACK WHAT DOWN UP N")
        left, back = self.left(args[0]), self.left(args[1])
        self.links(args[2])
        down, up = duration(args[3]), duration(args[4])
        for _ in range(whole(args[5], 1, 1000)):
            self.steps += [Step(number, "do", ["cut", args[2]], left=left),
                           Step(number, "hold", [args[3]], down),
                           Step(number, "do", ["restore", args[2]], left=back),
                           Step(number, "hold", [args[4]], up)]

    def links(self, word):
        known = self.need_topology().links()
        for name in word.split(","):
            if name not in known:
                raise Mistake(name, f"topology {self.topology.name} has no such "
                              "link, port or switch")

    def action_cut(self, args):
        self.count(args, 1, 2, "cut WHAT [silent|long]")
        self.links(args[0])
        if args[1:] not in ([], ["silent"], ["long"]):
            raise Mistake(args[1], "a cut can only be silent or long")

    def action_restore(self, args):
        self.count(args, 1, 1, "restore WHAT")
        self.links(args[0])

    def action_impair(self, args):
        self.count(args, 3, 7, "impair WHAT loss P%|corrupt P%|delay TIME...")
        self.links(args[0])
        for word, value in zip(args[1::2], args[2::2]):
            if word in ("loss", "corrupt"):
                percent(value)
            elif word == "delay":
                if not re.fullmatch(r"[1-9][0-9]*[num]s", value):
                    raise Mistake(value, "not a delay such as 10us")
            else:
                raise Mistake(word, "not an impairment of a link")
        if len(args) % 2 == 0:
            raise Mistake(args[-1], "its value is missing")

    action_impair_down = action_impair

    def action_blackout(self, args):
        self.count(args, 1, 1, "blackout TIME")
        if duration(args[0]) % 10**6:
            raise Mistake(args[0], "not a whole number of milliseconds")

    def action_hold(self, args):
        self.count(args, 1, 1, "hold HOST")
        self.host(args[0])

    action_release = action_hold

    def action_join(self, args):
        self.count(args, 0, 0, "join")
        if not any(flow.startswith("+") for flow in self.flows):
            raise Mistake("join", "no flow begins later")

    action_leave = action_join

    def action_deny(self, args):
        self.count(args, 2, 2, "deny HOST,.. RULE,..")
        for host in args[0].split(","):
            self.host(host)
        for rule in args[1].split(","):
            match = re.fullmatch(r"port:(\d+)|usid:[0-9a-f]{4}", rule)
            if not match:
                raise Mistake(rule, "not a rule port:N or usid:N")
            if match[1]:
                whole(match[1], 1, self.topology["planes"])

    action_allow = action_deny

    # --- conditions -----------------------------------------------------------

    def take_until(self, number, args):
        self.count(args, 2, 99, "until TIME CONDITION...")
        limit = duration(args[0])
        check = getattr(self, f"condition_{args[1]}", None)
        if not check:
            raise Mistake(args[1], "unknown condition")
        check(args[2:])
        self.steps.append(Step(number, "until", args[1:], limit))

    def numbers(self, args, usage, high):
        self.count(args, 1, 1, usage)
        for word in args[0].split(","):
            whole(word, 1, high)

    def condition_bad(self, args):
        self.numbers(args, "bad EV,..",
                     self.need_topology()["planes"] * self.topology["t1"])

    def condition_down(self, args):
        self.numbers(args, "down PORT,..", self.need_topology()["planes"])

    def condition_good(self, args):
        self.count(args, 0, 0, "good")

    condition_progress = condition_failed = condition_again = condition_good

    def condition_flowing(self, args):
        self.numbers(args, "flowing N", 100)

    def condition_logged(self, args):
        self.count(args, 1, 99, "logged TEXT")

    def condition_reported(self, args):
        self.count(args, 1, 1, "reported CAUSE")

    # --- bounds ---------------------------------------------------------------

    def take_bound(self, _, args):
        self.count(args, 2, 2, "bound KIND VALUE")
        kind, value = args
        if kind not in BOUNDS:
            raise Mistake(kind, "there is no such bound")
        if kind in self.bounds:
            raise Mistake(kind, "two bounds")
        unit = BOUNDS[kind][0]
        if unit == "%":
            self.bounds[kind] = percent(value)
        elif unit == "time":
            units = TIMES | {"rtt": self.need_topology().round_trip()}
            self.bounds[kind] = measured(value, units, "time", LONGEST) / 1000
        elif unit == "bytes":
            self.bounds[kind] = size(value)
        else:
            self.bounds[kind] = whole(value, 0, 10**9)

    # --- what follows from the file -------------------------------------------

    def watched(self):
        """The host whose paths and queue pairs are recorded."""
        return f"h{self.flows[0].lstrip('+').split(':')[0]}" if self.flows else "h0"


# --- known misses -------------------------------------------------------------

def read_missed(scenarios, path=os.path.join(HERE, "missed")):
    """Reasons of bounds that are known to be missed, by drill and kind."""
    missed, mistakes = {}, []
    bounds = {s.name: s.bounds for s in scenarios}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            words = words_of(line)
            if not words:
                continue
            try:
                if len(words) < 4:
                    raise Mistake(words[-1], "a line is: DRILL BOUND FIGURE REASON")
                if words[0] not in bounds:
                    raise Mistake(words[0], "there is no such drill")
                if words[1] not in bounds[words[0]]:
                    raise Mistake(words[1], f"{words[0]} has no such bound")
                if (words[0], words[1]) in missed:
                    raise Mistake(words[1], "twice")
                missed[words[0], words[1]] = " ".join(words[3:])
            except Mistake as mistake:
                mistakes.append(f"{path}:{number}: {mistake}")
    if mistakes:
        raise ValueError("\n".join(mistakes))
    return missed


def paths():
    return sorted(os.path.join(HERE, name) for name in os.listdir(HERE)
                  if name.endswith(".drill"))


def load(files):
    """Scenarios of all files; raises ValueError with all mistakes."""
    scenarios, mistakes = [], []
    for path in files:
        try:
            scenarios.append(Scenario(path))
        except ValueError as error:
            mistakes.append(str(error))
    if mistakes:
        raise ValueError("\n".join(mistakes))
    return scenarios


def main():
    try:
        scenarios = load(sys.argv[1:] or paths())
        if not sys.argv[1:]:
            read_missed(scenarios)
    except ValueError as error:
        sys.exit(str(error))
    print(f"{len(scenarios)} drills are right")


if __name__ == "__main__":
    main()
