/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interface of the exporter of DMA buffers: an ioctl() of /dev/mrc_exporter returns
 * the file descriptor of a new buffer.
 */
#ifndef MRC_TESTS_EXPORTER_H
#define MRC_TESTS_EXPORTER_H

#include <linux/ioctl.h>

/* Size of a buffer in bytes, and their initial value. */
#define EXPORTER_LEN	32768
#define EXPORTER_FILL	'x'

/* Memory that the CPU can access. */
#define EXPORTER_MEMORY		_IO('M', 0)
/* Memory that the process must not write. */
#define EXPORTER_READ_ONLY	_IO('M', 1)
/* Memory that the exporter does not map for importers. */
#define EXPORTER_UNMAPPED	_IO('M', 2)
/* Device memory, which needs special instructions. */
#define EXPORTER_DEVICE		_IO('M', 3)
/* Memory that moves, and is mapped only while an importer has pinned it. */
#define EXPORTER_MOVABLE	_IO('M', 4)
/* Memory that moves, and cannot be pinned (ENOSPC). */
#define EXPORTER_UNPINNABLE	_IO('M', 5)

#endif /* MRC_TESTS_EXPORTER_H */
