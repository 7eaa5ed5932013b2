#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Compare the packets of one path, captured at each hop, with the documentation.

  capture.py DIR EV-FROM-H0 EV-FROM-H1

DIR has a capture of six messages for each link of the path h0, t0-0-0, t1-0-0,
t0-0-1, h1, taken at the end of the link that POINTS names. "probes" has the reliability
probes captured at h0 while the path was cut and after. all.txt is the output of tshark
for all of them, in this order, one line for each packet (fields in 60_capture.sh).
Headers are decoded here by the tables of Documentation/wire-format.md and by nothing
else. Prints TAP.
"""
import collections
import ipaddress
import struct
import sys
import zlib

BLOCK = 'fcbbbb00'
GIDS = {'h0': '2001:db8:100::1', 'h1': '2001:db8:101::1'}
NODES = ('3000', '1000', '2000', '1001', '3001')
# Each capture: its name, and the number of its link on the path, counted from h0.
POINTS = (('h0', 0), ('t0-0-0', 1), ('t1-0-0', 2), ('t0-0-1', 3), ('h1', 3))

HOP_LIMIT = 64
TC_DATA = 0x02
TC_CONTROL = 46 << 2
# Section 2: SEND, WRITE, READ and its responses; ATOMIC; those with Invalidate
DATA = (*range(0xc0, 0xd1), 0xd2, 0xd3, 0xd4, 0xd6, 0xd7)
WRITE = (0xc6, 0xc7, 0xc8)
SEND_ONLY_IMM = 0xc5
ACK, SACK, NACK, PROBE = 0xd1, 0xdc, 0xdd, 0xde
ENDPOINT = (0xd8, 0xd9)
CONTROL = (ACK, SACK, NACK, PROBE) + ENDPOINT
A, R, RTX, TS, NOICRC = 0x80, 0x40, 0x20, 0x10, 0x08
MESSAGE = 9999
PAYLOAD = 4096

Packet = collections.namedtuple('Packet', '''ether outer inner udp bth rest
                                             behind from_h0 shark''')
IP = collections.namedtuple('IP', 'tc label length next hops src dst')


def read_ip(data):
    first, length, nxt, hops = struct.unpack('!IHBB', data[:8])
    assert first >> 28 == 6
    return IP(first >> 20 & 0xff, first & 0xfffff, length, nxt, hops,
              *(str(ipaddress.IPv6Address(data[at:at + 16]))
                for at in (8, 24)))


def read_pcap(name):
    with open(name, 'rb') as file:
        magic, *_, link = struct.unpack('<IHHiIII', file.read(24))
        assert magic == 0xa1b2c3d4 and link == 1
        while True:
            head = file.read(16)
            if not head:
                return
            _, _, size, length = struct.unpack('<IIII', head)
            assert size == length, 'a packet is truncated'
            yield file.read(size)


def read_packet(frame, shark):
    ether, data = frame[:14], frame[14:]
    udp = struct.unpack('!HHHH', data[80:88])
    return Packet(ether, read_ip(data), read_ip(data[40:]), udp,
                  data[88:100], data[100:], data[40:],
                  read_ip(data[40:]).src == GIDS['h0'], shark)


def read_all(folder):
    """Name of the capture -> packets in order of capture"""
    with open(f'{folder}/all.txt', encoding='ascii') as file:
        shark = [line.rstrip('\n').split('\t') for line in file]
    names = [point[0] for point in POINTS] + ['probes']
    frames = {name: list(read_pcap(f'{folder}/{name}.pcap')) for name in names}
    assert len(shark) == sum(map(len, frames.values())), 'tshark reads other packets'
    lines = iter(shark)
    return {name: [read_packet(frame, next(lines)) for frame in frames[name]]
            for name in names}


def psn(p):
    return int.from_bytes(p.bth[9:12], 'big')


def psns_from(p, q):
    """How far @q is ahead of @p; less than 0: behind"""
    return (psn(q) - psn(p) + 0x800000 & 0xffffff) - 0x800000


def equal(what, got, wanted):
    assert got == wanted, f'{what}: got {got}, wanted {wanted}'


# --- each packet at each hop ---------------------------------------------------

def nodes_ahead(p):
    return NODES if p.from_h0 else NODES[::-1]


def link_of(p, link):
    """Number of links that the packet has passed."""
    return link if p.from_h0 else len(NODES) - 2 - link


def check_ether(p, behind):
    nodes = nodes_ahead(p)
    mac = '020000000000'
    equal('MAC addresses', p.ether[:12].hex(),
          mac[:8] + nodes[behind + 1] + mac[:8] + nodes[behind])


def check_outer(p, behind):
    digits = BLOCK + ''.join(nodes_ahead(p)[behind + 1:])
    sid = str(ipaddress.IPv6Address(int(digits.ljust(32, '0'), 16)))
    equal('list of uSIDs', p.outer.dst, sid)
    equal('source', p.outer.src, p.inner.src)
    equal('hop limit', p.outer.hops, HOP_LIMIT - behind)
    equal('next header', p.outer.next, 41)
    equal('traffic class', p.outer.tc, p.inner.tc)
    equal('flow label', p.outer.label, p.inner.label)
    equal('length', p.outer.length, len(p.behind))


def tc_of(p):
    assert p.bth[0] in DATA + CONTROL, f'opcode {p.bth[0]:#x}'
    return TC_DATA if p.bth[0] in DATA or p.bth[0] == PROBE else TC_CONTROL


def check_inner(p, evs):
    ends = (GIDS['h0'], GIDS['h1'])
    equal('addresses', (p.inner.src, p.inner.dst),
          ends if p.from_h0 else ends[::-1])
    equal('hop limit', p.inner.hops, HOP_LIMIT)
    equal('traffic class', p.inner.tc, tc_of(p))
    equal('length', p.inner.length, len(p.behind) - 40)
    equal('next header', p.inner.next, 17)
    ev = evs[0 if p.from_h0 else 1]
    equal('flow label', p.inner.label, ev >> 16)
    equal('source port', p.udp[0], ev & 0xffff)
    equal('destination port', p.udp[1], 4791)
    equal('UDP length', p.udp[2], p.inner.length)


def ones_sum(data):
    total = sum(struct.unpack(f'!{len(data) // 2}H', data[:len(data) & ~1]))
    if len(data) & 1:
        total += data[-1] << 8
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def check_udp_sum(p):
    """Over a pseudo header: addresses, length, next header (RFC 8200)"""
    data = p.behind[8:40] + struct.pack('!II', p.udp[2], 17) + p.behind[40:]
    equal('UDP checksum', ones_sum(data), 0xffff)
    assert p.udp[3], 'no UDP checksum'


def check_shark(p):
    """tshark's InfiniBand dissector decodes the same values, as far as it goes."""
    flags = p.bth[1], p.bth[8]
    equal('tshark', p.shark, [
        f'{p.outer.dst},{p.inner.dst}', f'{p.outer.hops},{p.inner.hops}',
        f'0x{p.outer.tc:08x},0x{p.inner.tc:08x}',
        f'0x{p.outer.label:06x},0x{p.inner.label:06x}', '41,17',
        str(p.udp[0]), str(p.udp[1]), '1',
        str(p.bth[0]), str(flags[0] >> 7), str(flags[0] >> 6 & 1),
        str(flags[0] >> 4 & 3), str(flags[0] & 15),
        str(int.from_bytes(p.bth[2:4], 'big')),
        f'0x{int.from_bytes(p.bth[5:8], "big"):06x}', str(flags[1] >> 7),
        str(flags[1] & 0x7f), str(psn(p))])


