#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Responses of the netlink family "mrc" to messages that mrcctl never sends.

  netlink.py refusals DEVICE IFINDEX   invalid messages are refused; DEVICE has one
                                       port, IFINDEX is that of a net device that
                                       belongs to no RDMA device
  netlink.py count DEVICE              print the number of paths in a dump that is
                                       read with small buffers
  netlink.py probes DEVICE DST         invalid probe requests are refused, and the
                                       number of pending ones is bounded; DST does
                                       not answer
  netlink.py halves DEVICE             requests of which one part is valid and
                                       another is not change nothing
  netlink.py edits DEVICE PROFILE      of several EV edits in one message each
                                       succeeds or fails by itself; PROFILE has two
                                       EVs
  netlink.py usid DEVICE               invalid uSID prefixes of ports are refused

Prints a line for each case, "ok:" or "BAD:"; the status is non-zero if one is BAD.
"""

import errno
import os
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "../../../lab"))
from nlmsg import (NESTED, NLM_F_ACK, NLM_F_DUMP,  # noqa: E402
                   NLMSG_DONE, NLMSG_ERROR, Socket, attr, attributes, verdict)

NETLINK_GENERIC = 16
GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID = 16, 3, 1

DEV_GET, DEV_ADD, DEV_DEL, DEV_SET = 1, 2, 3, 4
PATH_GET, PATH_ADD, PATH_DEL, PATH_FLUSH, PATH_SET = 16, 17, 18, 19, 20
QP_GET = 32
FORMAT, TEMPLATE, PROFILE, DEST, DENY = 48, 64, 80, 96, 112
CC, PROBE = 128, 160
GET, ADD, DEL, SET, EV_SET = 0, 1, 2, 3, 4
# Attributes of requests only.
PORT_ADD, PORT_SET, EDIT, SELECT = 10, 11, 16, 8


def u32(kind, value):
    return attr(kind, struct.pack("=I", value))


def text(kind, value):
    return attr(kind, value.encode() + b"\0")


def addr(kind, value):
    return attr(kind, socket.inet_pton(socket.AF_INET6, value))


class Family(Socket):
    """A socket of the family."""

    def __init__(self, size=65536):
        super().__init__(NETLINK_GENERIC, size)
        self.id = self.find()

    def command(self, family, cmd, flags, payload, head=None):
        """Send a request; without @head it has the usual generic header."""
        if head is None:
            head = struct.pack("=BBH", cmd, 1, 0)
        self.send(family, flags, head + payload)

    def find(self):
        self.command(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK,
                     text(2, "mrc"))
        found = None
        for kind, _, body in self.messages():
            if kind == GENL_ID_CTRL:
                attrs = dict(attributes(body[4:]))
                found = struct.unpack("=H", attrs[CTRL_ATTR_FAMILY_ID])[0]
        if not found:
            sys.exit("no family")
        return found

    def request(self, cmd, payload, flags=NLM_F_ACK, head=None):
        """Send a request; return messages, error number and error text."""
        count_, error, words = 0, 0, ""
        self.command(self.id, cmd, flags, payload, head)
        for kind, flags, body in self.messages():
            if kind not in (NLMSG_ERROR, NLMSG_DONE):
                count_ += 1
                continue
            error, words = verdict(kind, flags, body)
        return count_, error, words


def wrong_messages(dev, ifindex):
    """Name, command, payload, expected error, word of the kernel's text."""
    name = text(2, dev)
    new = text(2, "other0")
    port = attr(PORT_ADD | NESTED, u32(2, ifindex))
    path = (text(2, dev), addr(3, "fd00::9"), u32(4, 1), u32(5, 1),
            addr(6, "fcbb:bb00::1"))

    def without(i):
        return b"".join(path[:i] + path[i + 1:])

    def instead(i, new_attr):
        return b"".join(path[:i] + (new_attr,) + path[i + 1:])

    dumped = NLM_F_DUMP
    return [
        ("no device name", DEV_ADD, port, errno.EINVAL, "name"),
        ("no port", DEV_ADD, new, errno.EINVAL, "port"),
        ("an empty port", DEV_ADD, new + attr(PORT_ADD | NESTED, b""),
         errno.EINVAL, "ifindex"),
        ("a port that is no nest", DEV_ADD,
         new + attr(PORT_ADD, u32(2, ifindex)), errno.EINVAL, ""),
        ("ifindex 0", DEV_ADD, new + attr(PORT_ADD | NESTED, u32(2, 0)),
         errno.ERANGE, ""),
        ("a short ifindex", DEV_ADD,
         new + attr(PORT_ADD | NESTED, attr(2, b"\1")), errno.EINVAL, ""),
        ("an unknown net device", DEV_ADD,
         new + attr(PORT_ADD | NESTED, u32(2, 0x7ffffff)), errno.ENODEV,
         "134217727"),
        ("the same port twice", DEV_ADD, new + port + port, errno.EINVAL,
         "twice"),
        ("33 ports", DEV_ADD, new + 33 * port, errno.EINVAL, "32"),
        ("a port with a name", DEV_ADD,
         new + attr(PORT_ADD | NESTED, u32(2, ifindex) + text(3, "lo")),
         errno.EINVAL, ""),
        ("a name without end", DEV_ADD, attr(2, b"other0") + port,
         errno.EINVAL, ""),
        ("a name of 64 bytes", DEV_ADD, text(2, 64 * "x") + port,
         errno.EINVAL, ""),
        ("an empty name", DEV_ADD, text(2, "") + port, errno.EINVAL, "name"),
        ("a pattern for a name", DEV_ADD, text(2, "mrc%d") + port,
         errno.EINVAL, "name"),
        ("a path for a name", DEV_ADD, text(2, "a/b") + port, errno.EINVAL,
         "name"),
        ("an attribute of a reply", DEV_ADD, new + port + u32(3, 0),
         errno.EINVAL, ""),
        ("an unknown attribute", DEV_ADD, new + port + u32(900, 0),
         errno.EINVAL, ""),
        ("bytes behind the last attribute", DEV_ADD, new + port + b"\1\0\0\0",
         errno.EINVAL, ""),
        ("no change of a device", DEV_SET, name, errno.EINVAL, "burst"),
        ("burst 0", DEV_SET, name + u32(7, 0), errno.EINVAL, "burst"),
        ("burst 17", DEV_SET, name + u32(7, 17), errno.EINVAL, "burst"),
        ("icrc 0", DEV_SET, name + u32(9, 0), errno.ERANGE, "range"),
        ("icrc 3", DEV_SET, name + u32(9, 3), errno.ERANGE, "range"),
        ("a short icrc", DEV_SET, name + attr(9, b"\2"), errno.EINVAL, ""),
        ("icrc of a new device", DEV_ADD, new + port + u32(9, 2),
         errno.EINVAL, ""),
        ("DEV_SET of an unknown device", DEV_SET, text(2, "none0") + u32(7, 1),
         errno.ENODEV, "none0"),
        ("DEV_DEL without a name", DEV_DEL, b"", errno.EINVAL, "name"),
        ("DEV_GET without a name", DEV_GET, b"", errno.EINVAL, "name"),
        ("a dump of an unknown device", PATH_GET, text(2, "none0"),
         errno.ENODEV, "none0", dumped),
        ("a dump with an unknown attribute", DEV_GET, u32(900, 0),
         errno.EINVAL, "", dumped),
        ("a dump of DEV_DEL", DEV_DEL, name, errno.EOPNOTSUPP, "", dumped),
        ("a single QP", QP_GET, b"", errno.EOPNOTSUPP, ""),
        ("a path without device", PATH_ADD, without(0), errno.EINVAL, "name"),
        ("a path without dst", PATH_ADD, without(1), errno.EINVAL, "dst"),
        ("a path without ev", PATH_ADD, without(2), errno.EINVAL, "ev"),
        ("a path without port", PATH_ADD, without(3), errno.EINVAL, "port"),
        ("a path without sid", PATH_ADD, without(4), errno.EINVAL, "sid"),
        ("a short dst", PATH_ADD, instead(1, attr(3, bytes(15))),
         errno.ERANGE, ""),
        ("a long sid", PATH_ADD, instead(4, attr(6, bytes(17))),
         errno.ERANGE, ""),
        ("port 0", PATH_ADD, instead(3, u32(5, 0)), errno.ERANGE, ""),
        ("port 257", PATH_ADD, instead(3, u32(5, 257)), errno.ERANGE, ""),
        ("port 2 of one", PATH_ADD, instead(3, u32(5, 2)), errno.EINVAL,
         "port 2 of a device with 1 port"),
        ("dst ::", PATH_ADD, instead(1, addr(3, "::")), errno.EINVAL, "dst"),
        ("a group for dst", PATH_ADD, instead(1, addr(3, "ff02::1")),
         errno.EINVAL, "dst"),
        ("an IPv4 dst", PATH_ADD, instead(1, addr(3, "::ffff:10.0.0.1")),
         errno.EINVAL, "IPv4"),
        ("sid ::", PATH_ADD, instead(4, addr(6, "::")), errno.EINVAL, "sid"),
        ("sid ::1", PATH_ADD, instead(4, addr(6, "::1")), errno.EINVAL,
         "sid"),
        ("a link-local sid", PATH_ADD, instead(4, addr(6, "fe80::1")),
         errno.EINVAL, "sid"),
        ("a group for sid", PATH_ADD, instead(4, addr(6, "ff0e::1")),
         errno.EINVAL, "sid"),
        ("an IPv4 sid", PATH_ADD, instead(4, addr(6, "::ffff:10.0.0.1")),
         errno.EINVAL, "sid"),
        ("a state to be set", PATH_ADD, b"".join(path) + u32(7, 1),
         errno.EINVAL, ""),
        ("an unknown path", PATH_DEL, b"".join(path[:3]),
         errno.ENOENT, "ev 1"),
        ("an unknown peer", PATH_FLUSH, b"".join(path[:2]),
         errno.ENOENT, "dst"),
        ("an unknown command", 15, b"", errno.EOPNOTSUPP, ""),
        ("command 0", 0, b"", errno.EOPNOTSUPP, ""),
        ("an event as a request", 195, b"", errno.EOPNOTSUPP, ""),
    ]


