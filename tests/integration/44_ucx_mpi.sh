#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# UCX and Open MPI, unmodified from Debian's packages, on the standard fabric with
# four planes and 16 SRv6 paths: ucx_perftest, and mpi_check.py over UCX, which
# compares all results.
#
# Spins: the processes of UCX and MPI poll without a system call.

. "$(dirname "$0")/lib/test.sh"

ranks_per_host=2

# ucx_of HOST: environment by which UCX uses the device of HOST and nothing else,
# also between processes of HOST.
ucx_of()
{
	echo "UCX_NET_DEVICES=mrc${1#h}:1" \
		"UCX_IB_GID_INDEX=$(gid_index "$1" 6)" \
		"UCX_TLS=rc_v,self"
}

# ucx TEST [ARG...]: run ucx_perftest between h1 (server) and h0 (client). It does not
# fork: libibverbs would forbid and allow it for each page of its memory.
ucx()
{
	local server status=0

	# shellcheck disable=SC2046
	on h1 env $(ucx_of h1) UCX_IB_FORK_INIT=n timeout -k 5 120 ucx_perftest \
		> "$tmp/server" 2>&1 &
	server=$!
	if wait_for "$patience" listening h1 13337; then
		# shellcheck disable=SC2046
		on h0 env $(ucx_of h0) UCX_IB_FORK_INIT=n timeout -k 5 120 ucx_perftest \
			"$(address_of h1 mgmt)" -t "$@" > "$tmp/client" 2>&1 ||
			status=$?
	else
		status=1
		pkill -P "$server"
	fi
	wait "$server" || status=$?
	[ "$status" -ne 0 ] || return 0
	tail -n 40 "$tmp/client" "$tmp/server"
	return "$status"
}

# Print the script that mpirun runs instead of ssh, as SCRIPT HOST COMMAND. It gives
# each host a host name of its own.
mpi_agent()
{
	cat <<- EOF
	#!/bin/bash
	case \$1 in
	$(address_of h0 mgmt)) host=h0 env="$(ucx_of h0)" ;;
	$(address_of h1 mgmt)) host=h1 env="$(ucx_of h1)" ;;
	esac
	shift
	exec ip netns exec "\$host" unshare --uts sh -c \
		"hostname \$host; env \$env \$*"
	EOF
}

mpi()
{
	local n=$ranks_per_host

	mpi_agent > "$tmp/agent"
	chmod +x "$tmp/agent"
	# shellcheck disable=SC2046
	on h0 unshare --uts sh -c 'hostname h0; exec "$@"' - \
		env $(ucx_of h0) OMPI_ALLOW_RUN_AS_ROOT=1 \
		OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		timeout -k 5 180 mpirun -np $((2 * n)) \
		--host "$(address_of h0 mgmt):$n,$(address_of h1 mgmt):$n" \
		--mca plm_rsh_agent "$tmp/agent" \
		--mca oob_tcp_if_include mgmt --mca pml ucx --mca osc ucx \
		--mca opal_common_ucx_tls any --mca opal_common_ucx_devices any \
		--mca btl ^openib,tcp,vader -x UCX_TLS \
		"$tests/tools/mpi/mpi_check.py" > "$tmp/mpi" 2>&1 && return
	tail -n 30 "$tmp/mpi"
	return 1
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "explicit paths in both directions" paths_up

carried > "$tmp/before"
check "ucx_perftest, active messages" ucx am_lat -d mrc0:1 -x rc_verbs -n 200 -w 10
for test in tag_lat tag_bw ucp_put_bw ucp_get ucp_am_bw stream_bw; do
	check "ucx_perftest $test" ucx "$test" -s 65536 -n 200 -w 10
done
for test in ucp_fadd ucp_cswap; do
	check "ucx_perftest $test" ucx "$test" -s 8 -n 200 -w 10
done
check "all T1 switches have carried data of ucx_perftest" \
	carried_more "$tmp/before"

carried > "$tmp/before"
check "Open MPI: point to point, all-reduce and all-to-all give the expected data" \
	mpi
note < "$tmp/mpi"
check "all T1 switches have carried data of Open MPI" carried_more "$tmp/before"
