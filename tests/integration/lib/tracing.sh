# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Where the kernel's tracing is, for tests that use it.

# shellcheck disable=SC2034
tracing=/sys/kernel/tracing

mount_tracing()
{
	[ -e "$tracing/trace" ] || mount -t tracefs tracefs "$tracing"
}
