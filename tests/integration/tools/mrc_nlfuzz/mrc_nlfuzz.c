// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Netlink requests made from the specification: valid ones, so that objects exist and
 * depend on each other, and damaged ones. Dumps are interrupted, abandoned and begun
 * twice. A seed determines all of it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "request.h"
#include "spec.h"
#include "talk.h"

#define FAMILY		"mrc"
#define OPS_MAX		64
/* How seldom a request is damaged, is no known command, or is cut off. */
#define DAMAGED_ONE_IN	3
#define UNKNOWN_ONE_IN	200
#define CUT_ONE_IN	60

/**
 * struct fuzz - a run
 * @rng: decides
 * @subject: what the requests are about
 * @talk: requests for one object
 * @dump: dumps
 * @op: commands of the batch
 * @done: requests that were carried out, by command
 * @refused: requests that were refused, by command
 * @wordless: refusals without a text
 * @dumps: dumps that were read to their end
 * @left: dumps that were not
 * @dev_del: the command that deletes devices
 * @gone: a request has deleted the device
 * @verbose: print each refusal
 */
struct fuzz {
	struct rng rng;
	struct subject subject;
	struct talk talk;
	struct talk dump;
	int op[TALK_BATCH];
	uint64_t done[OPS_MAX];
	uint64_t refused[OPS_MAX];
	uint64_t wordless;
	uint64_t dumps;
	uint64_t left;
	int dev_del;
	bool gone;
	bool verbose;
};

static int failed(const char *what)
{
	fprintf(stderr, "mrc_nlfuzz: %s: %s\n", what, strerror(errno));
	return -1;
}

/* Fill a message of a command with attributes. */
static void fill(struct fuzz *f, struct nlmsghdr *nlh, const struct spec_op *op,
		 const struct spec_list *list)
{
	static struct tree tree;

	request_make(&tree, &f->rng, &f->subject, op, list);
	if (rng_one_in(&f->rng, DAMAGED_ONE_IN))
		tree_damage(&tree, &f->rng);
	tree_put(&tree, nlh, TALK_ROOM);
	if (rng_one_in(&f->rng, CUT_ONE_IN))
		nlh->nlmsg_len = MNL_NLMSG_HDRLEN + 4 +
			rng_below(&f->rng, nlh->nlmsg_len - MNL_NLMSG_HDRLEN - 3);
}

static int some_op(struct fuzz *f, bool dump)
{
	int i;

	/* More is made than deleted. */
	do
		i = rng_below(&f->rng, spec_n_ops);
	while ((dump ? !spec_ops[i].dump.n : !spec_ops[i].doit.n) ||
	       ((strstr(spec_ops[i].name, "-del") ||
		 strstr(spec_ops[i].name, "-flush")) && !rng_one_in(&f->rng, 8)));
	return i;
}

/* What a command that was drawn at random is; @i if there is none of that number. */
static int op_of(uint8_t cmd, int i)
{
	int k;

	for (k = 0; k < spec_n_ops; k++)
		if (spec_ops[k].cmd == cmd)
			return k;
	return i;
}

static void add_request(struct fuzz *f)
{
	int i = some_op(f, false), at = f->talk.n;
	uint8_t cmd = spec_ops[i].cmd;
	struct nlmsghdr *nlh;

	if (rng_one_in(&f->rng, UNKNOWN_ONE_IN))
		cmd = rng_next(&f->rng);
	nlh = talk_add(&f->talk, cmd, NLM_F_ACK);
	fill(f, nlh, &spec_ops[i], &spec_ops[i].doit);
	f->op[at] = op_of(cmd, i);
	talk_added(&f->talk, nlh);
}

/* Every refusal has a text, except that of an unknown command. */
static void count(struct fuzz *f, int op, const struct verdict *v)
{
	if (!v->error) {
		f->done[op]++;
		return;
	}
	f->refused[op]++;
	if (f->verbose)
		printf("%s: %s: %s\n", spec_ops[op].name, strerror(v->error), v->words);
	if (v->words[0] || v->error == EOPNOTSUPP)
		return;
	if (!f->wordless++)
		fprintf(stderr, "%s refused without a text: %s\n", spec_ops[op].name,
			strerror(v->error));
}

/* A command drawn at random may delete the device itself; the others are about it. */
static int look_for_device(struct fuzz *f, uint64_t deleted)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", f->subject.dev);
	if (!access(path, F_OK))
		return 0;
	if (f->done[f->dev_del] == deleted) {
		fprintf(stderr, "%s is gone, no request has deleted it\n",
			f->subject.dev);
		return -1;
	}
	f->gone = true;
	return 0;
}

/* Send requests and read the verdict on each. */
static int run_batch(struct fuzz *f, int n)
{
	uint64_t deleted = f->done[f->dev_del];
	int i;

	f->talk.n = 0;
	while (f->talk.n < n)
		add_request(f);
	if (talk_send(&f->talk) || talk_read(&f->talk, 0) < 0)
		return failed("requests");
	for (i = 0; i < n; i++) {
		if (!f->talk.got[i]) {
			fprintf(stderr, "%s without a verdict\n",
				spec_ops[f->op[i]].name);
			return -1;
		}
		count(f, f->op[i], &f->talk.verdict[i]);
	}
	f->talk.seq += n;
	return look_for_device(f, deleted);
}

