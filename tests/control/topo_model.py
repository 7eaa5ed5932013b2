#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Compare mrcctl topo with a model of it, over random topologies.

    topo_model.py MRCCTL SCHEMA [SEEDS]

The model generates topologies, knows the uSID of each node, and computes all
addresses from them. "topo show" must print these addresses, and the commands of
"topo apply" must produce them: class Device expands format, profile, template,
destination and deny rules as the kernel does.
"""

import ipaddress
import json
import random
import subprocess
import sys
import tempfile

import jsonschema


class Network:
    """A random topology: the file, and the addresses that follow from it."""

    def __init__(self, rnd):
        self.rnd = rnd
        self.planes = rnd.choice((1, 2, 3, 4, 8))
        self.first = rnd.choice((0, 0, 1, 16))
        self.digits = rnd.choice((3, 4, 5))
        self.n_t0 = rnd.randint(1, 5)
        self.n_t1 = rnd.randint(1, 6)
        self.paths = rnd.choice((256, 256, 2 * self.planes))
        self.block = rnd.choice(('fcbb:bb00::/32', 'fc00:0pp::/32',
                                 '5f00::/16', 'fc0:1:pp00::/40'))
        self.t0, file_t0 = self.tier(self.n_t0, '1')
        self.t1, file_t1 = self.tier(self.n_t1, '2')
        self.host_ps = rnd.choice((0, 2))
        self.file = {
            'planes': self.planes, 'first_plane': self.first,
            'block': self.block, 'usid_bits': 4 * self.digits,
            't0': file_t0, 't1': file_t1, 'paths': self.paths,
            'hosts': [], 'deny': [],
        }
        self.hosts = [self.host(i) for i in range(rnd.randint(2, 9))]
        self.cut = set()
        if rnd.random() < 0.5:
            self.deny()

    def usid(self, kind, number, plane_digits, plane):
        """Pattern and value of a uSID: kind, plane in @plane_digits, number."""
        rest = self.digits - 1 - plane_digits
        text = f'{number:0{rest}x}'
        pattern = kind + 'p' * plane_digits + text
        value = f'{kind}{self.first + plane:0{plane_digits}x}{text}' \
            if plane_digits else kind + text
        return pattern, value

    def tier(self, n, kind):
        """uSIDs as [plane][number], and their description in the file."""
        ps = self.rnd.choice((0, self.digits - 2)) if self.digits < 5 else 2
        if self.first + self.planes > 16 ** ps:
            ps = 0
        style = self.rnd.choice(('rule', 'list', 'lists'))
        if style == 'rule':
            rule = kind + 'p' * ps + 'n' * (self.digits - 1 - ps)
            file = {'count': n, 'usid': rule}
            return [[self.usid(kind, i, ps, p)[1] for i in range(n)]
                    for p in range(self.planes)], file
        if style == 'list':
            pool = self.rnd.sample(range(1, 16), n)
            file = {'usids': [self.usid(kind, i, ps, 0)[0] for i in pool]}
            return [[self.usid(kind, i, ps, p)[1] for i in pool]
                    for p in range(self.planes)], file
        pools = [self.rnd.sample(range(1, 16), n) for _ in range(self.planes)]
        file = {'usids': [[self.usid(kind, i, ps, p)[0] for i in pools[p]]
                          for p in range(self.planes)]}
        return [[self.usid(kind, i, ps, p)[1] for i in pools[p]]
                for p in range(self.planes)], file

    def host(self, i):
        ps = self.host_ps if self.digits == 5 else 0
        pattern, _ = self.usid('3', i + 1, ps, 0)
        t0 = [self.rnd.randrange(self.n_t0)] * self.planes
        if self.rnd.random() < 0.3:
            t0 = [self.rnd.randrange(self.n_t0) for _ in t0]
        length = self.rnd.choice((64, 128))
        self.file['hosts'].append({
            'name': f'host{i}', 'usid': pattern,
            'address': f'fd00:0:0:{i:x}::' + ('/64' if length == 64 else ''),
            't0': t0[0] if len(set(t0)) == 1 else t0})
        return {'name': f'host{i}', 't0': t0,
                'dst': f'fd00:0:0:{i:x}::/{length}'.replace(
                    ':0:0:0::', '::'),
                'usid': [self.usid('3', i + 1, ps, p)[1]
                         for p in range(self.planes)]}

    def deny(self):
        """Deny one T1 or one link of it, so that other T1s remain."""
        j = self.rnd.randrange(self.n_t1)
        if self.n_t1 == 1:
            return
        p = self.rnd.randrange(self.planes)
        name = f't1-{self.first + p}-{j}'
        if self.rnd.random() < 0.5:
            self.file['deny'].append(name)
            self.cut |= {(p, i, j) for i in range(self.n_t0)}
        else:
            i = self.rnd.randrange(self.n_t0)
            self.file['deny'].append(f't0-{self.first + p}-{i}:{name}')
            self.cut.add((p, i, j))

    def block_digits(self, plane):
        text, bits = self.block.split('::/')
        digits = ''.join(group.rjust(4, '0') for group in text.split(':'))
        number = f'{self.first + plane:0{digits.count("p")}x}'
        if 'p' in digits:
            digits = digits.replace('p' * digits.count('p'), number)
        return digits.ljust(32, '0')[:int(bits) // 4]

    def address(self, p, *usids):
        digits = self.block_digits(p) + ''.join(usids)
        return str(ipaddress.IPv6Address(int(digits.ljust(32, '0'), 16)))

    def ends(self, host):
        """uSID prefixes at which paths to a host end: port -> prefix."""
        length = len(self.block_digits(0)) * 4 + self.digits * 4
        return {p + 1: f'{self.address(p, host["usid"][p])}/{length}'
                for p in range(self.planes)}

    def expected(self, a, b):
        """All possible paths: (port, address) -> denied."""
        out = {}
        for p in range(self.planes):
            up, down = a['t0'][p], b['t0'][p]
            if a['t0'] == b['t0']:
                out[p + 1, self.address(p, self.t0[p][up],
                                        b['usid'][p])] = False
                continue
            for j in range(self.n_t1):
                sid = self.address(p, self.t0[p][up], self.t1[p][j],
                                   self.t0[p][down], b['usid'][p])
                out[p + 1, sid] = bool({(p, up, j), (p, down, j)} & self.cut)
        return out

    def possible(self):
        """Whether all hosts have an allowed path to each other in all planes."""
        return all(any(not {(p, a['t0'][p], j), (p, b['t0'][p], j)} & self.cut
                       for j in range(self.n_t1))
                   for a in self.hosts for b in self.hosts
                   for p in range(self.planes))


class Device:
    """Model of the kernel that carries out the commands of topo apply."""

    def __init__(self, lines):
        self.objects = {}
        self.dests = {}
        self.rules = []
        self.usids = {}
        for line in lines:
            words = line.split()
            getattr(self, f'{words[0]}_{words[1]}')(words[2:])

    @staticmethod
    def pairs(words):
        return dict(zip(words[::2], words[1::2]))

    def port_set(self, words):
        args = self.pairs(words)
        assert args.keys() == {'dev', 'port', 'usid'}
        self.usids[int(args['port'])] = args['usid']

    def format_add(self, words):
        args = self.pairs(words[1:])
        assert args['mode'] == 'srv6'
        widths = [int(w) for w in args['width'].split(',')]
        self.objects['format', words[0]] = widths

    def profile_add(self, words):
        args = self.pairs(words[1:])
        widths = self.objects['format', args['format']]
        fields = [f.split('/') for f in args['field'].split(',')]
        assert [int(f[0]) for f in fields] == widths
        assert all(int(f[1], 16) == 2 ** int(f[0]) - 1
                   for f in fields if len(f) > 1)
        bits = sum(int(f[0]) for f in fields if len(f) > 1)
        self.objects['profile', words[0]] = {
            'bits': bits, 'width': sum(widths), 'evs': {},
            'count': int(args['count']), 'online': False}

    def profile_ev(self, words):
        args = self.pairs(words[1:])
        profile = self.objects['profile', words[0]]
        assert len(args['bits']) * 4 == (profile['bits'] or 4)
        ev = int(args['port']), int(args['bits'], 16)
        assert ev not in profile['evs'].values()
        profile['evs'][int(args['index'])] = ev

    def profile_set(self, words):
        profile = self.objects['profile', words[0]]
        assert sorted(profile['evs']) == list(range(profile['count']))
        assert profile['count'] <= 256
        profile['online'] = True

    def template_add(self, words):
        self.objects['template', words[0]] = self.pairs(words[1:])

    def dest_add(self, words):
        self.dests[words[0]] = self.pairs(words[1:])

    def path_deny(self, words):
        self.rules.append(self.pairs(words))

    @staticmethod
    def expand(template, ev, port, number):
        """The address of a path."""
        ev_bits = int(template['ev-bits'])
        dest_bits = int(template['dest-bits'])
        assert number < 2 ** dest_bits
        value = used = 0
        for field in template['field'].split(','):
            source, width = field.split('/')
            width = int(width)
            name, _, at = source.partition('@')
            if name == 'plane':
                part = int(template.get('first-plane', 0)) + port - 1
                assert part < 2 ** width
            elif name in ('ev', 'dest'):
                bits = ev_bits if name == 'ev' else dest_bits
                whole = ev if name == 'ev' else number
                part = whole >> bits - int(at) - width & 2 ** width - 1
            else:
                part = int(source, 16)
                assert part < 2 ** width
            assert 1 <= width <= 32
            value = value << width | part
            used += width
        return value << 128 - used

    def is_denied(self, template, address, port):
        width, at = int(template['usid']), int(template['block'])
        usids = []
        while at + width <= 128:
            usids.append(address >> 128 - at - width & 2 ** width - 1)
            at += width
        for rule in self.rules:
            usid = int(rule['usid'], 16)
            if int(rule['port']) != port:
                continue
            if 'next' not in rule:
                if usid in usids:
                    return True
            elif (usid, int(rule['next'], 16)) in zip(usids, usids[1:]):
                return True
        return False

    def paths(self, dst):
        """(port, address) -> denied, as Network.expected()."""
        dest = self.dests[dst]
        profile = self.objects['profile', dest['profile']]
        template = self.objects['template', dest['template']]
        assert profile['online']
        assert profile['width'] == int(template['ev-bits'])
        out = {}
        for port, ev in profile['evs'].values():
            address = self.expand(template, ev, port, int(dest['number'], 0))
            out[port, str(ipaddress.IPv6Address(address))] = \
                self.is_denied(template, address, port)
        return out


def mrcctl(*args):
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, (args, done)
    return done.stdout


def compare(net, program, name):
    me = net.rnd.choice(net.hosts)
    device = Device(mrcctl(program, 'topo', 'apply', name, 'host', me['name'],
                           'dev', 'mrc0', 'dry-run', 'fresh').splitlines())
    assert len(device.dests) == len(net.hosts) - 1
    assert device.usids == net.ends(me), (device.usids, net.ends(me))
    for peer in net.hosts:
        if peer is me:
            continue
        wanted = net.expected(me, peer)
        got = device.paths(peer['dst'])
        shown = {(path['port'], path['sid']): bool(path['denied'])
                 for path in json.loads(mrcctl(
                     program, '-j', 'topo', 'show', name, 'host', me['name'],
                     'to', peer['name']))}
        text = mrcctl(program, 'topo', 'show', name, 'host', me['name'],
                      'to', peer['name'])
        assert max(map(len, text.splitlines())) <= 80, text
        assert shown == got, (peer, shown, got)
        if len(wanted) > net.paths:
            per_plane = net.paths // net.planes
            assert got.items() <= wanted.items()
            assert all(sum(port == p + 1 for port, _ in got) == per_plane
                       for p in range(net.planes)), got
        else:
            assert got == wanted, (peer, got, wanted)


def main():
    program, schema, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(schema, encoding='utf-8') as file:
        validator = jsonschema.Draft202012Validator(json.load(file))
    seen = 0
    for seed in range(seeds):
        net = Network(random.Random(seed))
        if not net.possible():
            continue
        seen += 1
        validator.validate(net.file)
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump(net.file, file)
            file.flush()
            try:
                compare(net, program, file.name)
            except AssertionError:
                print(f'seed {seed}: {json.dumps(net.file)}')
                raise
    assert seen > seeds / 2
    print(f'{seen} topologies')


main()
