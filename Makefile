# SPDX-License-Identifier: GPL-2.0
#
# The front end for people. The kernel's build reads Kbuild instead.

KERNEL ?= 6.12
SOAK ?= 600
KDIR ?= /lib/modules/$(shell uname -r)/build
VM := tools/testing/vm
VARIANT := $(if $(DEBUG),-debug)$(if $(PLANT),-plant)
OPTIONS := $(if $(DEBUG),SIMD_COPY_DEBUG=1) $(if $(PLANT),SIMD_COPY_PLANT=1)

.PHONY: help run test check soak lint readme bench modules kernel clean distclean

help:
	@echo 'run        load the module into a stock kernel in QEMU and show what it does'
	@echo '           KERNEL=name, one of: '"$$(top=. . $(VM)/kernels.sh; kernel_names)"
	@echo 'check      the tests that take two minutes'
	@echo 'test       all tests'
	@echo 'soak       hold patterns in all registers for SOAK=600 seconds (KERNEL=name)'
	@echo 'lint       checkpatch, sparse, warnings, shell syntax'
	@echo 'readme     bring the table of routines in README.md up to date'
	@echo 'bench      time the routines on this machine'
	@echo 'modules    build the modules for the running kernel, or for KDIR=headers'
	@echo '           DEBUG=1: with run-time checks. PLANT=1: with a wrong routine'
	@echo 'kernel     download a stock kernel and its headers into build/ (KERNEL=name)'
	@echo 'clean      remove what was built; distclean: and the downloaded kernels'

run:
	@$(VM)/run.sh $(KERNEL)$(if $(DEBUG),-debug)

test:
	@$(VM)/test.sh

check:
	@$(VM)/test.sh check

soak:
	@$(VM)/packages.sh run
	@SOAK=$(SOAK) TESTS=hammer $(VM)/guest.sh $(KERNEL)

lint:
	@$(VM)/packages.sh test
	@$(VM)/lint.sh

readme:
	@tools/testing/lint/readme.sh --update

bench:
	@$(VM)/packages.sh run
	@$(MAKE) -s -C tools/testing/selftests/simd_copy
	@build/harness/harness_64 --bench

modules:
	@$(VM)/modules.sh $(KDIR) host$(VARIANT) $(OPTIONS)
	@echo 'built. To load it: insmod build/modules/host$(VARIANT)/simd_copy.ko'

kernel:
	@$(VM)/kernel.sh $(KERNEL)
	@echo '$(KERNEL): build/kernel/$(KERNEL)'

clean:
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name kernel ! -name 'linux-*' -exec rm -rf {} +; fi

distclean:
	@rm -rf build
