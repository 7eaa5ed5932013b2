#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Random netlink messages about a device and its objects, valid and invalid.

  storm.py DEVICE N SEED DST [IFINDEX]
                                    send N messages; probes go to DST, a peer that
                                    is in use; some create and delete a device with
                                    port IFINDEX

Prints how many messages were carried out and how many refused, in total and with each
command; the status is non-zero
if one was refused without an error text. The messages depend on SEED only.
"""

import errno
import random
import socket
import struct
import sys
import time

from netlink import (ADD, CC, DEL, DENY, DEST, DEV_ADD, DEV_DEL, DEV_GET, DEV_SET,
                     EDIT, EV_SET, FORMAT, GET, PATH_ADD, PATH_DEL, PATH_FLUSH,
                     PATH_GET, PATH_SET, PORT_ADD, PORT_SET, PROBE, PROFILE, QP_GET,
                     SELECT, SET, TEMPLATE, Family, addr, text, u32)
from nlmsg import (NESTED, NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST, NLMSG_DONE,
                   NLMSG_ERROR, SOL_NETLINK, attr, verdict)

NETLINK_NO_ENOBUFS = 5
# Messages in one call of send(), which would take most of the time for single ones.
BATCH = 16
STATES, NAMES = (1, 2, 3), ("a", "b", "c")
OFFLINE, ONLINE = 2, 3
# None of these prefixes covers a peer that is in use.
ADDRESSES = ("fd00::", "fd00:0:0:1::", "fd01::", "::ffff:10.9.0.0")
LENGTHS = (64, 96, 112, 128)
# Messages until one is carried out, at most.
TRIES = 200
# Messages at the beginning, at most.
PRIMING = 1500
# The device that comes and goes.
SPARE = "spare0"
COMMANDS = {
    DEV_GET: "dev-get", DEV_ADD: "dev-add", DEV_DEL: "dev-del", DEV_SET: "dev-set",
    PATH_GET: "path-get", PATH_ADD: "path-add", PATH_DEL: "path-del",
    PATH_FLUSH: "path-flush", PATH_SET: "path-set", QP_GET: "qp-get", PROBE: "probe",
    PROFILE + EV_SET: "profile-ev-set",
    **{kind + what: f"{name}-{verb}"
       for kind, name in ((FORMAT, "format"), (TEMPLATE, "template"),
                          (PROFILE, "profile"), (DEST, "dest"), (DENY, "deny"),
                          (CC, "cc"))
       for what, verb in ((GET, "get"), (ADD, "add"), (DEL, "del"), (SET, "set"))
       if (kind, what) != (DENY, SET)}}


def rnd_u32(rnd):
    return rnd.choice((0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 255, 256, 65535,
                       rnd.getrandbits(32)))


def rnd_ev_field(rnd):
    return b"".join(u32(kind, value) for kind, value in (
        (1, 8), (2, rnd.randrange(4)), (3, 0), (4, rnd.choice((1, 3, 255))),
        (5, rnd.choice((3, 255)))) if rnd.random() < .95)


def rnd_addr_field(rnd):
    kind = rnd.randrange(1, 5)
    return u32(1, kind) + u32(2, rnd.choice((8, 8, 8, 16, 32))) + (
        u32(4, rnd.randrange(1, 255)) if kind == 1 else u32(3, 0))


def rnd_edit(rnd):
    return attr(EDIT | NESTED, u32(1, rnd.randrange(5)) + rnd.choice((
        u32(2, 1) + attr(3, bytes([rnd.getrandbits(8)]) + bytes(31)),
        u32(5, rnd.randrange(3)), b"")))


# Each of these functions returns the attributes of a message that is likely to be
# accepted; attributes that name the object are first.

def likely_format(rnd, dev):
    return [text(1, dev), text(2, rnd.choice(NAMES)),
            u32(3, rnd.choice(STATES)), u32(4, rnd.randrange(1, 5)),
            *[u32(5, 8)] * rnd.randrange(1, 4)]


def likely_template(rnd, dev):
    block = attr(8 | NESTED, u32(1, 1) + u32(2, 32) + u32(4, 0xfcbbbb00))
    fields = [block] + [attr(8 | NESTED, rnd_addr_field(rnd))
                        for _ in range(2 * rnd.randrange(1, 5))]
    srh = []
    if rnd.random() < .2:
        full = attr(8 | NESTED, u32(1, 1) + u32(2, 32) + u32(4, 0x10002000))
        fields = [block, full, full, full] + fields
        srh = [attr(10, b"")]
    return [text(1, dev), text(2, rnd.choice(NAMES)),
            u32(5, rnd.choice((8, 16))), u32(6, 16), *srh, *fields]


def likely_profile(rnd, dev):
    return [text(2, dev), text(3, rnd.choice(NAMES)),
            u32(4, rnd.choice(STATES)), u32(5, rnd.randrange(1, 4)),
            text(6, rnd.choice(NAMES)), u32(7, rnd.choice((1, 2, 4, 256))),
            *[attr(12 | NESTED, rnd_ev_field(rnd))] * rnd.randrange(3)]


def likely_ev_set(rnd, dev):
    return [text(2, dev), text(3, rnd.choice(NAMES)), rnd_edit(rnd),
            rnd_edit(rnd)]


def likely_dest(rnd, dev):
    return [text(2, dev), addr(3, rnd.choice(ADDRESSES)),
            u32(4, rnd.choice(LENGTHS)), text(5, rnd.choice(NAMES)),
            text(6, rnd.choice(NAMES)),
            attr(7, struct.pack("=Q", rnd.getrandbits(8))),
            *[text(8, rnd.choice(NAMES))] * rnd.randrange(2)]


def likely_deny(rnd, dev):
    return [text(1, dev), rnd.choice((u32(4, 1), u32(5, 1), u32(6, 4711))),
            u32(7, 4712)]


def likely_cc(rnd, dev):
    words = rnd.choice(("none", "fixed", "nscc", "other"))
    return [text(1, dev), text(2, rnd.choice(NAMES)),
            u32(3, rnd.choice(STATES)), text(5, words),
            text(6, rnd.choice(("rotation", "reps", ""))),
            *[u32(rnd.randrange(7, 29), rnd_u32(rnd))
              for _ in range(rnd.randrange(4))]]


def likely_path(rnd, dev):
    return [text(2, dev), addr(3, rnd.choice(ADDRESSES)),
            u32(4, rnd.randrange(4)), u32(5, rnd.randrange(1, 4)),
            addr(6, rnd.choice(("fcbb:bb00:1000::", "::"))),
            *[addr(15, "fcbb:bb00:1001::")] * rnd.randrange(2)]


def likely_dev(rnd, dev):
    """Port 2 and the congestion control of running queue pairs are not changed."""
    port = attr(PORT_SET | NESTED, u32(1, rnd.choice((1, 1, 9))) +
                u32(6, rnd.randrange(2)))
    return [text(2, dev), rnd.choice((port, u32(7, rnd.randrange(18)),
                                      port + u32(7, 16), text(8, "zz"),
                                      port + text(8, "zz")))]


def likely_probe(rnd, dev, dst):
    paths = [attr(SELECT | NESTED, u32(1, rnd_u32(rnd)) + u32(2, 1))
             for _ in range(rnd.randrange(3))]
    return [text(1, dev), addr(2, rnd.choice((dst,) + ADDRESSES)),
            u32(4, rnd.choice((1, 1, 2, 20000))),
            *[u32(5, rnd.randrange(1, 4))] * rnd.randrange(2), *paths]


LIKELY = {FORMAT: likely_format, TEMPLATE: likely_template,
          PROFILE: likely_profile, DEST: likely_dest, DENY: likely_deny,
          CC: likely_cc}
# How many attributes name an object; deny rules are named by all they have.
NAMING = {DEST: 3, DENY: 9}


def rnd_request(rnd, dev, dst):
    """Return command, attributes, and whether the request is a dump."""
    kind = rnd.choice((*LIKELY, *LIKELY, PATH_GET, DEV_SET, PROBE))
    if kind == PROBE:
        return PROBE, likely_probe(rnd, dev, dst), False
    if kind == DEV_SET:
        cmd = rnd.choice((DEV_SET, DEV_GET))
        return cmd, likely_dev(rnd, dev)[:2 if cmd == DEV_SET else 1], False
    if kind == PATH_GET:
        cmd = rnd.choice((PATH_ADD, PATH_SET, PATH_DEL, PATH_FLUSH, PATH_GET))
        keep = {PATH_DEL: 3, PATH_FLUSH: 2, PATH_GET: 2}.get(cmd, 9)
        return cmd, likely_path(rnd, dev)[:keep], cmd == PATH_GET
    what = rnd.choice((GET, ADD, ADD, DEL, SET, SET, EV_SET))
    if what == EV_SET:
        return PROFILE + EV_SET, likely_ev_set(rnd, dev), False
    attrs = LIKELY[kind](rnd, dev)
    if what in (GET, DEL):
        attrs = attrs[:NAMING.get(kind, 2)]
    if what == GET and kind == DENY:
        attrs = attrs[:1]
    return kind + what, attrs, what == GET


def rnd_device(rnd, dev, ifindex):
    """As rnd_request, for the device that comes and goes, or a dump of QPs."""
    port = attr(PORT_ADD | NESTED, u32(2, ifindex))
    return rnd.choice((
        (DEV_ADD, [text(2, SPARE), port], False), (DEV_DEL, [text(2, SPARE)], False),
        (DEV_GET, [], True), (QP_GET, [text(2, dev)], True)))


def spoil(rnd, attrs):
    """Delete, insert or corrupt one attribute."""
    if not attrs:
        return
    i = rnd.randrange(len(attrs))
    what = rnd.randrange(4)
    if what == 0:
        del attrs[i]
    elif what == 1:
        attrs.insert(i, u32(rnd.randrange(20), rnd_u32(rnd)))
    elif what == 2:
        attrs.insert(i, attr(rnd.randrange(20) | rnd.choice((0, NESTED)),
                             rnd.randbytes(rnd.randrange(40))))
    else:
        data = bytearray(attrs[i])
        data[rnd.randrange(len(data))] ^= 1 << rnd.randrange(8)
        attrs[i] = bytes(data)


def rnd_message(rnd, dev, dst, ifindex=0):
    """Return command, payload and flags."""
    if ifindex and rnd.random() < .1:
        cmd, attrs, dump = rnd_device(rnd, dev, ifindex)
    else:
        cmd, attrs, dump = rnd_request(rnd, dev, dst)
    if rnd.random() < .3:
        spoil(rnd, attrs)
    payload = b"".join(attrs)
    what = rnd.random()
    if what < .02:
        payload = payload[:rnd.randrange(len(payload) + 1)]
    elif what < .04:
        payload = rnd.randbytes(rnd.randrange(64))
    elif what < .05:
        # No command that creates a device, which would have to be deleted.
        cmd = rnd.choice((QP_GET, rnd.randrange(160, 256)))
    return cmd, payload, NLM_F_DUMP if dump else NLM_F_ACK


class Storm:
    """Sends messages and counts their results."""

    def __init__(self):
        self.family = Family()
        self.family.sock.setsockopt(SOL_NETLINK, NETLINK_NO_ENOBUFS, 1)
        self.family.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                                    1 << 20)
        self.waiting = []
        self.done = self.refused = self.wordless = 0
        # By command: how many were carried out, how many refused.
        self.counts = {cmd: [0, 0] for cmd in COMMANDS}

    def count(self, cmd, error, words):
        self.counts.get(cmd, [0, 0])[error != 0] += 1
        self.done += not error
        self.refused += error != 0
        # Every refusal has an error text, except those of unknown commands.
        if error not in (0, errno.EOPNOTSUPP) and not words:
            self.wordless += 1

    def flush(self):
        """Send the waiting messages and read the result of each."""
        family = self.family
        data = b""
        for cmd, payload in self.waiting:
            family.seq += 1
            body = struct.pack("=BBH", cmd, 1, 0) + payload
            data += struct.pack("=IHHII", 16 + len(body), family.id,
                                NLM_F_REQUEST | NLM_F_ACK, family.seq, 0)
            data += body + bytes(-len(body) % 4)
        # The kernel replies in this order.
        left = [cmd for cmd, _ in self.waiting]
        self.waiting = []
        if left:
            family.sock.send(data)
        while left:
            # The reply of one message, or the events of a probe.
            for kind, flags, body in family.messages():
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    self.count(left.pop(0), *verdict(kind, flags, body))

    def send(self, cmd, payload, flags):
        if flags == NLM_F_DUMP:
            self.flush()
            _, error, words = self.family.request(cmd, payload, NLM_F_DUMP)
            self.count(cmd, error, words)
            return
        self.waiting.append((cmd, payload))
        if len(self.waiting) == BATCH:
            self.flush()


def until_done(storm, cmd, attrs):
    """Send messages with command @cmd until one is carried out."""
    for _ in range(TRIES):
        storm.send(cmd, b"".join(attrs()), NLM_F_ACK)
        storm.flush()
        if storm.counts[cmd][0]:
            break


def bring_online(storm, kind, dev):
    """Objects of a kind that has states, by any name."""
    first = 2 if kind == PROFILE else 1
    for name in NAMES:
        for state in (OFFLINE, ONLINE):
            storm.send(kind + SET, text(first, dev) + text(first + 1, name) +
                       u32(first + 2, state), NLM_F_ACK)


def prime(storm, rnd, dev):
    """Carry out each command that configures, which the others depend on."""
    for kind in (FORMAT, TEMPLATE, PROFILE, CC):
        for what in (ADD, SET):
            until_done(storm, kind + what, lambda: LIKELY[kind](rnd, dev))
    until_done(storm, PROFILE + EV_SET, lambda: likely_ev_set(rnd, dev))
    for cmd, keep in ((PATH_ADD, 9), (PATH_SET, 9), (PATH_DEL, 3)):
        until_done(storm, cmd, lambda: likely_path(rnd, dev)[:keep])
    # Destinations use profiles that are online, and these such formats.
    while not storm.counts[DEST + ADD][0] and storm.done + storm.refused < PRIMING:
        for kind in (FORMAT, PROFILE):
            storm.send(kind + ADD, b"".join(LIKELY[kind](rnd, dev)), NLM_F_ACK)
            bring_online(storm, kind, dev)
        for _ in range(BATCH):
            # Without a template, which needs a profile of SRv6.
            storm.send(DEST + ADD, b"".join(likely_dest(rnd, dev)[:4]),
                       NLM_F_ACK)
        storm.flush()
    for what, keep in ((SET, 4), (DEL, 3)):
        until_done(storm, DEST + what, lambda: likely_dest(rnd, dev)[:keep])


def main(dev, number, seed, dst, ifindex=0):
    rnd = random.Random(seed)
    storm = Storm()
    begin = time.monotonic()
    if ifindex:
        prime(storm, rnd, dev)
    for _ in range(number):
        storm.send(*rnd_message(rnd, dev, dst, ifindex))
    storm.flush()
    rate = number / (time.monotonic() - begin)
    print(f"{storm.done} done, {storm.refused} refused, {storm.wordless} "
          f"without an error text; {rate:.0f} messages/s")
    for cmd, counts in storm.counts.items():
        print(f"netlink-{COMMANDS[cmd]}", *counts)
    return not storm.done or not storm.refused or storm.wordless


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]),
                  sys.argv[4], *map(int, sys.argv[5:])))
