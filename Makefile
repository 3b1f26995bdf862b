# SPDX-License-Identifier: GPL-2.0
#
# The front end for people. The kernel's build reads Kbuild instead.

KERNEL ?= 6.12
SOAK ?= 600
KDIR ?= /lib/modules/$(shell uname -r)/build
VM := tools/testing/vm
VARIANT := $(if $(DEBUG),-debug)$(if $(PLANT),-plant)
OPTIONS := $(if $(DEBUG),SIMD_COPY_DEBUG=1) $(if $(PLANT),SIMD_COPY_PLANT=1)

# As tools/testing/vm/kernels.sh has it.
empty :=
space := $(empty) $(empty)
ifneq ($(findstring $(space),$(CURDIR))$(findstring :,$(CURDIR)),)
$(error there is a space or a colon in the path of this tree, '$(CURDIR)'. \
	The kernel's build cannot handle that: move the tree)
endif

.PHONY: help run test check soak lint readme bench plots modules kernel kunit vm \
	series apply unapply series-build clean distclean

help:
	@echo 'run        load the module into a stock kernel in QEMU and show what it does'
	@echo '           KERNEL=name, one of: '"$$(top=. . $(VM)/kernels.sh; kernel_names)"
	@echo 'check      the tests that take two minutes'
	@echo 'test       all tests'
	@echo 'kunit      the KUnit suites, in a UML kernel'
	@echo 'vm         boot the patched kernels, and test them'
	@echo 'soak       hold patterns in all registers for SOAK=600 seconds (KERNEL=name)'
	@echo 'lint       checkpatch, sparse, warnings, shell syntax'
	@echo 'readme     bring the table of routines in README.md up to date'
	@echo 'bench      run loops as workloads have them, with each routine, for two minutes'
	@echo 'plots      draw maps and curves of that into build/bench/plots, in two minutes'
	@echo 'modules    build the modules for the running kernel, or for KDIR=headers'
	@echo '           DEBUG=1: with run-time checks. PLANT=1: with a wrong routine'
	@echo 'series     write patches for git am to build/series-KERNEL: KERNEL=6.12, 6.1,'
	@echo '           or KDIR=source of a kernel. series-build: build each of them'
	@echo 'apply      put simd_copy into the source of a kernel, KDIR=; unapply: undo that'
	@echo 'kernel     download a stock kernel and its headers into build/ (KERNEL=name)'
	@echo 'clean      remove what was built; distclean: and what was downloaded'

run:
	@$(VM)/run.sh $(KERNEL)$(if $(DEBUG),-debug)

test:
	@$(VM)/test.sh

check:
	@$(VM)/test.sh check

kunit:
	@$(VM)/packages.sh kunit
	@$(VM)/kunit.sh

vm:
	@$(VM)/test.sh vm

soak:
	@$(VM)/packages.sh run $(KERNEL)
	@SOAK=$(SOAK) TESTS=hammer $(VM)/guest.sh $(KERNEL)

lint:
	@$(VM)/packages.sh test
	@$(VM)/lint.sh

readme:
	@$(VM)/packages.sh run
	@tools/testing/lint/readme.sh --update

bench plots:
	@$(VM)/packages.sh bench 6.12
	@$(MAKE) -s -C tools/testing/bench
	@$(if $(filter plots,$@),tools/testing/bench/plots.sh,build/bench/simdbench walk)

modules:
	@$(VM)/modules.sh $(KDIR) host$(VARIANT) $(OPTIONS)
	@echo 'built. To load it: insmod build/modules/host$(VARIANT)/simd_copy.ko'

# For these, KDIR has no default: nobody means the kernel that runs.
series-build series apply unapply: KDIR := $(if $(filter command environment,$(origin KDIR)),$(KDIR))

series:
	@$(VM)/packages.sh series $(if $(KDIR),,$(KERNEL))
	@tools/series/series.sh $(or $(KDIR),$(KERNEL))

series-build:
	@$(VM)/packages.sh series-build $(if $(KDIR),,$(KERNEL))
	@tools/series/build.sh $(or $(KDIR),$(KERNEL))

apply:
	@$(VM)/packages.sh series
	@tools/series/apply.sh $(KDIR)

unapply:
	@tools/series/apply.sh --undo $(KDIR)

kernel:
	@$(VM)/kernel.sh $(KERNEL)
	@echo '$(KERNEL): build/kernel/$(KERNEL)'

clean:
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name kernel \
		! -name 'linux-*' ! -name bare -exec rm -rf {} +; fi

distclean:
	@rm -rf build
