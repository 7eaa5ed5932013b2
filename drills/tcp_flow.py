#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""TCP or MPTCP connections that send as fast as they can, for comparison.

  tcp_flow.py PROTOCOL sink PORT RECORD PERIOD
  tcp_flow.py PROTOCOL source ADDRESS PORT CONNECTIONS

PROTOCOL is tcp or mptcp. The sink writes how many bytes have arrived in each PERIOD (us)
to RECORD, a file like those of mrc_verify. Both run until SIGTERM.
"""
import mmap
import selectors
import signal
import socket
import sys
import time

from traffic import ENTRIES, ENTRY, HEAD

PROTOCOLS = {"tcp": socket.IPPROTO_TCP, "mptcp": 262}
CHUNK = 1 << 18
# Bytes for which the receiver is woken: one packet each would take too long.
WAKE = 1 << 16


class Record:
    """Bytes of one flow in each period: struct record_head and record_entry."""

    def __init__(self, path, period_us):
        self.period = period_us * 1000
        self.total = self.count = self.begin = self.bytes = self.full = 0
        size = HEAD.size + ENTRIES * ENTRY.size
        with open(path, "w+b") as f:
            f.truncate(size)
            self.map = mmap.mmap(f.fileno(), size)
        self.write()

    def write(self):
        HEAD.pack_into(self.map, 0, self.period, self.total, 0, self.count,
                       self.full)

    def add(self, count):
        now = time.time_ns()
        begin = now - now % self.period
        if begin != self.begin:
            self.full = int(self.count == ENTRIES)
            self.count += not self.full
            self.begin, self.bytes = begin, 0
        self.bytes += count
        self.total += count
        ENTRY.pack_into(self.map, HEAD.size + (self.count - 1) * ENTRY.size,
                        begin, 0, self.bytes)
        self.write()


def sink(protocol, port, record):
    waiting = selectors.DefaultSelector()
    buffer = bytearray(CHUNK)
    listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("::", port))
    listener.listen(128)
    waiting.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is listener:
                connection = listener.accept()[0]
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, WAKE)
                waiting.register(connection, selectors.EVENT_READ)
                continue
            count = key.fileobj.recv_into(buffer)
            if count:
                record.add(count)
            else:
                waiting.unregister(key.fileobj)


def source(protocol, address, port, connections):
    waiting = selectors.DefaultSelector()
    data = bytes(CHUNK)
    for _ in range(connections):
        connection = socket.socket(socket.AF_INET6, socket.SOCK_STREAM, protocol)
        # Bound before, so that the hash that selects a route includes the port.
        connection.bind(("::", 0))
        connection.connect((address, port))
        connection.setblocking(False)
        waiting.register(connection, selectors.EVENT_WRITE)
    while True:
        for key, _ in waiting.select():
            key.fileobj.send(data)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    protocol = PROTOCOLS[sys.argv[1]]
    if sys.argv[2] == "sink":
        sink(protocol, int(sys.argv[3]), Record(sys.argv[4], int(sys.argv[5])))
    else:
        source(protocol, sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))


main()