def check_same(packets):
    """No switch has changed anything behind the outer header."""
    first = collections.Counter(p.behind for p in packets['h0'])
    for name, _ in POINTS[1:]:
        equal(f'packets at {name}',
              collections.Counter(p.behind for p in packets[name]), first)


# --- MRC ------------------------------------------------------------------------

def icrc(p):
    """Section 8, of a packet that has one."""
    data = bytearray(p.behind)
    data[0:4] = b'\x6f\xff\xff\xff'
    data[7] = 0xff
    data[46:48] = b'\xff\xff'
    data[52] = 0xff
    return zlib.crc32(b'\xff' * 8 + data[:-4]).to_bytes(4, 'little')


def check_bth(p):
    equal('octet 1 but for padding', p.bth[1] & 0xcf, 0)
    equal('P_Key', p.bth[2:4], b'\xff\xff')
    equal('octet 4', p.bth[4], 0)
    equal('reserved bits', p.bth[8] & (R | 0x07), 0)


def check_data(p, first, nth, msn):
    """The @nth packet of a direction, of message @msn"""
    equal('PSN', psn(p), (psn(first) + nth) & 0xffffff)
    equal('QPN', p.bth[5:8], first.bth[5:8])
    equal('ts', p.bth[8] & TS, TS)
    equal('msn', p.rest[2:4], struct.pack('!H', msn))
    equal('tsr, reserved, ftype', p.rest[6:8], b'\x00\x01')
    equal('ICRC', p.rest[-4:], bytes(4) if p.bth[8] & NOICRC else icrc(p))


