// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The objects of this process.
 */
#include "fuzz.h"

/**
 * object_room - whether an object more can be noted
 * @f: run
 * @k: of the object
 *
 * Return: true if so.
 */
bool object_room(const struct fuzz *f, enum kind k)
{
	return f->n[k] < OBJECTS;
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
