#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Static checks over all tracked files; any finding is a failure.
#
#   lint.sh [STEP...]      steps: those named step_* below
#
# The last line is "N passed, N failed, N skipped".
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
build=$root/build/lint
linux=$("$root/tests/linux-source.sh" 6.12) || exit 1
passed=0
failed=0

# Habits of the kernel that do not hold in user space.
user_ignore=PREFER_KERNEL_TYPES,USE_NEGATIVE_ERRNO,PREFER_FALLTHROUGH
user_ignore+=,PREFER_DEFINED_ATTRIBUTE_MACRO,NEW_TYPEDEFS,MACRO_ARG_REUSE
user_ignore+=,MACRO_ARG_PRECEDENCE,PREFER_SCNPRINTF,STRLCPY,STRCPY
user_ignore+=,CAMELCASE,PREFER_ALLOC,ENOSYS,NAKED_SSCANF,VOLATILE
user_ignore+=,PRINTK_WITHOUT_KERN_LEVEL,SPLIT_STRING,BIT_MACRO
user_ignore+=,CONST_STRUCT,AVOID_EXTERNS

files()
{
	git ls-files --cached --others --exclude-standard -- "$@" |
		while read -r file; do
			[ ! -f "$file" ] || echo "$file"
		done
}

# Files whose first line names interpreter $1 (a regular expression).
scripts()
{
	files . | while read -r file; do
		head -n 1 "$file" | grep -aqE "^#!.*($1)" && echo "$file"
	done
}

# Run a command; succeed when it prints nothing, whatever its status.
silent()
{
	local output

	output=$("$@" 2>&1)
	if [ "$output" ]; then
		printf '%s\n' "$output"
		return 1
	fi
}

# Findings that stand, each with its reason in lint-exceptions.
without_exceptions()
{
	local file type reason expressions=()

	while read -r file type reason; do
		case $file in
		''|'#'*)	continue ;;
		esac
		[ "$reason" ] || echo "lint-exceptions: no reason for $file"
		expressions+=(-e "^$file:[0-9]+:.*:$type:")
	done < tests/lint-exceptions
	grep -vE "${expressions[@]:-^$}"
}

