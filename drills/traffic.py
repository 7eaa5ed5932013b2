# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Programs of a drill in a guest: traffic, and mrcctl."""
import ctypes
import json
import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from scenario import HERE, ROOT

LAB = os.path.join(ROOT, "tests", "lab")
sys.path.insert(0, os.path.join(LAB, "link"))
import link  # noqa: E402
PROGRAMS = os.path.join(ROOT, "build", "tests")
PR_SET_TIMERSLACK = 29
# struct record_head and record_entry of tests/integration/tools/lib/record.h
HEAD, ENTRY = struct.Struct("=QQQII"), struct.Struct("=QII")
ENTRIES = 1 << 20
TCP_PORT = 5301
TCP_CONNECTIONS = 16
# Messages of RoCE in flight: they fill a link and fit in the queue of a port. Switches
# here send no PFC, as those of RoCE networks do, and rdma_rxe has no congestion control.
ROCE_DEPTH = 4
# Traffic class: ECN-capable, so that queues mark packets instead of dropping them.
ROCE_CLASS = 2
LISTEN_S = 10
LOOPBACK = "127.0.0.1"


class Failure(Exception):
    """The drill cannot be carried out."""


def exact_sleeps():
    """Without this the kernel may add 50 us to each sleep of the process."""
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)


def prefer_network():
    """Let the network go before programs. (Programs of traffic go before those that
    cut links: one processor serves all, and a script that acts would keep a receiver
    waiting for as long as it takes.)
    """
    for name in os.listdir("/proc"):
        if name.isdigit() and comm(name).startswith("ksoftirqd"):
            os.sched_setscheduler(int(name), os.SCHED_FIFO, os.sched_param(2))


def prefer_programs():
    """Let the programs that are started now go before those of traffic: otherwise they
    wait while that has something to do, which takes seconds of real time.
    """
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            return f.read()
    except OSError:
        return ""


def run(command, **options):
    """Run a command; its output is returned."""
    # Programs of traffic wait for events: they do not need poll.c.
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, **options)
    if done.returncode:
        raise Failure(f"{' '.join(command)}: {done.stdout.strip()[-500:]}")
    return done.stdout


output = run


def mrcctl(host, *words):
    """A command that does not wait as "ip netns exec" does, for a sysfs of its own."""
    return ["mrcctl", "-n", host, *words]


def fabric(*words):
    run([os.path.join(LAB, "fabric.sh"), *words])


class Jobs:
    """Programs in the background, ended at the end."""

    def __init__(self):
        self.all = []
        # These programs wait for events. With the library that lets polls take
        # time, each poll would be a system call.
        self.env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}

    def start(self, command, **options):
        process = subprocess.Popen(command, env=self.env, text=True, **options)
        self.all.append(process)
        return process

    def end(self):
        for process in self.all:
            if process.poll() is None:
                process.kill()
                process.wait()


JOBS = Jobs()
# In this process: starting another one with Python takes a long time.
LINKS = link.Tool()


class Tool:
    """mrcctl of a host: questions and answers."""

    def __init__(self, host):
        self.process = JOBS.start(mrcctl(host, "-j", "-b", "-"),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, question):
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Traffic:
    """What is common to all protocols: a record that is read while it is written."""

    def __init__(self, scenario, out, period_us, prefix=""):
        self.scenario = scenario
        self.out = out
        self.prefix = prefix	# of the names of files
        self.period = str(period_us)
        self.hosts = {}
        self.programs = []
        self.record = os.path.join(tempfile.mkdtemp(), "record")
        self.map = None

    def program(self, name, host, command, **options):
        name = self.prefix + name
        prefix = ["nice", "-n", "-20"]
        if host:
            prefix += ["ip", "netns", "exec", host]
        with open(f"{self.out}/{name}", "w", encoding="utf-8") as f:
            process = JOBS.start(prefix + command, stdout=f,
                                 stderr=subprocess.STDOUT, **options)
        self.programs.append((name, process))
        return process

    def head(self):
        """Period, bytes, errors, entries, whether the record is full."""
        if not self.map:
            try:
                with open(self.record, "rb") as f:
                    self.map = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
            except (OSError, ValueError):
                return (0, 0, 0, 0, 0)
        return HEAD.unpack_from(self.map)

    def received(self):
        return self.head()[1]

    def check(self):
        """Fail if a program has ended, unless that is expected."""
        if self.scenario.broken:
            return
        for name, process in self.programs:
            if process.poll() is not None:
                raise Failure(f"{name} has ended: {self.tail(name)}")

    def tail(self, name):
        with open(f"{self.out}/{name}", encoding="utf-8") as f:
            return f.read().strip()[-500:]

    def save(self):
        """Copy the entries of the record."""
        head = self.head()
        if not self.map:
            return
        with open(f"{self.out}/{self.prefix}record", "wb") as f:
            f.write(self.map[:HEAD.size + head[3] * ENTRY.size])
        shutil.rmtree(os.path.dirname(self.record))
        if head[2]:
            raise Failure("messages with wrong bytes")
        if head[4]:
            raise Failure("the record is full")

    def stop(self):
        """End the program that sends; all must end well."""
        first, process = self.programs[-1]
        if self.scenario.broken:
            for _, process in self.programs:
                process.kill()
                process.wait()
            return
        process.send_signal(signal.SIGTERM)
        for name, process in reversed(self.programs):
            if process.wait():
                raise Failure(f"{name} ended with status {process.returncode}: "
                              f"{self.tail(name)}")

    def say(self, word):
        raise Failure(f"{word}: not with this protocol")


