#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The netlink specification as tables in C, for mrc_nlfuzz.

  tables.py SPEC > FILE.c
"""

import sys

from policy import Spec

KINDS = {"u32": "SPEC_U32", "u64": "SPEC_U64", "string": "SPEC_STRING",
         "binary": "SPEC_BINARY", "flag": "SPEC_FLAG", "nest": "SPEC_NEST",
         "pad": "SPEC_FLAG"}
LIMITS = {"u8-max": 255, "u16-max": 65535}


def c_name(name):
    return name.replace("-", "_")


def number(spec, value):
    return LIMITS[value] if value in LIMITS else spec.number(value)


def largest(spec, a):
    """Largest value that is permitted."""
    if "enum" in a:
        value = 0
        for entry in spec.defs[a["enum"]]["entries"]:
            value = entry.get("value", value + 1)
        return value
    return number(spec, a.get("checks", {}).get("max", 0xffffffff))


def attr_row(spec, a):
    checks = a.get("checks", {})
    least = 1 if "enum" in a else number(spec, checks.get("min", 0))
    length = number(spec, checks.get("exact-len", checks.get("max-len", 0)))
    nest = f"&set_{c_name(a['nested-attributes'])}" if a["type"] == "nest" else "NULL"
    return (f'\t{{ "{a["name"]}", {a["value"]}, {KINDS[a["type"]]}, '
            f'{int(a.get("multi-attr", False))}, {least}u, {largest(spec, a)}u, '
            f'{length}, {nest} }},')


def print_sets(spec):
    for name in spec.sets:
        print(f"static const struct spec_set set_{c_name(name)};")
    for name, attrs in spec.sets.items():
        print(f"\nstatic const struct spec_attr attrs_{c_name(name)}[] = {{")
        print("\n".join(attr_row(spec, a) for a in attrs.values()))
        print("};\n")
        print(f"static const struct spec_set set_{c_name(name)} = {{\n"
              f'\t"{name}", attrs_{c_name(name)}, {len(attrs)}\n}};')


def print_list(spec, name, op, mode):
    """Attributes of a request; return what initializes a struct spec_list."""
    if mode not in op:
        return "{ 0 }"
    names = list(spec.sets[op["attribute-set"]])
    wanted = op[mode]["request"]["attributes"]
    array = f"{mode}_{c_name(name)}"
    print(f"\nstatic const struct spec_attr *const {array}[] = {{")
    for a in wanted:
        print(f"\t&attrs_{c_name(op['attribute-set'])}[{names.index(a)}],")
    print("};")
    return f"{{ {array}, {len(wanted)} }}"


def main(path):
    spec = Spec(path)
    # Only the kernel sends these.
    del spec.sets["event"]
    print('#include <stddef.h>\n\n#include "spec.h"\n')
    print_sets(spec)
    rows = []
    for name, op in spec.commands.items():
        lists = ", ".join(print_list(spec, name, op, mode)
                          for mode in ("do", "dump"))
        rows.append(f'\t{{ "{name}", {op["value"]}, '
                    f'&set_{c_name(op["attribute-set"])}, {lists} }},')
    print("\nconst struct spec_op spec_ops[] = {")
    print("\n".join(rows))
    print("};\n")
    print(f"const int spec_n_ops = {len(rows)};")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
