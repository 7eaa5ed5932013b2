# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Damaged packets for the dissector, the same for the same seed."""
import random

import captures
import conversations

SEED = 1
# Ethernet and IPv6: a packet of MRC begins behind them and UDP.
HEADERS_LEN = 14 + 40 + 8
MAX_LEN = 9000


def originals():
    """Frames of all captures"""
    groups = [captures.kinds(), captures.invalid(), captures.networks(),
              captures.named_paths()]
    groups += [make() for make in conversations.ALL.values()]
    return [case.frame for group in groups for case in group]


def flip(rng, frame, low):
    at = rng.randrange(low, len(frame))
    frame[at] ^= 1 << rng.randrange(8)


def replace(rng, frame, low):
    at = rng.randrange(low, len(frame))
    frame[at] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))


def randomize(rng, frame, low):
    at = rng.randrange(low, len(frame))
    size = min(rng.randrange(1, 17), len(frame) - at)
    frame[at:at + size] = rng.randbytes(size)


def cut(rng, frame, low):
    del frame[rng.randrange(low, len(frame)):]


def extend(rng, frame, _):
    frame += rng.randbytes(rng.randrange(1, 80))


def change_opcode(rng, frame, _):
    if len(frame) > HEADERS_LEN:
        frame[HEADERS_LEN] = rng.choice((rng.randrange(0xc0, 0xe0), 0x64, 0x65,
                                         rng.randrange(256)))


def fit_lengths(frame):
    """IPv6 and UDP lengths that fit, so that the packet is not refused before"""
    if len(frame) > HEADERS_LEN and frame[12:14] == b"\x86\xdd" and frame[20] == 17:
        length = (len(frame) - 54).to_bytes(2, "big")
        frame[18:20] = frame[58:60] = length


MUTATIONS = (flip, flip, replace, replace, randomize, cut, extend, change_opcode)


def mutated(count, seed=SEED):
    """(microseconds, frame) of damaged packets; two of three have a sound header"""
    rng = random.Random(seed)
    frames = originals()
    time = 0
    for nth in range(count):
        frame = bytearray(rng.choice(frames))
        low = HEADERS_LEN if nth % 3 and len(frame) > HEADERS_LEN else 14
        for _ in range(rng.randrange(4)):
            if len(frame) > low:
                rng.choice(MUTATIONS)(rng, frame, low)
        if nth % 3:
            fit_lengths(frame)
        time += rng.choice((0, 1, 5, 100))
        yield time, bytes(frame[:MAX_LEN])
