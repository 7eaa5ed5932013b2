#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Files generated from the netlink specification are as the generators write
# them.

scripts/netlink-gen.sh --check
