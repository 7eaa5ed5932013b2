// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A rank of a job of Gloo over verbs that compares what it receives with what is
 * expected: all-reduce (ring, ring in chunks, halving and doubling), all-gather and
 * broadcast, with vectors from one element to some hundreds of kilobytes.
 *
 *   gloo_check DEVICE GID_INDEX RANK SIZE DIRECTORY
 *
 * The ranks find each other by files in DIRECTORY, which is empty at first.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gloo/allgather_ring.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/barrier_all_to_all.h>
#include <gloo/broadcast_one_to_all.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/ibverbs/device.h>

namespace {

using Context = std::shared_ptr<gloo::Context>;
using Vector = std::vector<int64_t>;

const size_t lengths[] = { 1, 7, 512, 1025, 8192, 60001 };

/* Whole numbers, which differ between ranks, lengths and places. */
int64_t element(int rank, size_t length, size_t i)
{
	return (rank + 1) * int64_t(7919) + int64_t(length * 31 + i) % 65521;
}

/* In place: algorithms know the address. */
void fill(Vector &v, int rank)
{
	for (size_t i = 0; i < v.size(); i++)
		v[i] = element(rank, v.size(), i);
}

Vector filled(int rank, size_t length)
{
	Vector v(length);

	fill(v, rank);
	return v;
}

void expect(const char *what, const Vector &got, const Vector &wanted)
{
	for (size_t i = 0; i < wanted.size(); i++) {
		if (got[i] == wanted[i])
			continue;
		throw std::runtime_error(std::string(what) + " of " +
					 std::to_string(wanted.size()) + ": element " +
					 std::to_string(i) + " is " +
					 std::to_string(got[i]) + ", not " +
					 std::to_string(wanted[i]));
	}
}

/*
 * Algorithms stay until the program ends: Gloo does not let go of a buffer before the
 * completion of its last message, for which nobody waits. So do vectors.
 */
template <typename Algorithm, typename... Args>
void run(Args... args)
{
	(new Algorithm(args...))->run();
}

Vector &kept(const Vector &v)
{
	return *new Vector(v);
}

/*
 * Twice with the same buffers: what the first run has left must not matter. Before they
 * are filled again all ranks must have ended it: until then, what was sent from them may
 * have to be sent again.
 */
template <typename Algorithm>
void all_reduce(const char *what, const Context &context, size_t length)
{
	Vector &v = kept(Vector(length)), sum(length);
	Algorithm &algorithm = *new Algorithm(context, { v.data() }, length);

	for (int rank = 0; rank < context->size; rank++)
		for (size_t i = 0; i < length; i++)
			sum[i] += element(rank, length, i);
	for (int round = 0; round < 2; round++) {
		fill(v, context->rank);
		algorithm.run();
		expect(what, v, sum);
		run<gloo::BarrierAllToAll>(context);
	}
}

void all_gather(const Context &context, size_t length)
{
	Vector &mine = kept(filled(context->rank, length));
	Vector &all = kept(Vector(length * context->size)), wanted;

	for (int rank = 0; rank < context->size; rank++) {
		Vector v = filled(rank, length);

		wanted.insert(wanted.end(), v.begin(), v.end());
	}
	run<gloo::AllgatherRing<int64_t>>(context, std::vector<const int64_t *>{ mine.data() },
					  all.data(), length);
	expect("all-gather", all, wanted);
}

void broadcast(const Context &context, size_t length)
{
	for (int root = 0; root < context->size; root++) {
		Vector &v = kept(filled(context->rank, length));

		run<gloo::BroadcastOneToAll<int64_t>>(context,
						      std::vector<int64_t *>{ v.data() },
						      length, root);
		expect("broadcast", v, filled(root, length));
	}
}

void check_all(const Context &context)
{
	for (size_t length : lengths) {
		all_reduce<gloo::AllreduceRing<int64_t>>("all-reduce in a ring", context,
							 length);
		all_reduce<gloo::AllreduceRingChunked<int64_t>>("all-reduce in chunks",
								context, length);
		all_reduce<gloo::AllreduceHalvingDoubling<int64_t>>("all-reduce by halves",
								    context, length);
		all_gather(context, length);
		broadcast(context, length);
	}
	run<gloo::BarrierAllToAll>(context);
}

/*
 * A queue pair does not send again when its process has ended: nobody leaves before all
 * have what was sent to them.
 */
void leave(gloo::rendezvous::Store &store, int rank, int size)
{
	std::vector<std::string> keys;

	for (int r = 0; r < size; r++)
		keys.push_back("done-" + std::to_string(r));
	store.set(keys[rank], { 1 });
	store.wait(keys);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 6) {
		fputs("Usage: gloo_check DEVICE GID_INDEX RANK SIZE DIRECTORY\n", stderr);
		return 2;
	}
	int rank = atoi(argv[3]), size = atoi(argv[4]);

	try {
		auto device = gloo::transport::ibverbs::CreateDevice(
			{ argv[1], 1, atoi(argv[2]) });
		gloo::rendezvous::FileStore store(argv[5]);
		auto context = std::make_shared<gloo::rendezvous::Context>(rank, size);

		context->connectFullMesh(store, device);
		check_all(context);
		leave(store, rank, size);
	} catch (const std::exception &e) {
		fprintf(stderr, "rank %d: %s\n", rank, e.what());
		return 1;
	}
	printf("rank %d of %d: all data as expected\n", rank, size);
	fflush(stdout);
	/* Gloo's thread still uses what destructors would free. */
	_Exit(0);
}
