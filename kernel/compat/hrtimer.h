/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * hrtimer_setup() for kernels in which initialisation and function are set apart.
 */
#ifndef MRC_COMPAT_HRTIMER_H
#define MRC_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

#ifndef MRC_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif /* MRC_COMPAT_HRTIMER_H */
