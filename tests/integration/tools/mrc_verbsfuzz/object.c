// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The objects of this process.
 */
#include <string.h>

#include "fuzz.h"

/**
 * object_room - whether an object more can be noted
 * @f: run
 * @kind: of the object
 *
 * Return: true if so.
 */
bool object_room(const struct fuzz *f, enum kind kind)
{
	return f->n[kind] < OBJECTS;
}

/**
 * object_made - an object was made
 * @f: run
 * @kind: of the object
 * @handle: of the RDMA core
 * @number: QPN, or local key
 */
void object_made(struct fuzz *f, enum kind kind, uint32_t handle, uint32_t number)
{
	if (object_room(f, kind))
		f->object[kind][f->n[kind]++] = (struct object){
			.handle = handle,
			.number = number,
		};
}

/**
 * object_ended - an object was destroyed
 * @f: run
 * @kind: of the object
 * @handle: of the RDMA core
 */
void object_ended(struct fuzz *f, enum kind kind, uint32_t handle)
{
	int i;

	for (i = 0; i < f->n[kind]; i++)
		if (f->object[kind][i].handle == handle)
			f->object[kind][i] = f->object[kind][--f->n[kind]];
}
