#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Netlink requests of which each allocation, or copy from user space, fails in turn.

  faults.py DEVICE N SEED DST       N requests of storm.py about DEVICE
  faults.py devices IFINDEX NETDEV  devices of this net device come and go

A request that fails for that reason changes nothing and has no effect on the next one.
Needs a kernel with /proc/thread-self/fail-nth. Prints TAP.
"""

import itertools
import os
import random
import socket
import struct
import sys

from netlink import (CC, DENY, DEST, DEV_ADD, DEV_DEL, DEV_GET, FORMAT, GET,
                     PATH_GET, PORT_ADD, PROBE, PROFILE, TEMPLATE, Family,
                     text, u32)
from nlmsg import (NESTED, NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST, NLMSG_DONE,
                   NLMSG_ERROR, Socket, attr, verdict)
from storm import rnd_request

NETLINK_RDMA = 20
NLDEV, NLDEV_GET, NLDEV_NEWLINK, NLDEV_DELLINK = 5 << 10, 1, 3, 4
NLDEV_INDEX, NLDEV_NAME, NLDEV_NETDEV, NLDEV_TYPE = 1, 2, 51, 65
# No request has as many calls that can fail.
MANY = 5000
# The request was carried out, or may have been: there is no reply.
LOST = object()


class Failing:
    """The nth call of this thread that can fail does."""

    def __init__(self):
        self.file = os.open("/proc/thread-self/fail-nth", os.O_RDWR)

    def arm(self, nth):
        data = str(nth).encode()
        # What fails may be the copy of this number.
        for _ in range(3):
            try:
                os.pwrite(self.file, data, 0)
                return
            except OSError:
                pass
        sys.exit("fail-nth cannot be written")

    def disarm(self):
        """Return whether the call has failed."""
        try:
            failed = os.pread(self.file, 16, 0) == b"0\n"
        except OSError:
            failed = False
        self.arm(0)
        return failed


class Sender:
    """Sends a request while a call fails."""

    def __init__(self, sock):
        self.sock = sock
        self.failing = Failing()
        sock.sock.settimeout(5)

    def message(self, kind, flags, body):
        self.sock.seq += 1
        return struct.pack("=IHHII", 16 + len(body), kind,
                           flags | NLM_F_REQUEST, self.sock.seq, 0) + body

    def reply(self):
        """Error number of the reply to the last request, or LOST."""
        try:
            while True:
                data = self.sock.sock.recv(65536, socket.MSG_DONTWAIT)
                while data:
                    length, kind, flags, seq, _ = struct.unpack_from("=IHHII",
                                                                     data)
                    if kind in (NLMSG_ERROR, NLMSG_DONE) and \
                            seq == self.sock.seq:
                        return verdict(kind, flags, data[16:length])[0]
                    data = data[(length + 3) & ~3:]
        except OSError:
            return LOST

    def send(self, kind, flags, body, nth):
        """Return whether a call has failed, and the error of the request."""
        data = self.message(kind, flags, body)
        error = None
        self.failing.arm(nth)
        try:
            self.sock.sock.send(data)
        except OSError as err:
            error = err.errno
        failed = self.failing.disarm()
        if error is None:
            error = self.reply()
        return failed, error


class Tests:
    """Counts results."""

    def __init__(self):
        self.run = self.failed = 0

    def check(self, passed, name):
        self.run += 1
        self.failed += not passed
        print(f"{'' if passed else 'not '}ok {self.run} - {name}")

    def end(self):
        print(f"1..{self.run}")
        return self.failed != 0


def state(family, dev):
    """All that is configured of a device, as the replies to dumps."""
    result = []
    for cmd, name in ((FORMAT, 1), (TEMPLATE, 1), (PROFILE, 2), (DEST, 2),
                      (DENY, 1), (CC, 1), (PATH_GET, 2)):
        family.command(family.id, cmd + GET, NLM_F_DUMP, text(name, dev))
        result += [body for kind, _, body in family.messages()
                   if kind not in (NLMSG_ERROR, NLMSG_DONE)]
    return result


def genl(cmd, payload):
    return struct.pack("=BBH", cmd, 1, 0) + payload


def each_fails(sender, kind, flags, body, unchanged):
    """Repeat a request until none of its calls fails.

    Return how often one has failed, or None if one has changed something."""
    for nth in itertools.count(1):
        failed, error = sender.send(kind, flags, body, nth)
        if not failed or not error or error is LOST or nth == MANY:
            return nth - 1
        if not unchanged():
            print(f"# call {nth} failed, error {error}, state changed")
            return None


def requests(dev, number, seed, dst):
    """Requests of the storm."""
    rnd = random.Random(seed)
    family = Family()
    sender = Sender(family)
    watcher = Family()
    tests = Tests()
    calls = {}
    changed = []
    for _ in range(number):
        cmd, attrs, dump = rnd_request(rnd, dev, dst)
        # A probe has replies later; its paths are not configuration.
        before = state(watcher, dev)
        done = each_fails(
            sender, family.id, NLM_F_DUMP if dump else NLM_F_ACK,
            genl(cmd, b"".join(attrs)),
            lambda before=before: state(watcher, dev) == before)
        if done is None:
            changed.append(cmd)
            print(f"# command {cmd}: {b''.join(attrs).hex()}")
        calls[cmd] = calls.get(cmd, 0) + (done or 0)
        if cmd == PROBE:
            sender.reply()
    print("# failed calls by command:", calls)
    tests.check(not changed, f"requests that fail for lack of memory change "
                f"nothing, {sum(calls.values())} calls of {number} requests")
    return tests.end()


def present(family, dev):
    """Whether the family has a device."""
    return not family.request(DEV_GET, text(2, dev))[1]


def nldev_index(name):
    with open(f"/sys/class/infiniband/{name}/node_guid", encoding="ascii"):
        pass
    sock = Socket(NETLINK_RDMA)
    sock.send(NLDEV | NLDEV_GET, NLM_F_DUMP, b"")
    for kind, _, body in sock.messages():
        if kind not in (NLMSG_ERROR, NLMSG_DONE) and name.encode() in body:
            return struct.unpack_from("=I", body, 4)[0]
    return 0


def devices(ifindex, netdev):
    """Devices come and go."""
    name = "fault0"
    family = Family()
    ours, rdma = Sender(Family()), Sender(Socket(NETLINK_RDMA))
    tests = Tests()

    def one(sender, what, kind, body, there):
        done = each_fails(sender, kind, NLM_F_ACK, body,
                          lambda: present(family, name) != there)
        tests.check(done is not None and present(family, name) == there,
                    f"{what} succeeds after each of its calls has failed "
                    f"({done})")

    one(ours, "DEV_ADD", ours.sock.id,
        genl(DEV_ADD, text(2, name) +
             attr(PORT_ADD | NESTED, u32(2, ifindex))), True)
    one(ours, "DEV_DEL", ours.sock.id, genl(DEV_DEL, text(2, name)), False)
    one(rdma, "NEWLINK", NLDEV | NLDEV_NEWLINK,
        text(NLDEV_NAME, name) + text(NLDEV_TYPE, "mrc") +
        text(NLDEV_NETDEV, netdev), True)
    one(rdma, "DELLINK", NLDEV | NLDEV_DELLINK,
        u32(NLDEV_INDEX, nldev_index(name)), False)
    return tests.end()


if __name__ == "__main__":
    if sys.argv[1] == "devices":
        sys.exit(devices(int(sys.argv[2]), sys.argv[3]))
    sys.exit(requests(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]),
                      sys.argv[4]))