def check_size(p, size):
    equal('padding', p.bth[1] >> 4 & 3, -size % 4)
    equal('payload, padding and ICRC', len(p.rest) - 24, size + -size % 4 + 4)


def check_write(p, at, begin):
    """Packet @at of a message, whose VA and R_Key are @begin"""
    equal('opcode', p.bth[0], WRITE[at])
    check_size(p, (PAYLOAD, PAYLOAD, MESSAGE - 2 * PAYLOAD)[at])
    va, rkey, dmalen = struct.unpack('!QII', p.rest[8:24])
    equal('dmalen', dmalen, MESSAGE)
    if at:
        equal('VA and R_Key', (va - at * PAYLOAD, rkey), begin)
    return va - at * PAYLOAD, rkey


def check_send(p, nth):
    """
    The @nth message by which mrc_verify reports to its peer how many messages it
    has sent or verified: as payload (in the host's byte order) and as immediate,
    whose upper bits say which of the two.
    """
    equal('opcode', p.bth[0], SEND_ONLY_IMM)
    equal('rqmsn', p.rest[0:2], struct.pack('!H', nth))
    equal('offset, R_Key, dmalen', struct.unpack('!QII', p.rest[8:24]),
          (0, 0, 8))
    imm, count = p.rest[24:28], p.rest[28:36]
    equal('octets behind METH, TSETH, RETH, ImmDt', len(p.rest[28:]), 8 + 4)
    equal('padding', p.bth[1] >> 4 & 3, 0)
    equal('ImmDt', int.from_bytes(imm, 'big') & 0x1fffffff,
          int.from_bytes(count, 'little'))


def first_sent(packets, from_h0):
    """Data packets of a direction by PSN, without retransmissions"""
    data = [p for p in packets if p.bth[0] in DATA and p.from_h0 == from_h0
            and not p.bth[8] & RTX]
    assert data, 'no data'
    return sorted(data, key=lambda p: psns_from(data[0], p))


def check_requests(packets, from_h0):
    """Check all data of a direction; return the number of messages, and the packets"""
    data = first_sent(packets, from_h0)
    writes = sends = at = 0
    begin = None
    for nth, p in enumerate(data):
        check_data(p, data[0], nth, writes + sends)
        if not at and p.bth[0] != WRITE[0]:
            check_send(p, sends)
            sends += 1
            continue
        begin = check_write(p, at, begin)
        at = (at + 1) % len(WRITE)
        writes += at == 0
    equal('packets of an unfinished message', at, 0)
    equal('messages written', writes, 6 if from_h0 else 0)
    assert sends, 'no message with Immediate'
    assert any(p.bth[8] & A for p in data), 'no packet has AckReq'
    return writes + sends, data


def check_control(p, size):
    equal('length', len(p.bth + p.rest), size)
    equal('ts, noicrc', p.bth[8] & (TS | NOICRC), 0)
    equal('ICRC', p.rest[-4:], icrc(p))


def received_back(packets, opcode, from_h0):
    """Packets of @opcode that acknowledge data of a direction"""
    return [p for p in packets if p.bth[0] == opcode and p.from_h0 != from_h0]


