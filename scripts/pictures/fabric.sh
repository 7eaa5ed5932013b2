#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest, in virtual time: "mrcd validate" on a fabric of three T0s with a link that
# loses one packet in five in one direction. For scripts/pictures.sh.
#
#   fabric.sh          leaves mrcd-fabric.svg in $VM_OUT
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
# shellcheck source=tests/lab/hosts.sh
. "$here/../../tests/lab/hosts.sh"
# shellcheck source=tests/integration/lib/mrcctl.sh
. "$root/tests/integration/lib/mrcctl.sh"
# shellcheck source=tests/integration/lib/mrcd.sh
. "$root/tests/integration/lib/mrcd.sh"

mrcd_fabric && topology && devices || exit
impair t0-0-0 t1-0-2 loss 20% || exit
on h0 mrcd validate topology "$topo" rate 400 seconds 12 \
	picture "$VM_OUT/mrcd-fabric.svg"
# 1: it has found something.
[ $? -eq 1 ]
