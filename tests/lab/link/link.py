#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Set and show links of the lab (qdisc lablink, sch_lablink.c).

  link.py [-n NETNS] set DEV [parent MAJOR:MINOR] [OPTION VALUE]...
  link.py [-n NETNS] del DEV [parent MAJOR:MINOR]
  link.py [-n NETNS | -a] show [DEV] [-j]      -a: of all namespaces
  link.py [-n NETNS] wait                      until interfaces that are set up work
  link.py [-n NETNS | -a] record DIR           write what links have recorded
  link.py batch [FILE]                         one command in each line, as above,
                                               or "sleep TIME"; "#" begins a comment

"set" creates the qdisc at the root of DEV (or below class "parent"), or changes the
options of the one that is there; "rate" is needed to create one. Options:

  rate N[k|m|g|t]      bits per second; of what the wire carries
  overhead BYTES       on the wire for each packet, beyond the length that the kernel
                       counts, which contains the Ethernet header (24: preamble, FCS,
                       gap)
  delay TIME           propagation (0)
  limit BYTES|none     packets that wait (256k); the packet in transmission does not
                       count
  urgent BYTES         with trim or bands: urgent packets that wait (64k)
  ecn BYTES|off        a packet that finds at least that much is marked (off)
  trim off|fabric|lasthop
                       what happens with a trimmable packet that finds the queue full
                       (off); fabric: it becomes TRIMMED, lasthop: TRIMMED_LASTHOP
  host-delay TIME      of NIC and driver, before the queue (0)
  host-jitter TIME     more of it, uniform from 0 to TIME, order is kept (0)
  loss P|P%            probability that the cable loses a packet (0)
  seed N               of jitter, loss and damage (0); setting it begins a sequence
  corrupt P|P%         probability that the cable damages a packet: one bit (0)
  hold on|off          no packet arrives at the far end until "off" (off)
  series TIME|off      record bytes sent, largest queue, drops and losses in each period
                       of this length (off); setting it begins a record

  bands on|off         packets of a priority (skb->priority) that the first band of
                       pfifo_fast carries overtake others, as in a host (off)

"record" writes a file DIR/NETNS-DEV.json for each link with "series": the period in ns
and [[begin, bytes, queue, drops, losses], ...], begin in ns since the epoch. Periods in
which nothing happened are left out; a link keeps the latest 32768.

TIME is a number with ns, us, ms or s; BYTES may have k or m (powers of 1024).
"""

import ctypes
import errno
import fractions
import json
import os
import re
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from nlmsg import (NESTED, NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP,  # noqa: E402
                   NLM_F_REPLACE, NLMSG_DONE, NLMSG_ERROR, Socket, attr,
                   attributes, verdict)

NETLINK_ROUTE = 0

RTM_NEWLINK, RTM_GETLINK = 16, 18
RTM_NEWQDISC, RTM_DELQDISC, RTM_GETQDISC = 36, 37, 38
IFLA_IFNAME, IFLA_OPERSTATE = 3, 16
IF_OPER_DOWN = 2
IFF_UP, IFF_LOWER_UP = 1, 1 << 16
# The kernel handles 100 changes of carriers in a second; for 10000 interfaces.
WAIT_LIMIT = 100
TCA_KIND, TCA_OPTIONS, TCA_XSTATS = 1, 2, 4
TC_H_ROOT = 0xffffffff
CLONE_NEWNET = 0x40000000
NETNS = "/run/netns/"

KIND = "lablink"
STATS = ("packets", "bytes", "marks", "trims", "drops", "losses", "queue",
         "queue_max", "queue_time", "busy", "elapsed", "held", "corruptions")
TRIM = ("off", "fabric", "lasthop")
LOSS_ALL = 1 << 32
# struct lablink_series
SERIES = "/sys/kernel/debug/lablink"
SERIES_HEAD, SERIES_ENTRY = struct.Struct("=QQ"), struct.Struct("=QIIII")
SERIES_LEN = 32768


class Mistake(Exception):
    """An argument is wrong, or the kernel refuses a request."""


def number(name, text, units, highest):
    """Value of "text", which ends in one of "units", as a whole number."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([a-z%]*)", text.lower())
    if not match or match[2] not in units:
        known = ", ".join(unit for unit in units if unit)
        raise Mistake(f"{name}: '{text}' is not a number with one of {known}")
    value = fractions.Fraction(match[1]) * units[match[2]]
    if value.denominator != 1:
        raise Mistake(f"{name}: '{text}' is not a whole number of "
                      f"{'ns' if 'ns' in units else 'units'}")
    if value > highest:
        raise Mistake(f"{name}: '{text}' is too large")
    return int(value)


