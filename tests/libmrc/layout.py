#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Compare the headers of libmrc with another copy of the OCP MRC API.

layout.py [--names] OURS THEIRS

OURS and THEIRS are directories with mrc.h and mrc_ctl.h. For each version of the API,
a program prints the size of each structure, the offset, size and signedness of each
member, and the value, size and signedness of each enumerator and constant; its two
builds must print the same. Function pointers with our types must point to their
functions and the other way round. --names also compares which names there are.
Output is TAP.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HEADERS = ("mrc_api_ver.h", "mrc.h", "mrc_ctl_api_ver.h", "mrc_ctl.h")
VERSIONS = ("", "MRC_API_VER(1, 0, 0)", "MRC_API_VER(1, 0, 1)",
            "MRC_API_VER_LATEST")


def text_of(directory):
    text = ""
    for name in HEADERS:
        with open(os.path.join(directory, name), encoding="utf-8") as header:
            text += header.read()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return text


def without_version_blocks(text):
    """Drop the branches that only newer versions of the API have."""
    return re.sub(r"#if MRC\w*_API_VER_USED >= .*?#endif", " ", text, flags=re.S)


def structs(text):
    """Pairs of a structure's tag and its members, those of nests with dots."""
    for match in re.finditer(r"^struct (\w+) \{(.*?)^\};", text, re.S | re.M):
        yield match.group(1), list(members(match.group(2)))


def members(body):
    body = re.sub(r"#.*", " ", body)
    position = 0
    nest = re.compile(r"\s*(?:struct|union) \{(?P<body>(?:[^{}]|\{[^{}]*\})*)\} (?P<name>\w+);")
    plain = re.compile(r"\s*[^;{}]*?(?P<name>\w+)\s*(?:\[[^]]*\])?;")
    while body[position:].strip():
        match = nest.match(body, position)
        if match:
            yield match.group("name")
            for inner in members(match.group("body")):
                yield match.group("name") + "." + inner
        else:
            match = plain.match(body, position)
            yield match.group("name")
        position = match.end()


def enumerators(text):
    for match in re.finditer(r"^enum (\w+) \{(.*?)\}", text, re.S | re.M):
        for name in re.findall(r"\b(MRC_\w+)\s*[=,]|\b(MRC_\w+)\s*$",
                               match.group(2) + "\n", re.M):
            yield name[0] or name[1]


def constants(text):
    """Macros with a value."""
    for match in re.finditer(r"^\s*#\s*define\s+(MRC_\w+)[ \t]+(\S.*)$", text, re.M):
        name, value = match.groups()
        if not value.startswith("\\") and "{" not in value:
            yield name


def prototypes(text):
    """Pairs of a function and the type of a pointer to it."""
    code = re.sub(r"^\s*#.*$", " ", text, flags=re.M)
    for match in re.finditer(r"^((?:struct \w+|int|void)[ *]+)(mrc_\w+)\(([^;{}]*?)\);",
                             code, re.M):
        result, name, arguments = match.groups()
        types = []
        for argument in arguments.split(","):
            argument = " ".join(argument.split())
            types.append(re.sub(r"\b\w+$", "", argument).strip())
        yield name, "%s (*%%s)(%s)" % (result.strip(), ", ".join(types))


def program(text):
    out = ["#include <stddef.h>", "#include <stdio.h>", "#include <mrc_ctl.h>",
           "#define SIGNED(x) ((__typeof__(x))-1 < (__typeof__(x))1)",
           "#define LAYOUT(s, m) printf(#s \".\" #m \" %zu %zu\\n\", "
           "offsetof(struct s, m), sizeof(((struct s *)0)->m))",
           "#define VALUE(c) printf(#c \" %lld %zu %d\\n\", (long long)(c), "
           "sizeof(c), SIGNED(c))",
           "int main(void)", "{"]
    for tag, names in structs(text):
        out.append('\tprintf("%s %%zu %%zu\\n", sizeof(struct %s), '
                   '_Alignof(struct %s));' % (tag, tag, tag))
        out += ["\tLAYOUT(%s, %s);" % (tag, name) for name in names]
    out += ["\tVALUE(%s);" % name for name in enumerators(text)]
    out += ["\tVALUE(%s);" % name for name in constants(text)]
    out.append('\tprintf("mrc_ctl_ev_t %zu\\n", sizeof(mrc_ctl_ev_t));')
    out.append('\tprintf("unpopulated %d\\n", MRC_CTL_EV_UNPOPULATED.port);')
    out += ["\treturn 0;", "}", ""]
    for name, pointer in prototypes(text):
        out.append("%s = %s;" % (pointer % ("use_" + name), name))
    return "\n".join(out) + "\n"


