# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Captures of packets that have to do with each other, for the tests of the dissector.

Data go from h0 to QP 0x123 of h1, acknowledgments to QP 0x456 of h0. Frame numbers in the
fields count from 1.
"""
import encoder as e
from captures import Case

BACK = {"src": e.H1, "dst": e.H0}
PAYLOAD = b"12345678"


def data(time, psn, fields=None, expert=(), *, ev=1, ts=1, bits=0, qpn=0x123, **frame):
    packet = e.data(e.WRITE_ONLY, qpn=qpn, psn=psn, ts=ts, bits=bits, va=0x1000,
                    payload=PAYLOAD)
    return Case(f"data {psn}", e.frame(packet, ev=ev, **frame), fields or {}, expert, time)


def sack(time, cack, trigger, fields=None, expert=(), *, ev=1, ts=1, **values):
    """trigger: PSN"""
    offset = (trigger - cack + 0x800000) % 0x1000000 - 0x800000
    return Case(f"SACK {cack}", e.frame(e.sack(
        cack=cack, trigger=offset, ev=ev, ts=ts, **values), **BACK), fields or {}, expert,
                time)


def ack(time, psn, fields=None, expert=(), *, syndrome=0x1f, msn=0):
    return Case(f"ACK {psn}", e.frame(e.ack(syndrome, psn=psn, msn=msn), **BACK),
                fields or {}, expert, time)


def recovery():
    """PSN 11 is lost, 12 is retransmitted in vain"""
    return [
        data(0, 10, {"analysis.acked_in": 4, "analysis.ack_time": "0.000100000",
                     "analysis.retransmission": None}, ev=1, ts=1),
        data(10, 11, {"analysis.retransmitted_in": 6, "analysis.acked_in": 7}, ev=2, ts=2),
        data(20, 12, {"analysis.acked_in": 5, "analysis.ack_time": "0.000100000",
                      "analysis.retransmitted_in": 9}, ev=3, ts=3),
        sack(100, 10, 10, {"analysis.trigger": 1, "analysis.rtt": "0.000100000",
                           "analysis.newly_acked": 1}),
        sack(120, 10, 12, {"analysis.trigger": 3, "analysis.rtt": "0.000100000",
                           "analysis.newly_acked": None}, ev=3, ts=3, first=1, bitmap=2),
        data(200, 11, {"analysis.retransmission": 1, "analysis.retransmission_of": 2,
                       "analysis.rto": "0.000190000", "analysis.previous_ev": 2,
                       "analysis.acked_in": 7, "analysis.spurious": None},
             ("retransmission",), ev=3, ts=9, bits=e.RTX),
        sack(300, 12, 11, {"analysis.trigger": 6, "analysis.rtt": "0.000100000",
                           "analysis.newly_acked": 2}, ev=3, ts=9, bits=e.RTX),
        ack(301, 12, {"analysis.trigger": 3}, msn=3),
        data(400, 12, {"analysis.retransmission_of": 3, "analysis.spurious": 1},
             ("retransmission", "spurious"), ev=2, ts=10, bits=e.RTX),
        # Sent before, but not in the capture.
        data(500, 13, {"analysis.retransmission": 1, "analysis.retransmission_of": None},
             ("retransmission",), ev=2, ts=11, bits=e.RTX),
        # A sender that does not set the bit.
        data(600, 13, {"analysis.retransmission": 1, "analysis.retransmission_of": 10},
             ("retransmission",), ev=2, ts=12),
    ]


def order():
    """Out of order, the same packets twice, PSNs that wrap"""
    last = 0xffffff
    return [
        data(0, last - 1, ts=1),
        data(10, 1, ts=3),
        data(20, last, {"analysis.out_of_order": 2, "analysis.retransmission": None},
             ("out_of_order",), ts=2),
        data(30, 0, {"analysis.out_of_order": 1}, ("out_of_order",), ts=2),
        data(40, 1, {"analysis.duplicate_of": 2, "analysis.retransmission": None},
             ("duplicate",), ts=3),
        sack(50, 0, 0, {"analysis.trigger": 4, "analysis.rtt": "0.000020000",
                        "analysis.newly_acked": 3}, ts=2),
        sack(60, 0, 0, {"analysis.duplicate_of": 6, "analysis.trigger": 4}, ("duplicate",),
             ts=2),
        # A later connection has QPs of the same numbers.
        data(70, 0x400000, {"analysis.out_of_order": None, "stream": 1}, ts=1),
        data(80, 0x3ffff0, {"analysis.out_of_order": 16}, ("out_of_order",), ts=1),
        data(90, last, {"analysis.retransmission": None, "analysis.out_of_order": None},
             ts=2),
    ]


def trimming():
    return [
        data(0, 20, {"trimmed": 1, "analysis.nacked_in": 2, "analysis.retransmitted_in": 5,
                     "analysis.nack_time": "0.000100000"}, ("trimmed",), ev=1, ts=5,
             dscp=e.DSCP_TRIMMED, trim=36),
        Case("NACK", e.frame(e.nack(1, psn=20, ev=1, ts=5), **BACK), {
            "analysis.trigger": 1, "analysis.rtt": "0.000100000"}, ("nack",), 100),
        # The timestamp was trimmed, too.
        data(110, 21, {"analysis.nacked_in": 4}, ("trimmed",), ev=2, ts=6,
             dscp=e.DSCP_TRIMMED_LASTHOP, trim=16),
        Case("NACK", e.frame(e.nack(2, psn=21, ev=2, ts=0), **BACK), {
            "analysis.trigger": 3}, ("nack",), 150),
        data(200, 20, {"analysis.retransmission_of": 1}, ("retransmission",), ev=3, ts=8,
             bits=e.RTX),
        # Captured before it was trimmed.
        data(210, 22, {"analysis.nacked_in": 7, "trimmed": None}, ev=2, ts=9),
        Case("NACK", e.frame(e.nack(1, psn=22, ev=2, ts=0), **BACK), {
            "analysis.trigger": 6}, ("nack",), 250),
    ]


def refusals():
    return [
        data(0, 30, {"analysis.acked_in": 3, "analysis.nacked_in": None}, ts=1),
        data(10, 31, {"analysis.nacked_in": 3, "analysis.acked_in": None}, ts=2),
        ack(100, 31, {"analysis.trigger": 2, "aeth.rnr_timer": 3}, ("rnr",), syndrome=0x23),
        data(200, 31, {"analysis.nacked_in": 5}, ("retransmission",), ts=3, bits=e.RTX),
        ack(300, 31, {"analysis.trigger": 4, "aeth.nak": 2}, ("nak",), syndrome=0x62),
    ]


def pairs():
    """Two connections between the same hosts, with the same PSNs: what SACKs reflect
    tells them apart; then an Acknowledge is known by its QP."""
    return [
        data(0, 40, {"analysis.acked_in": 4, "stream": 0}, qpn=0x123, ts=1, ev=1),
        data(10, 40, {"analysis.acked_in": 3, "stream": 1}, qpn=0x124, ts=2, ev=1),
        sack(100, 40, 40, {"analysis.trigger": 2, "stream": 1}, qpn=0x457, ts=2),
        sack(110, 40, 40, {"analysis.trigger": 1, "stream": 0}, qpn=0x456, ts=1),
        data(120, 41, {"analysis.acked_in": 7}, qpn=0x123, ts=3, ev=1),
        data(130, 41, {"analysis.acked_in": None}, qpn=0x124, ts=3, ev=1),
        ack(200, 41, {"analysis.trigger": 5, "analysis.newly_acked": 1, "stream": 0}),
        # Of the other connection there is a packet with this PSN.
        data(201, 42, {"analysis.acked_in": None}, qpn=0x124, ts=5, ev=1),
        ack(202, 42, {"analysis.trigger": None, "stream": 0}),
        # Ambiguous: any of the two.
        sack(210, 41, 41, {"analysis.trigger": None}, qpn=0x458, ts=3),
        # Of other hosts.
        Case("SACK", e.frame(e.sack(cack=41, ts=3, ev=1), src="2001:db8:102::1", dst=e.H0),
             {"analysis.trigger": None}, (), 220),
    ]


def requests():
    """READ and ATOMIC, probes and endpoint requests"""
    read = e.data(e.READ, psn=50, msn=1, rqmsn=7, ts=1, dmalen=16, last=e.rpsneth(0x700))
    add = e.atomic(e.FETCH_ADD, psn=51, msn=2, rqmsn=8, ts=2, rpsn=0x700)

    def response(opcode, psn, rqmsn, offset):
        return e.data(opcode, qpn=0x456, psn=psn, rqmsn=rqmsn, ts=3, va=offset, dmalen=16,
                      payload=PAYLOAD)

    return [
        Case("READ", e.frame(read, ev=1), {"stream": 0, "analysis.response_in": 4,
                                           "analysis.acked_in": 3}, (), 0),
        Case("FetchAdd", e.frame(add, ev=1), {"analysis.response_in": 6}, (), 10),
        sack(100, 50, 50, {"analysis.trigger": 1}),
        Case("READ First", e.frame(response(e.READ_FIRST, 0x700, 7, 0), **BACK), {
            "stream": 0, "analysis.response_to": 1,
            "analysis.response_time": "0.000110000"}, (), 110),
        Case("READ Last", e.frame(response(e.READ_LAST, 0x701, 7, 8), **BACK), {
            "analysis.response_to": 1}, (), 120),
        Case("ATOMIC Acknowledge", e.frame(e.atomic_ack(
            qpn=0x456, psn=0x702, rqmsn=8, orig=1), **BACK), {
                "analysis.response_to": 2, "analysis.response_time": "0.000120000"}, (), 130),
        Case("Probe", e.frame(e.probe(9, ts=7), ev=1), {"analysis.response_in": 8}, (), 200),
        Case("SACK of the probe", e.frame(e.sack(cack=51, probe_id=9, ev=1, ts=7), **BACK), {
            "analysis.trigger": 7, "analysis.rtt": "0.000040000"}, (), 240),
        Case("Endpoint Request", e.frame(e.endpoint_request(0, request_id=3, ts=8)), {
            "analysis.response_in": 11}, (), 300),
        # Reflects another timestamp: the response to an older request.
        Case("Endpoint Response", e.frame(e.endpoint_response(
            0, request_id=3, ts=6), **BACK), {"analysis.response_to": None}, (), 310),
        Case("Endpoint Response", e.frame(e.endpoint_response(
            0, request_id=3, ts=8), **BACK), {
                "analysis.response_to": 9, "analysis.response_time": "0.000020000"}, (), 320),
    ]


def buffers():
    """Several packets in one frame"""
    def send(opcode, psn, offset, size):
        return e.data(opcode, psn=psn, ts=1, va=offset, dmalen=600,
                      payload=bytes([psn]) * size)

    burst = [send(e.SEND_FIRST, 60, 0, 256), send(e.SEND_MIDDLE, 61, 256, 256),
             send(e.SEND_LAST, 62, 512, 88)]
    small = [e.data(e.WRITE_ONLY_IMM, psn=63 + nth, va=64 * nth, payload=b"123456",
                    last=e.imm(nth)) for nth in range(4)]
    reads = [e.data(e.READ, psn=67 + nth, dmalen=16, rqmsn=nth, last=e.rpsneth(0x700))
             for nth in range(2)]
    v4 = {"src": e.H0_V4, "dst": e.H1_V4}
    return [
        Case("SEND of three packets", e.gso_frame(burst), {
            "segment": [1, 2, 3], "psn": [60, 61, 62], "payload_len": [256, 256, 88],
            "icrc.status": ["correct"] * 3, "analysis.acked_in": [5, 5]}, (), 0),
        Case("WRITEs with Immediate", e.gso_frame(small), {
            "segment": [1, 2, 3, 4], "imm": [0, 1, 2, 3], "payload_len": [6] * 4,
            "icrc.status": ["correct"] * 4}, (), 10),
        Case("READ Requests", e.gso_frame(reads), {"psn": [67, 68]}, (), 20),
        Case("IPv4", e.gso_frame(burst, **v4), {
            "segment": [1, 2, 3], "icrc.status": ["correct"] * 3}, (), 30),
        Case("SACK and Acknowledge", e.gso_frame([
            e.sack(cack=60, trigger=1, ts=1, ev=0x1c0de, first=1, bitmap=1),
            e.ack(0x1f, psn=60)], **BACK), {
                "opcode": [e.SACK, e.ACK], "icrc.status": ["correct"] * 2,
                "analysis.trigger": [1, 1]}, (), 100),
        # Not a buffer: the payload looks like BTH, but not like the next packet.
        Case("payload with BTH", e.frame(e.data(
            e.WRITE_FIRST, psn=70, ts=1, dmalen=9000,
            payload=bytes(260) + e.bth(e.WRITE_MIDDLE, 0x123, 99) + bytes(240))), {
                "segment": None, "psn": [70], "payload_len": 512}, (), 200),
    ]


def directions():
    """Data of both directions, before it is known that they belong together"""
    back = e.data(e.WRITE_ONLY, qpn=0x456, psn=7, ts=4, payload=PAYLOAD)
    return [
        data(0, 80, {"stream": 0}, ts=1),
        Case("data of h1", e.frame(back, **BACK), {"stream": 0}, (), 10),
        sack(20, 80, 80, {"stream": 0, "analysis.trigger": 1}, ts=1),
        Case("SACK of h0", e.frame(e.sack(qpn=0x123, cack=7, ts=4, ev=0x1c0de)), {
            "stream": 0, "analysis.trigger": 2}, (), 30),
        # Number 1 is that of the data of h1, until the SACK.
        data(40, 90, {"stream": 2}, qpn=0x124, ts=1),
    ]


ALL = {"recovery": recovery, "directions": directions, "order": order, "trimming": trimming, "refusals": refusals,
       "pairs": pairs, "requests": requests, "buffers": buffers}
