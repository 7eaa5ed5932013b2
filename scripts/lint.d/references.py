#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Do the files exist that the documentation refers to?

Links of all Markdown files, and paths in backquotes that begin with a folder of
the tree. In the pages of GUIDES also names in backquotes: functions, constants,
members, tests (in the tables of protocol.md without mrc_). What contains a word
in capitals or an ellipsis stands for many.
"""
import pathlib
import re
import subprocess
import sys

GUIDES = ("CONTRIBUTING.md", "Documentation/architecture.md",
          "Documentation/how-to-add.md", "Documentation/protocol.md",
          "Documentation/wire-format.md", "Documentation/watching.md")
# Names of the kernel and of libraries that the tree does not use itself.
FOREIGN = {"call_rcu", "ib_umem_dmabuf", "max_sgl_rd", "udp_queue_rcv_skb"}
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
QUOTED = re.compile(r"`([^`\s]+)`")
SYMBOL = re.compile(r"^(?:\w+(?:\.|->))?(\w+_\w+)(?:\(\))?$")
PLACEHOLDER = re.compile(r"(?<![A-Za-z])(?:NN|NAME|OBJECT|SUBJECT)(?![a-z])|"
                         r"NN-|_NAME|\.\.\.|[*<>{\[]")


def tracked():
    """All files that git does not ignore."""
    out = subprocess.run(["git", "ls-files", "--cached", "--others",
                          "--exclude-standard"],
                         check=True, capture_output=True, text=True).stdout
    return [line for line in out.splitlines() if pathlib.Path(line).is_file()]


def without_code(text):
    """The text, but for indented and fenced blocks."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return "\n".join(line for line in text.splitlines()
                     if not line.startswith("\t"))


def missing(page, text, tops, symbols):
    """What the page refers to and is not there."""
    for target in LINK.findall(text):
        if not re.match(r"[a-z]+:", target) and \
           not (page.parent / target).exists():
            yield target
    for quoted in QUOTED.findall(text):
        if PLACEHOLDER.search(quoted):
            continue
        symbol = SYMBOL.match(quoted)
        if quoted.split("/")[0] in tops and "/" in quoted:
            if not pathlib.Path(quoted).exists():
                yield quoted
        elif symbol and str(page) in GUIDES and \
                not {symbol[1], "mrc_" + symbol[1]} & symbols:
            yield quoted


def main():
    """Print what is missing."""
    files = tracked()
    tops = {name.split("/")[0] for name in files if "/" in name}
    symbols = set(FOREIGN)
    for name in files:
        if name.endswith((".c", ".h", ".yaml", ".sh")):
            text = pathlib.Path(name).read_text(encoding="utf-8")
            symbols.update(re.findall(r"\w+_\w+", text))
        symbols.update(re.findall(r"mrc_\w+", name))
        symbols.add(pathlib.Path(name).stem)
    status = 0
    for name in files:
        if name.endswith(".md"):
            page = pathlib.Path(name)
            text = without_code(page.read_text(encoding="utf-8"))
            for target in missing(page, text, tops, symbols):
                print(f"{name}: there is no {target}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
