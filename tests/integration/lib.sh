# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Library of the integration tests. A test is a script NN_name.sh that sources
# this file and is run as root in a guest (run.sh):
#
#	. "$(dirname "$0")/lib.sh"
#	fabric up
#	device_add h0
#	check "what must hold" command args...
#
# Results are TAP lines on standard output. When the script ends, the library
# takes down what was set up, unloads the module and looks at the kernel log;
# each of these can fail the test too. Host h<i> has device mrc<i>.
#
# Rules: a verdict never depends on time. Wait for a condition with wait_for,
# whose limit only says when to stop hoping; never sleep.
set -uo pipefail

test_name=$(basename "$0" .sh)
tmp=$(mktemp -d)
. "$(dirname "${BASH_SOURCE[0]}")/hostlib.sh"

tests_run=0
tests_failed=0

# --- results ---------------------------------------------------------------

ok()
{
	tests_run=$((tests_run + 1))
	echo "ok $tests_run - $test_name: $1"
}

not_ok()
{
	tests_run=$((tests_run + 1))
	tests_failed=$((tests_failed + 1))
	echo "not ok $tests_run - $test_name: $1"
}

# skip NAME REASON
skip()
{
	tests_run=$((tests_run + 1))
	echo "ok $tests_run - $test_name: $1 # SKIP $2"
}

# skip_all REASON: the whole script cannot run here.
skip_all()
{
	skip "all" "$1"
	exit
}

# needs_memory MIB: does the guest have that much? One that is to run this test gets it
# from a machine that has it (run.sh).
needs_memory()
{
	local total

	total=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
	# Without what the kernel has taken before it counts.
	[ "$total" -ge $(($1 - $1 / 16)) ]
}

note()
{
	sed 's/^/# /'
}

# What the command of a check has printed, of much the beginning and the end.
printed()
{
	awk '{ line[NR] = $0 }
	END {
		for (i = 1; i <= NR; i++)
			if (NR <= 80 || i <= 30 || i > NR - 50)
				print line[i]
			else if (i == 31)
				print "[" NR - 80 " lines]"
	}' "$tmp/check"
}

# check NAME COMMAND [ARG...]: passes when COMMAND succeeds; what it printed is
# shown when it does not.
check()
{
	local name=$1 status=0

	shift
	"$@" > "$tmp/check" 2>&1 || status=$?
	if [ "$status" -eq 0 ]; then
		ok "$name"
		return 0
	fi
	not_ok "$name"
	{ echo "status $status of: $*"; printed; } | note
	return 1
}

# check_fails NAME PATTERN COMMAND [ARG...]: passes when COMMAND fails, of its
# own accord (not by a signal or time limit), saying PATTERN (extended regexp).
check_fails()
{
	local name=$1 pattern=$2 status=0

	shift 2
	"$@" > "$tmp/check" 2>&1 || status=$?
	if [ "$status" -ne 0 ] && [ "$status" -lt 124 ] &&
	   grep -qE -- "$pattern" "$tmp/check"; then
		ok "$name"
		return 0
	fi
	not_ok "$name"
	{ echo "status $status, expected a refusal with '$pattern', of: $*"
	  printed; } | note
	return 1
}

# check_equal NAME GOT WANTED
check_equal()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
		return 0
	fi
	not_ok "$1"
	printf 'got:    %s\nwanted: %s\n' "$2" "$3" | note
	return 1
}

# The results of a program that prints TAP (standard input) become ours.
import_tap()
{
	local line

	while IFS= read -r line; do
		case $line in
		"ok "*"# SKIP "*)
			line=${line#ok * - }
			skip "${line% # SKIP *}" "${line##*# SKIP }" ;;
		"ok "*)		ok "${line#ok * - }" ;;
		"not ok "*)	not_ok "${line#not ok * - }" ;;
		1..*)		;;
		*)		echo "# ${line#\# }" ;;
		esac
	done
}

# check_tap NAME COMMAND...: a program that prints TAP; its results are ours.
check_tap()
{
	local name=$1 status

	shift
	"$@" > "$tmp/tap" 2>&1
	status=$?
	import_tap < "$tmp/tap"
	check_equal "$name runs to its end (status, plans)" \
		"$((status > 1 ? status : 0)), $(grep -c '^1\.\.' "$tmp/tap")" \
		"0, 1"
}

# --- begin and end ----------------------------------------------------------

unload()
{
	[ ! -d /sys/module/mrc ] || modprobe -r mrc
}

kernel_log_is_clean()
{
	dmesg | sed "1,/test begins: $test_name\$/d" |
		"$lib/vm/dmesg-problems"
}

finish()
{
	local status=$?

	trap - EXIT
	if [ "$status" -ne 0 ]; then
		not_ok "the script runs to its end (status $status)"
	fi
	if [ "$tests_failed" -ne 0 ]; then
		{ echo "state at the failure of $test_name:"; dump; } | note
	fi
	# shellcheck disable=SC2046
	kill $(jobs -p) 2> /dev/null
	wait
	fabric down
	check "the module unloads" wait_for "$patience" unload
	check "the kernel log is clean" kernel_log_is_clean
	echo "1..$tests_run"
	rm -rf "$tmp"
	exit $((tests_failed != 0))
}

trap finish EXIT
echo "test begins: $test_name" > /dev/kmsg