def wrong_objects(dev):
    """The same for formats, templates, profiles, destinations and deny rules."""
    own = text(1, dev)
    fmt = own + text(2, "f")
    tmpl = own + text(2, "t")
    prof = text(2, dev) + text(3, "p")
    dest = text(2, dev) + addr(3, "fd00::") + u32(4, 64)
    field = attr(8 | NESTED, u32(1, 1) + u32(2, 32))
    ev_field = attr(12 | NESTED, u32(1, 8))
    einval, erange = errno.EINVAL, errno.ERANGE
    return [
        ("a format without device", FORMAT + ADD, text(2, "f"), einval,
         "device"),
        ("a format without name", FORMAT + ADD, own, einval, "format name"),
        ("a name with a space", FORMAT + ADD, own + text(2, "a b"), einval,
         "letters"),
        ("a name with a letter of Latin-1", FORMAT + ADD,
         own + attr(2, b"a\xe1\0"), einval, "letters"),
        ("a name that starts with a letter of Latin-1", FORMAT + ADD, own + attr(2, b"\xe1\0"),
         einval, "letter"),
        ("an empty object name", FORMAT + ADD, own + text(2, ""), einval,
         "letter"),
        ("state 0", FORMAT + ADD, fmt + u32(3, 0), erange, ""),
        ("state 4", FORMAT + ADD, fmt + u32(3, 4), erange, "range"),
        ("format mode 5", FORMAT + ADD, fmt + u32(3, 3) + u32(4, 5), erange,
         "range"),
        ("width 33", FORMAT + ADD, fmt + u32(3, 3) + u32(4, 3) + u32(5, 33),
         einval, "width 33"),
        ("width 256", FORMAT + ADD, fmt + u32(5, 256), erange, ""),
        ("17 widths", FORMAT + ADD, fmt + 17 * u32(5, 1), errno.E2BIG,
         "more than 16"),
        ("users to be set", FORMAT + ADD, fmt + u32(6, 1), einval, ""),
        ("a format of another device", FORMAT + ADD,
         text(1, "none0") + text(2, "f"), errno.ENODEV, "none0"),
        ("a format that is not there", FORMAT + SET, fmt, errno.ENOENT,
         "no format f"),
        ("a template without fields", TEMPLATE + ADD, tmpl, einval,
         "0 fields"),
        ("a field without width", TEMPLATE + ADD,
         tmpl + attr(8 | NESTED, u32(1, 1)), einval, "width is missing"),
        ("41 fields", TEMPLATE + ADD, tmpl + 41 * field, errno.E2BIG,
         "more than 40"),
        ("source 5", TEMPLATE + ADD,
         tmpl + attr(8 | NESTED, u32(1, 5) + u32(2, 8)), erange,
         "range"),
        ("a template that is not there", TEMPLATE + SET, tmpl + field,
         errno.ENOENT, "no template t"),
        ("no entropy values", PROFILE + ADD, prof + u32(4, 3), einval,
         "no EVs"),
        ("profile mode 4", PROFILE + ADD, prof + u32(4, 3) + u32(5, 4),
         erange, "range"),
        ("17 fields of a value", PROFILE + ADD, prof + 17 * ev_field,
         errno.E2BIG, "more than 16"),
        ("65536 values", PROFILE + ADD, prof + u32(7, 65536), erange, ""),
        ("an edit of nothing", PROFILE + EV_SET, prof, einval, "edit"),
        ("an edit without index", PROFILE + EV_SET,
         prof + attr(EDIT | NESTED, u32(5, 1)), einval, "index"),
        ("bits without port", PROFILE + EV_SET,
         prof + attr(EDIT | NESTED, u32(1, 0) + attr(3, bytes(32))), einval,
         "port with bits"),
        ("31 bytes of bits", PROFILE + EV_SET,
         prof + attr(EDIT | NESTED, u32(1, 0) + attr(3, bytes(31))), erange,
         ""),
        ("denied 2", PROFILE + EV_SET,
         prof + attr(EDIT | NESTED, u32(1, 0) + u32(5, 2)), erange, ""),
        ("an edit of no profile", PROFILE + EV_SET,
         prof + attr(EDIT | NESTED, u32(1, 0) + u32(5, 1)), errno.ENOENT,
         "no profile p"),
        ("a destination without profile", DEST + ADD, dest, einval,
         "profile"),
        ("a destination of an unknown profile", DEST + ADD, dest + text(5, "p"),
         errno.ENOENT, "no profile p"),
        ("length 129", DEST + DEL,
         text(2, dev) + addr(3, "fd00::") + u32(4, 129), einval, "129"),
        ("bits behind the length", DEST + DEL,
         text(2, dev) + addr(3, "fd00::1") + u32(4, 64), einval,
         "behind its first 64"),
        ("a deny rule without a criterion", DENY + ADD, own, einval, "needs"),
        ("a deny rule for uSID 0", DENY + ADD, own + u32(6, 0), einval,
         "uSID 0"),
        ("a link without its beginning", DENY + ADD, own + u32(7, 1), einval,
         "next without usid"),
        ("a length without dst", DENY + ADD, own + u32(3, 64), einval,
         "without dst"),
        ("an unknown deny rule", DENY + DEL, own + u32(4, 1),
         errno.ENOENT, "no such rule"),
        ("a single format", FORMAT + GET, fmt, errno.EOPNOTSUPP, ""),
    ]


