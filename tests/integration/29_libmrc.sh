#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The application API of libmrc: the tutorial's program, and programs of others, built
# from checkouts without changes: the examples of the OCP project (OCP_MRC), with every
# option of its benchmark; the network plug-in of NCCL (OCP_NCCL, a checkout of
# microsoft/mrc-nccl-plugin), with host memory.
#
# Spins: the benchmark waits for a byte of memory.

. "$(dirname "$0")/lib/test.sh"

export LD_LIBRARY_PATH=$root/build/lib

# tutorial NAME: build a program of the tutorial.
tutorial()
{
	cc -Wall -I"$root/userspace/libmrc/include" -o "$tmp/$1" \
		"$root/userspace/libmrc/examples/$1.c" -L"$root/build/lib" \
		-lmrc -libverbs
}

# build FOLDER [VARIABLE...]: build a folder of the checkout, in a copy.
build()
{
	local folder=$1

	shift
	[ -d "$tmp/ocp" ] || cp -r "$OCP_MRC" "$tmp/ocp"
	make -C "$tmp/ocp/$folder" "$@"
}

# The benchmark against the headers of the checkout, and against ours.
build_benchmark()
{
	build examples/benchmark clean "$@" &&
		build examples/benchmark MRC_LIB_DIR="$root/build/lib" "$@" &&
		cp "$tmp/ocp/examples/benchmark/mrc_example" "$tmp/$benchmark"
}

# benchmark [OPTION...]: run it between h1 (server) and h0 (client); both must report
# success, and the server that all data is right.
benchmark()
{
	local server status=0 server_status=0

	on h1 env MRC_LOG_LEVEL=DEBUG "$tmp/$benchmark" -d mrc1 -p "$tcp" \
		-g "$(gid_index h1 6)" "$@" > "$tmp/server" 2>&1 &
	server=$!
	if ! wait_for "$patience" listening h1 "$tcp"; then
		kill "$server"
		cat "$tmp/server"
		return 1
	fi
	on h0 env MRC_LOG_LEVEL=INFO "$tmp/$benchmark" -d mrc0 -p "$tcp" \
		-g "$(gid_index h0 6)" "$@" "$(address_of h1 mgmt)" \
		> "$tmp/client" 2>&1 || status=$?
	wait "$server" || server_status=$?
	tcp=$((tcp + 1))
	cat "$tmp/client"
	grep -v "Validating\|SYNC\|Starting" "$tmp/server"
	[ "$status" -eq 0 ] && [ "$server_status" -eq 0 ] &&
		grep -q "Data validation passed" "$tmp/server" &&
		! grep -q "ERROR\|errors (" "$tmp/server" "$tmp/client"
}

