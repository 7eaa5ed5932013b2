#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Where the time of a message goes in user-mode Linux in real time.

  where.py DIR

ib_write_bw of 64 KiB runs in four ways: the guest may use all processors of the
machine or is bound to one; alone, or beside a program per processor that computes. The
kernel of user-mode Linux and each of its programs are processes of the machine: for a
system call the machine changes from one to the other and back. For each way the
table has the time per message, how much of it these processes executed and how much
they were ready and waited for a processor (/proc/PID/schedstat); the rest is time until
the machine has woken one of them on another processor. If perf is there, a profile
tells what they executed: by task, and by layer without what a change between program and
kernel takes. DIR is left with where.json.
"""
import bisect
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
UML = os.path.join(HERE, "..", "tests", "lab", "uml", "uml.sh")
MESSAGE = 65536
PACKET = 4096
LIMIT = 120
CHANGE = "change between program and kernel"
# Bound to a processor; beside others that compute.
WAYS = ((True, False), (False, False), (True, True), (False, True))
# Addresses of the machine's kernel begin there, and marks in a list of addresses.
HOST_KERNEL = 1 << 63
CONTEXT_MARKS = (1 << 64) - 4095
# Bytes of a function, at most: what is farther from a symbol has no name.
FUNCTION_MAX = 1 << 16
# Functions by layer; the first pattern that fits counts. Those of modules are known by
# the module.
LAYERS = (
    ("copy of the payload", r"mem(cpy|move)|_?copy_|rep_movs"),
    ("mrc", r"\[mrc\]"),
    ("RDMA core", r"\[(ib_|rdma_)"),
    ("socket buffers, memory", r"skb|kmem_cache|kmalloc|kfree|slab|page_frag|"
                               r"alloc_pages|free_(unref_)?page|kvfree|xa_|xas_"),
    ("IP, netfilter, routes", r"ip6|ipv6|ip_|fib|nf_|dst_|rt6|neigh|udp|inet"),
    ("devices and their queues", r"dev_|netif|veth|napi|qdisc|sch_|backlog|net_rx|"
                                 r"net_tx|eth_|gso|gro"),
    ("interrupts, scheduler, locks, clock", r"irq|softirq|sched|lock|timer|clock|time|"
                                            r"signal|rcu|preempt|tick"),
)
BUSY = [sys.executable, "-c", "while True: pass"]


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            direct = [int(c) for c in f.read().split()]
    except OSError:
        return []
    return direct + [c for d in direct for c in children(d)]


def guest_processes(pid):
    """Processes of the guest below @pid, its kernel first."""
    found = []
    for child in children(pid):
        try:
            exe = os.readlink(f"/proc/{child}/exe")
        except OSError:
            continue
        if os.path.basename(exe) == "linux":
            found.append(child)
    return found


def schedstat(pids):
    """Nanoseconds that each process executed and waited."""
    result = {}
    for pid in pids:
        try:
            with open(f"/proc/{pid}/schedstat", encoding="ascii") as f:
                run, wait = f.read().split()[:2]
        except OSError:
            continue
        result[pid] = int(run), int(wait)
    return result


def spent(before, after):
    """What processes executed and waited between two results of schedstat."""
    both = [(after[p], before.get(p, (0, 0))) for p in after]
    return sum(a[0] - b[0] for a, b in both), sum(a[1] - b[1] for a, b in both)


def busiest(executed):
    """The processes that have executed most; others may end at any time."""
    return sorted(executed, key=lambda p: -executed[p][0])[:3]


def wait_for(path, process):
    end = time.monotonic() + LIMIT
    while not os.path.exists(path):
        if process.poll() is not None or time.monotonic() > end:
            sys.exit(f"where.py: the guest ends before {os.path.basename(path)}")
        time.sleep(0.005)


# --- profile ----------------------------------------------------------------

def record(pids, data):
    if not shutil.which("perf"):
        return None
    return subprocess.Popen(
        ["perf", "record", "-e", "cpu-clock", "-F", "2000", "-g", "-o", data,
         "-p", ",".join(map(str, pids))],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def read_symbols(*paths):
    """Addresses and names of functions, from files like /proc/kallsyms."""
    symbols = []
    for path in paths:
        with open(path, encoding="ascii") as f:
            for line in f:
                address, kind, *name = line.split()
                if kind in "tTwW":
                    symbols.append((int(address, 16), " ".join(name)))
    return sorted(symbols)


def name_of(address, symbols):
    i = bisect.bisect(symbols, (address, "\x7f")) - 1
    near = i >= 0 and address - symbols[i][0] < FUNCTION_MAX
    return symbols[i][1] if near else ""


def read_samples(data):
    """Process and addresses of each sample, the innermost first.

    Of a function in a module of the guest, perf knows only where it is in the guest's
    memory; its dump has the address.
    """
    samples = []
    with subprocess.Popen(["perf", "script", "-D", "-i", data],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, errors="replace") as perf:
        for line in perf.stdout:
            sample = re.search(r"PERF_RECORD_SAMPLE\(.*: (\d+)/\d+: 0x", line)
            frame = re.match(r"\.+ +\d+: ([0-9a-f]{16})$", line.strip())
            if sample:
                samples.append((int(sample[1]), []))
            elif frame and samples and int(frame[1], 16) < CONTEXT_MARKS:
                samples[-1][1].append(int(frame[1], 16))
    return samples


def category(kernel, leaf, names):
    """What a sample of the guest's kernel, or of a program, stands for."""
    if not kernel:
        return CHANGE if leaf >= HOST_KERNEL else "program"
    if any("ptrace" in n or "wait4" in n for n in names):
        return CHANGE
    if "net_rx_action" in names:
        return "receive: place data, acknowledge"
    if "handle_syscall" in names:
        return "system call: post and send"
    if "userspace" in names:
        return CHANGE
    return "other: interrupts, scheduler"


