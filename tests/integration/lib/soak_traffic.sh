# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Traffic of a soak (soak.sh): one connection in both directions that lives as long as the
# run, the resident, and processes that come, go and are killed.

: "${tmp:?}" "${programs:?}" "${patience:?}" "${pair_limit:?}" "${soak_seed:?}"

# Messages of a cycle, in per cent.
soak_work=${SOAK_WORK:-100}
declare -A soak_gid soak_done

# --- the resident --------------------------------------------------------------

# More messages than are in flight.
# shellcheck disable=SC2034
verify_some=40

resident_begin()
{
	local program=$programs/mrc_verify

	: > "$tmp/count"
	ip netns exec h1 "$program" -d mrc1 -g "${soak_gid[h1]}" --timeout 86400 \
		--progress 5 --count "$tmp/count" > /dev/null 2> "$tmp/server" &
	verify_server=$!
	ip netns exec h0 "$program" -d mrc0 -g "${soak_gid[h0]}" --timeout 86400 \
		-D 86400 -o write_imm -b -q 2 -s 8192 -t 4 "$(address_of h1 mgmt)" \
		> "$tmp/client" 2>&1 &
	verify_client=$!
	verify_goes_on && return
	show_files client server
	return 1
}

resident_signal()
{
	kill "-$1" "${verify_client:-}" && kill "-$1" "${verify_server:-}"
}

resident_end()
{
	local status=0

	kill "$verify_client" || status=$?
	wait "$verify_client" || status=$?
	wait "$verify_server" || status=$?
	show_files client server
	return "$status"
}

# A script that ends early must not wait for a process that is stopped.
resident_kill()
{
	resident_signal KILL 2> /dev/null
	return "$1"
}

# The resident is not stalled; if it is, say what became of it.
goes_on()
{
	verify_goes_on && return
	echo "$1: the resident connection is stalled"
	show_files client server
	return 1
}

# --- processes that come and go --------------------------------------------------

declare -A workers

# worker NAME COMMAND...: start a process, whose output is left in $tmp/work-NAME.
worker()
{
	timeout -k 5 "$pair_limit" "${@:2}" > "$tmp/work-$1" 2>&1 &
	workers[$!]=$1
}

# amount N: as many actions as a cycle is to have.
amount()
{
	echo $(($1 * soak_work / 100 + 1))
}

# pair NAME PORT [ARG...]: mrc_verify between two processes.
pair()
{
	worker "$1-server" ip netns exec h1 "$programs/mrc_verify" -d mrc1 \
		-g "${soak_gid[h1]}" -p "$2"
	worker "$1-client" ip netns exec h0 "$programs/mrc_verify" -d mrc0 \
		-g "${soak_gid[h0]}" -p "$2" --seed $((soak_seed + 1)) "${@:3}" \
		"$(address_of h1 mgmt)"
}

# both NAME PROGRAM [ARG...]: a program that has the queue pairs of both sides.
both()
{
	worker "$1" "$2" -d mrc0 -D mrc1 -g "${soak_gid[h0]}" "${@:3}"
}

soak_modes=(write write_imm send send_imm)
soak_shapes=("-s 16384 -q 2" "-s 65536 -S 3" "-s 40001 -u" "-s 200 -I -B 16"
	     "-s 4096 -q 8 -t 8 -b" "-s 1 -q 2 -b" "-s 131072 -t 4" "-s 9000 -S 2 -u -b")

# Two pairs of processes, of a kind that follows from the number of the cycle, and all
# programs whose operations are not those of mrc_verify: READ and ATOMIC; bind of windows,
# WRITE to them, SEND with Invalidate; shared receive queues.
start_workers()
{
	local n=$1 mode=${soak_modes[$1 % 4]} other=${soak_modes[($1 + 2) % 4]}

	workers=()
	# shellcheck disable=SC2086
	pair messages 18651 -o "$mode" -n "$(amount 40)" \
		${soak_shapes[n % ${#soak_shapes[@]}]}
	# shellcheck disable=SC2086
	pair others 18652 -o "$other" -n "$(amount 40)" \
		${soak_shapes[(n / 3) % ${#soak_shapes[@]}]}
	both read-atomic "$programs/mrc_rd_atomic" -q 2 -n $((63 + $(amount 16)))
	MEM_ROUNDS=$(amount 8) both windows "$programs/mrc_mem" loss
	both srq "$programs/mrc_srq" -n "$(amount 16)"
}

# What must have a result of its own is not left to wait for "wait".
wait_workers()
{
	local pid status bad=0

	for pid in "${!workers[@]}"; do
		status=0
		wait "$pid" || status=$?
		[ "$status" -ne 0 ] || continue
		echo "${workers[$pid]}: status $status"
		grep -v '^ok ' "$tmp/work-${workers[$pid]}" | tail -n 20
		bad=1
	done
	workers=()
	return "$bad"
}

count_exceeds()
{
	local n=

	read -r n < "$tmp/victim"
	[ "${n:-0}" -gt "$1" ]
}

# Processes that are killed while messages are in flight.
victims()
{
	local server client

	: > "$tmp/victim"
	ip netns exec h1 "$programs/mrc_verify" -d mrc1 -g "${soak_gid[h1]}" -p 18653 \
		--progress 1 --count "$tmp/victim" > "$tmp/work-victims" 2>&1 &
	server=$!
	ip netns exec h0 "$programs/mrc_verify" -d mrc0 -g "${soak_gid[h0]}" -p 18653 \
		-o "${soak_modes[RANDOM % 4]}" -b -D 86400 -s 16384 -t 8 \
		"$(address_of h1 mgmt)" >> "$tmp/work-victims" 2>&1 &
	client=$!
	wait_for "$patience" count_exceeds $((RANDOM % 64)) ||
		{ echo "the processes to be killed do not start"
		  cat "$tmp/work-victims"; kill "$server" "$client"; return 1; }
	if [ $((RANDOM % 2)) -eq 0 ]; then
		kill -KILL "$server"
		sleep_us $((RANDOM % 20000))
		kill -KILL "$client"
	else
		kill -KILL "$client" "$server"
	fi
	wait "$server" "$client" 2> /dev/null
	soak_done[kill]=$((${soak_done[kill]:-0} + 1))
}

# Datagrams get lost: they are sent when no link loses any.
datagrams()
{
	"$programs/mrc_ud" -d mrc0 -D mrc1 -g "${soak_gid[h0]}" srq
}
