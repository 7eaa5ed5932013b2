#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Test the Wireshark dissector (packaging/wireshark/mrc.lua) with tshark.

  check.py [--update] OUT

Captures are built in OUT. Every value that the encoder put into a packet is compared with
the field of the dissector; the whole output is compared with a file in golden/ as well,
which --update writes. Prints TAP.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import captures
import conversations
import encoder
import mutate

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCRIPT = ROOT / "packaging/wireshark/mrc.lua"
TOPOLOGY = ROOT / "Documentation/examples/topology-clos.json"
LUA_ERROR = "Lua Error"
TRUTH = {"True": "1", "False": "0"}
# At most, whatever happens.
LIMIT_S = 300
# Payloads are cut.
GOLDEN_WIDTH = 60
DAMAGED, DAMAGED_SHOWN = 100000, 5000
REAL_FIELDS = ("frame.number", "_ws.col.Info", "mrc.plane", "mrc.path", "mrc.ts", "mrc.sack.ts",
               "mrc.analysis.acked_in", "mrc.analysis.retransmission_of",
               "mrc.analysis.retransmitted_in", "mrc.analysis.previous_ev",
               "mrc.analysis.trigger", "mrc.analysis.rtt", "mrc.analysis.response_to")


class Tap:
    """Results of checks"""

    def __init__(self):
        self.n = 0
        self.failed = 0

    def verdict(self, name, problems):
        """A check has failed if there are problems."""
        self.n += 1
        print(f"{'not ok' if problems else 'ok'} {self.n} - dissector: {name}", flush=True)
        self.failed += bool(problems)
        for problem in problems[:20]:
            print("#", str(problem).replace("\n", "\n# "))


