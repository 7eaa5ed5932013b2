/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Programs that consist of groups of tests between two devices; the command line
 * selects groups.
 */
#ifndef MRC_TEST_GROUPS_H
#define MRC_TEST_GROUPS_H

/**
 * struct group - tests that belong together
 * @name: on the command line; NULL ends a list
 * @run: runs them; both devices are open
 */
struct group {
	const char *name;
	void (*run)(void);
};

int groups_main(int argc, char **argv, const char *prog, const char *about,
		const struct group *groups);

#endif /* MRC_TEST_GROUPS_H */
