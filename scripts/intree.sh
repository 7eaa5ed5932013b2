#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Assemble the driver as drivers/infiniband/sw/mrc of a kernel tree, build it
# there and check it as a submission is checked.
#
#   intree.sh [STEP...]      steps: those named step_* below
#
# The files of the submission are left in build/intree/tree, the patch that adds
# them in build/intree/mrc.patch. Sources are those that Kbuild lists. Files that
# only the in-tree form needs are templates in scripts/intree, laid out as in the
# kernel tree. Debian's source tree is not changed: the build uses a copy made of
# hard links in the cache directory, which keeps its products for the next run.
#
# The last line is "N passed, N failed, N skipped".
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
root=$(dirname "$here")
build=${BUILD:-$root/build}/intree
stage=$build/tree
driver=drivers/infiniband/sw/mrc
jobs=-j$(nproc)

linux=$("$root/scripts/linux-source.sh" 6.12)
cache=$(dirname "$linux")
copy=$cache/intree-$(basename "$linux")
obj=$copy-build
passed=0
failed=0

mkdir -p "$build"
exec 9>"$cache/intree.lock"
flock 9

# ---- the files ----

# For unifdef: what Kbuild finds in the tree, and what kernel/compat finds in its
# headers. MRC_HAVE_* are set by Kbuild, other symbols are the kernel's own.
symbols() {
	local on name

	on=$(make -s -f - srctree="$linux" src=. KBUILD_EXTMOD=1 <<-'EOF'
		include Kbuild
		$(info $(ccflags-y))
		all: ;
	EOF
	)
	{
		grep -o 'MRC_HAVE_[A-Z_]*' Kbuild
		sed -nE 's/^#ifn?def (\w+)$/\1/p' kernel/compat/*.[ch] |
			grep -v '^MRC_COMPAT_.*_H$'
	} | sort -u | while read -r name; do
		if [[ " $on " = *" -D$name "* ]] ||
		   grep -rqE "^#define $name\b" "$linux/include"; then
			echo "-D$name"
		else
			echo "-U$name"
		fi
	done
}

# Has a file nothing but comments, includes and macros that guard it?
is_empty() {
	! cc -fpreprocessed -dD -E -P "$1" |
		grep -qvE '^(#(include|ifndef|endif)|#define \w+ *$|$)'
}

# Includes of header $1 become those of what it includes, but for those that are
# there already.
replace_include() {
	local user

	{ grep -rlF "#include \"$1\"" . || true; } | while read -r user; do
		awk -v line="#include \"$1\"" '
		FNR == NR {
			if (/^#include </)
				instead[++n] = $0
			next
		}
		$0 != line && !(/^#include </ && seen[$0]++)
		$0 == line {
			for (i = 1; i <= n; i++)
				if (!seen[instead[i]]++)
					print instead[i]
		}
		' "$1" "$user" > "$build/user"
		cp "$build/user" "$user"
	done
}

# kernel/ without what other kernels need. A header of compat that becomes empty
# is replaced by the headers that it includes.
stage_sources() {
	local file options unifdef=$build/unifdef

	[ -x "$unifdef" ] || cc -o "$unifdef" "$linux/scripts/unifdef.c"
	mapfile -t options < <(symbols)
	mkdir -p "$stage/$driver"
	cp -r kernel/. "$stage/$driver/"
	cd "$stage/$driver"
	find . -name '*.[ch]' | while read -r file; do
		# A status of 1 says that something was left out.
		{ "$unifdef" "${options[@]}" "$file" || [ $? -eq 1 ]; } |
			cat -s > "$build/file"
		cp "$build/file" "$file"
	done
	for file in compat/*.[ch]; do
		is_empty "$file" || continue
		replace_include "$file"
		rm "$file"
	done
	cd "$root"
}

# The lines "mrc-y += ..." of Kbuild, without kernel/ and without files that have
# been left out.
objects() {
	local line file

	sed -nE '/^mrc-.*= *kernel\//s,kernel/,,gp' "$root/Kbuild" |
	while IFS= read -r line; do
		file=${line##* }
		[ ! -e "$stage/$driver/${file%.o}.c" ] || echo "$line"
	done
}

test_objects() {
	local file

	for file in "$root"/tests/kunit/*.c; do
		file=${file##*/}
		echo "mrc-\$(CONFIG_RDMA_MRC_KUNIT_TEST) += tests/${file%.c}.o"
	done
}

# kernel_doc PATH: a directive for each file there that has kernel-doc.
kernel_doc() {
	(cd "$stage" && grep -rlx '/\*\*' "$1") | LC_ALL=C sort |
		sed -e 's/^/.. kernel-doc:: /' -e 's/$/\n/'
}

# layer FOLDER TITLE: a section of the pages, if there is that folder.
layer() {
	local dir=$driver/$1 title=${*:2}

	[ -d "$stage/$dir" ] || return 0
	printf '%s\n' "$title" "${title//?/=}" ""
	kernel_doc "$dir"
}

