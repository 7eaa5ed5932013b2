# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Faults of the fabric, and changes of the configuration, of a soak (soak.sh). Each is
# followed by messages of the resident, ends, and is followed by messages again.

: "${tmp:?}" "${patience:?}" "${soak_hosts:?}" "${soak_planes:?}"

# Each port of a switch has netem from the start: while the kernel exchanges a queue it
# drops what is sent, and does not count it.
netem="netem limit 10000"

links_open()
{
	local plane t0 t1

	# Links queue without a limit that a burst could reach.
	sysctl -qw net.core.netdev_max_backlog=10000 || return
	for plane in $soak_planes; do
		for t0 in 0 1; do
			for t1 in 0 1 2 3; do
				echo "qdisc add dev t1-$plane-$t1 root $netem"
			done > "$tmp/t0"
			echo "qdisc add dev h$t0 root $netem" >> "$tmp/t0"
			tc -n "t0-$plane-$t0" -batch "$tmp/t0" || return
		done
		printf "qdisc add dev t0-$plane-%s root $netem\n" 0 1 > "$tmp/t1"
		for t1 in 0 1 2 3; do
			tc -n "t1-$plane-$t1" -batch "$tmp/t1" || return
		done
	done
}

# Each link and port loses its carrier: the kernel allocates memory when that happens for
# the first time, and keeps it, which would look like a trend.
cut_all()
{
	local plane host all=

	for plane in $soak_planes; do
		all+=",$(printf "t1-$plane-%s," 0 1 2 3)"
		for host in $soak_hosts; do
			all+="$host:p$plane,"
		done
	done
	fabric cut "$all" && fabric restore "$all"
}

# Ends of links that are impaired, as "NETNS DEVICE HOST": HOST is the one whose packets
# are sent there. What each end has dropped since the start.
soak_ends=()
declare -A soak_dropped

# impair ARG...: with ARG for netem.
impair()
{
	local ns dev _

	while read -r ns dev _; do
		# shellcheck disable=SC2086
		tc -n "$ns" qdisc change dev "$dev" root $netem "$@" || return
	done < <(printf '%s\n' "${soak_ends[@]}")
}