# rows N: the client of the last benchmark has measured N sizes.
rows()
{
	[ "$(grep -cE '^ *[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+' "$tmp/client")" -eq "$1" ]
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6 4

check "the tutorial's application is built" tutorial write
check_equal "the tutorial's application writes from mrc0 to mrc1" \
	"$("$tmp/write" mrc0 mrc1 "$(gid_index h0 6)" 2>&1)" "written by MRC"
check_fails "the tutorial's application fails for a device that is not there" \
	"." "$tmp/write" mrc0 mrc9 "$(gid_index h0 6)"
check_fails "LIBMRC_DEBUG tells why a call fails" \
	"libmrc: attr_set: there is no profile '4711'" \
	env LIBMRC_DEBUG=1 MRC_QP_EV_PROFILE_ID=4711 \
	"$tmp/write" mrc0 mrc1 "$(gid_index h0 6)"

# --- the network plug-in of NCCL -----------------------------------------------------

# Against libmrc instead of a vendor's library. Its header calls struct mrc_device_attr
# mrc_attr; what newer versions of libmlx5 have is left out.
build_nccl()
{
	local flags=(-I"$root/tests/libmrc/nccl" -I"$root/userspace/libmrc/include"
		-Dmrc_attr=mrc_device_attr -DHAVE_DECL_MLX5DV_REG_DMABUF_MR=0
		-DHAVE_DECL_MLX5DV_GET_DATA_DIRECT_SYSFS_PATH=0)

	cp -r "$OCP_NCCL" "$tmp/nccl" &&
		CPPFLAGS="${flags[*]}" LDLIBS=-lmlx5 make -C "$tmp/nccl" \
			MRC_HOME="$tmp" CUDA_HOME="$tmp" NCCL_HOME="$tmp" \
			MRC_LIBDIR="$root/build/lib" &&
		cc -Wall -O2 -rdynamic -I"$root/tests/libmrc/nccl" \
			-I"$OCP_NCCL/include" -o "$tmp/nccl_host" \
			"$root/tests/libmrc/nccl/nccl_host.c" -ldl
}

# nccl_on HOST ARG...: nccl_host there.
nccl_on()
{
	local host=$1

	shift
	on "$host" timeout "$nccl_limit" env NCCL_IB_HCA="=mrc${host#h}" NCCL_SOCKET_IFNAME==mgmt \
		NCCL_IB_GID_INDEX="$(gid_index "$host" 6)" "${nccl_env[@]}" \
		"$tmp/nccl_host" "$tmp/nccl/libnccl-net-mrc.so" "$@"
}

# Seconds for a transfer that takes less than one.
nccl_limit=10

# nccl BYTES GROUPS [VARIABLE=VALUE...]: groups of messages from h0 to h1.
nccl()
{
	local bytes=$1 groups=$2 receiver status=0

	shift 2
	nccl_env=("$@")
	: > "$tmp/handle"
	nccl_on h1 recv "$bytes" "$groups" > "$tmp/handle" 2> "$tmp/server" &
	receiver=$!
	wait_for "$patience" test -s "$tmp/handle" &&
		nccl_on h0 send "$bytes" "$groups" < "$tmp/handle" \
			> "$tmp/client" 2>&1 || status=$?
	[ "$status" -eq 0 ] || kill "$receiver"
	wait "$receiver" || status=$?
	show_files client server
	[ "$status" -eq 0 ] && grep -q "MRC context created" "$tmp/client" &&
		grep -q "^$groups groups of" "$tmp/handle"
}

nccl_plugin()
{
	check "NCCL: the plug-in and a program with host memory are built" \
		build_nccl || return
	check "NCCL: 200 groups of messages of 64 KiB arrive" nccl 65536 200
	check "NCCL: messages of 1 byte arrive" nccl 1 50
	check "NCCL: messages of 1 MiB on four queue pairs arrive" \
		nccl 1048576 20 NCCL_IB_QPS_PER_CONNECTION=4 NCCL_IB_SPLIT_DATA_ON_QPS=1
	check "NCCL: messages without QP hints arrive" \
		nccl 4096 50 NCCL_MRC_QP_HINT_ENABLE=0 NCCL_MRC_TIMEOUT=16
}

skip "Microsoft's verbs shim carries perftest" \
	"never tried: no checkout of microsoft/mrc-verbs-shim-lib was at hand"
if [ "${OCP_NCCL:-}" ]; then
	nccl_plugin
else
	skip "the network plug-in of NCCL runs" "no checkout: OCP_NCCL=DIR"
fi

# --- the examples of the OCP project ------------------------------------------------

if [ -z "${OCP_MRC:-}" ]; then
	skip "the examples of the OCP project run" "no checkout: OCP_MRC=DIR"
	exit
fi

tcp=18200
check "OCP: test/mrc_test is built" build test
check "OCP: test/mrc_test opens mrc0" "$tmp/ocp/test/mrc_test" -d mrc0
check "OCP: examples/ev_expansion is built" \
	cc -o "$tmp/ev_expansion" "$OCP_MRC/examples/ev_expansion/ev_expansion.c" -lm
check "OCP: examples/ev_expansion runs" "$tmp/ev_expansion"
benchmark=theirs
check "OCP: examples/benchmark is built with its own headers" build_benchmark
benchmark=ours
check "OCP: examples/benchmark is built with the headers of libmrc" \
	build_benchmark MRC_H_PATH="$root/userspace/libmrc/include"
for benchmark in theirs ours; do
	check "OCP: benchmark ($benchmark headers), 7 sizes up to 64 KiB" \
		benchmark -n 50 -w 2 --min-size=16 --step-factor=4 -s 65536
	check "OCP: benchmark ($benchmark headers) has measured 7 sizes" rows 7
	grep -E "^ *#|^ *[0-9]" "$tmp/client" | note
done
check "OCP: benchmark, long options, MTU 1024" \
	benchmark --iters=20 --size=8192 --min-size=8192 --warmup-iters=0 \
	--mtu=1024 --ib-port=1
check "OCP: benchmark, MTU 4096, one message of 4 MiB" \
	benchmark -m 4096 -n 1 -S 4194304 -s 4194304 -F 2 -w 1 -i 1
check_fails "OCP: benchmark prints its options" "Usage" "$tmp/ours" --help
check_fails "OCP: benchmark refuses an unknown device" "not found" \
	"$tmp/ours" -d mrc9
