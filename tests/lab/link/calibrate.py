#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Compare links of the lab with arithmetic. For virtual time:

  tests/lab/uml/uml.sh run tests/lab/link/calibrate.py [TEST...]

Packets are sent by a packet socket, in bursts that arrive at the link in one
nanosecond, and received at the far end with the kernel's time of reception. Times are
compared in nanoseconds. The output is TAP; the status is non-zero if a test fails.
"""

import ctypes
import fcntl
import fractions
import math
import os
import re
import socket
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

import link as tool  # noqa: E402  pylint: disable=wrong-import-position

CLONE_NEWNET = 0x40000000
ETH_P_ALL, ETH_P_IPV6, ETH_P_TEST = 0x0003, 0x86dd, 0x88b5
SO_TIMESTAMPNS, SO_TIMESTAMPING = 35, 37
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
TX_SCHED, REPORT_SOFTWARE, TSONLY = 1 << 8, 1 << 4, 1 << 11
MSG_ERRQUEUE = 0x2000
UDP_SEGMENT = 103
# struct ethtool_cmd and the places of its two halves of the speed
SIOCETHTOOL, ETHTOOL_GSET, ETHTOOL_CMD_LEN = 0x8946, 1, 44
ETHTOOL_CMD_SPEED, ETHTOOL_CMD_SPEED_HI = 12, 28

OVERHEAD = 24
ETH_HLEN, IPV6_HLEN = 14, 40
MTU = 9000
# Reading the clock takes 256 ns, in which timers do not expire. With this host delay
# the process sleeps when the times that are measured come.
LEAD = "host-delay 1ms"
LEAD_NS = 10**6
TRIM_LEFT = 192
NOT_ECT, ECT0, CE = 0, 2, 3
TRIMMABLE, TRIMMED, TRIMMED_LASTHOP, CONTROL = 4, 12, 16, 46
GBIT = 10**9
USEC = 10**3
MSEC = 10**6
SEC = 10**9


class Packet:
    """What arrived: time in ns, number, length, DSCP, ECN, IPv6 payload length."""

    def __init__(self, when, data):
        self.time = when
        self.data = data
        self.length = len(data)
        self.dscp = self.ecn = self.payload = 0
        at = ETH_HLEN
        if struct.unpack_from("!H", data, 12)[0] == ETH_P_IPV6:
            word, self.payload = struct.unpack_from("!IH", data, ETH_HLEN)
            self.dscp, self.ecn = word >> 22 & 63, word >> 20 & 3
            at += IPV6_HLEN
        self.number = struct.unpack_from("!I", data, at)[0]


def frame(number, length, dscp=None, ecn=NOT_ECT):
    """An Ethernet frame; with "dscp", of IPv6. No host takes it for its own."""
    kind = ETH_P_TEST if dscp is None else ETH_P_IPV6
    head = bytes.fromhex("0200000000fe0200000000fd") + struct.pack("!H", kind)
    if dscp is not None:
        head += struct.pack("!IHBB", 6 << 28 | dscp << 22 | ecn << 20,
                            length - ETH_HLEN - IPV6_HLEN, 59, 64) + bytes(32)
    return (head + struct.pack("!I", number)).ljust(length, b"\0")


class Wire:
    """A pair of interfaces; the link is the transmitter of the first."""

    def __init__(self):
        commands = f"""link add va mtu {MTU} type veth peer name vb mtu {MTU}
                       link set va up
                       link set vb up"""
        subprocess.run(["ip", "-batch", "-"], input=commands, text=True,
                       check=True)
        self.tool = tool.Tool()
        self.tx = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.rx = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                socket.htons(ETH_P_ALL))
        self.tx.bind(("va", 0))
        self.rx.bind(("vb", ETH_P_ALL))
        self.tx.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 28)
        for sock in self.tx, self.rx:
            sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 28)
        self.rx.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.tx.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING,
                           REPORT_SOFTWARE | TSONLY)
        self.rx.setblocking(False)
        self.tx.setblocking(False)
        # The kernel takes times after a while.
        time.sleep(0.1)

    def set(self, options):
        """A new link with these options: statistics begin at 0."""
        try:
            self.tool.run(["del", "va"])
        except tool.Mistake:
            pass
        self.change(options)
        self.received()

    def change(self, options):
        self.tool.run(["set", "va", *options.split()])

    def show(self):
        return next(self.tool.route(None).show("va"))

    def send(self, frames, stamped=False):
        """Send in one nanosecond, or each at a time that is measured."""
        flags = [(socket.SOL_SOCKET, SO_TIMESTAMPING,
                  struct.pack("=I", TX_SCHED))] if stamped else []
        for data in frames:
            self.tx.sendmsg([data], flags)

    def sent(self):
        """When packets that were sent "stamped" arrived at the link."""
        times = []
        while True:
            try:
                _, control, _, _ = self.tx.recvmsg(64, 512, MSG_ERRQUEUE)
            except BlockingIOError:
                return times
            for level, kind, data in control:
                if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPING):
                    sec, nsec = struct.unpack_from("=qq", data)
                    times.append(sec * SEC + nsec)

    def received(self):
        packets = []
        while True:
            try:
                data, control, _, _ = self.rx.recvmsg(MTU + 64, 512)
            except BlockingIOError:
                return packets
            sec, nsec = struct.unpack_from("=qq", control[0][2])
            packets.append(Packet(sec * SEC + nsec, data))

    def burst(self, frames, wait=0.01):
        self.send(frames)
        time.sleep(wait)
        return self.received()

    def stamped(self, frames, gap=0.0, wait=0.01):
        """Packets with (time of arrival at the link, packet)."""
        for data in frames:
            self.send([data], stamped=True)
            if gap:
                time.sleep(gap)
        time.sleep(wait)
        return list(zip(self.sent(), self.received()))


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def check(self, name, good, seen=""):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for line in [str(seen)] if seen != "" else []:
            print(f"# {line}")
        sys.stdout.flush()

    def equal(self, name, seen, wanted):
        text = str(seen) if seen == wanted else f"{seen}, not {wanted}"
        self.check(name, seen == wanted, shorten(text))


def shorten(text):
    return text if len(text) < 300 else text[:300] + "..."


def serialization(length, rate):
    """Exact, in ns."""
    return fractions.Fraction((length + OVERHEAD) * 8 * SEC, rate)


def test_serialization(wire, tap):
    for rate in 10, 100, 400:
        for length in 78, 1514, 4514:
            wire.set(f"rate {rate}g {LEAD}")
            pairs = wire.stamped([frame(0, length)])
            tap.equal(f"one packet of {length} bytes at {rate} Gb/s takes its "
                      "serialization", pairs[0][1].time - pairs[0][0] - LEAD_NS,
                      math.ceil(serialization(length, rate * GBIT)))


def test_back_to_back(wire, tap):
    count = 1000
    for rate in 10, 100, 400:
        for length in 78, 4514:
            wire.set(f"rate {rate}g limit none {LEAD}")
            got = wire.burst(frame(i, length) for i in range(count))
            each = serialization(length, rate * GBIT)
            first = math.ceil(each)
            wanted = [(i, math.ceil((i + 1) * each) - first)
                      for i in range(count)]
            tap.equal(f"{count} packets of {length} bytes back to back at {rate} "
                      "Gb/s: number and time of each", wrong(
                          [(p.number, p.time - got[0].time) for p in got], wanted),
                      "all as computed")
            tap.equal(f"busy time of {count} packets of {length} bytes at {rate} "
                      "Gb/s", wire.show()["busy"], math.floor(count * each))


def wrong(seen, wanted):
    """The first difference of two lists."""
    for i, (a, b) in enumerate(zip(seen, wanted)):
        if a != b:
            return f"entry {i} is {a}, not {b}"
    if len(seen) != len(wanted):
        return f"{len(seen)} entries, not {len(wanted)}"
    return "all as computed"


def test_spacing(wire, tap):
    """A transmission begins at the arrival, or when the previous one ends."""
    for rate in 3, 10, 100:
        wire.set(f"rate {rate}g delay 1us limit none {LEAD}")
        lengths = [78 + 677 * i % 4400 for i in range(200)]
        pairs = wire.stamped(frame(i, n) for i, n in enumerate(lengths))
        end, wanted = 0, []
        for (sent, _), length in zip(pairs, lengths):
            end = max(end, sent + LEAD_NS) + serialization(length, rate * GBIT)
            wanted.append(math.ceil(end) + USEC)
        tap.equal(f"200 packets of mixed lengths, 256 ns apart, at {rate} Gb/s",
                  wrong([p.time for _, p in pairs], wanted), "all as computed")


def test_delay(wire, tap):
    for text, delay in ("1ns", 1), ("500ns", 500), ("25ms", 25 * MSEC):
        wire.set(f"rate 100g delay {text} {LEAD}")
        pairs = wire.stamped([frame(0, 1514)], wait=0.1)
        tap.equal(f"propagation of {text}",
                  pairs[0][1].time - pairs[0][0] - LEAD_NS,
                  math.ceil(serialization(1514, 100 * GBIT)) + delay)
    wire.set(f"rate 100g overhead 0 {LEAD}")
    pairs = wire.stamped([frame(0, 1250)])
    tap.equal("1250 bytes without overhead at 100 Gb/s",
              pairs[0][1].time - pairs[0][0] - LEAD_NS, 100)


def test_queue(wire, tap):
    length, limit, ecn, count = 1514, 64 << 10, 20000, 100
    wire.set(f"rate 100g limit {limit} ecn {ecn}")
    got = wire.burst(frame(i, length, 0, ECT0) for i in range(count))
    # Packet 0 is in transmission; packet i finds i - 1 in the queue.
    room = limit // length
    tap.equal(f"of {count} packets those that a queue of {limit} bytes holds "
              "arrive, and the one in transmission",
              [p.number for p in got], list(range(room + 1)))
    first = math.ceil(ecn / length) + 1
    tap.equal(f"marks begin with packet {first}, which finds {ecn} bytes",
              [p.number for p in got if p.ecn == CE],
              list(range(first, room + 1)))
    stats = wire.show()
    each = serialization(length, 100 * GBIT)
    tap.equal("counters of packets, bytes, drops and marks",
              [stats[n] for n in ("packets", "bytes", "drops", "marks")],
              [room + 1, (room + 1) * length, count - room - 1,
               room - first + 1])
    tap.equal("maximal queue length", stats["queue_max"], room * length)
    # Packet i waits for i transmissions; an end counts from the next nanosecond.
    tap.equal("time integral of the queue length", stats["queue_time"],
              sum(length * math.ceil(i * each) for i in range(1, room + 1)))

    wire.set(f"rate 100g limit {limit} ecn {ecn}")
    got = wire.burst(frame(i, length, 0, NOT_ECT) for i in range(count))
    tap.equal("not-ECT packets are not marked",
              ([p.number for p in got if p.ecn], wire.show()["marks"]), ([], 0))
    exact = 10 * length
    for more, arrive in (0, 11), (-1, 10):
        wire.set(f"rate 100g limit {exact + more}")
        got = wire.burst(frame(i, length) for i in range(20))
        tap.equal(f"a limit of ten packets {more:+} bytes: packets that arrive",
                  len(got), arrive)
    wire.set(f"rate 100g ecn {exact}")
    got = wire.burst(frame(i, length, 0, ECT0) for i in range(20))
    tap.equal("a threshold of ten packets: first mark",
              min(p.number for p in got if p.ecn == CE), 11)
    wire.set("rate 100g limit 1000")
    got = wire.burst([frame(0, length)])
    tap.equal("an idle transmitter takes a packet longer than the queue",
              len(got), 1)
    wire.set("rate 100g limit none")
    got = wire.burst(frame(i, 9014) for i in range(2000))
    tap.equal("no limit: packets that arrive", len(got), 2000)


def test_trim(wire, tap):
    length, room, count = 1514, 10, 30
    for word, dscp in ("fabric", TRIMMED), ("lasthop", TRIMMED_LASTHOP):
        wire.set(f"rate 100g limit {room * length} trim {word} {LEAD}")
        got = wire.burst(frame(i, length, TRIMMABLE, ECT0)
                         for i in range(count))
        trimmed = list(range(room + 1, count))
        tap.equal(f"trim {word}: trimmed packets overtake all that wait",
                  [p.number for p in got],
                  [0] + trimmed + list(range(1, room + 1)))
        tap.equal(f"trim {word}: length, payload length, DSCP and ECN",
                  {(p.length, p.payload, p.dscp, p.ecn)
                   for p in got if p.number in trimmed},
                  {(TRIM_LEFT, TRIM_LEFT - ETH_HLEN - IPV6_HLEN, dscp, ECT0)})
        first, short = (serialization(n, 100 * GBIT)
                        for n in (length, TRIM_LEFT))
        tap.equal(f"trim {word}: a trimmed packet takes the time of its length",
                  [p.time - got[0].time for p in got[1:len(trimmed) + 1]],
                  [math.ceil(first + (i + 1) * short) - math.ceil(first)
                   for i in range(len(trimmed))])
        stats = wire.show()
        tap.equal(f"trim {word}: trims, drops", (stats["trims"], stats["drops"]),
                  (len(trimmed), 0))
    wire.set(f"rate 100g limit {room * length} trim fabric")
    got = wire.burst(frame(i, length, 0, ECT0) for i in range(count))
    tap.equal("packets whose DSCP does not permit it are dropped",
              [p.number for p in got], list(range(room + 1)))
    wire.set(f"rate 100g limit {room * length}")
    got = wire.burst(frame(i, length, TRIMMABLE) for i in range(count))
    tap.equal("trim off: trimmable packets are dropped",
              [p.number for p in got], list(range(room + 1)))
    wire.set(f"rate 100g limit none urgent {5 * TRIM_LEFT} trim fabric")
    got = wire.burst([frame(i, length, 0) for i in range(5)] +
                     [frame(5 + i, TRIM_LEFT, CONTROL) for i in range(8)])
    tap.equal("control packets overtake data, up to the urgent limit",
              [p.number for p in got], [0, 5, 6, 7, 8, 9, 1, 2, 3, 4])


def test_bands(wire, tap):
    """Priorities that the first band of pfifo_fast carries: interactive, control."""
    length, first = 1514, (6, 7)
    for word in "on", "off":
        wire.set(f"rate 100g limit none bands {word}")
        for priority in range(8):
            wire.tx.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, priority)
            wire.send([frame(priority, length)])
        wire.tx.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, 0)
        time.sleep(0.01)
        tap.equal(f"bands {word}: order of packets by priority",
                  [p.number for p in wire.received()],
                  [0, *first, *range(1, 6)] if word == "on" else
                  list(range(8)))


def host_delays(wire, options, count=1000):
    wire.set(f"rate 100g delay 1us {options}")
    pairs = wire.stamped((frame(i, 78) for i in range(count)), gap=10e-6)
    rest = math.ceil(serialization(78, 100 * GBIT)) + USEC
    return [p.time - sent - rest for sent, p in pairs]


def test_jitter(wire, tap):
    tap.equal("a fixed host delay of 2 us", set(host_delays(
        wire, "host-delay 2us", 10)), {2 * USEC})
    delays = host_delays(wire, "host-delay 2us host-jitter 1us seed 1")
    low, high = min(delays) - 2 * USEC, max(delays) - 2 * USEC
    mean = sum(delays) / len(delays) - 2 * USEC
    # Of 1000 uniform values; 37 ns are four standard errors of the mean.
    tap.check("host jitter fills 0 to 1 us", 0 <= low < 20 and
              980 < high <= USEC and abs(mean - 500) < 37,
              f"{low} to {high} ns, mean {mean:.1f} ns")
    again = host_delays(wire, "host-delay 2us host-jitter 1us seed 1")
    tap.check("the same seed gives the same 1000 delays", delays == again)
    other = host_delays(wire, "host-delay 2us host-jitter 1us seed 2")
    tap.check("another seed gives other delays", delays != other)
    wire.set("rate 100g host-jitter 50us seed 3 limit none")
    got = wire.burst(frame(i, 78) for i in range(1000))
    tap.equal("jitter does not reorder", [p.number for p in got],
              list(range(1000)))


def lost(wire, options, count=10000):
    wire.set(f"rate 400g limit none {options}")
    there = {p.number for p in wire.burst(frame(i, 78) for i in range(count))}
    return [i for i in range(count) if i not in there]


def test_loss(wire, tap):
    tap.equal("loss 0", lost(wire, "loss 0"), [])
    tap.equal("loss 100%", len(lost(wire, "loss 100%", 100)), 100)
    one = lost(wire, "loss 1% seed 5")
    # Four standard deviations: 40 of 100.
    tap.check("loss 1%: 60 to 140 of 10000 packets", 60 <= len(one) <= 140,
              f"{len(one)} lost")
    tap.equal("losses are counted", wire.show()["losses"], len(one))
    tap.check("the same seed loses the same packets",
              one == lost(wire, "loss 1% seed 5"))
    tap.check("another seed loses other packets",
              one != lost(wire, "loss 1% seed 6"))
    tap.check("jitter does not change what is lost",
              one == lost(wire, "loss 1% seed 5 host-jitter 10us"))
    wire.set("rate 10g limit none loss 100%")
    wire.send(frame(i, 1514) for i in range(10))
    time.sleep(0.01)
    tap.equal("lost packets occupy the transmitter", wire.show()["busy"],
              math.floor(10 * serialization(1514, 10 * GBIT)))


def wrong_bits(sent, packets):
    """Number of wrong bits of each packet that has any."""
    differences = (int.from_bytes(packet.data, "big") ^ int.from_bytes(data, "big")
                   for data, packet in zip(sent, packets))
    return {i: bits.bit_count() for i, bits in enumerate(differences) if bits}


def damaged(wire, options, count=10000):
    wire.set(f"rate 400g limit none {options}")
    sent = [frame(i, 78) for i in range(count)]
    return wrong_bits(sent, wire.burst(sent))


def test_corrupt(wire, tap):
    tap.equal("corrupt 0", damaged(wire, "corrupt 0"), {})
    tap.equal("corrupt 100%: each packet has one wrong bit",
              damaged(wire, "corrupt 100%", 100), dict.fromkeys(range(100), 1))
    some = damaged(wire, "corrupt 1% seed 5")
    tap.check("corrupt 1%: 60 to 140 of 10000 packets", 60 <= len(some) <= 140,
              f"{len(some)} damaged")
    tap.equal("damaged packets are counted", wire.show()["corruptions"], len(some))
    tap.check("the same seed damages the same packets",
              some == damaged(wire, "corrupt 1% seed 5"))


def test_hold(wire, tap):
    wire.set("rate 10g limit none delay 1us hold on")
    tap.equal("while the link holds, no packet arrives",
              wire.burst(frame(i, 1514) for i in range(10)), [])
    tap.equal("held packets have been transmitted", wire.show()["packets"], 10)
    wire.change("hold off")
    time.sleep(0.01)
    tap.equal("afterwards all arrive in order",
              [p.number for p in wire.received()], list(range(10)))


def record():
    """Period and entries of the record of the link."""
    return tool.recorded(next(data for _, dev, data in tool.Tool().records(None)
                              if dev == "va"))


def test_series(wire, tap):
    wire.set("rate 10g limit 7570 series 10us")
    wire.burst(frame(i, 1514) for i in range(10))
    period, entries = record()
    tap.equal("period of the record", period, 10 * USEC)
    # One in transmission, five that wait, four that find the queue full.
    tap.equal("bytes of all periods", sum(e[1] for e in entries), 6 * 1514)
    tap.equal("longest queue", max(e[2] for e in entries), 7570)
    tap.equal("drops", sum(e[3] for e in entries), 4)
    tap.check("periods begin at multiples of their length",
              all(e[0] % (10 * USEC) == 0 for e in entries))
    # 1230 ns each.
    tap.check("six packets are sent in one or two periods",
              sum(1 for e in entries if e[1]) <= 2, str(entries))
    wire.change("series 1us")
    wire.burst([frame(0, 1514)])
    tap.equal("a new record begins anew",
              [e[1] for e in record()[1] if e[1]], [1514])
    wire.set("rate 10g loss 100% series 1us")
    wire.burst([frame(0, 1514)])
    tap.equal("losses", sum(e[4] for e in record()[1]), 1)
    # 1230 ns each: each in a period of its own.
    wire.set("rate 10g limit none series 1us")
    for _ in range(34):
        wire.burst(frame(i, 1514) for i in range(1000))
    begins = [e[0] for e in record()[1]]
    tap.equal("a full record keeps the latest periods", len(begins), tool.SERIES_LEN)
    tap.check("they are in order", begins == sorted(begins))


def test_change(wire, tap):
    """Options change under traffic: nothing is reordered or lost."""
    wire.set("rate 10g delay 100us limit none")
    wire.send(frame(i, 1514) for i in range(100))
    wire.change("rate 100g delay 1us")
    wire.send(frame(i, 1514) for i in range(100, 200))
    time.sleep(0.01)
    tap.equal("rate and delay fall while packets are on the wire",
              [p.number for p in wire.received()], list(range(200)))
    link = wire.show()
    tap.equal("other options keep their values", (link["limit"], link["rate"]),
              (0, 100 * GBIT))
    wire.send(frame(i, 1514) for i in range(100))
    subprocess.run(["ip", "link", "set", "va", "down"], check=True)
    subprocess.run(["ip", "link", "set", "va", "up"], check=True)
    time.sleep(0.01)
    wire.received()
    tap.equal("an interface that goes down discards what it holds",
              (wire.show()["held"], wire.show()["queue"]), (0, 0))
    tap.equal("and transmits afterwards",
              [p.number for p in wire.burst([frame(7, 78)])], [7])


def speed(device):
    """Mb/s, as drivers that use the interface see it."""
    sock = socket.socket()
    settings = ctypes.create_string_buffer(
        struct.pack("=II", ETHTOOL_GSET, 0), ETHTOOL_CMD_LEN)
    fcntl.ioctl(sock, SIOCETHTOOL, struct.pack("16sP16x", device.encode(),
                                               ctypes.addressof(settings)))
    low, = struct.unpack_from("=H", settings, ETHTOOL_CMD_SPEED)
    high, = struct.unpack_from("=H", settings, ETHTOOL_CMD_SPEED_HI)
    return high << 16 | low


def test_speed(wire, tap):
    """A device reports the rate of its link, as a NIC does."""
    wire.set("rate 100g")
    tap.equal("a link of 100g has a speed of 100000 Mb/s", speed("va"), 100000)
    wire.change("rate 400g")
    tap.equal("the speed follows a change of the rate", speed("va"), 400000)
    wire.tool.run(["del", "va"])
    tap.equal("without a link the speed is that of veth", speed("va"), 10000)


def test_gso(wire, tap):
    commands = """addr add 10.9.9.1/24 dev va
                  neigh add 10.9.9.2 lladdr 02:00:00:00:00:fe dev va"""
    subprocess.run(["ip", "-batch", "-"], input=commands, text=True, check=True)
    wire.set(f"rate 100g limit none {LEAD}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 1000)
        udp.sendto(bytes(10500), ("10.9.9.2", 9))
    time.sleep(0.01)
    got = [(p.length, p.time) for p in wire.received()]
    full, last = (serialization(n, 100 * GBIT) for n in (1042, 542))
    tap.equal("a GSO buffer leaves as packets: lengths",
              [n for n, _ in got], 10 * [1042] + [542])
    ends = [(i + 1) * full for i in range(10)] + [10 * full + last]
    tap.equal("a GSO buffer leaves as packets: times",
              [t - got[0][1] for _, t in got],
              [math.ceil(e) - math.ceil(full) for e in ends])
    tap.equal("a GSO buffer leaves as packets: counter",
              (wire.show()["packets"], wire.show()["held"]), (11, 0))


def test_mistakes(wire, tap):
    wire.set("rate 1g")
    for words, expected in (
            ("set va rate 5", "rate: '5' is less than 1k"),
            ("set va rate 100x", "rate: '100x'"),
            ("set va delay 1.5ns", "delay: '1.5ns' is not a whole number"),
            ("set va delay 11s", "delay: '11s' is too large"),
            ("set va loss 101%", "loss: '101%' is more than 100%"),
            ("set va limit 0", "limit: 0 bytes"),
            ("set va trim 1", "trim: '1' is none of off, fabric, lasthop"),
            ("set va corrupt 2", "corrupt: '2' is more than 100%"),
            ("set va hold 1", "hold: '1' is neither on nor off"),
            ("set va series 10ns", "series is less than 100 ns"),
            ("set va seed -1", "seed: '-1'"),
            ("set va speed 1g", "there is no option 'speed'"),
            ("set va rate", "rate: the value is missing"),
            ("set va rate 1g rate 2g", "rate: twice"),
            ("set vb delay 1us", "rate is missing"),
            ("set vx rate 1g", "there is no interface 'vx'"),
            ("-n nowhere set va rate 1g", "there is no namespace 'nowhere'"),
            ("show va vb", "'vb' is too much"),
            ("parse", "there is no command 'parse'")):
        done = subprocess.run([f"{HERE}/link.py", *words.split()], text=True,
                              capture_output=True, check=False)
        tap.check(f"link.py refuses: {words}",
                  done.returncode == 2 and expected in done.stderr,
                  done.stderr.strip())
    done = subprocess.run([f"{HERE}/link.py", "batch"], text=True, check=False,
                          input="set va rate 2g\n# none\nset va rate 3\n",
                          capture_output=True)
    tap.check("a batch names the line of a mistake",
              "standard input:3: rate: '3'" in done.stderr, done.stderr.strip())
    tap.equal("lines before it are carried out", wire.show()["rate"], 2 * GBIT)


def fabric(*words):
    return subprocess.run([f"{HERE}/../fabric.sh", *words], text=True,
                          check=False, capture_output=True)


def inside(netns, function):
    """Result of "function" in a named namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net", "rb") as home, \
         open(tool.NETNS + netns, "rb") as there:
        if libc.setns(there.fileno(), CLONE_NEWNET):
            sys.exit(f"{netns}: {os.strerror(ctypes.get_errno())}")
        try:
            return function()
        finally:
            libc.setns(home.fileno(), CLONE_NEWNET)