def build(source, directory, output, flags):
    """Compile; the functions are declared, not defined: only the main part is linked."""
    command = ["cc", "-std=gnu11", "-Werror=incompatible-pointer-types",
               "-Werror=implicit-function-declaration", "-I" + directory,
               "-Wno-overflow"] + flags
    checked = subprocess.run(command + ["-c", "-o", output + ".o", source],
                             capture_output=True, text=True, check=False)
    if checked.returncode:
        return checked.stderr
    linked = subprocess.run(command + ["-Wl,--unresolved-symbols=ignore-all",
                                       "-o", output, output + ".o"],
                            capture_output=True, text=True, check=False)
    return linked.stderr if linked.returncode else ""


class Tap:
    def __init__(self):
        self.number = 0
        self.failed = 0

    def result(self, good, name, detail=""):
        self.number += 1
        if not good:
            self.failed += 1
        print("%s %d - layout: %s" % ("ok" if good else "not ok", self.number, name))
        if not good:
            for line in detail.splitlines()[:60]:
                print("# " + line)


def version_flags(version):
    if not version:
        return []
    ctl = version.replace("MRC_API", "MRC_CTL_API")
    return ["-DMRC_API_VER_USED=" + version, "-DMRC_CTL_API_VER_USED=" + ctl]


def compare(tap, tmp, ours, theirs, version):
    text = text_of(ours)
    if version == "MRC_API_VER(1, 0, 0)":
        text = without_version_blocks(text)
    label = "API version " + (version or "that is the default")
    source = os.path.join(tmp, "layout.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(program(text))
    printed = []
    for name, directory in (("ours", ours), ("theirs", theirs)):
        output = os.path.join(tmp, name)
        errors = build(source, directory, output, version_flags(version))
        tap.result(not errors, "%s: all names and prototypes exist in %s" %
                   (label, "our headers" if name == "ours" else "theirs"), errors)
        if errors:
            return
        printed.append(subprocess.run([output], capture_output=True, text=True,
                                      check=True).stdout.splitlines())
    differing = ["ours %s, theirs %s" % pair for pair in zip(*printed)
                 if pair[0] != pair[1]]
    tap.result(printed[0] == printed[1] and len(printed[0]) > 100,
               "%s: %d sizes, offsets and values are equal" % (label, len(printed[0])),
               "\n".join(differing))


def names(directory):
    """Names of the API, and those of members; texts of #error are none."""
    text = re.sub(r"^\s*#\s*(error|warning)(.*\\\n)*.*$", " ", text_of(directory),
                  flags=re.M)
    words = set(re.findall(r"\b(?:MRC|mrc)_\w+", text))
    for tag, members_of in structs(text):
        words |= {tag + "." + name for name in members_of}
    return {word for word in words if not word.endswith("_H") and
            word not in ("mrc_api_ver", "mrc_ctl_api_ver", "mrc_ctl", "mrc")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--names", action="store_true")
    parser.add_argument("ours")
    parser.add_argument("theirs")
    args = parser.parse_args()
    tap = Tap()
    with tempfile.TemporaryDirectory() as tmp:
        for version in VERSIONS:
            compare(tap, tmp, args.ours, args.theirs, version)
    if args.names:
        ours, theirs = names(args.ours), names(args.theirs)
        tap.result(not theirs - ours, "our headers have each of their %d names" %
                   len(theirs), "\n".join(sorted(theirs - ours)))
        tap.result(not ours - theirs, "our headers have no name that theirs lack",
                   "\n".join(sorted(ours - theirs)))
    sys.exit(1 if tap.failed else 0)


if __name__ == "__main__":
    main()
