#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Run a command that inherits wires: pairs of connected sockets.

wires.py FIRST WIRES COMMAND [ARG...]

Wire N has the file descriptors FIRST + 2 * N for its end 0 and the next one for end 1.
(QEMU itself connects stream networks, too, but the end that accepts the connection is
left blocking: the whole guest then stops while the other guest does not receive.)
"""
import os
import socket
import sys


def main(first, wires, *command):
    for wire in range(int(wires)):
        for end, sock in enumerate(socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)):
            os.dup2(sock.detach(), int(first) + 2 * wire + end)
    os.execvp(command[0], command)


if __name__ == '__main__':
    main(*sys.argv[1:])
