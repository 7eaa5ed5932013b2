// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Processes that are killed at any point of their work.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torture.h"

#define CHILDREN	3
#define LIFE_MAX_US	60000
#define ACTIONS		1000000u
/* A process whose work ends before it is killed. */
#define EXIT_WRONG	3

static pid_t start(const struct torture *t, uint64_t seed)
{
	struct torture own = *t;
	pid_t pid;

	fflush(stderr);
	pid = fork();
	if (pid)
		return pid;
	own.seed = seed;
	own.actions = ACTIONS;
	rnd_seed(&own.rnd, seed);
	if (rnd_one_in(&own.rnd, 3))
		_exit(traffic_run(&own) ? EXIT_WRONG : 0);
	_exit(objects_run(&own) ? EXIT_WRONG : 0);
}

static int end(pid_t pid)
{
	int status;

	act("kill %d", pid);
	count(COUNT_KILL, !kill(pid, SIGKILL));
	if (waitpid(pid, &status, 0) != pid)
		return wrong("no process %d", pid);
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		return wrong("process %d ended by signal %d", pid,
			     WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_WRONG)
		return wrong("process %d failed", pid);
	return 0;
}

/**
 * kill_run - worker: processes are killed at any point of their work
 * @t: each action is a process
 *
 * Return: 0, or -1 after a message.
 */
int kill_run(struct torture *t)
{
	pid_t pids[CHILDREN] = {};
	uint32_t i;
	int ret = 0, k;

	for (i = 0; i < t->actions && !ret; i++) {
		k = rnd_below(&t->rnd, CHILDREN);
		if (pids[k])
			ret = end(pids[k]);
		pids[k] = start(t, t->seed + i);
		if (pids[k] < 0)
			return wrong("no process");
		usleep(rnd_below(&t->rnd, LIFE_MAX_US));
	}
	for (k = 0; k < CHILDREN; k++)
		if (pids[k] && end(pids[k]))
			ret = -1;
	return ret;
}
