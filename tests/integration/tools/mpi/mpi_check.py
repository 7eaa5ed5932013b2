#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""An MPI program that compares received data with the expected data.

Point to point between all pairs, all-reduce and all-to-all, with messages from one
element to some hundreds of kilobytes: eager, rendezvous and sizes in between.
"""

import array
import sys

from mpi4py import MPI

LENGTHS = (1, 7, 512, 1025, 8192, 60001)

world = MPI.COMM_WORLD
rank = world.Get_rank()
size = world.Get_size()


def filled(length, seed):
    """Array of whole numbers, whose sums are exact."""
    return array.array("d", ((seed * 7919 + i) % 65521 for i in range(length)))


def expect(what, got, wanted):
    """Abort the job if @got is not @wanted."""
    if got == wanted:
        return
    wrong = next(i for i in range(len(wanted)) if got[i] != wanted[i])
    print(f"rank {rank}: {what}: element {wrong} is {got[wrong]}, "
          f"not {wanted[wrong]}", file=sys.stderr)
    world.Abort(1)


def point_to_point(length):
    """Each rank sends to each other rank at the same time; all messages differ."""
    got = {peer: array.array("d", bytes(8 * length)) for peer in range(size)}
    sent = {peer: filled(length, rank * size + peer) for peer in range(size)}
    peers = [peer for peer in range(size) if peer != rank]
    requests = [world.Irecv(got[peer], source=peer) for peer in peers]
    requests += [world.Isend(sent[peer], dest=peer) for peer in peers]
    MPI.Request.Waitall(requests)
    for peer in peers:
        expect(f"from {peer}, {length} elements", got[peer],
               filled(length, peer * size + rank))


def all_reduce(length):
    """All-reduce with a sum that each rank can compute itself."""
    got = array.array("d", bytes(8 * length))
    world.Allreduce(filled(length, rank), got)
    parts = [filled(length, peer) for peer in range(size)]
    expect(f"sum of {length} elements", got,
           array.array("d", map(sum, zip(*parts))))


def all_to_all(length):
    """All-to-all: piece i of each rank is sent to rank i."""
    got = array.array("d", bytes(8 * length * size))
    pieces = [filled(length, rank * size + peer) for peer in range(size)]
    world.Alltoall(array.array("d", (x for p in pieces for x in p)), got)
    wanted = [filled(length, peer * size + rank) for peer in range(size)]
    expect(f"pieces of {length} elements", got,
           array.array("d", (x for p in wanted for x in p)))


for n in LENGTHS:
    point_to_point(n)
    all_reduce(n)
    all_to_all(n)
world.Barrier()
if rank == 0:
    print(f"{size} ranks, up to {LENGTHS[-1]} elements: all data as expected")
