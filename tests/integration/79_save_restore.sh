#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcctl save and restore: a configuration that is saved, deleted and restored is
# saved as the same lines; restore changes only what differs; a failed restore leaves
# the configuration unchanged; restore works after the module was unloaded.
# Configuration only, no traffic.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

save()
{
	h0 save > "$tmp/$1"
}

# saves_as NAME: mrcctl save prints the contents of $tmp/NAME.
saves_as()
{
	save now && diff "$tmp/$1" "$tmp/now"
}

# restore_refused STATUS SENTENCE FILE: restore of FILE ends with STATUS and a
# message with SENTENCE.
restore_refused()
{
	local status=0

	h0 restore "$3" > "$tmp/out" 2> "$tmp/err" || status=$?
	cat "$tmp/out" "$tmp/err"
	[ "$status" -eq "$1" ] && grep -q -- "$2" "$tmp/err"
}

# restores FILE LINES: restore of FILE carries out LINES commands.
restores()
{
	h0 -d restore "$tmp/$1" > "$tmp/steps" || return
	cat "$tmp/steps"
	[ "$(wc -l < "$tmp/steps")" -eq "$2" ]
}

check "two hosts come up" fabric simple --links 2
check "save without devices succeeds" save none
check "save without devices prints nothing" test ! -s "$tmp/none"

dst=$(address_of h1 6)
cat > "$tmp/made" << END
dev add mrc0 netdev p0,p1
dev set mrc0 burst 3
dev set mrc0 icrc always
dev set mrc0 peer-ports ignore
port set dev mrc0 port 1 up usid fcbb:bb00:3000::/48
port set dev mrc0 port 2 down usid fcbb:bb00:3100::/48
cc add quick dev mrc0 algorithm nscc lb reps window 300000 gamma 0.75
cc add small dev mrc0 window 65536 state offline
dev set mrc0 cc quick
format add t1 dev mrc0 mode srv6 width 8
format add u dev mrc0 mode udp width 16 state init
profile add clos dev mrc0 mode generated format t1 count 8 field 8/0xff:0-3 seed 7
profile ev clos dev mrc0 index 3 deny
profile add list dev mrc0 mode explicit format t1 count 2 field 8/0xff
profile ev list dev mrc0 index 0 port 1 bits 01
profile ev list dev mrc0 index 1 port 2 bits 02 deny
profile set list dev mrc0 state online
profile add few dev mrc0 mode auto count 8
template add rail dev mrc0 ev-bits 8 dest-bits 8 field fcbbbb00/32,1/8,ev@0/8,2/8,dest@0/8
dest add $dst/128 dev mrc0 profile clos template rail number 9 cc quick
dest add 2001:db8::/32 dev mrc0 profile list template rail number 3
dest add 10.0.0.0/8 dev mrc0 profile few
path add dev mrc0 dst fd00::1 ev 1 port 1 sid fcbb:bb00:1000::
path add dev mrc0 dst fd00::1 ev 2 port 2 sid fcbb:bb00:1100::
path deny dev mrc0 usid 2203 next 1201
path deny dev mrc0 dst 10.1.0.0/16 port 1
END
check "a batch creates a configuration" h0 -b "$tmp/made"
check "save of the configuration succeeds" save first
check_equal "save prints as many lines as the batch had" \
	"$(wc -l < "$tmp/first")" \
	"$(wc -l < "$tmp/made")"
check "save dev mrc0 prints the same lines as save" \
	diff "$tmp/first" <(h0 save dev mrc0)
check "restore of the present configuration carries out no command" \
	restores first 0
check "mrc0 is deleted before restore" h0 dev del mrc0
check "restore of the deleted configuration succeeds" h0 restore "$tmp/first"
check "the configuration is the same after restore" saves_as first
check "mrc0 is deleted before the batch" h0 dev del mrc0
check "a saved configuration can be run as a batch" h0 -b "$tmp/first"
check "the configuration is the same after the batch" saves_as first

# --- only what differs -----------------------------------------------------------

# Each line: a name, a number of commands, and a sed expression that makes another
# configuration; restore of it takes that many commands.
while IFS=: read -r what steps expression; do
	sed "$expression" "$tmp/first" > "$tmp/other"
	check "restore, $what: carries out $steps commands" \
		restores other "$steps"
	# Deny rules that were deleted and added again are last; the order of
	# rules has no meaning.
	check "restore, $what: save prints the restored lines" \
		diff <(sort "$tmp/other") <(h0 save | sort)
	check "restore, $what: restore of the first configuration succeeds" \
		h0 restore "$tmp/first"
	check "restore, $what: save prints the first configuration again" \
		diff <(sort "$tmp/first") <(h0 save | sort)
