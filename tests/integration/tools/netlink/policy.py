#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Attributes and permissions of each command, against the specification.

  policy.py SPEC commands     names of the commands
  policy.py SPEC offered      the family has these commands, no others
  policy.py SPEC attributes   each command refuses the attributes that are not in
                              its list, and none that is
  policy.py SPEC forbidden    without privileges, only commands that read are
                              permitted

No request names a device that exists, so none of them changes anything.
Prints a line for each case, with the name of the command after "ok:" or
"BAD:"; the status is non-zero if one is BAD.
"""

import errno
import struct
import sys

import yaml

from netlink import CTRL_CMD_GETFAMILY, GENL_ID_CTRL, Family, text
from nlmsg import (NESTED, NLM_F_ACK, NLM_F_DUMP, NLMSG_DONE, NLMSG_ERROR,
                   NLMSGERR_ATTR_OFFS, ack_attributes, attr, attributes, verdict)

CTRL_ATTR_OPS, CTRL_ATTR_OP_ID, CTRL_ATTR_OP_FLAGS = 6, 1, 2
GENL_CMD_CAP = {"do": 2, "dump": 4}
# Headers of netlink and of generic netlink, and of a nest.
HEADERS, NEST = 20, 4
FLAGS = {"do": NLM_F_ACK, "dump": NLM_F_DUMP}
# Commands that read, but need privileges.
PRIVATE = ("qp-get",)


class Spec:
    """The specification, with values of attributes and commands."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            spec = yaml.safe_load(f)
        self.defs = {d["name"]: d for d in spec["definitions"]}
        self.sets = {}
        self.parent = {}
        for space in spec["attribute-sets"]:
            self.add_set(space)
        self.commands = {}
        value = 0
        for op in spec["operations"]["list"]:
            value = op.get("value", value + 1)
            if "event" not in op:
                self.commands[op["name"]] = dict(op, value=value)

    def add_set(self, space):
        name, base = space["name"], space.get("subset-of")
        self.parent[name] = base or name
        value, found = 0, {}
        for a in space["attributes"]:
            if base:
                found[a["name"]] = self.sets[base][a["name"]]
                continue
            value = a.get("value", value + 1)
            found[a["name"]] = dict(a, value=value)
        self.sets[name] = found

    def number(self, value):
        if isinstance(value, str):
            return self.defs[value]["value"]
        return value

    def payload(self, a):
        """A payload that the checks of attribute @a permit."""
        kind, checks = a["type"], a.get("checks", {})
        if kind in ("flag", "pad"):
            return b""
        if kind == "string":
            return b"x\0"
        if kind == "binary":
            return bytes(self.number(checks.get("exact-len", 0)))
        if kind == "nest":
            return b"".join(self.encode(b) for b in
                            self.sets[a["nested-attributes"]].values())
        return struct.pack({"u32": "=I", "u64": "=Q"}[kind],
                           checks.get("min", 1))

    def encode(self, a, payload=None):
        if payload is None:
            payload = self.payload(a)
        return attr(a["value"] | (NESTED if a["type"] == "nest" else 0),
                    payload)

    def others(self, name, allowed):
        """Attributes of set @name that are not in @allowed, and one of no set."""
        space = self.sets[self.parent[name]]
        last = max(a["value"] for a in space.values())
        yield from (a for a in space.values() if a["name"] not in allowed)
        yield {"name": "unknown", "type": "u32", "value": last + 1}

    def requests(self, op, mode):
        """Yield name, attributes of the request, and the offset of the attribute
        that must be refused, or None if all attributes are permitted."""
        name = op["attribute-set"]
        allowed = op[mode]["request"]["attributes"]
        for what in allowed:
            a = self.sets[name][what]
            yield what, self.encode(a), None
            if a["type"] != "nest":
                continue
            nested = a["nested-attributes"]
            for b in self.sets[nested].values():
                yield (f"{what}.{b['name']}", self.encode(a, self.encode(b)),
                       None)
            for b in self.others(nested, self.sets[nested]):
                yield (f"{what}.{b['name']}", self.encode(a, self.encode(b)),
                       HEADERS + NEST)
        for a in self.others(name, allowed):
            yield a["name"], self.encode(a), HEADERS
            # After an attribute that is in the list.
            first = self.encode(self.sets[name][allowed[0]])
            yield (f"{allowed[0]}, {a['name']}", first + self.encode(a),
                   HEADERS + len(first))


def refusal(family, cmd, mode, payload):
    """Return error, its text, and the offset of the attribute that it names."""
    family.command(family.id, cmd, FLAGS[mode], payload)
    for kind, flags, body in family.messages():
        if kind not in (NLMSG_ERROR, NLMSG_DONE) or not body:
            continue
        error, words = verdict(kind, flags, body)
        offset = ack_attributes(kind, flags, body).get(NLMSGERR_ATTR_OFFS)
        return error, words, offset and struct.unpack("=I", offset)[0]
    return 0, "", None


def show(good, line):
    print("ok: " if good else "BAD:", line)
    return good


def check_command(spec, family, command):
    """Try each attribute of the set, in the list of the command or not."""
    op, good = spec.commands[command], True
    for mode in ("do", "dump"):
        if mode not in op:
            continue
        for what, payload, wanted in spec.requests(op, mode):
            error, words, offset = refusal(family, op["value"], mode, payload)
            strange = words in ("Unsupported attribute",
                                "Unknown attribute type")
            if wanted is None:
                fits = not strange
            else:
                fits = (error == errno.EINVAL and strange and
                        offset == wanted)
            good &= show(fits, f"{command} {mode} {what}: "
                               f"{errno.errorcode.get(error, error)} '{words}' "
                               f"at {offset}, {wanted} if not in the list")
    return good


def check_attributes(spec):
    family = Family()
    return all([check_command(spec, family, command)
                for command in spec.commands])


def offered(family):
    """Commands of the family with their flags."""
    found = {}
    family.command(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK, text(2, "mrc"))
    for kind, _, body in family.messages():
        if kind != GENL_ID_CTRL:
            continue
        for _, op in attributes(dict(attributes(body[4:]))[CTRL_ATTR_OPS]):
            op = dict(attributes(op))
            found[struct.unpack("=I", op[CTRL_ATTR_OP_ID])[0]] = \
                struct.unpack("=I", op[CTRL_ATTR_OP_FLAGS])[0]
    return found


def check_offered(spec):
    found, good = offered(Family()), True
    for name, op in spec.commands.items():
        flags = found.pop(op["value"], 0)
        for mode, cap in GENL_CMD_CAP.items():
            good &= show(bool(flags & cap) == (mode in op),
                         f"{name} {mode}: flags {flags:#x}")
    return show(not found, f"others: {sorted(found)}") and good


def check_forbidden(spec):
    """Send each command with a permitted attribute, without privileges."""
    family, good = Family(), True
    for name, op in spec.commands.items():
        public = name.endswith("-get") and name not in PRIVATE
        for mode in ("do", "dump"):
            if mode not in op:
                continue
            first = op[mode]["request"]["attributes"][0]
            a = spec.sets[op["attribute-set"]][first]
            error, words, _ = refusal(family, op["value"], mode,
                                      spec.encode(a))
            good &= show((error == errno.EPERM) != public,
                         f"{name} {mode}: "
                         f"{errno.errorcode.get(error, error)} '{words}'")
    return good


def main(path, what):
    spec = Spec(path)
    if what == "commands":
        print("\n".join(spec.commands))
        return 0
    check = {"offered": check_offered, "attributes": check_attributes,
             "forbidden": check_forbidden}[what]
    return not check(spec)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
