#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Make DIR a tree of links to the module's sources, so that Kbuild, which
# writes its products next to what it compiles, leaves the sources alone.
#
#   link-tree.sh DIR
#
# Make compares the times of the link targets: rebuilds stay incremental.
set -euo pipefail

dir=${1:?usage: link-tree.sh DIR}
root=$(cd "$(dirname "$0")/.." && pwd)

mkdir -p "$dir"
find "$dir" -xtype l -delete
cp -rsf "$root/Kbuild" "$root/VERSION" "$root/kernel" "$root/uapi" "$dir/"