done << END
another burst:1:s/burst 3/burst 4/
icrc auto:1:/^dev set mrc0 icrc/d
peer-ports trust:1:/^dev set mrc0 peer-ports/d
a port that is up:1:/^port set.*port 2/d
a port that is up, with a prefix:1:s/down usid/up usid/
a port without a prefix:1:/^port set/s/down usid .*/down/
another prefix:1:s/3000::/3001::/
a CC profile with one parameter less:1:s/ gamma 0.75//
no CC profile of the device:1:/^dev set mrc0 cc/d
another template:1:s/,1.8,ev/,3\/8,ev/
another seed:1:/profile add few/s/seed [0-9]*/seed 12/
an allowed EV of a generated profile:1:/^profile ev clos/d
another EV of an explicit profile:1:/index 0/s/bits 01/bits 03/
another destination:1:s/number 9/number 10/
one destination less:1:/^dest add 10/d
an explicit path with another sid:1:s/1100::/1101::/
an explicit path with another port:2:s/ev 2 port 2/ev 2 port 1/
a CC profile online:1:/^cc add small/s/state offline/state online/
an unused CC profile offline:4:/^cc add quick/s/state online/state offline/;/^dev set mrc0 cc/d;s/ cc quick$//
a profile in init:4:/^profile add few/s/state online/state init/;/^dest add 10/d
an explicit profile offline:2:/^profile set list/d;s/profile list template rail number 3/profile few/
an explicit profile of three EVs:21:/^profile add list/s/count 2/count 3/;/index 1 port 2/a profile ev list dev mrc0 index 2 port 1 bits 03 allow
one deny rule less:1:/^path deny.*usid/d
another format:20:s/srv6 width 8/srv6 width 4,4/;s/field 8\/0xff:0-3/field 4\/0xf:0-3,4/;s/field 8\/0xff:0-255/field 4\/0xf:0-15,4\/0xf:0-15/
a device without objects:20:/^dev add\|burst/!d
END

# --- refused files -----------------------------------------------------------

echo "qp show" > "$tmp/bad"
check "restore of a file with another command is refused" \
	restore_refused 1 "line 1 of $tmp/bad" "$tmp/bad"
{ cat "$tmp/first"; sed -n 2p "$tmp/first"; } > "$tmp/bad"
check "restore of a file with two lines about the same object is refused" \
	restore_refused 1 "line 2 configures the same object" "$tmp/bad"
sed 1d "$tmp/first" > "$tmp/bad"
check "restore of a file without the line of its device is refused" \
	restore_refused 1 "no line 'dev add mrc0'" "$tmp/bad"
sed 's/netdev p0,p1/netdev p1,p0/' "$tmp/first" > "$tmp/bad"
check "restore of a file with other ports of the device is refused" \
	restore_refused 1 "has other ports: delete it first" \
	"$tmp/bad"
check "restore of a file that does not exist is refused" \
	restore_refused 1 "No such file" "$tmp/none-such"
sed 's/usid 2203/port 99/; s/burst 3/burst 5/; s/number 9/number 300/' \
	"$tmp/first" > "$tmp/bad"
check "restore names the line that the kernel refuses" \
	restore_refused 2 "line $(grep -n 'number 300' "$tmp/bad" | cut -d: -f1) of" \
	"$tmp/bad"
check "restore prints the reason of the kernel" \
	grep -q "does not fit" "$tmp/err"
check "restore reports that the configuration is unchanged" \
	grep -q "the previous configuration has been restored" "$tmp/err"
check "the configuration is unchanged after a line that the kernel refuses" \
	diff <(sort "$tmp/first") <(h0 save | sort)
sed 's/burst 3/burst 5/; s/number 9/number x/' "$tmp/first" > "$tmp/bad"
check "restore names the line that mrcctl refuses" \
	restore_refused 1 "line $(grep -n 'number x' "$tmp/bad" | cut -d: -f1) of" \
	"$tmp/bad"
check "the configuration is unchanged after a line that mrcctl refuses" \
	diff <(sort "$tmp/first") <(h0 save | sort)
check_fails "restore without privileges is refused" \
	"not permitted" unprivileged restore - \
	< "$tmp/other"

# --- unloading of the module -------------------------------------------------

mkdir -p "$tmp/etc"
check "the saved configuration is copied to a default file" \
	cp "$tmp/first" "$tmp/etc/mrc.conf"
check "the module unloads with a configured device" wait_for "$patience" unload
check "the module is not loaded before restore" test ! -d /sys/module/mrc
check "restore loads the module" h0 restore "$tmp/etc/mrc.conf"
check "the configuration is the same after the module was unloaded" \
	saves_as first
check "a second restore carries out no command" restores etc/mrc.conf 0

# --- a device without one of its net devices ---------------------------------

check "the net device of port 2 of mrc0 is deleted" ip -n h0 link del p1
check "save of a device without one of its net devices is refused" \
	refused "delete and add the device again" save
check "restore over a device without one of its net devices is refused" \
	restore_refused 1 "has other ports: delete it first" "$tmp/etc/mrc.conf"
