#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Generate what follows from the netlink specification, with the generators of
# the kernel (tools/net/ynl).
#
#   netlink-gen.sh              write the files
#   netlink-gen.sh --check      write nothing; print the differences between the
#                               files and what would be written, and fail if
#                               there are any
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
linux=$("$root/scripts/linux-source.sh" 6.12)
ynl=$linux/tools/net/ynl
spec=Documentation/netlink/specs/mrc.yaml

# The generators find the schema by the path of the specification, and the path
# in their output by a file MAINTAINERS. Bytecode stays out of the kernel tree.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/$(dirname "$spec")" "$stage/kernel/control" \
	"$stage/uapi/linux"
touch "$stage/MAINTAINERS"
cp "$linux"/Documentation/netlink/*.yaml "$stage/Documentation/netlink/"
cp "$root/$spec" "$stage/$spec"
export PYTHONDONTWRITEBYTECODE=1

# generate MODE --header|--source FILE
generate()
{
	/usr/bin/python3 "$ynl/ynl-gen-c.py" --spec "$stage/$spec" \
		--mode "$1" "$2" -o "$stage/$3"
}

generate uapi --header uapi/linux/mrc.h
generate kernel --header kernel/control/netlink_gen.h
generate kernel --source kernel/control/netlink_gen.c
/usr/bin/python3 "$ynl/ynl-gen-rst.py" -i "$stage/$spec" \
	-o "$stage/Documentation/netlink/mrc.rst"

status=0
for file in uapi/linux/mrc.h kernel/control/netlink_gen.{h,c} \
	    Documentation/netlink/mrc.rst; do
	if [ "${1:-}" = --check ]; then
		diff -u "$root/$file" "$stage/$file" || status=1
	else
		cmp -s "$stage/$file" "$root/$file" ||
			cp "$stage/$file" "$root/$file"
	fi
done
exit "$status"