def all_ports():
    """A socket that receives what all ports send and receive."""
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                         socket.htons(ETH_P_ALL))
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    sock.setblocking(False)
    return sock


def echo_times(sock):
    """Times of echo requests that leave their link, and of replies."""
    times = {128: [], 129: []}
    while True:
        try:
            data, control, _, _ = sock.recvmsg(MTU, 512)
        except BlockingIOError:
            return list(zip(times[128], times[129]))
        kind = data[ETH_HLEN + IPV6_HLEN:][:1]
        if data[12:14] == b"\x86\xdd" and data[ETH_HLEN + 6] == 58 and \
                kind and kind[0] in times:
            sec, nsec = struct.unpack_from("=qq", control[0][2])
            times[kind[0]].append(sec * SEC + nsec)


def ping(source, target, count=20):
    """Round trips in ns."""
    done = subprocess.run(
        ["ip", "netns", "exec", source, "ping", "-n", "-i", "0.01", "-s", "56",
         "-c", str(count), target], text=True, capture_output=True, check=True)
    return [float(t) * 1e6 for t in re.findall("time=([0-9.]+) ms", done.stdout)]


def test_pair(_, tap):
    """Round trip of an idle pair of hosts."""
    done = fabric("up", "--topology", f"{HERE}/../topologies/pair-4x100g.conf",
                  "--host-jitter", "0")
    tap.equal("fabric.sh up --topology pair-4x100g", (done.returncode,
                                                      done.stderr), (0, ""))
    if done.returncode:
        return
    links = []
    for space in "h0", "h1", "t0-0-0", "t1-0-0":
        links += tool.Tool().route(space).show(None)
    tap.equal("links of two hosts, a T0 and a T1 of plane 0", len(links),
              4 + 4 + 5 + 2)
    tap.equal("rate of all links", {link["rate"] for link in links},
              {100 * GBIT})
    tap.equal("seeds are different", len({link["seed"] for link in links}), 15)
    ping("h0", "2001:db8:101::1", 2)
    trips = ping("h0", "2001:db8:101::1")
    delays = sum(link["host-delay"] for link in links
                 if link["dev"] == "p0")
    # Echo: IPv6, ICMPv6 header, 56 bytes. Four links each way.
    hop = links[0]["delay"] + serialization(
        ETH_HLEN + IPV6_HLEN + 8 + 56, 100 * GBIT)
    wanted = float(8 * hop + delays)
    # ping prints microseconds; it reads the clock several times, 256 ns each.
    tap.check("round trip of ping is that of eight links and two hosts",
              all(wanted - 1000 < trip < wanted + 1500 for trip in trips),
              f"{min(trips):.0f} to {max(trips):.0f} ns, computed "
              f"{wanted:.0f} ns")
    # A packet of 4096 bytes and its acknowledgment.
    tap.check("base round trip is 8 to 12 us", 8000 <= wanted + float(
        4 * serialization(4300, 100 * GBIT)) <= 12000)
    for host in "h0", "h1":
        for plane in range(4):
            tool.Tool().run(["-n", host, "set", f"p{plane}", *LEAD.split()])
    sock = inside("h0", all_ports)
    ping("h0", "2001:db8:101::1")
    # A packet of the host is seen after its link.
    tap.equal("20 echoes, from the end of the first link: time of seven links and "
              "a host", {b - a for a, b in echo_times(sock)},
              {7 * math.ceil(hop) + LEAD_NS})
    fabric("down")


def main():
    tests = {name[5:]: test for name, test in globals().items()
             if name.startswith("test_")}
    chosen = sys.argv[1:] or tests
    for name in chosen:
        if name not in tests:
            print(f"calibrate.py: there is no test '{name}'", file=sys.stderr)
            return 2
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    if libc.unshare(CLONE_NEWNET):
        sys.exit(f"unshare: {os.strerror(ctypes.get_errno())}")
    for setting in "all", "default":
        with open(f"/proc/sys/net/ipv6/conf/{setting}/disable_ipv6", "w",
                  encoding="ascii") as file:
            file.write("1")
    wire, tap = Wire(), Tap()
    here = os.open("/proc/self/ns/net", os.O_RDONLY)
    for name in chosen:
        libc.setns(home if name == "pair" else here, CLONE_NEWNET)
        tests[name](wire, tap)
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