RATES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20}
U32, U64 = (1 << 32) - 1, (1 << 64) - 1


def parse_rate(name, text):
    value = number(name, text, RATES, 10**13)
    if value < 1000:
        raise Mistake(f"{name}: '{text}' is less than 1k")
    return value


def parse_time(name, text, highest=10**10):
    return 0 if text == "0" else number(name, text, TIMES, highest)


def parse_jitter(name, text):
    return parse_time(name, text, U32)


def parse_bytes(name, text):
    return number(name, text, BYTES, U32)


def parse_overhead(name, text):
    return number(name, text, {"": 1}, 1024)


def parse_limit(name, text):
    if text == "none":
        return 0
    value = parse_bytes(name, text)
    if not value:
        raise Mistake(f"{name}: 0 bytes; \"none\" is no limit")
    return value


def parse_ecn(name, text):
    if text == "off":
        return 0
    value = parse_bytes(name, text)
    if not value:
        raise Mistake(f"{name}: 0 bytes; \"off\" is no marks")
    return value


def parse_trim(name, text):
    if text not in TRIM:
        raise Mistake(f"{name}: '{text}' is none of {', '.join(TRIM)}")
    return TRIM.index(text)


def parse_loss(name, text):
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(%?)", text)
    if not match:
        raise Mistake(f"{name}: '{text}' is not a probability")
    share = fractions.Fraction(match[1]) / (100 if match[2] else 1)
    if share > 1:
        raise Mistake(f"{name}: '{text}' is more than 100%")
    return round(share * LOSS_ALL)


def parse_switch(name, text):
    if text not in ("on", "off"):
        raise Mistake(f"{name}: '{text}' is neither on nor off")
    return int(text == "on")


def parse_series(name, text):
    return 0 if text == "off" else parse_time(name, text)


def parse_seed(name, text):
    return number(name, text, {"": 1}, U64)


# Option: attribute (the numbers of sch_lablink.h), its format, its parser.
OPTIONS = {
    "rate": (2, "=Q", parse_rate),
    "overhead": (3, "=I", parse_overhead),
    "delay": (4, "=Q", parse_time),
    "limit": (5, "=I", parse_limit),
    "urgent": (6, "=I", parse_bytes),
    "ecn": (7, "=I", parse_ecn),
    "trim": (8, "=I", parse_trim),
    "host-delay": (9, "=Q", parse_time),
    "host-jitter": (10, "=I", parse_jitter),
    "loss": (11, "=Q", parse_loss),
    "seed": (12, "=Q", parse_seed),
    "corrupt": (13, "=Q", parse_loss),
    "hold": (14, "=I", parse_switch),
    "series": (15, "=Q", parse_series),
    "bands": (16, "=I", parse_switch),
}