# Templates: in place of a line @COMMAND@ goes what the command prints.
fill_in() {
	local line

	while IFS= read -r line; do
		case $line in
		@*@)
			line=${line//@/}
			$line
			;;
		*)
			printf '%s\n' "$line"
			;;
		esac
	done | cat -s | sed '${/^$/d}'
}

stage_new() {
	mkdir -p "$stage/$driver/tests" "$stage/include/uapi/rdma" \
		"$stage/include/uapi/linux" "$stage/Documentation/netlink/specs" \
		"$stage/Documentation/infiniband"
	cp tests/kunit/*.[ch] "$here/intree/$driver/tests/.kunitconfig" \
		"$stage/$driver/tests/"
	cp "$here/intree/$driver/Kconfig" "$stage/$driver/"
	cp Documentation/netlink/specs/mrc.yaml \
		"$stage/Documentation/netlink/specs/"
	cp uapi/linux/mrc.h "$stage/include/uapi/linux/"
	# Its number is one of an enum's there.
	sed '/^\/\*.*\*\/$/{N;/\n#define RDMA_DRIVER_MRC /d}' \
		uapi/rdma/mrc-abi.h | cat -s > "$stage/include/uapi/rdma/mrc-abi.h"
	fill_in < "$here/intree/$driver/Makefile.in" > "$stage/$driver/Makefile"
	fill_in < "$here/intree/Documentation/infiniband/mrc.rst.in" \
		> "$stage/Documentation/infiniband/mrc.rst"
}

# hook FILE SED-SCRIPT: a file of the kernel, changed. No change is an error.
hook() {
	mkdir -p "$stage/$(dirname "$1")"
	sed "$2" "$linux/$1" > "$stage/$1"
	! cmp -s "$linux/$1" "$stage/$1" ||
		{ echo "$1: nowhere to hook in" >&2; exit 1; }
}

maintainer() {
	local name email

	if name=$(git config user.name) && email=$(git config user.email); then
		echo "$name <$email>"
	else
		git log -1 --format='%an <%ae>'
	fi
}

# The entry goes before the first one that sorts after it.
stage_maintainers() {
	sed "/^#/d; s/@maintainer@/$(maintainer)/" "$here/intree/MAINTAINERS" \
		> "$build/MAINTAINERS"
	LC_ALL=C awk -v entry="$build/MAINTAINERS" '
	BEGIN {
		while ((getline line < entry) > 0)
			text = text line "\n"
		title = substr(text, 1, index(text, "\n") - 1)
	}
	/^3C59X/ { list = 1 }
	list && !done && before == "" && /^[[:alnum:]]/ && toupper($0) > title {
		printf "%s\n", text
		done = 1
	}
	{ before = $0; print }
	' "$linux/MAINTAINERS" > "$stage/MAINTAINERS"
}

stage_hooks() {
	hook drivers/infiniband/Kconfig \
		'/sw\/rxe\/Kconfig/i source "drivers/infiniband/sw/mrc/Kconfig"'
	hook drivers/infiniband/sw/Makefile \
		'/CONFIG_RDMA_RXE/i obj-$(CONFIG_RDMA_MRC)\t\t\t+= mrc/'
	hook include/uapi/rdma/ib_user_ioctl_verbs.h \
		'/^enum rdma_driver_id {/,/^};/s/^};/\tRDMA_DRIVER_MRC,\n};/'
	hook Documentation/infiniband/index.rst 's/^   ipoib$/&\n   mrc/'
	stage_maintainers
}

# Copy files that differ, so that make rebuilds no more than these.
sync_copy() {
	local file

	[ -d "$copy" ] || {
		rm -rf "$copy.new"
		cp -al "$linux" "$copy.new"
		mv "$copy.new" "$copy"
	}
	mkdir -p "$copy/$driver"
	(cd "$copy" && find "$driver" -type f) | while read -r file; do
		[ -e "$stage/$file" ] || rm "$copy/$file"
	done
	(cd "$stage" && find . -type f) | while read -r file; do
		cmp -s "$stage/$file" "$copy/$file" && continue
		mkdir -p "$(dirname "$copy/$file")"
		cp "$stage/$file" "$copy/$file.new"
		mv "$copy/$file.new" "$copy/$file"
	done
}

step_assemble() {
	rm -rf "$stage"
	mkdir -p "$stage"
	cd "$root"
	stage_sources
	stage_new
	stage_hooks
	sync_copy
	make_patch
}

# mrc.patch is all of it, hooks.patch what changes in files of the kernel.
make_patch() {
	local file

	: > "$build/hooks.patch"
	(cd "$stage" && find . -type f -printf '%P\n' | LC_ALL=C sort) |
	while read -r file; do
		if [ -e "$linux/$file" ]; then
			{ diff -u --label "a/$file" --label "b/$file" \
				"$linux/$file" "$stage/$file" || [ $? -eq 1 ]; } |
				tee -a "$build/hooks.patch"
		else
			diff -u --label /dev/null --label "b/$file" \
				/dev/null "$stage/$file" || [ $? -eq 1 ]
		fi
	done > "$build/mrc.patch"
}

# ---- the checks ----

kernel_make() {
	make -C "$copy" O="$obj" ARCH=x86_64 "$jobs" "$@"
}

# All options that scripts/intree/config sets must survive their dependencies.
configure() {
	mkdir -p "$obj"
	if ! cmp -s "$here/intree/config" "$obj/asked"; then
		KCONFIG_ALLCONFIG=$here/intree/config kernel_make allnoconfig
		cp "$here/intree/config" "$obj/asked"
	fi
	kernel_make olddefconfig
	! grep -vxFf "$obj/.config" "$here/intree/config" | grep '^CONFIG_'
}

step_build() {
	local log=$build/build.log

	{ configure && kernel_make prepare modules_prepare; } > "$log" 2>&1 ||
		{ tail -n 30 "$log"; return 1; }
	kernel_make W=1 C=1 CF=-D__CHECK_ENDIAN__ "$driver/" > "$log" 2>&1 ||
		{ tail -n 40 "$log"; return 1; }
	# Objects that are up to date would hide their warnings from the next run.
	if grep -E '(warning|error):|WARNING:' "$log"; then
		rm -rf "${obj:?}/$driver"
		return 1
	fi
}

# Findings that stand, each with its reason in checkpatch-exceptions.
without_exceptions() {
	local file type rest expressions=()

	while read -r file type rest; do
		case $file in
		kernel/*)	file=$driver/${file#kernel/} ;;
		tests/kunit/*)	file=$driver/tests/${file#tests/kunit/} ;;
		*)		continue ;;
		esac
		expressions+=(-e "^$file:[0-9]+:.*:$type:")
	done < "$root/scripts/checkpatch-exceptions"
	grep -vE "${expressions[@]:-^$}"
}

# Whole files, except those that have passed before with the same content. Changes
# of the kernel's own files are checked as a patch.
step_checkpatch() {
	local file sum list=() known=$cache/intree.checked

	touch "$known"
	(cd "$stage" && find "$driver" include -name '*.[ch]' \
		! -name ib_user_ioctl_verbs.h -exec sha1sum {} +) |
		grep -vxFf "$known" > "$build/unchecked" || true
	while read -r sum file; do
		list+=("$stage/$file")
	done < "$build/unchecked"
	cd "$linux"
	{
		printf '%s\n' "${list[@]}" | xargs -r -n 16 -P "$(nproc)" \
			./scripts/checkpatch.pl --strict --terse --show-types \
			--no-summary --ignore FILE_PATH_CHANGES -f
		# The hooks only: new files are checked above.
		./scripts/checkpatch.pl --strict --terse --show-types --no-summary \
			--no-signoff --ignore COMMIT_MESSAGE,FILE_PATH_CHANGES \
			"$build/hooks.patch"
	} 2>&1 | sed "s,^$stage/,," | without_exceptions > "$build/checkpatch" ||
		true
	while read -r sum file; do
		grep -q "^$file:" "$build/checkpatch" || echo "$sum  $file"
	done < "$build/unchecked" >> "$known"
	cat "$build/checkpatch"
	[ ! -s "$build/checkpatch" ]
}

# The pages as the kernel's own documentation shows them. Sphinx reports a
# structure and a function of the same name as declared twice.
step_docs() {
	local log=$build/docs.log dir

	for dir in "$stage/$driver"/*/; do
		dir=$(basename "$dir")
		[[ $dir = compat || $dir = tests ]] ||
			grep -q "kernel-doc:: $driver/$dir/" \
				"$stage/Documentation/infiniband/mrc.rst" ||
			{ echo "mrc.rst: nothing about $dir"; return 1; }
	done
	kernel_make SPHINXDIRS=infiniband htmldocs > "$log" 2>&1 ||
		{ tail -n 30 "$log"; return 1; }
	if grep -E '/mrc[:.].*(WARNING|ERROR|warning|error)' "$log" |
			grep -v 'Duplicate C declaration'; then
		rm -rf "${obj:?}/Documentation"
		return 1
	fi
	"$linux/tools/net/ynl/ynl-gen-rst.py" -o "$build/spec.rst" \
		-i "$stage/Documentation/netlink/specs/mrc.yaml"
}

# uapi headers compile on their own, with the headers that the kernel installs.
step_uapi() {
	local header

	kernel_make headers > "$build/headers.log" 2>&1 ||
		{ tail -n 30 "$build/headers.log"; return 1; }
	for header in linux/mrc.h rdma/mrc-abi.h rdma/ib_user_ioctl_verbs.h; do
		echo "#include <$header>" | cc -std=c90 -Wall -Wextra -Werror \
			-fsyntax-only -isystem /usr/include \
			-I "$obj/usr/include" -x c -
	done
}

run_step() {
	local output status

	# In a condition, a step would continue after a command that failed.
	set +e
	output=$(set -e; "step_$1" 2>&1)
	status=$?
	set -e
	if [ "$status" -eq 0 ]; then
		echo "ok - intree: $1"
		passed=$((passed + 1))
	else
		echo "not ok - intree: $1"
		printf '%s\n' "$output" | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(assemble build uapi checkpatch docs)
for step in "${steps[@]}"; do
	run_step "$step"
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
