# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# "make help" explains the targets. Every product goes to build/.

SHELL   := /bin/bash
ROOT    := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
BUILD   := $(ROOT)/build
DESTDIR :=
PREFIX  := /usr
VM      := $(ROOT)/tests/lab/vm/vm.sh

# All processors, unless "make -j" said something else.
JOBS     = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Kernels to build for: every one whose headers are installed.
KVER    ?= $(patsubst /lib/modules/%/build,%,$(wildcard /lib/modules/*/build))

USERSPACE := common provider mrcctl mrcd libmrc

SUBMAKE    = $(MAKE) --no-print-directory BUILD=$(BUILD) \
	     DESTDIR=$(DESTDIR) PREFIX=$(PREFIX)

all: modules userspace core

help:
	@sed -n 's/^#: \{0,1\}//p' $(ROOT)/Makefile

#: Build
#:   all            module for each kernel, provider, CLI and core (default)
#:   modules        build/<kver>/mrc.ko; KVER="a b" selects kernels,
#:                  default every one with installed headers
#:   userspace      build/lib/libmrc-rdmav34.so, build/bin/mrcctl and
#:                  build/lib/libmrc.so.1
#:   core           build/lib/libmrccore.a, kernel/core for user space
#:   install        install all of it, and the Wireshark dissector; DESTDIR and
#:                  PREFIX are honoured
#:   uninstall      remove what install put there
#:   clean          remove build/
#:   netlink        what is generated from the netlink specification
#:
modules: $(KVER:%=module-%)

# Of debug information line numbers are enough for most uses: without types a build takes
# a quarter less time. KCFLAGS=-g adds them.
KBUILD_ARGS = --no-print-directory $(JOBS) -C /lib/modules/$*/build \
	      KCFLAGS="-g1 $(KCFLAGS)"

# Kbuild writes next to the sources, so it is given a tree of links to them.
module-%:
	@$(ROOT)/scripts/link-tree.sh $(BUILD)/$*
	$(MAKE) $(KBUILD_ARGS) M=$(BUILD)/$* modules

userspace: $(USERSPACE:%=userspace-%)

userspace-%:
	+$(SUBMAKE) -C userspace/$*

# They bring it up to date themselves, and must not do so at the same time.
userspace-mrcctl userspace-mrcd: userspace-common

core:
	+$(SUBMAKE) -C tests/core lib

install: install-modules install-userspace install-wireshark

install-modules: $(KVER:%=install-module-%)

install-module-%: module-%
	install -D -m 644 $(BUILD)/$*/mrc.ko \
		$(DESTDIR)/lib/modules/$*/updates/mrc.ko
	$(if $(DESTDIR),,depmod $*)

install-userspace: $(USERSPACE:%=install-userspace-%)

install-userspace-%: userspace-%
	+$(SUBMAKE) -C userspace/$* install

#: Package
#:   dist           build/dist/mrc-VERSION.tar.xz, the same from the same commit
#:   deb            build/deb: Debian packages, source and binary
#:   check-deb      lintian over these, and what they do in a clean Debian: install,
#:                  new kernel, upgrade, removal
#:
dist:
	$(ROOT)/scripts/dist.sh $(BUILD)/dist

deb: deps
	$(ROOT)/scripts/deb.sh $(BUILD)/deb

check-deb: deb
	$(ROOT)/tests/packages/run.sh $(BUILD)/deb

install-wireshark:
	+$(SUBMAKE) -C packaging/wireshark install

uninstall:
	rm -f $(KVER:%=$(DESTDIR)/lib/modules/%/updates/mrc.ko)
	$(if $(DESTDIR),,$(foreach k,$(KVER),depmod $k &&) true)
	+$(foreach u,$(USERSPACE),$(SUBMAKE) -C userspace/$u uninstall &&) true
	+$(SUBMAKE) -C packaging/wireshark uninstall

clean:
	rm -rf $(BUILD)

netlink: deps
	$(ROOT)/scripts/netlink-gen.sh

#: Check (root; kernels run in QEMU and as user-mode Linux, nothing on this machine
#: is changed except by deps)
#:   deps           install the Debian packages that are missing
#:   demo           the product on a multi-path fabric, faults included
#:   test           deps, build, check-core, cost, fuzz,
#:                  check-control, check-libmrc, check-dissector, kunit, lab,
#:                  drills-quick, integration, some tests on the debug kernel; guests
#:                  with stock kernels run beside the others
#:   test-all       these, mrcd for 24 hours without a fault, integration in virtual
#:                  time with SEEDS="2 3 4 5", all tests in guests on each kernel,
#:                  test-programs
#:   test-debug     all integration tests that can run there on the debug kernel, which
#:                  looks for misuse of memory and locks, and for lost memory; the
#:                  first use builds it (8 minutes)
#:   torture        random work of many processes on the debug kernel, with failing
#:                  allocations; SECONDS=n (600), SEED=n, KIND=virtual or a kernel
#:   soak           verified traffic of every verb beside faults, with books of packets
#:                  and memory, for 8 hours of virtual time (40 minutes), or 2 hours with
#:                  KIND=a kernel; SECONDS=n, SEED=n
#:   bench          side by side with rdma_rxe, siw and TCP, on a stock kernel and
#:                  between two guests and natively in user-mode Linux; PARTS="stock pair
#:                  native where scale posts"
#:   bench-compare  this tree and the product of BASE=commit in turn, whether something
#:                  has become slower; PART=native or stock, KVER=version
#:   drills         failures under load at 100 Gb/s per link, in virtual time, with
#:                  plots; DRILLS="name ..." selects, SEED=n
#:   drills-quick   those of "make test", without other protocols beside them
#:   drills-figures the figures of the last "make drills" into Documentation
#:   shell          a shell in a guest with fabric and device up
#:   lab            the same in virtual time, with links of 100 Gb/s; the first use
#:                  builds a kernel (10 minutes)
#:   lab-check      the lab's links and clock against arithmetic
#:   check-core     tests of kernel/core in user space, and which of its lines they
#:                  run: fails below 95 %; SEEDS=100000 for more random runs
#:   coverage-kernel
#:                  lines of the other layers of the module that the integration tests
#:                  run in virtual time; TESTS="name ..." selects some; the first use
#:                  builds a kernel (10 minutes)
#:   properties     the random runs of kernel/core only, without sanitizers:
#:                  SEEDS=1000000
#:   replay         one random run, SEED=n, telling what happens
#:   check-control  tests of mrcctl, topology files and mrcd (MRCD_HOURS=0.5)
#:   check-libmrc   tests of libmrc without a kernel, 10^6 random calls (FUZZ_CALLS);
#:                  OCP_MRC=DIR compares with the headers of a checkout of the API
#:   check-dissector
#:                  tests of the Wireshark dissector, with tshark
#:   fuzz           fuzz the decoder, the protocol and the path manager of kernel/core,
#:                  and topology files of mrcctl;
#:                  FUZZ_RUNS=10000000 executions each for the long run
#:   fuzz-kernel    fuzz netlink requests and verbs of the module in user-mode Linux;
#:                  FUZZ_RUNS=n requests of each (1000000), SEED=n, KIND=native, virtual
#:                  or debug
#:   cost           instructions per packet of kernel/core, memory per QP;
#:                  fails above the limits of tests/core/cost.py
#:   intree         the driver as drivers/infiniband/sw/mrc of a kernel tree:
#:                  build/intree/mrc.patch, built and checked
#:   kunit          KUnit suites on user-mode Linux
#:   integration    tests in guests: in virtual time, and on stock kernels what
#:                  depends on them; TESTS="name ..." selects some
#:   test-programs  programs of Debian's with many of their options, in guests
#:   lint           checkpatch, sparse, kernel-doc, shellcheck, codespell;
#:                  one step: scripts/lint.sh STEP
#:
deps:
	@$(ROOT)/scripts/deps.sh

# What deps installs decides for which kernels to build: make looks anew.
ready: deps
	$(MAKE) --no-print-directory $(JOBS) all tools

# What the tools need of the others they bring up to date themselves.
tools: $(KVER:%=tools-module-%) userspace-libmrc core
	+$(SUBMAKE) -C tests/integration/tools

# A user of verbs in the kernel: build/tests/<kver>/mrc_user.ko.
tools-module-%:
	@mkdir -p $(BUILD)/tests/$*
	@cp -rsf $(ROOT)/tests/integration/module/. $(BUILD)/tests/$*/
	$(MAKE) $(KBUILD_ARGS) M=$(BUILD)/tests/$* MRC_UAPI=$(ROOT)/uapi modules

lint: deps
	$(ROOT)/scripts/lint.sh

intree: deps
	$(ROOT)/scripts/intree.sh

check-core: deps
	$(ROOT)/tests/core/run.sh $(SEEDS:%=-n %)

coverage-kernel: ready
	$(ROOT)/tests/integration/coverage.sh $(TESTS)

properties: deps
	+$(SUBMAKE) -C tests/core $(BUILD)/core/runner-plain
	$(BUILD)/core/runner-plain -j "$$(nproc)" \
		-n $(if $(SEEDS),$(SEEDS),100000) 'mrc_property.*'

replay: deps
	$(ROOT)/tests/core/run.sh -s $(SEED) 'mrc_property.*'

check-control: deps
	$(ROOT)/tests/control/run.sh

check-libmrc: deps
	$(ROOT)/tests/libmrc/run.sh

check-dissector: deps
	$(ROOT)/tests/dissector/run.sh

fuzz: deps
	+$(SUBMAKE) -C tests/core fuzz

fuzz-kernel: ready
	FUZZ_MESSAGES=$(if $(FUZZ_RUNS),$(FUZZ_RUNS),1000000) \
	FUZZ_COMMANDS=$(if $(FUZZ_RUNS),$(FUZZ_RUNS),1000000) \
	FUZZ_SEEDS=$(if $(SEED),$(SEED),$(shell date +%s)) \
	TEST_LIMIT=86400 RUN_LIMIT=86400 $(ROOT)/tests/integration/run.sh \
		--uml $(if $(KIND),$(KIND),native) 95_verbs_fuzz 97_netlink_fuzz

cost: deps
	+$(SUBMAKE) $(JOBS) -C tests/core cost

kunit: deps
	$(ROOT)/tests/kunit/run.sh

integration: ready
	$(ROOT)/tests/integration/run.sh $(TESTS)

test-programs: ready
	$(ROOT)/tests/integration/run.sh --long

demo: ready
	$(ROOT)/demo/run.sh

bench: ready
	$(ROOT)/bench/run.sh $(PARTS)

bench-compare: ready
	$(ROOT)/bench/compare.sh $(BASE) $(PART)

drills: ready
	$(ROOT)/drills/run.sh

# Those of "make test", without comparisons.
drills-quick: ready
	$(ROOT)/drills/run.sh --quick

drills-figures:
	$(ROOT)/drills/publish.py $(BUILD)/drills $(ROOT)/Documentation

shell: ready
	$(VM) shell $(ROOT)/tests/lab/shell.sh

# A shell in virtual time, with links of data-centre speed.
lab: ready
	$(ROOT)/tests/lab/uml/uml.sh shell $(ROOT)/tests/lab/shell.sh \
		--topology $(ROOT)/tests/lab/topologies/pair-4x100g.conf

lab-check: ready
	$(ROOT)/tests/lab/check.sh

test: ready
	$(ROOT)/tests/run-all.sh

test-debug: ready
	$(ROOT)/tests/run-all.sh debug

torture: ready
	KIND=$(KIND) $(ROOT)/tests/long.sh torture $(if $(SECONDS),$(SECONDS),600) $(SEED)

soak: ready
	KIND=$(KIND) $(ROOT)/tests/long.sh soak "$(SECONDS)" $(SEED)

test-all: ready
	MRCD_HOURS=24 $(ROOT)/tests/run-all.sh check-core cost fuzz check-control \
		check-libmrc check-dissector kunit seeds drill-seeds kernels programs

.PHONY: all help dist deb check-deb modules userspace core install install-modules \
	install-userspace install-wireshark uninstall clean deps lint intree check-core \
	coverage-kernel properties replay check-control check-libmrc check-dissector fuzz \
	fuzz-kernel cost kunit integration \
	test-programs demo bench bench-compare drills \
	drills-figures drills-quick shell lab lab-check test test-debug torture soak test-all ready tools netlink
