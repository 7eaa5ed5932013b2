#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Compare the netlink specification with the header.

  spec.py SPEC HEADER

Every constant of one must be in the other with the same value. Prints what
differs; the status is non-zero if anything does.
"""

import re
import sys

import yaml


def c_name(*words):
    return "_".join(words).upper().replace("-", "_")


def enum_values(prefix, entries):
    """Numbers of a list whose entries count up from the last given value."""
    value = -1
    for entry in entries:
        value = entry.get("value", value + 1)
        yield c_name(prefix, entry["name"]), value


def spec_constants(spec):
    constants = {"MRC_CMD_UNSPEC": 0}
    for definition in spec["definitions"]:
        name = c_name("mrc", definition["name"])
        if definition["type"] == "const":
            constants[name] = definition["value"]
        else:
            constants.update(enum_values(name, definition["entries"]))
    for space in spec["attribute-sets"]:
        if "subset-of" not in space:
            constants.update(enum_values(c_name("mrc", "a", space["name"]),
                                         space["attributes"]))
    constants.update(enum_values("MRC_CMD", spec["operations"]["list"]))
    return constants


def header_constants(text):
    constants = {}
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for name, value in re.findall(r"#define\s+(MRC_\w+)\s+(\d+)\n", text):
        constants[name] = int(value)
    for body in re.findall(r"enum\s+\w+\s*\{(.*?)\}", text, re.S):
        value = -1
        for entry in filter(None, map(str.strip, body.split(","))):
            name, _, given = map(str.strip, entry.partition("="))
            if name.startswith("__") or given.startswith("("):
                continue
            value = int(given, 0) if given else value + 1
            constants[name] = value
    # Not a number of the interface.
    constants.pop("MRC_FAMILY_VERSION")
    return constants


def undefined_names(spec):
    """Attributes that an operation names and its set does not have."""
    spaces = {space["name"]: {a["name"] for a in space["attributes"]}
              for space in spec["attribute-sets"]}

    def names(node):
        if isinstance(node, dict):
            for key, value in node.items():
                if key == "attributes":
                    yield from value
                else:
                    yield from names(value)

    for operation in spec["operations"]["list"]:
        space = spaces.get(operation["attribute-set"], set())
        for name in set(names(operation)) - space:
            yield f"{operation['name']}: no attribute {name}"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        spec = yaml.safe_load(f)
    with open(sys.argv[2], encoding="utf-8") as f:
        header = header_constants(f.read())
    wanted = spec_constants(spec)
    differences = list(undefined_names(spec))
    for name in sorted(wanted.keys() | header.keys()):
        if wanted.get(name) != header.get(name):
            differences.append(f"{name}: {wanted.get(name)} in the "
                               f"specification, {header.get(name)} in the "
                               "header")
    if not wanted or not header:
        differences.append("nothing found to compare")
    print("\n".join(differences) or f"{len(wanted)} constants agree")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