def refusals(dev, ifindex):
    family = Family()
    verdicts = []
    for what, cmd, payload, error, word, *flags in (
            wrong_messages(dev, ifindex) + wrong_objects(dev)):
        _, got, words = family.request(cmd, payload, *(flags or (NLM_F_ACK,)))
        good = got == error and word in words
        verdicts.append((good, f"{what}: {errno.errorcode.get(got, got)} "
                               f"'{words}'"))
    # A message too short for its header must not be looked into.
    _, got, _ = family.request(0, b"", head=b"")
    verdicts.append((got != 0, f"no header: {errno.errorcode.get(got)}"))
    for good, line in sorted(verdicts, reverse=True):
        print("ok: " if good else "BAD:", line)
    return not all(good for good, _ in verdicts)


def count(dev):
    count_, error, words = Family(4096).request(PATH_GET, text(2, dev),
                                                NLM_F_DUMP)
    if error:
        sys.exit(f"{os.strerror(error)}: {words}")
    print(count_)
    return 0


def probes(dev, dst):
    """Pending requests are bounded; each is accepted or refused immediately."""
    family = Family()
    whole = [text(1, dev), addr(2, dst), u32(4, 10000), u32(5, 1)]
    path = attr(SELECT | NESTED, u32(1, 7))
    good = True
    for what, payload, error, word in (
            ("no device name", whole[1:], errno.EINVAL, "name"),
            ("no dst", whole[:1] + whole[2:], errno.EINVAL, "dst"),
            ("no timeout", whole[:2], errno.EINVAL, "timeout"),
            ("a path without a name", whole + [attr(SELECT | NESTED, b"")],
             errno.EINVAL, "ev"),
            ("257 paths", whole + [path] * 257, errno.E2BIG, "256"),
            *[(f"request {i}", whole, 0, "") for i in range(16)],
            ("one too many", whole, errno.EBUSY, "too many")):
        _, got, words = family.request(PROBE, b"".join(payload))
        fits = got == error and word in words
        print("ok: " if fits else "BAD:",
              f"{what}: {errno.errorcode.get(got, got)} '{words}'")
        good &= fits
    return not good


