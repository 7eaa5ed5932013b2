#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tests of libmrc that need no kernel: the library and its package, semantics and
# random calls on a device without hardware, and the layouts of another copy of the
# API's headers.
#
# Environment: OCP_MRC, a checkout of opencomputeproject/OCP-Multipath-Reliable-Connection;
# FUZZ_CALLS (1000000) and FUZZ_SEED (1). The last line is "N passed, N failed, N
# skipped".
set -uo pipefail

here=$(dirname "$(readlink -f "$0")")
root=$(cd "$here/../.." && pwd)
build=${BUILD:-$root/build}
lib=$root/userspace/libmrc
log=$(mktemp)
tmp=$(mktemp -d)
trap 'rm -rf "$log" "$tmp"' EXIT

# check NAME COMMAND [ARG...]
check()
{
	local name=$1

	shift
	if "$@" > "$tmp/out" 2>&1; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		sed 's/^/# /' "$tmp/out" | head -n 40
	fi
}

# The library exports the functions of the headers and nothing else.
exports_the_api()
{
	diff <(nm -D --defined-only "$build/lib/libmrc.so" |
	       sed -n 's/.* T \(.*\)@@LIBMRC_1.0$/\1/p' | sort) \
		<(grep -ohE '\bmrc_[a-z_]+\(' "$lib/include/mrc.h" \
			"$lib/include/mrc_ctl.h" | tr -d '(' | sort -u) &&
		[ "$(nm -D --defined-only "$build/lib/libmrc.so" |
		     grep -c ' T ')" -eq 41 ]
}

has_three_names()
{
	local name

	for name in libmrc.so lib_mrc.so libnv_mrc.so; do
		[ "$(readlink -f "$build/lib/$name")" = \
		  "$(readlink -f "$build/lib/libmrc.so.1")" ] || return
	done
	readelf -d "$build/lib/libmrc.so" | grep -q 'SONAME.*\[libmrc.so.1\]'
}

# A program finds what "make install" has put into a folder through pkg-config.
installs()
{
	make --no-print-directory -s -C "$lib" BUILD="$build" DESTDIR="$tmp/dest" \
		install || return
	cat > "$tmp/program.c" <<-'END'
	#include <mrc_ctl.h>
	int main(void) { mrc_query_version(0, 0, 0, 0); return 0; }
	END
	export PKG_CONFIG_PATH
	PKG_CONFIG_PATH=$(dirname "$(find "$tmp/dest" -name libmrc.pc)")
	# shellcheck disable=SC2046
	cc -o "$tmp/program" "$tmp/program.c" \
		$(PKG_CONFIG_SYSROOT_DIR="$tmp/dest" pkg-config --cflags --libs libmrc) &&
		LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$tmp/program"
}

uninstalls()
{
	make --no-print-directory -s -C "$lib" BUILD="$build" DESTDIR="$tmp/dest" \
		uninstall &&
		[ -z "$(find "$tmp/dest" ! -type d)" ]
}

# A page, or a name for one, for each function.
documents_the_api()
{
	local name

	for name in $(grep -ohE '\bmrc_[a-z_]+\(' "$lib/include/"mrc{,_ctl}.h | tr -d '('); do
		[ -e "$lib/man/$name.3.md" ] || grep -q "^$name " "$lib/man/aliases" ||
			{ echo "$name has no manual page"; return 1; }
		grep -hq "$name(" "$lib/man/"*.3.md || return
	done
}

# Headers for C++, too.
compiles_as_cxx()
{
	echo '#include <mrc_ctl.h>' |
		c++ -Wall -Werror -fsyntax-only -I"$lib/include" -x c++ -
}

layouts()
{
	local theirs=${OCP_MRC:-}

	if [ -z "$theirs" ]; then
		echo "ok - layout: equal to the OCP headers # SKIP no checkout: OCP_MRC=DIR"
	elif [ ! -e "$theirs/mrc_ctl.h" ]; then
		echo "not ok - layout: OCP_MRC=$theirs has a mrc_ctl.h"
	else
		python3 "$here/layout.py" --names "$lib/include" "$theirs"
	fi
}

# A program that is ended by a sanitizer is a failure.
run()
{
	"$@" 2> "$tmp/err" || {
		echo "not ok - $(basename "$1"): status $?"
		sed 's/^/# /' "$tmp/err" | head -n 40
	}
}

{
	check "build: libmrc" make --no-print-directory -s -C "$lib" BUILD="$build"
	check "build: tests of libmrc, with sanitizers" \
		make --no-print-directory -s -C "$here" BUILD="$build"
	check "the library exports the 41 functions of the API, with a version" \
		exports_the_api
	check "lib_mrc.so and libnv_mrc.so are the same library" has_three_names
	check "a program finds the installed library with pkg-config" installs
	check "uninstall leaves nothing" uninstalls
	check "each function has a manual page" documents_the_api
	check "the headers compile as C++" compiles_as_cxx
	layouts
	run "$build/libmrc-tests/unit"
	run "$build/libmrc-tests/fuzz" "${FUZZ_CALLS:-1000000}" 4 "${FUZZ_SEED:-1}"
} | tee "$log"

passed=$(grep '^ok ' "$log" | grep -vc '# SKIP')
failed=$(grep -c '^not ok ' "$log")
skipped=$(grep -c '^ok .*# SKIP' "$log")
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
