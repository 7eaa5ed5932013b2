# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Library of the integration tests. A test is a script NN_name.sh that sources
# this file and is run as root in a guest (run.sh):
#
#	. "$(dirname "$0")/lib/test.sh"
#	fabric up
#	device_add h0
#	check "what must hold" command args...
#
# Results are TAP lines on standard output. When the script ends, the library
# takes the fabric down, unloads the module and checks the kernel log; the last
# two are checks of the test. Host h<i> has device mrc<i>.
#
# Rules: the result of a check never depends on time. Wait for a condition with
# wait_for, whose limit only bounds the time until a failure is reported; never
# sleep. The name of a check states subject and expectation, is understood
# without the lines around it, and is unique in its script.
set -uo pipefail

test_name=$(basename "$0" .sh)
tmp=$(mktemp -d)
# shellcheck source=tests/lab/hosts.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lab/hosts.sh"
# Where scripts find tools/ and scenarios/.
# shellcheck disable=SC2034
tests=$root/tests/integration

# jq 1.6 compiles its own library whenever it starts: half a second on an emulated
# processor. gojq speaks the same language and starts in a quarter of that; it sorts keys.
jq()
{
	gojq "$@"
}

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

# needs_memory MIB: whether the guest has that much memory. run.sh reads the number
# from the script and makes the guest that large if the machine can.
needs_memory()
{
	local total

	total=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
	# MemTotal leaves out what the kernel reserves at boot: allow a sixteenth.
	[ "$total" -ge $(($1 - $1 / 16)) ]
}

note()
{
	sed 's/^/# /'
}

# Print the output of the last check's command; of more than 80 lines the first 30
# and the last 50.
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

# check NAME COMMAND [ARG...]: passes when COMMAND succeeds; its output is printed
# when it fails.
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

# check_fails NAME PATTERN COMMAND [ARG...]: passes when COMMAND ends with a status
# below 124 that is not 0 (no signal, no time limit) and its output matches PATTERN
# (extended regexp).
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

# Report the results of a program that prints TAP (standard input) as results of
# this script.
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

# check_tap NAME COMMAND...: run a program that prints TAP and report its results
# as results of this script; one more check is that it ends with status 0 or 1 and
# has printed one plan.
check_tap()
{
	local name=$1 status

	shift
	"$@" > "$tmp/tap" 2>&1
	status=$?
	import_tap < "$tmp/tap"
	check_equal "$name: the program runs to its end (status, number of TAP plans)" \
		"$((status > 1 ? status : 0)), $(grep -c '^1\.\.' "$tmp/tap")" \
		"0, 1"
}

# --- begin and end ----------------------------------------------------------

unload()
{
	[ ! -d /sys/module/mrc ] || modprobe -r mrc
}

# What was logged before the script is not its fault. Without the line that says where
# it begins, messages have been lost, and with them perhaps problems.
kernel_log_is_clean()
{
	dmesg > "$tmp/dmesg"
	if ! grep -q "test begins: $test_name\$" "$tmp/dmesg"; then
		echo "the kernel log has overflowed"
		"$lab/vm/dmesg-problems" < "$tmp/dmesg"
		return 1
	fi
	sed "1,/test begins: $test_name\$/d" "$tmp/dmesg" |
		"$lab/vm/dmesg-problems"
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