# The end of a link has no packet any more, and has dropped $dropped.
end_is_empty()
{
	local state

	state=$(tc -n "$1" -s qdisc show dev "$2" root)
	[[ $state == *"backlog 0b 0p"* && $state =~ \(dropped\ ([0-9]+) ]] || return
	dropped=${BASH_REMATCH[1]}
}

# Links drop no packet any more; count those that they have dropped.
unimpair()
{
	local ns dev host dropped

	impair || return
	while read -r ns dev host; do
		wait_for "$patience" end_is_empty "$ns" "$dev" &&
			end_is_empty "$ns" "$dev" || return
		soak_lost[host]=$((soak_lost[host] + dropped -
				   ${soak_dropped[$ns $dev]:-0}))
		soak_dropped[$ns $dev]=$dropped
	done < <(printf '%s\n' "${soak_ends[@]}")
	soak_ends=()
}

# Both ends of the link between T0 $2 and T1 $3 of plane $1.
link_ends()
{
	soak_ends+=("t0-$1-$2 t1-$1-$3 $2" "t1-$1-$3 t0-$1-$2 $((1 - $2))")
}

some_link()
{
	link_ends $((RANDOM % 4)) $((RANDOM % 2)) $((RANDOM % 4))
}

some_switch()
{
	local plane=$((RANDOM % 4)) t1=$((RANDOM % 4))

	link_ends "$plane" 0 "$t1"
	link_ends "$plane" 1 "$t1"
}

# fault_KIND begin|end: each is followed by traffic of the resident. Those of the first
# kind drop packets and count them, those of the second drop them by losing a carrier,
# those of the third drop none.

lossy_link()	{ some_link; impair loss 3%; }
dark_link()	{ some_link; impair loss 100%; }
dark_switch()	{ some_switch; impair loss 100%; }
slow_link()	{ some_link; impair delay 300us 200us loss 1%; }

lossy_port()
{
	local plane=$((RANDOM % 4)) host=$((RANDOM % 2))

	soak_ends=("t0-$plane-$host h$host $((1 - host))")
	impair loss 2%
}

cut()
{
	soak_cut=$1
	fabric cut "$1"
}

cut_link()	{ cut "t0-$((p = RANDOM % 4))-$((RANDOM % 2)):t1-$p-$((RANDOM % 4))"; }
cut_switch()	{ cut "t1-$((RANDOM % 4))-$((RANDOM % 4))"; }
cut_port()	{ cut "h$((RANDOM % 2)):p$((RANDOM % 4))"; }

# Host $soak_i, whose configuration changes.
some_host()
{
	soak_i=$((RANDOM % 2))
}

soak_dst()
{
	address_of "h$((1 - soak_i))" 6
}

deny_switch()
{
	some_host
	soak_rule="usid 2$((RANDOM % 4))0$((RANDOM % 4))"
	# shellcheck disable=SC2086
	on "h$soak_i" mrcctl path deny dev "mrc$soak_i" $soak_rule
}

allow_switch()
{
	# shellcheck disable=SC2086
	on "h$soak_i" mrcctl path allow dev "mrc$soak_i" $soak_rule
}

# Paths A, A + 5, A + 10 of the fabric, from 1.
del_paths()
{
	local n

	some_host
	soak_paths=
	for n in 0 5 10; do
		soak_paths+=" $((1 + (RANDOM % 5) + n))"
	done
	# shellcheck disable=SC2086
	printf "path del dev mrc$soak_i dst $(soak_dst) ev %s\n" $soak_paths |
		on "h$soak_i" mrcctl -b -
}

add_paths()
{
	fabric paths "h$soak_i" "h$((1 - soak_i))" |
		awk -v dev="mrc$soak_i" -v evs="$soak_paths " '
		index(evs, " " NR " ") {
			print "path add dev", dev, "dst", $5, "ev", NR,
			      "port", $2, "sid", $4 }' |
		on "h$soak_i" mrcctl -b -
}

port_down()
{
	some_host
	soak_port=$((1 + RANDOM % 4))
	on "h$soak_i" mrcctl port set dev "mrc$soak_i" port "$soak_port" down
}

port_up()
{
	on "h$soak_i" mrcctl port set dev "mrc$soak_i" port "$soak_port" up
}

other_cc()
{
	some_host
	on "h$soak_i" mrcctl cc add soak dev "mrc$soak_i" algorithm fixed &&
		on "h$soak_i" mrcctl dev set "mrc$soak_i" cc soak
}

old_cc()
{
	on "h$soak_i" mrcctl dev set "mrc$soak_i" cc default &&
		on "h$soak_i" mrcctl cc del soak dev "mrc$soak_i"
}

probe_paths()
{
	some_host
	on "h$soak_i" mrcctl probe dev "mrc$soak_i" dst "$(soak_dst)" count 2 interval 10
}

# Kinds, each with what ends it.
counted="lossy_link dark_link dark_switch slow_link lossy_port"
carrier="cut_link cut_switch cut_port"
changes="deny_switch del_paths port_down other_cc probe_paths"

end_of()
{
	case $1 in
	deny_switch)	allow_switch ;;
	del_paths)	add_paths ;;
	port_down)	port_up ;;
	other_cc)	old_cc ;;
	probe_paths)	;;
	cut_*)		fabric restore "$soak_cut" ;;
	*)		unimpair ;;
	esac
}

# fault KIND: it begins, traffic goes on, it ends, traffic goes on.
fault()
{
	"$1" || { echo "$1 does not begin"; return 1; }
	goes_on "during $1" || return
	end_of "$1" || { echo "$1 does not end"; return 1; }
	goes_on "after $1" || return
	soak_done[$1]=$((${soak_done[$1]:-0} + 1))
}

# draw N LIST...: set soak_drawn to N of the list, not twice the same.
draw()
{
	local n=$1 list=("${@:2}") at

	soak_drawn=()
	while [ "$n" -gt 0 ]; do
		at=$((RANDOM % ${#list[@]}))
		soak_drawn+=("${list[at]}")
		list[at]=${list[-1]}
		unset 'list[-1]'
		n=$((n - 1))
	done
}

# Packets of a burst: as many as the hosts send at once, or one.
bursts()
{
	local host p

	for host in $soak_hosts; do
		for p in $soak_planes; do
			echo "link set p$p gso_max_segs $1"
		done | ip -n "$host" -batch - || return
	done
}

# The faults of cycle $1: in even ones links drop packets, in odd ones they lose
# carriers, but for every fourth of these, in which nothing is lost.
choose_faults()
{
	local n=$1

	soak_faults=()
	# shellcheck disable=SC2086
	if [ $((n % 2)) -eq 0 ]; then
		draw 2 $counted
		soak_faults+=("${soak_drawn[@]}")
	elif [ $((n % 8)) -ne 7 ]; then
		draw 1 $carrier
		soak_faults+=("${soak_drawn[@]}")
	fi
	# shellcheck disable=SC2086
	draw 2 $changes
	soak_faults+=("${soak_drawn[@]}")
}
