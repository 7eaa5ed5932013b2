/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The network as a picture, with what is broken in red.
 */
#ifndef MRCD_PICTURE_H
#define MRCD_PICTURE_H

#include "localise.h"

bool picture_write(const char *file, const struct evidence *e,
		   const struct finding *finding, int findings);

#endif /* MRCD_PICTURE_H */
