#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Has a change made the product slower? That of another commit (Kbuild, kernel/, uapi/ and
# userspace/) and that of this tree are measured in turn, in guests of the same kernel and
# by the same programs of this tree, so that what else differs, such as other load of the
# machine, affects both alike.
#
#   compare.sh COMMIT [native|stock]
#
# BENCH_BOOTS is the number of guests of each (default 4; the order is A B B A), BENCH_ROUNDS
# that of rounds in each (2). Takes 8 minutes natively, on a machine without other work.
# Prints a table and leaves the results in build/bench/compare/.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
commit=${1:?the commit to compare with}
part=${2:-native}
out=$root/build/bench/compare
boots=${BENCH_BOOTS:-4}

die()
{
	echo "compare: $*" >&2
	exit 1
}

# Make $out/base this tree, as committed, with the product of $commit, built.
make_base()
{
	rm -rf "$out"
	mkdir -p "$out"
	git -c advice.detachedHead=false clone -q --shared "$root" "$out/base" || return
	cd "$out/base" || return
	rm -rf bench Kbuild kernel uapi userspace
	git checkout -q "$commit" -- Kbuild kernel uapi userspace || return
	cp -r "$root/bench" bench
	make -s -j "$(nproc)" ${kver:+KVER="$kver" modules} userspace
}

# guest ROOT DIR: boot a guest with the product of ROOT, and leave results in DIR.
guest()
{
	local command=("$1/tests/lab/vm/vm.sh" run --kver "$kver")

	# The guest's kernel and its programs take turns: fastest on one processor.
	[ "$part" = stock ] ||
		command=(taskset -c "$(($(nproc) - 1))" "$1/tests/lab/uml/uml.sh" run
			 --kind native)
	mkdir -p "$2"
	"${command[@]}" --out "$2" --timeout "${BENCH_LIMIT:-1200}" \
		--env "BENCH_ROUNDS=${BENCH_ROUNDS:-2}" \
		"$1/bench/compare-guest.sh" > "$2/log" 2>&1 && return
	tail -n 20 "$2/log"
	die "the guest failed, see $2/log"
}

kver=
case $part in
native)	;;
stock)	kver=${KVER:-$("$root/tests/lab/vm/vm.sh" kernels | tail -n 1)}
	kver=${kver##* } ;;
*)	die "native or stock, not '$part'" ;;
esac
git -C "$root" rev-parse -q --verify "$commit^{commit}" > /dev/null ||
	die "there is no commit '$commit'"
echo "compare: building the product of $commit"
make_base || die "the product of $commit is not built"
cd "$root" || exit
for ((i = 1; i <= boots; i++)); do
	order=(base this)
	[ $((i % 2)) -eq 1 ] || order=(this base)
	for version in "${order[@]}"; do
		echo "compare: guest $i of $boots with ${version/base/$commit}"
		case $version in
		base)	guest "$out/base" "$out/base-$i" ;;
		this)	guest "$root" "$out/this-$i" ;;
		esac
	done
done
/usr/bin/python3 "$root/bench/compare.py" "$out"
