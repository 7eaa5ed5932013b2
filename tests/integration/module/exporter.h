/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a process asks of the exporter of DMA buffers: ioctl() of
 * /dev/mrc_exporter returns one.
 */
#ifndef MRC_TESTS_EXPORTER_H
#define MRC_TESTS_EXPORTER_H

#include <linux/ioctl.h>

/* Bytes of every buffer, and what they hold at first. */
#define EXPORTER_LEN	32768
#define EXPORTER_FILL	'x'

/* Memory that the CPU reaches .. */
#define EXPORTER_MEMORY		_IO('M', 0)
/* .. of which the process may not write .. */
#define EXPORTER_READ_ONLY	_IO('M', 1)
/* .. that the exporter does not map for others .. */
#define EXPORTER_UNMAPPED	_IO('M', 2)
/* .. that needs instructions of its own. */
#define EXPORTER_DEVICE		_IO('M', 3)

#endif /* MRC_TESTS_EXPORTER_H */