# checkpatch TYPES FILE...: findings of checkpatch, but for types TYPES. It
# runs in the kernel tree, where its word lists are.
checkpatch()
{
	local ignore=$1

	shift
	[ $# -gt 0 ] || return 0
	(cd "$linux" && ./scripts/checkpatch.pl --strict --terse \
		--show-types --no-summary --ignore "$ignore" \
		-f "${@/#/$root/}" 2>&1) |
		sed "s,^$root/,," | without_exceptions
}

step_checkpatch_kernel()
{
	local list

	mapfile -t list < <(files 'kernel/*.[ch]' 'uapi/*.h' \
				  'drills/*.c')
	silent checkpatch FILE_PATH_CHANGES "${list[@]}"
}

# The shim imitates the kernel's headers, and thus cannot please checkpatch.
step_checkpatch_user()
{
	local list

	mapfile -t list < <(files 'userspace/*.[ch]' 'tests/*.[ch]' \
				  'bench/*.[ch]' | grep -v '^tests/shim/')
	silent checkpatch "FILE_PATH_CHANGES,$user_ignore" "${list[@]}"
}

# Kbuild with sparse and W=1, for the newest kernel of each series.
step_sparse()
{
	local kver status=0 log

	for kver in $("$root/tests/integration/vm/vm.sh" kernels); do
		log=$build/$kver.log
		rm -rf "${build:?}/$kver"
		"$root/tests/shadow.sh" "$build/$kver"
		make -C "/lib/modules/$kver/build" M="$build/$kver" C=2 W=1 \
			CF=-D__CHECK_ENDIAN__ -j "$(nproc)" modules \
			> "$log" 2>&1 || { tail -n 40 "$log"; status=1; }
		! grep -E "^$build/.*(warning|error):" "$log" || status=1
	done
	return "$status"
}

# The provider and the tool, with every warning an error.
step_user_warnings()
{
	local dir

	for dir in userspace/*/; do
		make -C "$dir" BUILD="$build/user" \
			CFLAGS="-O2 -g -Wall -Wextra -Werror" 2>&1 ||
			return 1
	done > "$build/user.log" || { tail -n 40 "$build/user.log"; return 1; }
}

step_kernel_doc()
{
	local list

	mapfile -t list < <(files 'kernel/*.[ch]' 'uapi/*.h' \
				  'drills/*.c')
	"$linux/scripts/kernel-doc" -none -Werror -Wreturn -Wshort-desc \
		"${list[@]}" 2>&1
}

# Functions of the module that others call, without kernel-doc.
undocumented()
{
	awk '
	/^\/\*\*?$/ { documented = ($0 == "/**") }
	/^[a-z].*\(/ && !start { start = $0; line = FNR }
	/;$/ { start = "" }
	/^{/ && start {
		if (start !~ /^static|=/ && !documented)
			print FILENAME ":" line ": " start
		start = ""
		documented = 0
	}
	/^}/ { start = ""; documented = 0 }
	' "$@"
}

step_documented()
{
	local list

	mapfile -t list < <(files 'kernel/*.c')
	silent undocumented "${list[@]}"
}

step_shellcheck()
{
	local list

	mapfile -t list < <(scripts 'bash|/sh|busybox'; files '*lib.sh')
	shellcheck "${list[@]}"
}

step_python()
{
	local list

	mapfile -t list < <(scripts python3)
	[ ${#list[@]} -eq 0 ] ||
		PYTHONPYCACHEPREFIX=$build/pycache \
			/usr/bin/python3 -m py_compile "${list[@]}"
}

# Words of the field that look like spelling mistakes.
step_codespell()
{
	local list

	mapfile -t list < <(files . | grep -v '^COPYING')
	codespell -L ans,clos,inflight "${list[@]}"
}

step_spdx()
{
	local file status=0

	while read -r file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' ||
			{ echo "$file: no SPDX line"; status=1; }
	done < <(files '*.[ch]' '*.sh' '*.py' '*Makefile' Kbuild)
	return "$status"
}

# Dependencies run one way: main -> control, verbs -> net -> core -> uapi.
wrong_includes()
{
	grep -nE '^#include "(net|verbs|control)/' kernel/core/*.[ch]
	grep -nE '^#include "(verbs|control)/' kernel/net/*.[ch]
	grep -nE '^#include "control/' kernel/verbs/*.[ch]
}

step_layers()
{
	silent wrong_includes
}

# What the tables of rules say is there.
step_rules()
{
	tests/rules.py Documentation/protocol.md
}

# What is compiled is listed, and nothing else; no version numbers; no file
# that is too long to be read. The numbers of the netlink family are looked up
# rather than read, and programs want them in one header.
step_tree()
{
	local status=0 file

	while read -r file; do
		grep -qF "${file%.c}.o" Kbuild ||
			{ echo "$file: not in Kbuild"; status=1; }
	done < <(files 'kernel/*.c')
	while read -r file; do
		[ -e "${file%.o}.c" ] ||
			{ echo "Kbuild: no source of $file"; status=1; }
	done < <(grep -o 'kernel/[^ ]*\.o' Kbuild)
	! grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION\(' kernel || status=1
	while read -r file; do
		[ "$(wc -l < "$file")" -le 900 ] ||
			{ echo "$file: more than 900 lines"; status=1; }
	done < <(files '*.[ch]' | grep -v '^uapi/linux/mrc.h$')
	git ls-files | grep -E '\.(o|ko|a|so|mod)$' && status=1
	return "$status"
}

run_step()
{
	local output

	if output=$("step_$1" 2>&1); then
		echo "ok - lint: $1"
		passed=$((passed + 1))
	else
		echo "not ok - lint: $1"
		printf '%s\n' "$output" | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}

mkdir -p "$build"
steps=("$@")
if [ ${#steps[@]} -eq 0 ]; then
	mapfile -t steps < <(declare -F | sed -n 's/^declare -f step_//p')
fi
for step in "${steps[@]}"; do
	run_step "$step"
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
