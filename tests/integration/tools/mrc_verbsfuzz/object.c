// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The objects of this process.
 */
#include "fuzz.h"

static bool object_room(const struct fuzz *f, enum kind k)
{
	return f->n[k] < OBJECTS;
}

/**
 * object_suits - whether a command is wanted for what it does with objects
 * @f: run
 * @makes: kind of object that it makes, or KIND_NONE
 * @ends: kind of object that it destroys, or KIND_NONE
 *
 * More is made than destroyed, and no more than there is room for.
 *
 * Return: true if so.
 */
bool object_suits(struct fuzz *f, enum kind makes, enum kind ends)
{
	if (ends && !rng_one_in(&f->rng, ENDS_ONE_IN))
		return false;
	return !makes || object_room(f, makes);
}

/**
 * object_made - an object was made
 * @f: run
 * @k: of the object
 * @handle: of the RDMA core
 * @number: QPN, or local key
 */
void object_made(struct fuzz *f, enum kind k, uint32_t handle, uint32_t number)
{
	if (object_room(f, k))
		f->object[k][f->n[k]++] = (struct object){
			.handle = handle,
			.number = number,
		};
}

/**
 * object_ended - an object was destroyed
 * @f: run
 * @k: of the object
 * @handle: of the RDMA core
 */
void object_ended(struct fuzz *f, enum kind k, uint32_t handle)
{
	int i;

	for (i = 0; i < f->n[k]; i++)
		if (f->object[k][i].handle == handle)
			f->object[k][i] = f->object[k][--f->n[k]];
}