def refused(cmd, cases):
    """Each case: name, attributes, expected error, word of the kernel's text."""
    family = Family()
    good = True
    for what, payload, error, word in cases:
        _, got, words = family.request(cmd, payload)
        fits = got == error and word in words
        print("ok: " if fits else "BAD:",
              f"{what}: {errno.errorcode.get(got, got)} '{words}'")
        good &= fits
    return not good


def halves(dev):
    """A refused request must not have been carried out in part."""
    name = text(2, dev)
    port = attr(PORT_SET | NESTED, u32(1, 1) + u32(6, 0))
    return refused(DEV_SET, ((what, name + payload, error, word)
                             for what, payload, error, word in (
            ("no such profile", port + text(8, "nope"), errno.ENOENT, "nope"),
            ("no such port", u32(7, 1) +
             attr(PORT_SET | NESTED, u32(1, 9) + u32(6, 0)),
             errno.EINVAL, "no port 9"),
            ("no such icrc", port + u32(7, 1) + u32(9, 7), errno.ERANGE,
             "range"),
            ("no such burst", port + u32(7, 99), errno.EINVAL, "burst"),
            ("two ports", port + port, errno.EINVAL, "2 ports"))))


def edits(dev, profile):
    """One message: the reply lists the refused edits, in order, and no others."""
    family = Family()

    def ev(index, *what):
        return attr(EDIT | NESTED, u32(1, index) + b"".join(what))

    def value(port, bits):
        return u32(2, port) + attr(3, bytes([bits]) + bytes(31))

    family.command(family.id, PROFILE + EV_SET, NLM_F_ACK,
                text(2, dev) + text(3, profile) +
                ev(0, u32(5, 1)) +              # done
                ev(2, u32(5, 1)) +              # no EV 2
                ev(1, value(1, 2)) +            # equals EV 0
                ev(1, value(2, 5)) +            # done
                ev(0, value(5, 7)) +            # no such port
                ev(1, u32(5, 1)) +              # done,
                ev(1, u32(5, 0)))               # and undone
    wanted = [(2, errno.ENOENT, "EV 2 of a profile of 2"),
              (1, errno.EEXIST, "EV 1 is in the profile already"),
              (0, errno.EINVAL, "no port 5")]
    got, error = [], None
    for kind, flags, body in family.messages():
        if kind == NLMSG_ERROR:
            error = verdict(kind, flags, body)
            continue
        for what, nest in attributes(body[4:]):
            if what == 14:
                of = dict(attributes(nest))
                got.append((struct.unpack("=I", of[1])[0],
                            struct.unpack("=I", of[6])[0],
                            of[7].rstrip(b"\0").decode()))
    print(f"got {got}, {error}")
    return error != (0, "") or len(got) != len(wanted) or not all(
        g[:2] == w[:2] and w[2] in g[2] for g, w in zip(got, wanted))


