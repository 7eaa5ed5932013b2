# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Library of the lint steps (scripts/lint.sh), which run from the top of the
# tree:
#
#	. scripts/lint-lib.sh
set -uo pipefail

root=$PWD
# Where steps leave products and logs.
build=$root/build/lint
mkdir -p "$build"

# files PATHSPEC...: files of the tree that git does not ignore.
files()
{
	git ls-files --cached --others --exclude-standard -- "$@" |
		while read -r file; do
			[ ! -f "$file" ] || echo "$file"
		done
}

# programs REGEX: files whose first line names an interpreter that matches.
programs()
{
	files . | while read -r file; do
		head -n 1 "$file" | grep -aqE "^#!.*($1)" && echo "$file"
	done
}

# silent COMMAND [ARG...]: succeeds when COMMAND prints nothing, whatever its
# status.
silent()
{
	local output

	output=$("$@" 2>&1)
	if [ "$output" ]; then
		printf '%s\n' "$output"
		return 1
	fi
}

# Path of an unpacked kernel tree, for checkpatch and kernel-doc.
linux_source()
{
	"$root/scripts/linux-source.sh" 6.12
}

# Drop the findings (standard input) that checkpatch-exceptions lists, each with
# its reason.
without_exceptions()
{
	local file type reason expressions=()

	while read -r file type reason; do
		case $file in
		''|'#'*)	continue ;;
		esac
		[ "$reason" ] || echo "checkpatch-exceptions: no reason for $file"
		expressions+=(-e "^$file:[0-9]+:.*:$type:")
	done < scripts/checkpatch-exceptions
	grep -vE "${expressions[@]:-^$}"
}

# checkpatch TYPES FILE...: findings of checkpatch, but for types TYPES. It
# runs in the kernel tree $linux (linux_source), where its word lists are.
checkpatch()
{
	local ignore=$1

	shift
	[ $# -gt 0 ] || return 0
	(cd "${linux:?}" && ./scripts/checkpatch.pl --strict --terse \
		--show-types --no-summary --ignore "$ignore" \
		-f "${@/#/$root/}" 2>&1) |
		sed "s,^$root/,," | without_exceptions
}
