#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""TCP or MPTCP connections that send as fast as they can, for comparison.

  tcp_flow.py PROTOCOL sink PORT
  tcp_flow.py PROTOCOL source ADDRESS PORT CONNECTIONS

PROTOCOL is tcp or mptcp. The sink reports every 10 ms how many bytes have arrived, in
lines like those of mrc_verify. Both run until they are killed.
"""
import json
import selectors
import socket
import sys
import time

PROTOCOLS = {"tcp": socket.IPPROTO_TCP, "mptcp": 262}
PERIOD_S = 0.01
CHUNK = 1 << 16


def report(flows):
    print(json.dumps({"progress": True, "time": round(time.time(), 3),
                      "bytes": sum(flows.values()), "errors": 0,
                      "flows": list(flows.values())},
                     separators=(",", ":")), flush=True)


def sink(protocol, port):
    waiting = selectors.DefaultSelector()
    flows = {}
    listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("::", port))
    listener.listen(128)
    waiting.register(listener, selectors.EVENT_READ)
    due = time.monotonic()
    while True:
        for key, _ in waiting.select(PERIOD_S):
            if key.fileobj is listener:
                connection = listener.accept()[0]
                waiting.register(connection, selectors.EVENT_READ)
                flows[connection] = 0
            else:
                flows[key.fileobj] += len(key.fileobj.recv(CHUNK))
        if flows and time.monotonic() >= due:
            report(flows)
            due = time.monotonic() + PERIOD_S


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
    protocol = PROTOCOLS[sys.argv[1]]
    if sys.argv[2] == "sink":
        sink(protocol, int(sys.argv[3]))
    else:
        source(protocol, sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))


main()