def check_sacks(packets, from_h0, data, ev):
    sacks = received_back(packets, SACK, from_h0)
    assert sacks, 'no SACK'
    for p in sacks:
        check_control(p, 12 + 36 + 4)
        seth = p.rest[:36]
        equal('type, nxt', (seth[0], seth[1] >> 7), (0, 0))
        equal('entropy', struct.unpack('!I', seth[4:8])[0], ev)
        equal('spdcid, dpdcid', seth[8:12], bytes(4))
        equal('cack_psn', seth[12:16], b'\x00' + p.bth[9:12])
        equal('cc_type, cc_fl', seth[16], 0)
    equal('PSNs acknowledged behind the last one',
          max(psns_from(data[-1], p) for p in sacks), 0)


def check_acks(packets, from_h0, messages):
    acks = received_back(packets, ACK, from_h0)
    assert acks, 'no Acknowledge'
    for p in acks:
        check_control(p, 12 + 4 + 4)
        equal('syndrome', p.rest[0], 0x1f)
    equal('messages completed',
          max(int.from_bytes(p.rest[1:4], 'big') for p in acks), messages)


def check_direction(tap, packets, from_h0, ev):
    way = 'from h0' if from_h0 else 'from h1'
    found = tap.check(f'{way}: data packets and their messages', check_requests, packets, from_h0)
    if not found:
        return
    messages, data = found
    tap.check(f'data {way}: SACKs', check_sacks, packets, from_h0, data, ev)
    tap.check(f'data {way}: ACKs', check_acks, packets, from_h0, messages)


def check_endpoints(packets):
    """Endpoint packets carry the identifier "MRC" of this driver (E4)."""
    endpoint = [p for p in packets if p.bth[0] in ENDPOINT]
    assert endpoint, 'no endpoint packet'
    for p in endpoint:
        check_control(p, 12 + (16 if p.bth[0] == 0xd8 else 36) + 4)
        equal('QPN', p.bth[5:8], b'\x00\x00\x02')
        equal('identifier', p.rest[3:4] + p.rest[8:10], b'MRC')


def check_probes(packets, evs):
    """Captured at h0: probes of h0, and those of h1, which have passed the path"""
    assert any(p.from_h0 for p in packets), 'no probe of h0'
    for p in packets:
        equal('opcode', p.bth[0], PROBE)
        check_outer(p, link_of(p, 0))
        check_inner(p, evs)
        check_udp_sum(p)
        check_bth(p)
        check_control(p, 12 + 16 + 4)
        equal('PSN', psn(p), 0)
        equal('PETH', p.rest[:4] + p.rest[6:12], bytes(10))
        equal('tsr, reserved, ftype', p.rest[14:16], b'\x00\x01')


# --- results ----------------------------------------------------------------------

class Tap:
    def __init__(self):
        self.n = 0

    def check(self, name, function, *args):
        self.n += 1
        try:
            result = function(*args)
        except AssertionError as error:
            print(f'not ok {self.n} - {name}')
            print(f'# {error}')
            return None
        print(f'ok {self.n} - {name}')
        return result


def each(packets, function, *args):
    for p in packets:
        function(p, *args)


def hop_by_hop(tap, packets, evs):
    for name, link in POINTS:
        here = packets[name]
        ways = [(p, link_of(p, link)) for p in here]
        tap.check(f'{name}: packets of both directions', lambda: equal(
            'hosts', {p.from_h0 for p in here}, {True, False}))
        tap.check(f'{name}: MAC addresses', lambda: [
            check_ether(*way) for way in ways])
        tap.check(f'{name}: outer header, uSIDs shifted', lambda: [
            check_outer(*way) for way in ways])
        tap.check(f'{name}: inner header and UDP', each, here, check_inner, evs)
        tap.check(f'{name}: tshark agrees', each, here, check_shark)


def main():
    tap = Tap()
    evs = [int(word, 0) for word in sys.argv[2:4]]
    packets = read_all(sys.argv[1])
    hop_by_hop(tap, packets, evs)
    tap.check('all hops: bytes behind the outer header are unchanged', check_same, packets)
    here = packets['h1']
    tap.check('h1: UDP checksums are right', each, here, check_udp_sum)
    tap.check('h1: flags, P_Key and reserved bits of BTHs', each, here, check_bth)
    check_direction(tap, here, True, evs[0])
    check_direction(tap, here, False, evs[1])
    tap.check('h1: endpoint packets', check_endpoints, here)
    tap.check('h0: reliability probes', check_probes, packets['probes'], evs)
    print(f'1..{tap.n}')


main()
