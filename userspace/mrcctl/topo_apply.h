/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * From what a device has to what its host needs.
 */
#ifndef MRCCTL_TOPO_APPLY_H
#define MRCCTL_TOPO_APPLY_H

#include "topo_have.h"
#include "topo_want.h"

int topo_check_foreign(const struct topo_have *have,
		       const struct topo_want *want);
int topo_apply(struct nl *nl, const struct topo_have *have,
	       const struct topo_want *want, bool dry_run);

#endif /* MRCCTL_TOPO_APPLY_H */
