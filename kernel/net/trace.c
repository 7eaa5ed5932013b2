// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Definitions of the tracepoints that net/trace.h declares.
 */
#define CREATE_TRACE_POINTS
#include "net/trace.h"
