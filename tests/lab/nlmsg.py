# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Netlink messages of any family, for the tools of the lab and of the tests."""

import socket
import struct

SOL_NETLINK = 270
NETLINK_CAP_ACK, NETLINK_EXT_ACK = 10, 11
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 1, 4, 0x300
NLM_F_REPLACE, NLM_F_CREATE = 0x100, 0x400
NLM_F_CAPPED, NLM_F_ACK_TLVS = 0x100, 0x200
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLMSGERR_ATTR_MSG, NLMSGERR_ATTR_OFFS = 1, 2
NESTED = 0x8000


def attr(kind, payload):
    data = struct.pack("=HH", 4 + len(payload), kind) + payload
    return data + bytes(-len(data) % 4)


def attributes(data):
    """Kind and payload of each."""
    while data:
        length, kind = struct.unpack_from("=HH", data)
        yield kind & ~NESTED, data[4:length]
        data = data[(length + 3) & ~3:]


def ack_attributes(kind, flags, body):
    """Attributes that the kernel adds to the end of a reply."""
    if not flags & NLM_F_ACK_TLVS:
        return {}
    return dict(attributes(body[4 if kind == NLMSG_DONE else 20:]))


def verdict(kind, flags, body):
    """Error number and error text of the end of a reply."""
    error = -struct.unpack_from("=i", body)[0] if body else 0
    words = ack_attributes(kind, flags, body).get(NLMSGERR_ATTR_MSG, b"")
    return error, words.rstrip(b"\0").decode(errors="replace")


class Socket:
    """A socket that sends one request after the other."""

    def __init__(self, protocol, size=1 << 17):
        self.size = size
        self.seq = 0
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        self.sock.bind((0, 0))

    def send(self, kind, flags, body):
        self.seq += 1
        self.sock.send(struct.pack("=IHHII", 16 + len(body), kind,
                                   flags | NLM_F_REQUEST, self.seq, 0) + body)

    def messages(self):
        """Messages of the reply, including the one that ends it."""
        while True:
            data = self.sock.recv(self.size)
            while data:
                length, kind, flags, _, _ = struct.unpack_from("=IHHII", data)
                yield kind, flags, data[16:length]
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    return
                data = data[(length + 3) & ~3:]
