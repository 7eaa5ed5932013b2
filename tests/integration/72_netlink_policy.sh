#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Policies of the netlink commands (policy.py): each command of the specification
# refuses the attributes outside its list, and needs privileges unless it reads. New
# commands are tested without a change here.
#
# Also: older kernels: those before 6.2 have one policy for the request and the dump of
# a command, and kernel/compat makes it from the generated ones.

. "$(dirname "$0")/lib/test.sh"

spec=$root/Documentation/netlink/specs/mrc.yaml

# policy ARG...: run policy.py; unprivileged ARG...: as a user without capabilities.
policy()
{
	/usr/bin/python3 "$tests/tools/netlink/policy.py" "$spec" "$@"
}

unprivileged()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		/usr/bin/python3 "$tests/tools/netlink/policy.py" "$spec" "$@"
}

# all_good COMMAND: policy.py has printed cases of COMMAND, and all are "ok:".
all_good()
{
	awk -v command="$1" '$2 == command { print; n++; bad += $1 != "ok:" }
		END { exit !n || bad }' "$tmp/verdicts"
}

check "the module loads on the first request" mrcctl dev show
check "the family offers the commands of the specification" policy offered
mapfile -t commands < <(policy commands)
check "the specification has commands" test "${#commands[@]}" -ge 30
policy attributes > "$tmp/verdicts"
for command in "${commands[@]}"; do
	check "$command refuses and names attributes outside its list" \
		all_good "$command"
done
check "without privileges only commands that read are permitted" \
	unprivileged forbidden
