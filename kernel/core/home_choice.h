/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which of two processors suits better as home of a connection?
 */
#ifndef MRC_CORE_HOME_CHOICE_H
#define MRC_CORE_HOME_CHOICE_H

#include <linux/types.h>

/**
 * struct mrc_home_state - what is known of a processor
 * @load: percent of its time that it spends for connections
 * @conns: connections whose home it is
 * @polled: a thread polls on it
 */
struct mrc_home_state {
	u32 load;
	u32 conns;
	bool polled;
};

bool mrc_home_is_better(const struct mrc_home_state *a,
			const struct mrc_home_state *b);
bool mrc_home_gains(const struct mrc_home_state *from,
		    const struct mrc_home_state *to, u32 work);

#endif /* MRC_CORE_HOME_CHOICE_H */