def tshark(out, *args, script=SCRIPT):
    """Standard output of tshark; an AssertionError if it fails or has an error of Lua"""
    env = {**os.environ, "HOME": str(out), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    # A configuration without other plugins.
    env.pop("WIRESHARK_CONFIG_DIR", None)
    done = subprocess.run(["tshark", "-X", f"lua_script:{script}", *map(str, args)],
                          env=env, capture_output=True, text=True, timeout=LIMIT_S,
                          check=False)
    errors = [line for line in done.stderr.splitlines()
              if line and not line.startswith("Running as user")]
    assert done.returncode == 0 and not errors, f"tshark: {done.returncode}: {errors[:3]}"
    assert LUA_ERROR not in done.stdout, done.stdout[done.stdout.index(LUA_ERROR):][:300]
    return done.stdout


# --- fields ------------------------------------------------------------------------

def flatten(pairs, found):
    """(name, value) of each field in the order of the tree"""
    for name, value in pairs:
        if isinstance(value, list):
            flatten(value, found)
        elif name.startswith("mrc.expert.") or value != "" and name.startswith(
                ("mrc.", "_ws.expert.message")):
            found.append((name, TRUTH.get(value, value)))


def layers_of(packet):
    return dict(dict(dict(packet)["_source"])["layers"])


def dissect(out, capture, *args):
    """Of each frame: the Info column, and the fields of MRC"""
    infos = tshark(out, "-r", capture, "-T", "fields", "-e", "_ws.col.Info", *args)
    text = tshark(out, "-r", capture, "-T", "json", *args)
    frames = json.loads(text, object_pairs_hook=list)
    result = []
    for info, frame in zip(infos.split("\n"), frames):
        found = []
        for name, value in dict(dict(frame)["_source"])["layers"]:
            if name == "mrc":
                flatten(value, found)
        result.append((info, found))
    return result


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        return text


def wrong_fields(case, found):
    """How the fields of a frame differ from what its case says"""
    values = {}
    for name, value in found:
        values.setdefault(name, []).append(number(value))
    for name, wanted in case.fields.items():
        got = values.get("mrc." + name)
        if not isinstance(wanted, list):
            got = got and got[0]
        if got != wanted and str(got) != str(wanted):
            yield f"{case.name}: mrc.{name} is {got}, not {wanted}"
    expert = sorted(name for name, _ in found if name.startswith("mrc.expert."))
    wanted = sorted(f"mrc.expert.{name}" for name in case.expert)
    if expert != wanted:
        yield f"{case.name}: expert items are {expert}, not {wanted}"


def golden_text(cases, result):
    for case, (info, found) in zip(cases, result):
        yield f"# {case.name}"
        yield info
        for name, value in found:
            if not name.startswith("mrc.expert."):
                yield f"    {name} = {value[:GOLDEN_WIDTH]}"


def compare_golden(name, lines, update):
    """Problems; --update writes the file instead."""
    file = HERE / "golden" / f"{name}.txt"
    text = "\n".join(lines) + "\n"
    if update:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    wanted = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    got = text.splitlines()
    for nth, (a, b) in enumerate(zip(wanted, got), 1):
        if a != b:
            return [f"{file.name}:{nth}: wanted {a!r}", f"got {b!r}"]
    if len(wanted) != len(got):
        return [f"{file.name} has {len(wanted)} lines, not {len(got)}"]
    return []


def differences(what, got, wanted):
    """One problem for each row"""
    for nth, (a, b) in enumerate(zip(got, wanted), 1):
        if a != b:
            yield f"{what}: packet {nth} is {a}, not {b}"
    if len(got) != len(wanted):
        yield f"{what}: {len(got)} packets, not {len(wanted)}"


def problems_of(function, *args):
    """Problems, one of which may be an assertion that fails"""
    try:
        return list(function(*args))
    except (AssertionError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        return [error]


# --- checks -----------------------------------------------------------------------------

class Checks:
    """All checks, with captures in a folder"""

    def __init__(self, tap, out, update):
        self.tap, self.out, self.update = tap, out, update

    def check(self, name, function, *args):
        self.tap.verdict(name, problems_of(function, *args))

    def capture(self, name, cases):
        file = self.out / f"{name}.pcap"
        captures.write(file, cases)
        return file

    def compare(self, name, cases, *args):
        """Values of the encoder, then the golden file"""
        file = self.capture(name, cases)
        result = []

        def fields():
            result.extend(dissect(self.out, file, *args))
            assert len(result) == len(cases), f"{len(result)} frames of {len(cases)}"
            for case, (_, found) in zip(cases, result):
                yield from wrong_fields(case, found)

        self.check(f"{name}: {len(cases)} packets have the fields that the encoder wrote",
                   fields)
        self.check(f"{name}: output is that of golden/{name}.txt", compare_golden, name,
                   golden_text(cases, result), self.update)

    def packets(self):
        self.compare("kinds", captures.kinds())
        self.compare("invalid", captures.invalid(), "-o", "mrc.track:FALSE")
        self.compare("icrc", captures.icrcs(), "-o", "mrc.track:FALSE",
                     "-o", "mrc.check_icrc:TRUE")
        self.compare("network", captures.networks())
        self.compare("paths", captures.named_paths(), "-o", f"mrc.topology:{TOPOLOGY}")

    def conversations(self):
        for name, make in conversations.ALL.items():
            self.compare(name, make(), "-2", "-R", "frame", "-o", "mrc.check_icrc:TRUE")

    def cut(self):
        """Packets that the capture has cut are not called short."""
        for length in (60, 70, 80, 100, 120):
            file = self.out / f"cut-{length}.pcap"
            encoder.write_pcap(file, [case.frame for case in captures.kinds()],
                               snaplen=length)
            text = tshark(self.out, "-r", file, "-V")
            if "mrc.expert.short" in text or "is shorter than" in text:
                yield f"a packet of which {length} octets are captured is called short"

    def values(self, capture, fields, *args):
        """Rows of values"""
        text = tshark(self.out, "-r", capture, *args, "-T", "fields",
                      *[part for field in fields for part in ("-e", field)])
        return [line.split("\t") for line in text.splitlines()]

    def port(self):
        """Who dissects packets to the port of RoCEv2"""
        write = encoder.data(encoder.WRITE_ONLY, psn=1, payload=b"1234")
        # Opcodes of RC and UD (IBTA 9.2): SEND Only, UD SEND Only.
        send = encoder.bth(0x04, 9, 1) + b"1234"
        mad = encoder.datagram(encoder.UD_SEND, payload=captures.MAD)
        frames = [encoder.frame(packet, port=port) for packet in (write, send, mad)
                  for port in (4791, 4971, 5000)]
        frames.append(encoder.frame(send, trim=5))
        frames.append(encoder.frame(b"", icrc=b""))
        file = self.out / "port.pcap"
        encoder.write_pcap(file, frames)
        columns = ("mrc.opcode", "infiniband.bth.opcode", "infiniband.mad.mgmtclass")

        def rows(*args):
            return self.values(file, columns, *args)

        ours, rc, mads = ["0xca", "", ""], ["", "4", ""], ["", "100", "0x07"]
        nothing, datagram = ["", "", ""], ["0x64", "", ""]
        whole = [ours, ours, nothing, rc, rc, nothing, mads, datagram, nothing]
        yield from differences("by default", rows()[:9], whole)
        decode_as = rows("-d", "udp.port==5000,mrc")
        yield from differences("decode as mrc", decode_as[:9], [
            ours, ours, ours, rc, rc, rc, mads, datagram, datagram])
        as_roce = rows("-d", "udp.port==4791,infiniband")
        yield from differences("decode as infiniband", [as_roce[0]], [["", "202", ""]])
        moved = rows("-o", "mrc.ports:5000")
        yield from differences("preference ports", moved[:9:3] + moved[1:9:3] + moved[2:9:3], [
            ["", "202", ""], rc, mads, nothing, nothing, nothing, ours, rc, datagram])

    def preferences(self):
        """A topology file that cannot be read is reported"""
        file = self.capture("one", captures.kinds()[:1])
        for name, what in (("/does/not/exist", "No such file"), (HERE / "check.py", "line 1"),
                           (ROOT / "Documentation/topology.schema.json", "no topology file")):
            try:
                tshark(self.out, "-r", file, "-o", f"mrc.topology:{name}")
            except AssertionError as error:
                if what not in str(error):
                    yield error
            else:
                yield f"topology file {name} is not reported"

    def units(self):
        """units.lua"""
        text = tshark(self.out, "-r", self.capture("one", captures.kinds()[:1]),
                      script=HERE / "units.lua")
        lines = [line for line in text.splitlines() if line.startswith(("ok ", "not ok "))]
        for line in lines:
            self.tap.verdict(line.split(" ", 1)[1] if line.startswith("ok ") else line[7:],
                             [] if line.startswith("ok ") else [line])
        self.tap.verdict("units.lua ran to its end", [] if lines and
                         "paths are limited" in lines[-1] else ["it has ended early"])

    # --- packets of the driver -----------------------------------------------------

    def real(self):
        """real.pcap, which record.sh records"""
        file = HERE / "real.pcap"
        two_passes = ("-2", "-R", "frame", "-o", f"mrc.topology:{TOPOLOGY}")
        lines = []

        def golden():
            rows = self.values(file, REAL_FIELDS, *two_passes)
            lines.extend("\t".join(row) for row in rows)
            return compare_golden("real", lines, self.update)

        def paths():
            text = tshark(self.out, "-q", "-r", file, "-o", "mrc.paths:TRUE", *two_passes[3:])
            return compare_golden("real-paths", text.rstrip().splitlines(), self.update)

        def named():
            """The preference "Resolve network addresses", with names for both hosts"""
            rows = self.values(file, REAL_FIELDS, *two_passes, "-H", hosts, "-N", "n")
            yield from differences("with names", ["\t".join(row) for row in rows], lines)
            shown = self.values(file, ("_ws.col.Source",), "-H", hosts, "-N", "n")
            if ["h0"] not in shown:
                yield "tshark does not show the names"

        hosts = self.out / "hosts"
        hosts.write_text("2001:db8:100::1 h0\n2001:db8:101::1 h1\n", encoding="utf-8")
        self.check("real.pcap: fields are those of golden/real.txt", golden)
        self.check("real.pcap: fields are the same when addresses have names", named)
        self.check("real.pcap: table of paths is that of golden/real-paths.txt", paths)
        self.check("real.pcap: packets of the driver are sound and related", self.sound, file,
                   two_passes)

    def sound(self, file, args):
        """What holds for every capture of the driver at a sender"""
        def frames(condition):
            return {row[0] for row in self.values(file, ("frame.number",), *args,
                                                  "-Y", condition)}

        for severity in (0x800000, 0x600000):
            bad = frames(f"mrc && _ws.expert.severity == {severity}")
            if bad:
                yield f"frames {sorted(bad)} have errors or warnings"
        again = frames("mrc.rtx == 1 && mrc.opcode < 0xd8")
        if not again or again != frames("mrc.analysis.retransmission_of"):
            yield f"retransmissions {sorted(again)} are not all linked"
        lossy = frames("mrc.analysis.retransmission && mrc.analysis.previous_plane == 1")
        if again != lossy:
            yield "losses are not all on plane 1, one of whose switches lost packets"
        if len({row[0] for row in self.values(file, ("mrc.stream",), *args, "-Y",
                                              "mrc && mrc.destqp != 2")}) != 1:
            yield "packets of the connection have several numbers"
        sacks = frames("mrc.opcode == 0xdc")
        if not sacks or sacks != frames("mrc.opcode == 0xdc && mrc.analysis.trigger"):
            yield "a SACK is not linked to its trigger"
        unacked = frames("mrc.opcode < 0xd1 && !mrc.analysis.acked_in && "
                         "!mrc.analysis.retransmitted_in")
        if unacked:
            yield f"data in frames {sorted(unacked)} are not acknowledged"
        icrcs = self.values(file, ("mrc.icrc.status",), *args, "-o", "mrc.check_icrc:TRUE", "-Y",
                            "mrc.opcode > 0xd2")
        if not icrcs or {row[0] for row in icrcs} != {"correct"}:
            yield "ICRCs of control packets are not all correct"
        if frames("mrc.opcode == 0xd8") and not frames("mrc.analysis.response_in"):
            yield "no endpoint response is linked"

    # --- damaged packets --------------------------------------------------------------

    def damaged(self):
        """No error of Lua, whatever is in the packets"""
        file = self.out / "damaged.pcap"
        few, many = DAMAGED_SHOWN, DAMAGED
        encoder.write_pcap(file, list(mutate.mutated(many)))
        args = ("-r", file, "-o", f"mrc.topology:{TOPOLOGY}")
        found = self.values(file, ("frame.number", "_ws.expert.message"), *args[2:],
                            "-Y", "_ws.lua.error")
        if found:
            yield f"{len(found)} of {many} packets: {found[0]}"
        # With all fields formatted, as the GUI does, and ICRCs computed.
        text = tshark(self.out, "-c", few, "-V", *args, "-o", "mrc.check_icrc:TRUE")
        if text.count("Multipath Reliable Connection") < few / 2:
            yield "hardly a packet is dissected"

    def error_is_found(self):
        """The check for errors of Lua finds one."""
        folder = self.out / "broken"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SCRIPT.parent, folder)
        script = folder / SCRIPT.name
        text = script.read_text(encoding="utf-8")
        script.write_text(text.replace("local starts, this =",
                                       "local _ = nil + 1\n\tlocal starts, this ="),
                          encoding="utf-8")
        file = self.capture("one", captures.kinds()[:1])
        try:
            rows = subprocess.run(
                ["tshark", "-X", f"lua_script:{script}", "-r", file, "-Y", "_ws.lua.error",
                 "-T", "fields", "-e", "_ws.expert.message"], capture_output=True, text=True,
                check=True, timeout=LIMIT_S).stdout
            if "attempt to perform arithmetic" not in rows:
                yield f"no error of Lua is found: {rows}"
            tshark(self.out, "-r", file, "-V", script=script)
        except AssertionError as error:
            if LUA_ERROR not in str(error):
                yield error
        else:
            yield "an error of Lua is not seen in the output"

    # --- installation ---------------------------------------------------------------------

    def make(self, *args):
        subprocess.run(["make", "--no-print-directory", "-s", "-C",
                        ROOT / "packaging/wireshark", *args], check=True, timeout=LIMIT_S)

    def plugins(self):
        """A home directory with the dissector as plugin, and the folder of plugins"""
        home = self.out / "home"
        plugins = home / ".local/lib/wireshark/plugins"
        shutil.rmtree(home, ignore_errors=True)
        self.make(f"PLUGINDIR={plugins}", "install")
        return home, plugins

    def glossary(self, kind):
        """Rows of "tshark -G kind" that are of MRC"""
        home, _ = self.plugins()
        text = subprocess.run(["tshark", "-G", kind], capture_output=True, text=True,
                              env={**os.environ, "HOME": str(home)}, check=True,
                              timeout=LIMIT_S).stdout
        return [row for row in (line.split("\t") for line in text.splitlines())
                if any(cell.startswith("mrc.") for cell in row[1:3])]

    def as_driver(self):
        """Opcodes and reasons are those of kernel/core"""
        shown = {}
        for _, field, value, text in self.glossary("values"):
            shown.setdefault(field, {})[int(value, 0)] = text
        header = (ROOT / "kernel/core/wire.h").read_text(encoding="utf-8")
        table = (ROOT / "kernel/core/opcode.c").read_text(encoding="utf-8")
        codes = {name: int(code, 0)
                 for name, code in re.findall(r"MRC_OP_(\w+)\s*= (0x\w\w),", header)}
        opcodes = {codes[name]: text for name, text in
                   re.findall(r'\b(?:OP|CTRL)\((\w+), "([^"]+)"', table)}
        reasons = {int(code, 0): name for name, code in
                   re.findall(r"MRC_NACK_(\w+)\s*= (0x\w\w),", header)}
        ours = {code: text for code, text in shown["mrc.opcode"].items() if code >= 0xc0}
        yield from differences("opcodes", sorted(ours.items()), sorted(opcodes.items()))
        yield from differences("reasons of NACKs", sorted(shown["mrc.nack.reason"].items()),
                               sorted(reasons.items()))

    def documented(self):
        """The fields that the documentation names exist"""
        fields = {row[2] for row in self.glossary("fields")}
        page = (ROOT / "Documentation/dissector.md").read_text(encoding="utf-8")
        script = SCRIPT.read_text(encoding="utf-8")
        known = fields | {f"mrc.{name}" for name in re.findall(r"mrc\.prefs\.(\w+)", script)}
        named = set(re.findall(r"\bmrc(?:\.[a-z_0-9]+)+", page)) - {"mrc.lua"}
        # Names of expert items are no fields in this list.
        missing = {name for name in named - known if not name.startswith("mrc.expert.")}
        if missing or len(named) < 50:
            yield f"{len(named)} names, of which there are no {sorted(missing)}"

    def reloaded(self):
        """sharkd, which is Wireshark without windows, reads a file twice: nothing is left
        of the first time; links to later frames are there."""
        home, _ = self.plugins()
        files = [self.capture(name, conversations.ALL[name]()) for name in
                 ("buffers", "recovery")]
        calls = [("load", {"file": str(files[0])}), ("frames", {})] * 2
        calls += [("load", {"file": str(files[1])}), ("frames", {}),
                  ("frame", {"frame": 2, "proto": True}), ("frame", {"frame": 1, "proto": True})]
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": nth, "method": method,
                                   "params": params}) + "\n"
                       for nth, (method, params) in enumerate(calls, 1))
        done = subprocess.run(["sharkd", "-"], input=text, env={**os.environ, "HOME": str(home)},
                              capture_output=True, text=True, check=True, timeout=LIMIT_S)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        results = {reply["id"]: reply.get("result") for reply in map(json.loads, lines)}
        if not results.get(2) or results[2] != results.get(4):
            yield f"first time {results.get(2)}, second time {results.get(4)}"
        if "Duplicate" in json.dumps(results) or "[Retransmission]" not in json.dumps(results[6]):
            yield f"frames of recovery: {results[6]}"
        for nth, link in ((7, "mrc.analysis.retransmitted_in == 6"), (8, "acked_in == 4")):
            if link not in json.dumps(results[nth]):
                yield f"no {link} in frame {9 - nth}"

    def installed(self):
        """From the folder of plugins, without -X"""
        home, plugins = self.plugins()
        file = self.capture("one", captures.kinds()[:1])
        done = subprocess.run(
            ["tshark", "-r", file, "-T", "fields", "-e", "mrc.psn"], capture_output=True,
            env={**os.environ, "HOME": str(home)}, text=True, check=False, timeout=LIMIT_S)
        noise = [line for line in done.stderr.splitlines() if "Running as user" not in line]
        if done.stdout.strip() != "256" or [line for line in noise if line]:
            yield f"got {done.stdout!r}, {noise}"
        self.make(f"PLUGINDIR={plugins}", "uninstall")
        left = [str(path) for path in plugins.rglob("*")]
        if left:
            yield f"uninstall leaves {left}"

    def all(self):
        self.units()
        self.packets()
        self.conversations()
        self.check("packets cut by the capture are dissected as far as they go", self.cut)
        self.check("UDP ports: MRC, RoCEv2, decode as, preference", self.port)
        self.check("topology files that cannot be used are reported", self.preferences)
        self.real()
        self.check(f"{DAMAGED} damaged packets cause no error of Lua", self.damaged)
        self.check("an error of Lua would be found", self.error_is_found)
        self.check("opcodes and reasons of NACKs are those of kernel/core", self.as_driver)
        self.check("fields in Documentation/dissector.md exist", self.documented)
        self.check("a file that is read again is dissected as the first time", self.reloaded)
        self.check("installed in a folder of plugins, tshark loads it; uninstall removes it",
                   self.installed)


def main():
    args = [arg for arg in sys.argv[1:] if arg != "--update"]
    out = pathlib.Path(args[0])
    out.mkdir(parents=True, exist_ok=True)
    tap = Tap()
    Checks(tap, out, "--update" in sys.argv).all()
    print(f"1..{tap.n}")
    return bool(tap.failed)


if __name__ == "__main__":
    sys.exit(main())