static int begin_dump(struct fuzz *f, int i)
{
	struct nlmsghdr *nlh;

	f->dump.n = 0;
	nlh = talk_add(&f->dump, spec_ops[i].cmd, NLM_F_DUMP);
	fill(f, nlh, &spec_ops[i], &spec_ops[i].dump);
	talk_added(&f->dump, nlh);
	return talk_send(&f->dump) ? failed("dump") : 0;
}

static int abandon_dump(struct fuzz *f)
{
	f->left++;
	talk_close(&f->dump);
	return talk_open(&f->dump, FAMILY) ? failed("socket") : 0;
}

static int end_dump(struct fuzz *f, int i)
{
	if (talk_read(&f->dump, 0) < 0)
		return failed("dump");
	f->dumps++;
	if (f->dump.got[0])
		count(f, i, &f->dump.verdict[0]);
	f->dump.seq++;
	return 0;
}

/* Read a dump to its end, or a part of it while objects change, or none of it. */
static int run_dump(struct fuzz *f)
{
	int i = some_op(f, true), ended;

	if (begin_dump(f, i))
		return -1;
	if (rng_one_in(&f->rng, 2))
		return end_dump(f, i);
	ended = talk_read(&f->dump, 1 + rng_below(&f->rng, 2));
	if (ended < 0)
		return failed("dump");
	if (rng_one_in(&f->rng, 4) && run_batch(f, TALK_BATCH))
		return -1;
	/* Another one, which the socket may refuse while this one lasts. */
	if (!ended && rng_one_in(&f->rng, 4) && begin_dump(f, i))
		return -1;
	if (!ended && rng_one_in(&f->rng, 2))
		return abandon_dump(f);
	if (!ended)
		return end_dump(f, i);
	count(f, i, &f->dump.verdict[0]);
	f->dumps++;
	f->dump.seq++;
	return 0;
}

static int run(struct fuzz *f, uint64_t n)
{
	uint64_t begun = 0;

	while (begun < n && !f->gone) {
		if (run_batch(f, TALK_BATCH) ||
		    (rng_one_in(&f->rng, 2) && run_dump(f)))
			return -1;
		begun += TALK_BATCH;
	}
	return 0;
}

static void report(const struct fuzz *f, double seconds)
{
	uint64_t done = 0, refused = 0;
	int i;

	for (i = 0; i < spec_n_ops; i++) {
		printf("%-16s %10llu done %10llu refused\n", spec_ops[i].name,
		       (unsigned long long)f->done[i],
		       (unsigned long long)f->refused[i]);
		done += f->done[i];
		refused += f->refused[i];
	}
	printf("%llu done, %llu refused, %llu without a text, ",
	       (unsigned long long)done, (unsigned long long)refused,
	       (unsigned long long)f->wordless);
	printf("%llu dumps read, %llu left; %.0f messages/s\n",
	       (unsigned long long)f->dumps, (unsigned long long)f->left,
	       (done + refused) / seconds);
	if (f->gone)
		printf("a request has deleted %s\n", f->subject.dev);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int add_ifindex(struct subject *s, const char *name)
{
	if (s->n_ifindex == MNL_ARRAY_SIZE(s->ifindex))
		return -1;
	s->ifindex[s->n_ifindex] = if_nametoindex(name);
	return s->ifindex[s->n_ifindex++] ? 0 : -1;
}

static int add_qpn(struct subject *s, const char *word)
{
	if (s->n_qpn == MNL_ARRAY_SIZE(s->qpn))
		return -1;
	s->qpn[s->n_qpn++] = strtoul(word, NULL, 0);
	return 0;
}

static const char usage[] =
"Usage: mrc_nlfuzz -d DEVICE -p PEER [-i IFNAME]... [-q QPN]... [-n N] [-s SEED]\n"
"Send N netlink requests about a device: valid and damaged ones.\n"
"  -d NAME    device\n"
"  -p ADDR    address of a peer that is in use\n"
"  -i NAME    net_device for devices that are made and deleted\n"
"  -q QPN     queue pair that is in use\n"
"  -n N       requests (default 10000)\n"
"  -s SEED    determines all requests (default 1)\n"
"  -v         print each refusal\n";

int main(int argc, char **argv)
{
	static struct fuzz f;
	uint64_t n = 10000, seed = 1;
	double begin;
	int c;

	while ((c = getopt(argc, argv, "d:p:i:q:n:s:vh")) != -1) {
		if (c == 'd')
			f.subject.dev = optarg;
		else if (c == 'v')
			f.verbose = true;
		else if (c == 'n')
			n = strtoull(optarg, NULL, 0);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if ((c != 'p' || inet_pton(AF_INET6, optarg, &f.subject.peer) != 1) &&
			 (c != 'i' || add_ifindex(&f.subject, optarg)) &&
			 (c != 'q' || add_qpn(&f.subject, optarg)))
			return fputs(usage, stderr), 2;
	}
	if (!f.subject.dev)
		return fputs(usage, stderr), 2;
	while (strcmp(spec_ops[f.dev_del].name, "dev-del"))
		f.dev_del++;
	rng_seed(&f.rng, seed);
	if (talk_open(&f.talk, FAMILY) || talk_open(&f.dump, FAMILY))
		return failed("socket") ? 2 : 0;
	begin = now();
	if (run(&f, n))
		return 1;
	report(&f, now() - begin);
	return f.wordless != 0;
}
