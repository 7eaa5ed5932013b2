# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Captures for the tests of the dissector: each frame with what it contains.

A capture is a list of Case. `fields` are values that the encoder put in, by filter
name; `expert` are the names of all expert items that the dissector must give.
"""
import dataclasses
import struct

import encoder as e


@dataclasses.dataclass
class Case:
    """A frame: name, octets, filter name -> value, names of expert items"""
    name: str
    frame: bytes
    fields: dict = dataclasses.field(default_factory=dict)
    expert: tuple = ()
    time: int = None


PAYLOAD = bytes(range(256))
RKEY = 0x1234
VA = 0x7f0000001000
# IBTA: a MAD of the connection manager begins with version, class, class version, method.
MAD = bytes([1, 7, 2, 3]) + bytes(252)


def data_fields(opcode, psn, **more):
    return {"opcode": opcode, "destqp": 0x123, "psn": psn, "pkey": 0xffff,
            "ev": 0x1c0de, **more}


def sends():
    """SEND of 600 octets in three packets, and the others of one packet"""
    rows = ((e.SEND_FIRST, 0, 256, b""), (e.SEND_MIDDLE, 256, 256, b""),
            (e.SEND_LAST, 512, 88, b""), (e.SEND_LAST_IMM, 512, 88, e.imm(0xabcd)),
            (e.SEND_LAST_INV, 512, 88, e.imm(0x77)))
    for nth, (opcode, offset, size, last) in enumerate(rows):
        fields = data_fields(opcode, 0x100 + nth, msn=3, rqmsn=2, offset=offset,
                             dmalen=600, payload_len=size)
        if opcode == e.SEND_LAST_IMM:
            fields["imm"] = 0xabcd
        if opcode == e.SEND_LAST_INV:
            fields["inv_rkey"] = 0x77
        yield Case(f"SEND {opcode:#x}", e.frame(e.data(
            opcode, psn=0x100 + nth, msn=3, rqmsn=2, va=offset, dmalen=600,
            payload=PAYLOAD[:size], last=last)), fields)
    for nth, (opcode, last) in enumerate(((e.SEND_ONLY, b""), (e.SEND_ONLY_IMM, e.imm(9)),
                                          (e.SEND_ONLY_INV, e.imm(0x78)))):
        yield Case(f"SEND {opcode:#x}", e.frame(e.data(
            opcode, psn=0x110 + nth, se=1, msn=4 + nth, rqmsn=3 + nth, payload=PAYLOAD[:5],
            last=last)), data_fields(opcode, 0x110 + nth, se=1, pad=3, payload_len=5,
                                     dmalen=5, offset=0))


def writes():
    rows = ((e.WRITE_FIRST, 0, 256, b""), (e.WRITE_MIDDLE, 256, 256, b""),
            (e.WRITE_LAST, 512, 88, b""), (e.WRITE_LAST_IMM, 512, 88, e.imm(0x5)))
    for nth, (opcode, offset, size, last) in enumerate(rows):
        bits = (e.A, e.RTX, e.A | e.RTX, 0)[nth]
        yield Case(f"WRITE {opcode:#x}", e.frame(e.data(
            opcode, psn=0x200 + nth, msn=7, bits=bits, ts=0xbeef, va=VA + offset,
            rkey=RKEY, dmalen=600, payload=PAYLOAD[:size], last=last)), data_fields(
                opcode, 0x200 + nth, msn=7, va=VA + offset, rkey=RKEY, dmalen=600,
                ts=0xbeef, ackreq=int(bool(bits & e.A)), rtx=int(bool(bits & e.RTX)),
                payload_len=size), ("retransmission",) if bits & e.RTX else ())
    yield Case("WRITE Only, empty", e.frame(e.data(e.WRITE_ONLY, psn=0x210, va=VA, rkey=RKEY)),
               data_fields(e.WRITE_ONLY, 0x210, va=VA, dmalen=0, payload_len=0))
    yield Case("WRITE Only with Immediate", e.frame(e.data(
        e.WRITE_ONLY_IMM, psn=0x211, va=VA, rkey=RKEY, payload=b"abc", last=e.imm(1))),
               data_fields(e.WRITE_ONLY_IMM, 0x211, imm=1, pad=1, dmalen=3))
    yield Case("WRITE without ICRC", e.frame(e.data(
        e.WRITE_ONLY, psn=0x212, va=VA, rkey=RKEY, bits=e.NOICRC, payload=b"abcd")),
               data_fields(e.WRITE_ONLY, 0x212, noicrc=1, icrc=0,
                           **{"icrc.status": "absent"}))
    # Up to the last octet of the address space.
    yield Case("WRITE to the end of memory", e.frame(e.data(
        e.WRITE_ONLY, psn=0x213, va=2**64 - 256, rkey=RKEY, payload=PAYLOAD)),
               data_fields(e.WRITE_ONLY, 0x213, va=2**64 - 256))


def reads():
    """The responses go to the QP of the requester."""
    yield Case("READ Request", e.frame(e.data(
        e.READ, psn=0x300, msn=9, rqmsn=5, ts=1, va=VA, rkey=RKEY, dmalen=600,
        last=e.rpsneth(0x777))), data_fields(
            e.READ, 0x300, rqmsn=5, dmalen=600, rpsn=0x777, va=VA, rkey=RKEY, ts=1))
    back = {"src": e.H1, "dst": e.H0}
    rows = ((e.READ_FIRST, 0, 256), (e.READ_MIDDLE, 256, 256), (e.READ_LAST, 512, 88))
    for nth, (opcode, offset, size) in enumerate(rows):
        fields = data_fields(opcode, 0x777 + nth, rqmsn=5, offset=offset, dmalen=600)
        yield Case(f"READ Response {opcode:#x}", e.frame(e.data(
            opcode, qpn=0x456, psn=0x777 + nth, ts=2, rqmsn=5, va=offset, dmalen=600,
            payload=PAYLOAD[:size]), **back), {**fields, "destqp": 0x456})
    yield Case("READ Response Only", e.frame(e.data(
        e.READ_ONLY, qpn=0x456, psn=0x77a, ts=3, rqmsn=6, payload=b"12345678"), **back),
               {"opcode": e.READ_ONLY, "psn": 0x77a, "dmalen": 8, "offset": 0})
    for nth, opcode in enumerate((e.CMP_SWAP, e.FETCH_ADD)):
        yield Case(f"ATOMIC {opcode:#x}", e.frame(e.atomic(
            opcode, psn=0x301 + nth, msn=10 + nth, rqmsn=7 + nth, va=VA, rkey=RKEY,
            ts=4 if nth else None, swap=2**63 + 5, compare=6, rpsn=0x777)), data_fields(
                opcode, 0x301 + nth, rqmsn=7 + nth, va=VA, swap=2**63 + 5, compare=6,
                rpsn=0x777))
    yield Case("ATOMIC Acknowledge", e.frame(e.atomic_ack(
        qpn=0x456, psn=0x77b, ts=5, rqmsn=7, orig=2**64 - 2), **back),
               {"opcode": e.ATOMIC_ACK, "orig": 2**64 - 2, "rqmsn": 7, "ts": 5})


def acknowledgments():
    back = {"src": e.H1, "dst": e.H0}
    yield Case("SACK", e.frame(e.sack(
        cack=0x100, trigger=3, ev=0x1c0de, mark=1, mpr=8, first=1, bitmap=6, ts=0xbeef,
        ooo=2, rcvd=0x20), **back), {
            "opcode": e.SACK, "destqp": 0x456, "psn": 0x100, "sack.cack": 0x100,
            "sack.trigger_offset": 3, "sack.trigger_psn": 0x103, "sack.ev": 0x1c0de,
            "sack.mark": 1, "sack.mpr": 8, "sack.offset": 1, "sack.bitmap": 6,
            "sack.received": "258-259", "sack.ts": 0xbeef, "sack.ooo_count": 2,
            "sack.rcvd_bytes": 0x20, "sack.probe": 0})
    yield Case("SACK, PSNs wrap", e.frame(e.sack(
        cack=0xffffff, trigger=-2, first=-2, bitmap=1 << 63 | 0x13, mark=2, bits=e.RTX,
        restore=1, pen=0x55, rcvd=0xffffff), **back), {
            "sack.trigger_psn": 0xfffffd, "sack.offset": -2, "rtx": 1, "sack.mark": 2,
            "sack.trigger_offset": -2, "sack.restore_cwnd": 1, "sack.rcv_cwnd_pen": 0x55,
            "sack.received": "16777213-16777214 1 60", "sack.rcvd_bytes": 0xffffff})
    yield Case("SACK of a probe", e.frame(e.sack(cack=0x105, probe_id=0xfedc, ts=9), **back), {
        "sack.probe": 1, "sack.probe_id": 0xfedc, "sack.cack": 0x105, "sack.ts": 9})
    for reason in (0x01, 0x02, 0x06, 0x07, 0x0a, 0x0b, 0x19):
        yield Case(f"NACK {reason:#x}", e.frame(e.nack(
            reason, psn=0x900 + reason, ev=0x70001, ts=8), **back), {
                "opcode": e.NACK, "nack.reason": reason, "nack.psn": 0x900 + reason,
                "nack.ev": 0x70001, "nack.ts": 8, "psn": 0x900 + reason}, ("nack",))
    yield Case("ACK", e.frame(e.ack(0x1f, psn=0x105, msn=3), **back), {
        "aeth.syndrome": 0x1f, "aeth.msn": 3, "psn": 0x105, "aeth.credits": 0x1f})
    for syndrome in (0x60, 0x61, 0x62, 0x63, 0x64):
        yield Case(f"NAK {syndrome:#x}", e.frame(e.ack(syndrome, psn=0x106, msn=3), **back), {
            "aeth.syndrome": syndrome, "aeth.nak": syndrome & 31}, ("nak",))
    yield Case("RNR NAK", e.frame(e.ack(0x2e, psn=0x107, msn=3), **back), {
        "aeth.syndrome": 0x2e, "aeth.rnr_timer": 14}, ("rnr",))
    yield Case("Probe", e.frame(e.probe(0xfedd, ts=11)), {
        "opcode": e.PROBE, "probe.id": 0xfedd, "ts": 11, "psn": 0})
    yield Case("Probe with padding", e.frame(e.probe(0xfede, ts=12) + bytes(4108)), {
        "opcode": e.PROBE, "probe.id": 0xfede, "padding": ":".join(["00"] * 4108)})


def endpoints():
    yield Case("Endpoint Request: port status", e.frame(e.endpoint_request(
        0, request_id=0x55, ports=0xb, caps=0x3f, ts=77)), {
            "opcode": e.EP_REQUEST, "destqp": 2, "request_id": 0x55, "ep.op": 0,
            "ep.ports": "1 2 4", "ep.caps": 0x3f, "ep.magic": 1, "ep.caps.inv": 1,
            "ep.caps.padded_probe": 1,
            "ts": 77})
    yield Case("Endpoint Response: port status", e.frame(e.endpoint_response(
        0, request_id=0x55, ports=3, caps=0x06, ts=77), src=e.H1, dst=e.H0), {
            "opcode": e.EP_RESPONSE, "request_id": 0x55, "ep.rsp_op": 0, "ep.ports": "1 2",
            "ep.caps.noicrc": 0, "ep.caps.svc_time": 1, "ep.ts": 77,
            "analysis.response_to": endpoint_request_frame()})
    yield Case("Endpoint Request: EV probe, other vendor", e.frame(e.endpoint_request(
        1, request_id=0xffff, ports=1, ts=78)), {"ep.op": 1, "ep.magic": 0})
    yield Case("Endpoint Response: EV probe, other vendor", e.frame(e.endpoint_response(
        1, request_id=0xffff, ts=78), src=e.H1, dst=e.H0), {"ep.rsp_op": 1, "ep.ts": 78})


def trimmed():
    packet = e.data(e.WRITE_MIDDLE, psn=0x400, msn=1, ts=0x99, va=VA, rkey=RKEY,
                    dmalen=600, payload=PAYLOAD)
    rows = ((e.DSCP_TRIMMED, 36, 0x99), (e.DSCP_TRIMMED_LASTHOP, 20, 0x99),
            (e.DSCP_TRIMMED, 12, None))
    for psn, (dscp, octets, ts) in enumerate(rows, 0x400):
        fields = data_fields(e.WRITE_MIDDLE, psn, trimmed=1)
        if ts:
            fields["ts"] = ts
        yield Case(f"trimmed to {octets}", e.frame(
            packet[:9] + e.u24(psn) + packet[12:], dscp=dscp, trim=octets,
            ecn=e.ECN_CE), {**fields, "ecn_ce": 1}, ("trimmed",))


def datagrams():
    """To the other UDP port: RoCEv2 has none there."""
    yield Case("UD SEND", e.frame(e.datagram(
        e.UD_SEND, qpn=0x55, qkey=0x11111111, src_qpn=0x66, payload=b"hello"),
        port=4971), {"opcode": e.UD_SEND, "deth.qkey": 0x11111111, "deth.srcqp": 0x66,
                     "payload_len": 5, "pad": 3})
    yield Case("UD SEND with Immediate", e.frame(e.datagram(
        e.UD_SEND_IMM, qpn=0x55, qkey=0x11111111, src_qpn=0x66, payload=PAYLOAD,
        last=e.imm(0x1234)), port=4971), {"opcode": e.UD_SEND_IMM, "imm": 0x1234})
    yield Case("GSI", e.frame(e.datagram(e.UD_SEND, payload=MAD), port=4971), {
        "opcode": e.UD_SEND, "destqp": 1, "payload_len": 256})


def networks():
    """Headers in front of UDP"""
    packets = iter(e.data(e.WRITE_ONLY, psn=0x500 + nth, ts=1, va=VA, rkey=RKEY,
                          payload=b"12345678") for nth in range(99))
    v4 = {"src": e.H0_V4, "dst": e.H1_V4}
    high = "fcbb:bb00:1000:2000:1000:2001:1000:2002"
    return [
        Case("IPv6", e.frame(next(packets)), {"ev": 0x1c0de}),
        Case("flow label of 20 bits", e.frame(next(packets), ev=0xf0001c0de), {"ev": 0x1c0de}),
        Case("IPv4", e.frame(next(packets), **v4), {"ev": 0xc0de}),
        Case("SRv6", e.frame(next(packets), sid=e.SID), {
            "ev": 0x1c0de, "path": "1000 > 2000 > 1001 > 3001"}),
        Case("SRv6, IPv4 inside", e.frame(next(packets), sid=e.SID, **v4), {
            "ev": 0xc0de, "path": "1000 > 2000 > 1001 > 3001"}),
        Case("SRH", e.frame(next(packets), sid=high, srh="fcbb:bb00:1001:3001::"), {
            "path": "1000 > 2000 > 1000 > 2001 > 1000 > 2002 > 1001 > 3001"}),
        Case("SRH without segments left", e.frame(
            next(packets), sid="fcbb:bb00:3001::", srh="fcbb:bb00:1001:3001::", left=0),
             {"path": "3001"}),
        Case("trimmed in SRv6", e.frame(next(packets), sid=e.SID, trim=20,
                                        dscp=e.DSCP_TRIMMED),
             {"path": "1000 > 2000 > 1001 > 3001", "ts": 1}, ("trimmed",)),
    ]


def named_paths():
    """With Documentation/examples/topology-clos.json"""
    packets = iter(e.data(e.WRITE_ONLY, psn=0x500 + nth, ts=1, va=VA, rkey=RKEY,
                          payload=b"12345678") for nth in range(99))
    return [
        Case("four nodes", e.frame(next(packets), sid="fcbb:bb00:1200:2203:1201:3201::"), {
            "path": "t0-2-0 > t1-2-3 > t0-2-1 > h1", "plane": 2}),
        Case("last link", e.frame(next(packets), sid="fcbb:bb00:3101::"), {
            "path": "h1", "plane": 1}),
        Case("host of another T0", e.frame(next(packets), sid="fcbb:bb00:1000:3001::"), {
            "path": "t0-0-0 > 3001", "plane": 0}),
        Case("unknown switch", e.frame(next(packets), sid="fcbb:bb00:1200:2209:1201:3201::"), {
            "path": "t0-2-0 > 2209 > t0-2-1 > h1", "plane": 2}),
        Case("other block", e.frame(next(packets), sid="fcbb:bb01:1200:2203::"), {
            "path": "1200 > 2203", "plane": None}),
        Case("SRH", e.frame(next(packets), sid="fcbb:bb00:1000:2001::",
                            srh="fcbb:bb00:1001:3001::"), {
            "path": "t0-0-0 > t1-0-1 > t0-0-1 > h1", "plane": 0}),
        Case("no path", e.frame(next(packets)), {"path": None, "plane": None}),
    ]


def endpoint_request_frame():
    """Its number in kinds()"""
    return 1 + sum(len(list(group())) for group in KIND_GROUPS)


KIND_GROUPS = (sends, writes, reads, acknowledgments, trimmed, datagrams)


def kinds():
    """Packets of every kind"""
    cases = [case for group in KIND_GROUPS for case in group()]
    cases += endpoints()
    return cases


def invalid():
    """Packets in which something is wrong, and how it is called"""
    back = {"src": e.H1, "dst": e.H0}
    good = {"psn": 0x100, "va": VA, "rkey": RKEY}
    octet = bytes([0])

    def data(name, expert, opcode=e.WRITE_ONLY, **values):
        return Case(name, e.frame(e.data(opcode, **{**good, **values})), {}, expert)

    def edit(name, expert, packet, at, value, **frame):
        return Case(name, e.frame(packet[:at] + value + packet[at + len(value):], **frame),
                    {}, expert)

    write = e.data(e.WRITE_ONLY, psn=0x90, payload=b"1234")
    sack = e.sack(cack=0x200)
    nack = e.nack(1)
    request, response = e.endpoint_request(0), e.endpoint_response(0)
    return [
        Case("BTH cut", e.frame(write[:7], icrc=b""), {}, ("short",)),
        Case("BTH without ICRC", e.frame(write[:12], icrc=b""), {}, ("short",)),
        Case("WRITE cut in RETH", e.frame(write[:24]), {}, ("short",)),
        Case("SACK cut", e.frame(sack[:40], **back), {}, ("short",)),
        Case("SACK too long", e.frame(sack + bytes(4), **back), {}, ("long",)),
        Case("ACK too long", e.frame(e.ack(0x1f) + bytes(4), **back), {}, ("long",)),
        edit("undefined opcode", ("opcode",), write, 0, b"\xd5"),
        edit("undefined opcode of control", ("opcode",), sack, 0, b"\xdf"),
        edit("transport version", ("tver",), write, 1, b"\x01"),
        edit("P_Key", ("pkey",), write, 2, b"\x12\x34"),
        edit("P_Key, limited member", (), write, 2, b"\x7f\xff"),
        edit("QP 0", ("qpn",), write, 5, bytes(3)),
        edit("QP of endpoints in data", ("qpn",), write, 5, b"\0\0\x02"),
        edit("QP 0xffffff", ("qpn",), write, 5, b"\xff\xff\xff"),
        edit("endpoint request to a QP", ("qpn",), request, 5, b"\0\0\x03"),
        edit("reserved octet 4", ("reserved",), write, 4, b"\x40"),
        edit("reserved bits of octet 8", ("reserved", "reserved"), write, 8, b"\x47"),
        data("padding of First", ("pad",), e.WRITE_FIRST, payload=b"123", dmalen=900),
        data("wrong padding", ("pad",), payload=b"123", pad=0),
        Case("padding longer than payload", e.frame(
            write[:1] + b"\x30" + write[2:32]), {}, ("pad",)),
        data("empty Middle", ("length",), e.WRITE_MIDDLE, dmalen=900),
        data("empty Last", ("length",), e.WRITE_LAST, dmalen=900),
        data("READ request with payload", ("length",), e.READ, payload=b"1234",
             dmalen=4, last=e.rpsneth(1)),
        data("Only shorter than the message", ("dmalen",), payload=b"1234", dmalen=8),
        data("First as long as the message", ("dmalen",), e.WRITE_FIRST, payload=b"1234"),
        data("message above 2^31", ("dmalen",), e.WRITE_FIRST, payload=b"1234",
             dmalen=2**31 + 1),
        data("SEND First not at 0", ("dmalen",), e.SEND_FIRST, va=4, rkey=0, dmalen=900,
             payload=b"1234"),
        data("SEND Last not at the end", ("dmalen",), e.SEND_LAST, va=4, rkey=0,
             dmalen=900, payload=b"1234"),
        data("SEND Middle behind the message", ("dmalen",), e.SEND_MIDDLE, va=2**40,
             rkey=0, dmalen=900, payload=b"1234"),
        data("SEND with R_Key", ("reserved",), e.SEND_ONLY, va=0, payload=b"1234"),
        data("WRITE wraps around", ("va",), va=2**64 - 4, payload=b"12345678"),
        data("payload of 4100", ("long",), payload=bytes(4100)),
        data("type of timestamp", ("ftype",), ts=1, ts_info=0, payload=b"1234"),
        data("resolution of timestamp", ("ftype",), ts=1, ts_info=0x8001,
             payload=b"1234"),
        data("reserved bits of timestamp", ("reserved",), ts=1, ts_info=0x11,
             payload=b"1234"),
        Case("ATOMIC, address not aligned", e.frame(e.atomic(
            e.FETCH_ADD, psn=0x180, va=VA + 4)), {}, ("va",)),
        edit("SACK without ICRC", ("noicrc",), sack, 8, b"\x08", **back),
        Case("probe too long", e.frame(e.probe(1) + bytes(4109)), {}, ("long",)),
        edit("probe without ICRC", ("noicrc",), e.probe(1), 8, b"\x08"),
        edit("reserved bits of SETH", ("reserved", "reserved"), sack, 12, b"\x10\x10", **back),
        edit("spdcid of SETH", ("reserved",), sack, 20, b"\0\x01", **back),
        edit("PSNs of a SACK differ", ("psn_differs",), sack, 9, b"\0\0\x01", **back),
        edit("reserved bit of CC_STATE", ("reserved",), sack, 42, b"\x80", **back),
        edit("reason of a NACK", ("nack_reason", "nack"), nack, 14, b"\x55", **back),
        edit("PSNs of a NACK differ", ("psn_differs", "nack"), nack, 9, b"\0\0\x01", **back),
        edit("cc_type of a NACK", ("reserved", "nack"), nack, 28, octet, **back),
        Case("reserved syndrome", e.frame(e.ack(0x41), **back), {}, ("syndrome",)),
        Case("reserved code of a NAK", e.frame(e.ack(0x7f), **back), {}, ("nak",)),
        edit("operation of a request", ("ep_op",), request, 13, b"\x02"),
        edit("operation of a response", ("ep_op",), response, 13, b"\x0c", **back),
        edit("reserved bits of a request", ("reserved",), request, 12, b"\x80"),
        edit("reserved octets of a response", ("reserved",), response, 30, b"\x01", **back),
        edit("undefined capability", ("reserved",), e.endpoint_request(0, caps=0x40), 0,
             bytes([e.EP_REQUEST])),
        Case("datagram cut", e.frame(e.datagram(e.UD_SEND)[:16], port=4971), {}, ("short",)),
        Case("datagram without ICRC", e.frame(
            e.datagram(e.UD_SEND)[:8] + b"\x08" + e.datagram(e.UD_SEND)[9:], port=4971),
             {}, ("noicrc",)),
    ]


def icrcs():
    """Right and wrong ICRCs, of IPv4 and IPv6"""
    packet = e.data(e.WRITE_ONLY, psn=1, ts=1, va=VA, rkey=RKEY, payload=PAYLOAD)
    v4 = {"src": e.H0_V4, "dst": e.H1_V4}
    noicrc = packet[:8] + bytes([packet[8] | e.NOICRC]) + packet[9:]
    wrong = struct.pack("<I", 0xdeadbeef)

    def case(name, status, *args, expert=(), **kwargs):
        return Case(name, e.frame(*args, **kwargs), {"icrc.status": status}, expert)

    return [
        case("IPv6, right", "correct", packet),
        case("IPv6, wrong", "incorrect", packet, icrc=wrong, expert=("icrc",)),
        case("IPv6, other class, flow label and hop limit", "correct", packet, ev=0x2c0de,
             dscp=8, ecn=e.ECN_CE),
        case("IPv6 in SRv6", "correct", packet, sid=e.SID),
        case("IPv6 in SRv6 with SRH", "correct", packet, sid=e.SID, srh="fcbb:bb00:1001::"),
        case("IPv4, right", "correct", packet, **v4),
        case("IPv4, wrong", "incorrect", packet, icrc=wrong, expert=("icrc",), **v4),
        case("IPv4 in SRv6", "correct", packet, sid=e.SID, **v4),
        case("SACK", "correct", e.sack(cack=1)),
        case("SACK, wrong", "incorrect", e.sack(cack=1), icrc=wrong, expert=("icrc",)),
        case("absent", "absent", noicrc),
        case("absent, but not zero", "absent, not zero", noicrc, icrc=wrong),
        case("octet 4 is not covered", "correct", packet[:4] + b"\x80" + packet[5:],
             expert=("reserved",)),
    ]


def write(name, cases):
    e.write_pcap(name, [case.frame if case.time is None else (case.time, case.frame)
                        for case in cases])
