#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Set-up of "make shell" and "make lab": the standard fabric, or that of the arguments
# for "fabric.sh up", with a device on each of two hosts.

here=$(cd "$(dirname "$0")" && pwd)
PATH=$here:$PATH

echo "bringing up the fabric ..."
fabric.sh up "$@" || exit
for i in 0 1; do
	ip netns exec "h$i" mrcctl dev add "mrc$i" \
		netdev "$(fabric.sh ports "h$i")"
done
cat <<END

Hosts h0 and h1 have devices mrc0 and mrc1 on four planes. Try:

  ip netns exec h1 ib_write_bw -d mrc1 &
  ip netns exec h0 ib_write_bw -d mrc0 $(fabric.sh addr h1 | cut -d ' ' -f 3)
  ip netns exec h0 mrcctl dev show
  $here/fabric.sh paths h0 h1
  $here/fabric.sh cut t1-0-2        (and restore)

"exit" ends the guest.

END