def usid(dev):
    """Each request is refused and sets no prefix."""
    prefix, length = addr(7, "fcbb:bb00:3001::"), u32(8, 48)
    cases = (
        ("no length", prefix, b"", "length is missing"),
        ("no prefix", length, b"", "prefix or its length is missing"),
        ("no prefix, length or state", b"", b"", "state and usid are missing"),
        ("a short prefix", attr(7, bytes(15)) + length, b"", "range"),
        ("a long prefix", attr(7, bytes(17)) + length, b"", "range"),
        ("bits that no address has", prefix + u32(8, 129), b"", "range"),
        ("many bits", prefix + u32(8, 256 + 48), b"", "range"),
        ("length 0 with a prefix", prefix + u32(8, 0), b"", "behind its first 0"),
        ("with a CC profile", prefix + length, text(8, "nope"),
         "one after the other"),
    )
    return refused(DEV_SET, (
        (what, text(2, dev) + attr(PORT_SET | NESTED, u32(1, 1) + port) + more,
         errno.ERANGE if word == "range" else errno.EINVAL, word)
        for what, port, more, word in cases))


if __name__ == "__main__":
    if sys.argv[1] == "refusals":
        sys.exit(refusals(sys.argv[2], int(sys.argv[3])))
    if sys.argv[1] == "halves":
        sys.exit(halves(sys.argv[2]))
    if sys.argv[1] == "edits":
        sys.exit(edits(sys.argv[2], sys.argv[3]))
    if sys.argv[1] == "usid":
        sys.exit(usid(sys.argv[2]))
    if sys.argv[1] == "probes":
        sys.exit(probes(sys.argv[2], sys.argv[3]))
    sys.exit(count(sys.argv[2]))
