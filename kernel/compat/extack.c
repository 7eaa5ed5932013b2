// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Texts for NL_SET_ERR_MSG_FMT() in kernels that lack it.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "compat/extack.h"

#ifdef MRC_EXTACK_BUF

/* As in kernels that have the macro. */
#define MRC_EXTACK_LEN 80

/**
 * struct mrc_extack_text - a text that has been formatted
 * @work: frees it when the task returns to user space
 * @text: the text
 */
struct mrc_extack_text {
	struct callback_head work;
	char text[MRC_EXTACK_LEN];
};

static void mrc_extack_free(struct callback_head *work)
{
	kfree(container_of(work, struct mrc_extack_text, work));
	module_put(THIS_MODULE);
}

/**
 * mrc_extack_printf() - format a text for an extack
 * @fmt: as printf
 *
 * The text belongs to the calling task alone: others, of other tenants perhaps,
 * can neither read nor replace it.  It is freed when the task returns to user
 * space, after the netlink message that contains it has been sent.
 *
 * Context: process.
 * Return: the text, or a constant one if there is no memory.
 */
const char *mrc_extack_printf(const char *fmt, ...)
{
	struct mrc_extack_text *t = kmalloc(sizeof(*t), GFP_KERNEL);
	va_list args;

	if (!t)
		return "refused, and no memory for the reason";
	va_start(args, fmt);
	vsnprintf(t->text, sizeof(t->text), fmt, args);
	va_end(args);
	init_task_work(&t->work, mrc_extack_free);
	__module_get(THIS_MODULE);
	if (!task_work_add(current, &t->work, TWA_RESUME))
		return t->text;
	/* The task is exiting and reads no text. */
	mrc_extack_free(&t->work);
	return "refused";
}

#endif