def enter(netns):
    """A netlink socket of a named namespace; a socket stays in its namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    try:
        try:
            there = os.open(NETNS + netns, os.O_RDONLY)
        except OSError:
            raise Mistake(f"-n: there is no namespace '{netns}'") from None
        if libc.setns(there, CLONE_NEWNET):
            raise Mistake(f"-n {netns}: {os.strerror(ctypes.get_errno())}")
        os.close(there)
        try:
            return Route()
        finally:
            libc.setns(home, CLONE_NEWNET)
    finally:
        os.close(home)


class Route(Socket):
    """An rtnetlink socket of the present namespace."""

    def __init__(self):
        super().__init__(NETLINK_ROUTE)
        self.indices = {}

    def request(self, kind, flags, body):
        """Replies as (type, body), error number, error text."""
        self.send(kind, flags, body)
        replies, error, text = [], 0, ""
        for what, given, message in self.messages():
            if what in (NLMSG_ERROR, NLMSG_DONE):
                error, text = verdict(what, given, message)
            else:
                replies.append((what, message))
        return replies, error, text

    def links(self):
        """Interface names by index."""
        replies, error, text = self.request(RTM_GETLINK, NLM_F_DUMP,
                                            struct.pack("=BxHiII", 0, 0, 0, 0, 0))
        if error:
            raise Mistake(f"list of interfaces: {text or os.strerror(error)}")
        found = {}
        for kind, body in replies:
            if kind == RTM_NEWLINK:
                name = dict(attributes(body[16:]))[IFLA_IFNAME]
                found[struct.unpack_from("=i", body, 4)[0]] = \
                    name.rstrip(b"\0").decode()
        return found

    def inactive(self):
        """Interfaces with carrier that the kernel has not activated yet."""
        replies, _, _ = self.request(RTM_GETLINK, NLM_F_DUMP,
                                     struct.pack("=BxHiII", 0, 0, 0, 0, 0))
        wanted = IFF_UP | IFF_LOWER_UP
        for kind, body in replies:
            flags = struct.unpack_from("=I", body, 8)[0]
            attrs = dict(attributes(body[16:]))
            if kind == RTM_NEWLINK and flags & wanted == wanted and \
                    attrs[IFLA_OPERSTATE][0] == IF_OPER_DOWN:
                yield attrs[IFLA_IFNAME].rstrip(b"\0").decode()

    def index(self, dev):
        if dev not in self.indices:
            self.indices = {name: i for i, name in self.links().items()}
        if dev not in self.indices:
            raise Mistake(f"there is no interface '{dev}'")
        return self.indices[dev]

    def change(self, kind, flags, dev, parent, attrs):
        body = struct.pack("=BxHiIII", 0, 0, self.index(dev), 0, parent, 0)
        _, error, text = self.request(kind, flags | NLM_F_ACK, body + attrs)
        if not error:
            return
        if error == errno.ENOENT and not text:
            text = f"no such qdisc, or no module sch_{KIND}"
        raise Mistake(f"{dev}: {text or os.strerror(error)}")

    def set(self, dev, parent, options):
        payload = b"".join(
            attr(OPTIONS[name][0], struct.pack(OPTIONS[name][1], value))
            for name, value in options.items())
        self.change(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, dev, parent,
                    attr(TCA_KIND, KIND.encode() + b"\0") +
                    attr(TCA_OPTIONS | NESTED, payload))

    def show(self, dev):
        """Options and statistics of the links of "dev", or of all."""
        replies, error, text = self.request(
            RTM_GETQDISC, NLM_F_DUMP, struct.pack("=BxHiIII", 0, 0, 0, 0, 0, 0))
        if error:
            raise Mistake(f"list of qdiscs: {text or os.strerror(error)}")
        names = self.links()
        for _, body in replies:
            attrs = dict(attributes(body[20:]))
            if attrs[TCA_KIND].rstrip(b"\0") != KIND.encode():
                continue
            index = struct.unpack_from("=i", body, 4)[0]
            name = names.get(index, str(index))
            if dev is None or dev == name:
                yield describe(name, attrs)


def describe(name, attrs):
    options = dict(attributes(attrs[TCA_OPTIONS]))
    result = {"dev": name}
    for option, (kind, form, _) in OPTIONS.items():
        result[option] = struct.unpack(form, options[kind])[0]
    result["trim"] = TRIM[result["trim"]]
    result["loss"] /= LOSS_ALL
    result["corrupt"] /= LOSS_ALL
    for switch in "hold", "bands":
        result[switch] = ("off", "on")[result[switch]]
    result.update(zip(STATS, struct.unpack(f"={len(STATS)}Q",
                                           attrs[TCA_XSTATS])))
    return result


def prose(link):
    """Lines for a person."""
    elapsed = link["elapsed"] or 1
    where = f"{link['netns']} " if link.get("netns") else ""
    yield (f"{where}{link['dev']}: rate {link['rate'] / 1e9:g}g "
           f"delay {link['delay']}ns limit {link['limit'] or 'none'} "
           f"ecn {link['ecn'] or 'off'} trim {link['trim']} "
           f"host-delay {link['host-delay']}ns "
           f"host-jitter {link['host-jitter']}ns loss {link['loss']:.3g} "
           f"corrupt {link['corrupt']:.3g} hold {link['hold']} "
           f"bands {link['bands']} seed {link['seed']} overhead {link['overhead']}")
    yield (f"  {link['packets']} packets {link['bytes']} bytes "
           f"busy {100 * link['busy'] / elapsed:.2f}% "
           f"queue {link['queue']} max {link['queue_max']} "
           f"average {link['queue_time'] / elapsed:.1f} "
           f"marks {link['marks']} trims {link['trims']} "
           f"drops {link['drops']} losses {link['losses']}")


def recorded(data):
    """Period and entries of a record, in order."""
    period, count = SERIES_HEAD.unpack_from(data)
    entries = list(SERIES_ENTRY.iter_unpack(data[SERIES_HEAD.size:]))
    first = count % SERIES_LEN if count > SERIES_LEN else 0
    return period, entries[first:] + entries[:first]


def epoch():
    """Time of a record since the epoch, when that of the record is 0."""
    return time.time_ns() - time.monotonic_ns()


class Tool:
    """Commands, with one socket for each namespace."""

    def __init__(self):
        self.routes = {}

    def route(self, netns):
        if netns not in self.routes:
            self.routes[netns] = enter(netns) if netns else Route()
        return self.routes[netns]

    @staticmethod
    def parent(words):
        """Take "parent X:Y" from "words"."""
        if words[:1] != ["parent"]:
            return TC_H_ROOT
        match = re.fullmatch("([0-9a-f]{1,4}):([0-9a-f]{1,4})",
                             " ".join(words[1:2]))
        if not match:
            raise Mistake(f"parent: '{' '.join(words[1:2])}' is not a class")
        del words[:2]
        return int(match[1], 16) << 16 | int(match[2], 16)

    def do_set(self, netns, words):
        dev, parent, options = words.pop(0), self.parent(words), {}
        while words:
            name = words.pop(0)
            if name not in OPTIONS:
                raise Mistake(f"there is no option '{name}'")
            if name in options:
                raise Mistake(f"{name}: twice")
            if not words:
                raise Mistake(f"{name}: the value is missing")
            options[name] = OPTIONS[name][2](name, words.pop(0))
        self.route(netns).set(dev, parent, options)

    def do_del(self, netns, words):
        dev, parent = words.pop(0), self.parent(words)
        if words:
            raise Mistake(f"del: '{words[0]}' is too much")
        self.route(netns).change(RTM_DELQDISC, 0, dev, parent, b"")

    def do_wait(self, netns, words):
        if words:
            raise Mistake(f"wait: '{words[0]}' is too much")
        end = time.monotonic() + WAIT_LIMIT
        while names := list(self.route(netns).inactive()):
            if time.monotonic() > end:
                raise Mistake(f"wait: {names[0]} does not work")
            time.sleep(0.1)

    @staticmethod
    def spaces(netns):
        """Namespaces that "-n" or "-a" selects."""
        return sorted(os.listdir(NETNS)) if netns == "*" else [netns]

    def links(self, netns, dev=None):
        """Options and statistics of the links of "dev", or of all."""
        return [{"netns": space, **link} if space else link
                for space in self.spaces(netns)
                for link in self.route(space).show(dev)]

    def do_show(self, netns, words):
        as_json = "-j" in words
        words = [word for word in words if word != "-j"]
        if len(words) > 1:
            raise Mistake(f"show: '{words[1]}' is too much")
        found = self.links(netns, *words)
        if as_json:
            print(json.dumps(found), flush=True)
            return
        for link in found:
            print("\n".join(prose(link)), flush=True)

    def records(self, netns):
        """Namespace, interface and record of each link that has one."""
        for space in self.spaces(netns):
            inode = os.stat(NETNS + space if space
                            else "/proc/self/ns/net").st_ino
            for link in self.route(space).show(None):
                if not link["series"]:
                    continue
                with open(f"{SERIES}/{inode}-{link['dev']}", "rb") as file:
                    yield space, link["dev"], file.read()

    def do_record(self, netns, words):
        if len(words) != 1:
            raise Mistake("record: it takes one directory")
        start = epoch()
        for space, dev, data in self.records(netns):
            period, entries = recorded(data)
            with open(f"{words[0]}/{space}-{dev}.json", "w",
                      encoding="utf-8") as file:
                # Faster than json.dump, by far.
                file.write(json.dumps(
                    {"period": period,
                     "entries": [[e[0] + start, *e[1:]] for e in entries]},
                    separators=(",", ":")))

    def run(self, words):
        netns = None
        if words[:1] == ["-a"]:
            netns = "*"
            del words[0]
        elif words[:1] == ["-n"]:
            if len(words) < 2:
                raise Mistake("-n: the namespace is missing")
            netns = words[1]
            del words[:2]
        command = words.pop(0) if words else "nothing"
        if command not in ("set", "del", "show", "record", "sleep", "wait"):
            raise Mistake(f"there is no command '{command}'")
        if netns == "*" and command not in ("show", "record"):
            raise Mistake(f"-a: not with {command}")
        if command == "sleep":
            time.sleep(parse_time("sleep", " ".join(words), 10**12) / 1e9)
            return
        if not words and command not in ("show", "wait"):
            raise Mistake(f"{command}: the interface is missing")
        getattr(self, f"do_{command}")(netns, words)

    def batch(self, name, file):
        for count, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            try:
                self.run(words)
            except Mistake as mistake:
                raise Mistake(f"{name}:{count}: {mistake}") from None


def main():
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help", "help"):
        print(__doc__, file=sys.stderr if not words else sys.stdout, end="")
        return 2 if not words else 0
    try:
        if words[0] != "batch":
            Tool().run(words)
        elif words[1:] in ([], ["-"]):
            Tool().batch("standard input", sys.stdin)
        else:
            with open(words[1], encoding="utf-8") as file:
                Tool().batch(words[1], file)
    except (Mistake, OSError) as error:
        print(f"link.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
