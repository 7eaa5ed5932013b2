#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Run a program on a pseudo terminal and check its screen.

  screen.py COLUMNSxLINES STEP... -- PROGRAM [ARG...]

Steps, in order:

  see REGEX    wait until a line of the screen matches
  gone REGEX   wait until no line of the screen matches
  key KEYS     press keys; \\e is Escape
  size CxL     make the terminal larger or smaller
  wide N       wait until the program has drawn a page (from one "cursor home" to
               the next) without scrolling, with at most N characters in a line
  colour       colours have been used
  print        print the screen
  end          wait until the program ends by itself, with status 0

The status is non-zero if a step fails; the screen is printed then.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 60


class Screen:
    """The subset of a terminal that a program needs which redraws the whole screen."""

    token = re.compile(rb"\x1b\[([?0-9;]*)([A-Za-z])|([\x00-\x1f])|"
                       rb"([^\x00-\x1f]+)")

    def __init__(self, columns, lines):
        self.colour = False
        self.resize(columns, lines)

    def resize(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.x = self.y = self.scrolling = 0
        self.scrolled = None
        self.cells = [[" "] * columns for _ in range(lines)]

    def feed(self, data):
        for match in self.token.finditer(data):
            args, what, control, text = match.groups()
            if what:
                self.command(args.decode(), what.decode())
            elif control == b"\r":
                self.x = 0
            elif control == b"\n":
                self.line_feed()
            elif text:
                for letter in text.decode(errors="replace"):
                    self.put(letter)

    def put(self, letter):
        if self.x < self.columns:
            self.cells[self.y][self.x] = letter
        self.x += 1

    def line_feed(self):
        if self.y + 1 < self.lines:
            self.y += 1
            return
        self.scrolling += 1
        self.cells = self.cells[1:] + [[" "] * self.columns]

    def command(self, args, what):
        if what == "H":
            self.scrolled, self.scrolling = self.scrolling, 0
            self.x = self.y = 0
        elif what == "J":
            self.cells = [[" "] * self.columns for _ in range(self.lines)]
        elif what == "K":
            for i in range(self.x, self.columns):
                self.cells[self.y][i] = " "
        elif what == "m":
            self.colour |= bool(re.match("3[1-7]$", args))

    def text(self):
        return ["".join(line).rstrip() for line in self.cells]


class Run:
    def __init__(self, columns, lines, command):
        self.screen = Screen(columns, lines)
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execvp(command[0], command)
        self.set_size(columns, lines)

    def set_size(self, columns, lines):
        self.screen.resize(columns, lines)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", lines, columns, 0, 0))

    def read(self):
        """Feed the screen with output that arrives within 0.2 s; False at its end."""
        if not select.select([self.fd], [], [], .2)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.screen.feed(data)
        return bool(data)

    def see(self, regex):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.read():
            if any(re.search(regex, line) for line in self.screen.text()):
                return True
        return False

    def gone(self, regex):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.read():
            if not any(re.search(regex, line) for line in self.screen.text()):
                return True
        return False

    def wide(self, most):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.read():
            if (self.screen.scrolled == 0 and
                    max(map(len, self.screen.text())) <= most):
                return True
        return False

    def end(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.read():
            pass
        return os.waitpid(self.pid, 0)[1] == 0

    def step(self, what, args):
        if what == "see":
            return self.see(args.pop(0))
        if what == "gone":
            return self.gone(args.pop(0))
        if what == "key":
            os.write(self.fd, args.pop(0).replace("\\e", "\x1b").encode())
            return True
        if what == "size":
            self.set_size(*size_of(args.pop(0)))
            return True
        if what == "wide":
            return self.wide(int(args.pop(0)))
        if what == "colour":
            return self.screen.colour
        if what == "print":
            print("\n".join(self.screen.text()))
            return True
        return what == "end" and self.end()


def size_of(word):
    return map(int, word.split("x"))


def main():
    args = sys.argv[1:]
    at = args.index("--")
    steps, command = args[1:at], args[at + 1:]
    run = Run(*size_of(args[0]), command)
    while steps:
        rest = steps[1:]
        if not run.step(steps[0], rest):
            print(f"failed: {' '.join(steps[:2])}; the screen:")
            print("\n".join(run.screen.text()))
            os.kill(run.pid, signal.SIGKILL)
            return 1
        steps = rest
    return 0


if __name__ == "__main__":
    sys.exit(main())
