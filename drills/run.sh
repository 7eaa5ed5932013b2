#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Failure drills in virtual time: the shipped module and programs, links of 100 Gb/s,
# traffic of which every byte is compared, and faults. See Documentation/drills.md.
#
#   run.sh           DRILLS="name ..." selects the drills (default: all in this
#                    folder), SEED the random numbers (default: those of each drill),
#                    DRILLS_JOBS how many run at once (default: one per processor)
#   run.sh --quick   the drills that are part of "make test", without comparisons; the
#                    output is TAP
#   run.sh --plain   likewise, but all drills
#   run.sh --check   read all drills; report mistakes
#
# Each drill, and each protocol beside it, has a guest of its own. Leaves in
# build/drills/: index.html; JSON, SVG and trace of each drill; and the files from which
# they were made. The status is non-zero if a drill could not be carried out, a queue
# pair failed unexpectedly, a byte was wrong, or a bound was missed that drills/missed
# does not list.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
uml=$root/tests/lab/uml/uml.sh
out=$root/build/drills
# Seconds of real time that a guest may take.
limit=400

# run_one TOTAL NAME PROTOCOL: carry out a drill in a guest.
run_one()
{
	local total=$1 name=$2 protocol=$3 dir=$out/$2/$3 status=0 count words

	mkdir -p "$dir"
	"$uml" run --timeout "$limit" --seed "${SEED:-1}" --out "$dir" \
		--env "SEED=${SEED:-}" "$here/guest.py" "$here/$name.drill" \
		"$protocol" /run/vm/out > "$dir/log" 2>&1 || status=$?
	words="$SECONDS s"
	[ "$status" -eq 0 ] || words+=", status $status: $(tail -n 1 "$dir/log")"
	if [ ! -e "$dir/end.json" ]; then
		tail -n 1 "$dir/log" |
			jq -R '{failure: ("the guest failed: " + .)}' > "$dir/end.json"
	fi
	echo > "$dir/ended"
	count=$(find "$out" -name ended | wc -l)
	echo "# $count of $total: $name, $protocol: $words"
}

if [ "${1:-}" = --one ]; then
	run_one "${@:2}"
	exit 0
fi

/usr/bin/python3 "$here/scenario.py" || exit
case ${1:-} in
--check)	exit 0 ;;
--quick)	tap=--tap; line='^quick$' ;;
--plain)	tap=--tap; line=. ;;
"")		tap=; line=. ;;
*)		sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

read -ra drills <<< "${DRILLS:-}"
if [ ${#drills[@]} -eq 0 ]; then
	mapfile -t drills < <(cd "$here" &&
		grep -l -e "$line" -- *.drill | sed 's/\.drill$//')
fi
jobs=()
beside=()
for name in "${drills[@]}"; do
	if [ ! -e "$here/$name.drill" ]; then
		echo "drills: there is no drill $name" >&2
		exit 2
	fi
	jobs+=("$name mrc")
	if [ -z "$tap" ] && grep -q '^beside ' "$here/$name.drill"; then
		beside+=("$name tcp" "$name mptcp" "$name roce")
	fi
done
jobs+=("${beside[@]}")
for program in mrc_verify mrc_crowd; do
	if [ ! -x "$root/build/tests/$program" ]; then
		echo "drills: $program is not built (run make tools)" >&2
		exit 2
	fi
done

rm -rf "$out"
mkdir -p "$out"
"$uml" build || exit
cat > "$out/machine.json" <<END
{"date":"$(date -u +%F)","kernel":"6.12 (user-mode Linux)","cpus":$(nproc),"jobs":${#jobs[@]}}
END
printf '%s\n' "${jobs[@]}" |
	xargs -P "${DRILLS_JOBS:-$(nproc)}" -L 1 "$0" --one "${#jobs[@]}"
echo "$SECONDS" > "$out/seconds"
/usr/bin/python3 "$here/report.py" $tap "$out" "${drills[@]}"
