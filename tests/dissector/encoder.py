# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Packets of MRC, written from the tables of Documentation/wire-format.md and from
nothing else, so that the dissector is compared with the documentation.
"""
import ipaddress
import struct
import zlib

MRC_PORT = 4791
H0, H1 = "2001:db8:100::1", "2001:db8:101::1"
H0_V4, H1_V4 = "10.100.0.1", "10.101.0.1"
# From h0 over T0, T1 and T0 of plane 0.
SID = "fcbb:bb00:1000:2000:1001:3001::"

# Section 2.
SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM = 0xc0, 0xc1, 0xc2, 0xc3
SEND_ONLY, SEND_ONLY_IMM = 0xc4, 0xc5
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM = 0xc6, 0xc7, 0xc8, 0xc9
WRITE_ONLY, WRITE_ONLY_IMM = 0xca, 0xcb
READ, READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY = 0xcc, 0xcd, 0xce, 0xcf, 0xd0
ACK, ATOMIC_ACK, CMP_SWAP, FETCH_ADD = 0xd1, 0xd2, 0xd3, 0xd4
SEND_LAST_INV, SEND_ONLY_INV = 0xd6, 0xd7
EP_REQUEST, EP_RESPONSE, SACK, NACK, PROBE = 0xd8, 0xd9, 0xdc, 0xdd, 0xde
UD_SEND, UD_SEND_IMM = 0x64, 0x65

# Section 3, octet 8.
A, R, RTX, TS, NOICRC = 0x80, 0x40, 0x20, 0x10, 0x08
DSCP_CONTROL, DSCP_TRIMMED, DSCP_TRIMMED_LASTHOP = 46, 12, 16
ECN_ECT, ECN_CE = 2, 3
MAGIC = 0x4d
CAPS_MAGIC = 0x52430000
MASK_24 = 0xffffff


def u24(value):
    return (value & MASK_24).to_bytes(3, "big")


# --- BTH and headers -------------------------------------------------------------

def bth(opcode, qpn, psn, bits=0, flags=0, pkey=0xffff, octet4=0):
    return (struct.pack("!BBHB", opcode, flags, pkey, octet4) + u24(qpn) +
            bytes([bits]) + u24(psn))


def meth(msn, rqmsn=0):
    return struct.pack("!HH", rqmsn, msn)


def tseth(ts, info=1):
    return struct.pack("!HH", ts, info)


def reth(va, rkey, dmalen):
    return struct.pack("!QII", va, rkey, dmalen)


def data(opcode, *, qpn=0x123, psn=0, bits=0, se=0, ts=None, msn=0, rqmsn=0, va=0,
         rkey=0, dmalen=None, payload=b"", last=b"", pad=None, ts_info=1):
    """A packet with RETH; last: header behind it"""
    pad = -len(payload) % 4 if pad is None else pad
    out = bth(opcode, qpn, psn, bits | (TS if ts is not None else 0), se << 7 | pad << 4)
    out += meth(msn, rqmsn) + (tseth(ts, ts_info) if ts is not None else b"")
    out += reth(va, rkey, len(payload) if dmalen is None else dmalen)
    return out + last + payload + bytes(pad)


def imm(value):
    return struct.pack("!I", value)


def rpsneth(psn):
    return b"\0" + u24(psn)


def atomic(opcode, *, qpn=0x123, psn=0, ts=None, msn=0, rqmsn=0, va=0, rkey=0, swap=0,
           compare=0, rpsn=0):
    return (bth(opcode, qpn, psn, TS if ts is not None else 0) + meth(msn, rqmsn) +
            (tseth(ts) if ts is not None else b"") +
            struct.pack("!QIQQ", va, rkey, swap, compare) + rpsneth(rpsn))


def atomic_ack(*, qpn=0x123, psn=0, ts=None, msn=0, rqmsn=0, orig=0):
    return (bth(ATOMIC_ACK, qpn, psn, TS if ts is not None else 0) +
            meth(msn, rqmsn) + (tseth(ts) if ts is not None else b"") +
            struct.pack("!Q", orig))


# --- control packets ---------------------------------------------------------------

def sack(*, qpn=0x456, cack=0, trigger=0, probe_id=None, ev=0, mark=0, mpr=0, first=0,
         bitmap=0, ts=0, ooo=0, rcvd=0, restore=0, pen=0, bits=0, info=0):
    """Section 5; trigger and first are relative to cack"""
    info |= mark << 5 | (probe_id is not None) << 1
    second = probe_id if probe_id is not None else trigger & 0xffff
    return (bth(SACK, qpn, cack, bits) +
            struct.pack("!HHIHH", info, second, ev, 0, 0) + b"\0" + u24(cack) +
            struct.pack("!BBhQ", 0, mpr, first, bitmap) +
            struct.pack("!HHI", ts, ooo, restore << 31 | pen << 24 | rcvd))


def nack(reason, *, qpn=0x456, psn=0, ev=0, ts=0):
    return (bth(NACK, qpn, psn) + struct.pack("!HBBIHH", 0, reason, 0, ev, 0, 0) +
            b"\0" + u24(psn) + struct.pack("!BBH", 0x20, 0, ts))


def ack(syndrome, *, qpn=0x456, psn=0, msn=0):
    return bth(ACK, qpn, psn) + bytes([syndrome]) + u24(msn)


def probe(probe_id, *, qpn=0x123, ts=0):
    return (bth(PROBE, qpn, 0) + struct.pack("!I", 0) +
            struct.pack("!HHI", probe_id, 0, 0) + tseth(ts))


def endpoint_request(op, *, request_id=0, ports=1, caps=None, ts=0, qpn=2):
    magic, caps = (0, 0) if caps is None else (MAGIC, CAPS_MAGIC | caps)
    return (bth(EP_REQUEST, qpn, request_id) +
            struct.pack("!HBBII", op, 0, magic, ports, caps) + tseth(ts))


def endpoint_response(op, *, request_id=0, ports=0, caps=None, ts=0, qpn=2):
    magic, caps = (0, 0) if caps is None else (MAGIC, CAPS_MAGIC | caps)
    return (bth(EP_RESPONSE, qpn, request_id) +
            struct.pack("!HBBII", op << 2, 0, magic, ports, caps) + bytes(16) +
            struct.pack("!H", ts) + bytes(6))


def datagram(opcode, *, qpn=1, psn=0, qkey=0x80010000, src_qpn=1, payload=b"", last=b""):
    pad = -len(payload) % 4
    return (bth(opcode, qpn, psn, 0, pad << 4) + struct.pack("!I", qkey) + b"\0" +
            u24(src_qpn) + last + payload + bytes(pad))


# --- UDP, IP, SRv6 --------------------------------------------------------------------

def ones_sum(octets):
    octets += bytes(len(octets) % 2)
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def icrc_of(ip, udp, packet):
    """Section 8: ones where switches change something"""
    if ip[0] >> 4 == 6:
        head = b"\x6f\xff\xff\xff" + ip[4:7] + b"\xff" + ip[8:]
    else:
        head = ip[:1] + b"\xff" + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:]
    octets = b"\xff" * 8 + head + udp[:6] + b"\xff\xff" + packet[:4] + b"\xff" + packet[5:]
    return struct.pack("<I", zlib.crc32(octets))


def ipv6(src, dst, length, *, tc=0, flow=0, nxt=17, hops=64):
    return (struct.pack("!IHBB", 6 << 28 | tc << 20 | flow, length, nxt, hops) +
            ipaddress.IPv6Address(src).packed + ipaddress.IPv6Address(dst).packed)


def ipv4(src, dst, length, *, tos=0, ident=0, ttl=64):
    head = (struct.pack("!BBHHHBBH", 0x45, tos, length, ident, 0x4000, ttl, 17, 0) +
            ipaddress.IPv4Address(src).packed + ipaddress.IPv4Address(dst).packed)
    return head[:10] + struct.pack("!H", 0xffff - ones_sum(head)) + head[12:]


def is_control(packet):
    return packet[:1] and packet[0] in (ACK, SACK, NACK, EP_REQUEST, EP_RESPONSE)


def frame(packet, *, src=H0, dst=H1, ev=0x1c0de, sid=None, srh=None, left=1, dscp=None,
          ecn=None, icrc=None, port=MRC_PORT, trim=None, ident=0x1234, udp_len=None):
    """An Ethernet frame of a packet without ICRC. icrc: octets of the field, default the
    right ones or zero without ICRC; trim: octets of the packet that are left."""
    control = is_control(packet)
    dscp = (DSCP_CONTROL if control else 0) if dscp is None else dscp
    ecn = (0 if control else ECN_ECT) if ecn is None else ecn
    tc = dscp << 2 | ecn
    length = udp_len or len(packet) + 12
    udp = struct.pack("!HHHH", ev & 0xffff, port, length, 0)
    if ":" in src:
        flow = ev >> 16
        ip = ipv6(src, dst, length, tc=tc, flow=flow)
        pseudo = ip[8:] + struct.pack("!II", length, 17)
    else:
        flow = 0
        ip = ipv4(src, dst, length + 20, tos=tc, ident=ident)
        pseudo = ip[12:] + struct.pack("!HH", 17, length)
    if icrc is None:
        absent = len(packet) > 8 and packet[8] & NOICRC and packet[0] not in (
            ACK, SACK, NACK, PROBE, EP_REQUEST, EP_RESPONSE)
        icrc = bytes(4) if absent else icrc_of(ip, udp, packet)
    packet += icrc
    check = 0xffff - ones_sum(pseudo + udp + packet) or 0xffff
    udp = udp[:6] + struct.pack("!H", check)
    inner = ip + udp + (packet if trim is None else packet[:trim])
    kind = 0x86dd if ":" in src else 0x0800
    if sid:
        inner = outer(sid, srh, left, src, tc, flow, 41 if kind == 0x86dd else 4, inner)
        kind = 0x86dd
    return bytes.fromhex("020000003001" "020000003000") + struct.pack("!H", kind) + inner


def gso_frame(packets, *, src=H0, dst=H1, ev=0x1c0de, ident=0x1234):
    """A frame with several packets in one UDP datagram, as it is captured before it is
    segmented. The ICRC of each is that of a packet of its own."""
    parts = []
    for nth, packet in enumerate(packets):
        alone = frame(packet, src=src, dst=dst, ev=ev, ident=ident + nth)
        parts.append(packet + alone[-4:])
    joined = b"".join(parts)
    return frame(joined[:-4], src=src, dst=dst, ev=ev, ident=ident, icrc=joined[-4:])


def outer(sid, srh, left, src, tc, flow, nxt, inner):
    """The outer header, with an SRH for the second segment if there is one"""
    src = src if ":" in src else H0
    if srh:
        inner = (struct.pack("!BBBBBBH", nxt, 2, 4, left, 0, 0, 0) +
                 ipaddress.IPv6Address(srh).packed + inner)
        nxt = 43
    return ipv6(src, sid, len(inner), tc=tc, flow=flow, nxt=nxt) + inner


def write_pcap(name, frames, step_us=10, snaplen=0):
    """frames: octets, or (microseconds since the first, octets)"""
    with open(name, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for nth, entry in enumerate(frames):
            time, octets = entry if isinstance(entry, tuple) else (nth * step_us, entry)
            kept = octets[:snaplen] if snaplen else octets
            file.write(struct.pack("<IIII", 1000 + time // 1000000, time % 1000000,
                                   len(kept), len(octets)))
            file.write(kept)
