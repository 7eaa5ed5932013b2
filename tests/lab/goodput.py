# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""For the reports of demonstration and drills: reading of the files that a
guest has left, and verified bytes over time, as mrc_verify --progress reports them.
"""
import json
import os


def read(directory, name):
    try:
        with open(os.path.join(directory, name), encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def read_json(directory, name):
    try:
        return json.loads(read(directory, name))
    except ValueError:
        return None


def json_lines(text):
    """Objects of a file with one per line; an incomplete last line is ignored."""
    objects = []
    for line in text.splitlines():
        try:
            objects.append(json.loads(line))
        except ValueError:
            pass
    return objects


class Progress:
    """Verified bytes over time."""

    def __init__(self, lines):
        self.points = [(line["time"], line["bytes"]) for line in lines
                       if line.get("progress")]

    def bytes_at(self, when):
        before = self.points[0]
        if when <= before[0]:
            return before[1]
        for point in self.points:
            if point[0] >= when:
                share = (when - before[0]) / (point[0] - before[0])
                return before[1] + share * (point[1] - before[1])
            before = point
        return before[1]

    def rate(self, start, end):
        """Bytes per second."""
        return (self.bytes_at(end) - self.bytes_at(start)) / (end - start)

    def gap(self, start, end, limit):
        """Longest time in a row with less than @limit bytes per second."""
        longest = begin = None
        for (t0, b0), (t1, b1) in zip(self.points, self.points[1:]):
            if t1 <= start or t0 >= end or t1 == t0:
                continue
            if (b1 - b0) / (t1 - t0) >= limit:
                begin = None
                continue
            if begin is None:
                begin = max(t0, start)
            longest = max(longest or 0, min(t1, end) - begin)
        return longest or 0.0
