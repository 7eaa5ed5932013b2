// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Replay of the fuzzers' corpus: inputs that together reach all code that the fuzzers
 * have reached, and inputs that failed once.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include <kunit/test.h>

int fuzz_packet(const u8 *data, size_t size);
int fuzz_path(const u8 *data, size_t size);
int fuzz_requester(const u8 *data, size_t size);
int fuzz_responder(const u8 *data, size_t size);

struct fuzzer {
	const char *name;
	int (*run)(const u8 *data, size_t size);
};

static const struct fuzzer fuzzers[] = {
	{ "packet", fuzz_packet },
	{ "path", fuzz_path },
	{ "requester", fuzz_requester },
	{ "responder", fuzz_responder },
};

KUNIT_ARRAY_PARAM_DESC(fuzzer, fuzzers, name);

/* A failed check of a fuzzer aborts the process. */
static void replay(struct kunit *test, const struct fuzzer *f, const char *path)
{
	FILE *file = fopen(path, "rb");
	u8 *data;
	long len;

	KUNIT_ASSERT_NOT_NULL(test, file);
	fseek(file, 0, SEEK_END);
	len = ftell(file);
	rewind(file);
	data = malloc(len);
	KUNIT_EXPECT_EQ(test, fread(data, 1, len, file), len);
	fclose(file);
	/* @data has exactly the input's size, so that ASan detects reads beyond. */
	f->run(data, len);
	free(data);
}

static void corpus_replay(struct kunit *test)
{
	const struct fuzzer *f = test->param_value;
	char path[4096];
	struct dirent *e;
	u32 n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), MRC_SEEDS "/fuzz_%s", f->name);
	dir = opendir(path);
	KUNIT_ASSERT_NOT_NULL(test, dir);
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), MRC_SEEDS "/fuzz_%s/%s", f->name,
			 e->d_name);
		replay(test, f, path);
		n++;
	}
	closedir(dir);
	KUNIT_EXPECT_GT(test, n, 0);
}

static struct kunit_case corpus_cases[] = {
	KUNIT_CASE_PARAM(corpus_replay, fuzzer_gen_params),
	{}
};

static struct kunit_suite corpus_suite = {
	.name = "corpus",
	.test_cases = corpus_cases,
};

kunit_test_suite(corpus_suite);
