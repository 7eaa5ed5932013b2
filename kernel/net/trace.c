// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The tracepoints of the module, see net/trace.h.
 */
#define CREATE_TRACE_POINTS
#include "net/trace.h"