def layer(name):
    return next((what for what, pattern in LAYERS if re.search(pattern, name)), "other")


def profile(data, kernel, symbols):
    """Shares of samples by category, and by layer without CHANGE."""
    counts = collections.Counter()
    layers = collections.Counter()
    for pid, addresses in read_samples(data):
        if not addresses:
            continue
        names = [name_of(a, symbols) for a in addresses]
        what = category(pid == kernel, addresses[0], names)
        counts[what] += 1
        if pid == kernel and what != CHANGE:
            layers[layer(names[0])] += 1
    total = sum(counts.values())
    return [{name: n / total for name, n in c.most_common()} for c in (counts, layers)]


# --- runs -------------------------------------------------------------------

def run(bound, loaded, profiled=True, **variables):
    """Run the guest with these variables and return what was seen."""
    with tempfile.TemporaryDirectory() as share:
        data = os.path.join(share, "perf.data")
        others = [subprocess.Popen(BUSY) for _ in
                  range(os.cpu_count() if loaded else 0)]
        cpu = str(max(os.sched_getaffinity(0)))
        guest = subprocess.Popen(
            (["taskset", "-c", cpu] if bound else []) +
            [UML, "run", "--kind", "native", "--share", share, "--timeout",
             str(LIMIT)] +
            [word for name, value in variables.items()
             for word in ("--env", f"{name}={value}")] +
            [os.path.join(HERE, "where-guest.sh"), share])
        try:
            wait_for(os.path.join(share, "begin"), guest)
            pids = guest_processes(guest.pid)
            before = schedstat(pids)
            perf = record(busiest(before), data) if profiled else None
            wait_for(os.path.join(share, "end"), guest)
            after = schedstat(pids)
            if perf:
                perf.send_signal(signal.SIGINT)
                perf.wait()
            if guest.wait(LIMIT):
                sys.exit("where.py: the guest fails")
        finally:
            for process in others:
                process.kill()
        with open(os.path.join(share, "traffic"), encoding="ascii") as f:
            size, seconds, average = map(float, f.read().split())
        shares, layers = {}, {}
        if perf:
            shares, layers = profile(data, pids[0],
                                     read_symbols("/proc/kallsyms",
                                                  os.path.join(share, "symbols")))
    messages = size / MESSAGE
    executed, waited = spent(before, after)
    return {"bound": bound, "loaded": loaded, "mib_per_s": size / seconds / 2**20,
            "perftest_mib_per_s": average, "us": seconds / messages * 1e6,
            "executed_us": executed / messages / 1e3,
            "waited_us": waited / messages / 1e3, "profile": shares,
            "layers": layers}


def print_run(r):
    how = ("one processor" if r["bound"] else "all processors") + \
          (", others compute" if r["loaded"] else ", alone")
    print(f"{how:32} {r['mib_per_s']:6.0f} {r['us']:8.1f} "
          f"{r['executed_us']:9.1f} {r['waited_us']:7.1f} "
          f"{max(r['us'] - r['executed_us'] - r['waited_us'], 0):6.1f}")


def print_profile(r):
    if not r["profile"]:
        print("\nno profile: perf is not installed or fails")
        return
    print("\nwhat is executed, us per message (one processor, alone):")
    for name, part in r["profile"].items():
        print(f"  {name:36} {part * r['executed_us']:6.1f}")
    print("\nof the kernel without these changes, by layer, ns per packet of 4 KiB:")
    for name, part in r["layers"].items():
        print(f"  {name:36} {part * r['executed_us'] * 1000 * PACKET / MESSAGE:6.0f}")


def main():
    directory = sys.argv[1]
    print(f"load average of the machine: {os.getloadavg()[0]:.1f}")
    print(f"{'ib_write_bw 64 KiB':32}  MiB/s  us/message executed  waited  rest")
    runs = []
    for bound, loaded in WAYS:
        runs.append(run(bound, loaded))
        print_run(runs[-1])
    print_profile(runs[0])
    with open(os.path.join(directory, "where.json"), "w", encoding="utf-8") as f:
        json.dump(runs, f, indent=2)
        f.write("\n")


if __name__ == "__main__":
    main()