class Mrc(Traffic):
    """mrc_verify, or mrc_crowd."""

    def start(self):
        (self.start_crowd if self.scenario.flows else self.start_pair)()

    def verify(self, host):
        """Like all programs of verbs outside of the hosts: there all devices are."""
        gid = self.hosts[host][0]
        return [f"{PROGRAMS}/mrc_verify", "--wait",
                "-d", f"mrc{host[1:]}", "-g", gid]

    def start_pair(self):
        t = self.scenario.traffic
        self.program("server", None, self.verify("h1") +
                     ["--record", self.record, "--period", self.period])
        self.program("client", None, self.verify("h0") + [
            "-o", "write_imm", "-s", str(t["message"]), "-t", str(t["depth"]),
            "-q", str(t["qps"]), "--ack-timeout", str(t["ack-timeout"]),
            "--retry", str(t["retry"]), "--seed", str(self.scenario.seed),
            "-D", "86400", LOOPBACK])

    def start_crowd(self):
        t = self.scenario.traffic
        devices = [word for h, (gid, *_) in self.hosts.items()
                   for word in ("-H", f"mrc{h[1:]}/{gid}")]
        self.talk = self.program(
            "client", None, [f"{PROGRAMS}/mrc_crowd", *devices,
                             "-s", str(t["message"]), "-t", str(t["depth"]),
                             "-q", str(t["qps"]), "-c", str(t["class"]),
                             "-T", str(t["ack-timeout"]), "-p", "60000",
                             "-r", self.record, "-R", self.period,
                             *self.scenario.flows],
            stdin=subprocess.PIPE)

    def say(self, word):
        self.talk.stdin.write(word + "\n")
        self.talk.stdin.flush()

    def again(self):
        """Another run of mrc_verify ends well."""
        server = self.program("server-again", None, self.verify("h1"))
        client = self.program("client-again", None, self.verify("h0") + [
            "-o", "write", "-n", "200", LOOPBACK])
        for process in (client, server):
            if process.wait():
                return False
            self.programs.pop()
        return True


class Sockets(Traffic):
    """Connections of tcp_flow.py."""

    protocol = "tcp"
    connections = TCP_CONNECTIONS

    def start(self):
        run([f"{HERE}/beside.sh", self.protocol])
        flow = [f"{HERE}/tcp_flow.py", self.protocol]
        self.program("server", "h1", flow + ["sink", str(TCP_PORT), self.record,
                                             self.period])
        end = time.monotonic() + LISTEN_S
        while str(TCP_PORT) not in run(["ip", "netns", "exec", "h1", "ss", "-Hltn"]):
            if time.monotonic() > end:
                raise Failure(f"the server does not listen: {self.tail(self.prefix + 'server')}")
            time.sleep(0.01)
        self.program("client", "h0", flow + ["source", self.hosts["h1"][1],
                                             str(TCP_PORT), str(self.connections)])

    def stop(self):
        """End the program that sends first: it would see the other one end."""
        for name, process in reversed(self.programs):
            process.send_signal(signal.SIGTERM)
            if process.wait():
                raise Failure(f"{name} ended with status {process.returncode}: "
                              f"{self.tail(name)}")


class Mptcp(Sockets):
    """One connection with several subflows."""

    protocol = "mptcp"
    connections = 1


class Roce(Traffic):
    """A queue pair of rdma_rxe."""

    def start(self):
        plane, t1 = self.scenario.beside or (0, 0)
        gids = run([f"{HERE}/beside.sh", "roce", str(plane), str(t1)]).split()
        self.program("client", None, [
            f"{PROGRAMS}/mrc_crowd", "-H", f"rxe0/{gids[0]}", "-H",
            f"rxe1/{gids[1]}", "-s", str(self.scenario.traffic["message"]),
            "-t", str(ROCE_DEPTH), "-c", str(ROCE_CLASS), "-p", "60000",
            "-r", self.record, "-R", self.period, "0:1"],
            stdin=subprocess.PIPE)


PROTOCOLS = {"mrc": Mrc, "tcp": Sockets, "mptcp": Mptcp, "roce": Roce}
