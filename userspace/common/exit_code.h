/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How the programs end, and what their functions return.
 */
#ifndef MRC_EXIT_CODE_H
#define MRC_EXIT_CODE_H

/**
 * enum exit_code - how a program ends
 * @EXIT_OK: done
 * @EXIT_USAGE: an argument is wrong; no request was sent
 * @EXIT_NO_ANSWER: no probe was answered; as of ping(8)
 * @EXIT_KERNEL: the kernel refused the request, or could not be reached
 */
enum exit_code {
	EXIT_OK = 0,
	EXIT_USAGE = 1,
	EXIT_NO_ANSWER = 1,
	EXIT_KERNEL = 2,
};

#endif /* MRC_EXIT_CODE_H */
