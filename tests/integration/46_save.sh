#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcctl save and restore: what is saved, flushed and restored is saved again as
# the same lines; only what differs is touched; what fails leaves everything as
# it was; the configuration outlives the module.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

save()
{
	h0 save > "$tmp/$1"
}

is_like()
{
	save now && diff "$tmp/$1" "$tmp/now"
}

# restore_refused STATUS SENTENCE FILE: by restore.
restore_refused()
{
	local status=0

	h0 restore "$3" > "$tmp/out" 2> "$tmp/err" || status=$?
	cat "$tmp/out" "$tmp/err"
	[ "$status" -eq "$1" ] && grep -q -- "$2" "$tmp/err"
}

# restores FILE LINES: with so many commands.
restores()
{
	h0 -d restore "$tmp/$1" > "$tmp/steps" || return
	cat "$tmp/steps"
	[ "$(wc -l < "$tmp/steps")" -eq "$2" ]
}

check "two hosts come up" fabric simple --links 2
check "without devices nothing is saved" save none
check "which is" test ! -s "$tmp/none"

dst=$(address_of h1 6)
cat > "$tmp/made" << END
dev add mrc0 netdev p0,p1
dev set mrc0 burst 3
dev set mrc0 icrc always
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
check "a configuration" h0 -b "$tmp/made"
check "save" save first
check_equal "every line has become one" "$(wc -l < "$tmp/first")" \
	"$(wc -l < "$tmp/made")"
check "save dev" diff "$tmp/first" <(h0 save dev mrc0)
check "restoring what there is does nothing" restores first 0
check "everything goes" h0 dev del mrc0
check "restore" h0 restore "$tmp/first"
check "it is the same" is_like first
check "everything goes" h0 dev del mrc0
check "it is a batch, too" h0 -b "$tmp/first"
check "it is the same" is_like first

# --- only what differs -----------------------------------------------------------

# Each SED expression makes another configuration, which takes so many commands,
# and as many back.
while IFS=: read -r what steps expression; do
	sed "$expression" "$tmp/first" > "$tmp/other"
	check "$what" restores other "$steps"
	# Rules that went and came again stand last, which means nothing.
	check "$what: is the same" diff <(sort "$tmp/other") \
		<(h0 save | sort)
	check "$what: back" h0 restore "$tmp/first"
	check "$what: back, is the same" diff <(sort "$tmp/first") \
		<(h0 save | sort)
done << END
another burst:1:s/burst 3/burst 4/
no ICRC where both can do without:1:/^dev set mrc0 icrc/d
a port in use:1:/^port set.*port 2/d
a port in use that ends paths:1:s/down usid/up usid/
a port that ends no paths:1:/^port set/s/down usid .*/down/
another prefix:1:s/3000::/3001::/
a CC profile says less:1:s/ gamma 0.75//
no CC profile of the device:1:/^dev set mrc0 cc/d
another template:1:s/,1.8,ev/,3\/8,ev/
another seed:1:/profile add few/s/seed [0-9]*/seed 12/
a value is allowed:1:/^profile ev clos/d
an explicit value:1:/index 0/s/bits 01/bits 03/
another destination:1:s/number 9/number 10/
a destination less:1:/^dest add 10/d
a path that leads another way:1:s/1100::/1101::/
a path by another port:2:s/ev 2 port 2/ev 2 port 1/
a CC profile goes online:1:/^cc add small/s/state offline/state online/
one goes offline that is used no more:4:/^cc add quick/s/state online/state offline/;/^dev set mrc0 cc/d;s/ cc quick$//
a profile goes back to the beginning:4:/^profile add few/s/state online/state init/;/^dest add 10/d
an explicit one goes offline:2:/^profile set list/d;s/profile list template rail number 3/profile few/
an explicit one grows:21:/^profile add list/s/count 2/count 3/;/index 1 port 2/a profile ev list dev mrc0 index 2 port 1 bits 03 allow
a rule less:1:/^path deny.*usid/d
another format:20:s/srv6 width 8/srv6 width 4,4/;s/field 8\/0xff:0-3/field 4\/0xf:0-3,4/;s/field 8\/0xff:0-255/field 4\/0xf:0-15,4\/0xf:0-15/
nothing but the device:19:/^dev add\|burst/!d
END

# --- what is wrong -----------------------------------------------------------------

echo "qp show" > "$tmp/bad"
check "commands that do not belong there are refused" \
	restore_refused 1 "line 1 of $tmp/bad" "$tmp/bad"
{ cat "$tmp/first"; sed -n 2p "$tmp/first"; } > "$tmp/bad"
check "so is what is said twice" restore_refused 1 "line 2 is about the same" "$tmp/bad"
sed 1d "$tmp/first" > "$tmp/bad"
check "a device that is not made" restore_refused 1 "no line 'dev add mrc0'" "$tmp/bad"
sed 's/netdev p0,p1/netdev p1,p0/' "$tmp/first" > "$tmp/bad"
check "and one of other ports" restore_refused 1 "has other ports: delete it first" \
	"$tmp/bad"
check "a file that is not there" restore_refused 1 "No such file" "$tmp/none-such"
sed 's/usid 2203/port 99/; s/burst 3/burst 5/; s/number 9/number 300/' \
	"$tmp/first" > "$tmp/bad"
check "a line that the kernel refuses is named" \
	restore_refused 2 "line $(grep -n 'number 300' "$tmp/bad" | cut -d: -f1) of" \
	"$tmp/bad"
check "it says why" grep -q "does not fit" "$tmp/err"
check "and that all is as it was" grep -q "all is as it was" "$tmp/err"
check "which is true" diff <(sort "$tmp/first") <(h0 save | sort)
sed 's/burst 3/burst 5/; s/number 9/number x/' "$tmp/first" > "$tmp/bad"
check "so is one that makes no sense" \
	restore_refused 1 "line $(grep -n 'number x' "$tmp/bad" | cut -d: -f1) of" \
	"$tmp/bad"
check "all is as it was then, too" diff <(sort "$tmp/first") <(h0 save | sort)
check_fails "not everybody may restore" "not permitted" nobody restore - \
	< "$tmp/other"

# --- the module goes and comes -------------------------------------------------------

mkdir -p "$tmp/etc"
check "the default file is written" cp "$tmp/first" "$tmp/etc/mrc.conf"
check "the module goes" wait_for "$patience" unload
check "it is gone" test ! -d /sys/module/mrc
check "restore loads it" h0 restore "$tmp/etc/mrc.conf"
check "with all there was" is_like first
check "a second time changes nothing" restores etc/mrc.conf 0

# --- what cannot be made again -------------------------------------------------------

check "a net device goes" ip -n h0 link del p1
check "the device is not saved without it" refused "make the device anew" save
check "nor is another one restored over it" \
	restore_refused 1 "has other ports: delete it first" "$tmp/etc/mrc.conf"
