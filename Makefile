# SPDX-License-Identifier: GPL-2.0
#
# The workflow around the kernel tree that this checkout is laid over. Each target is a script
# in scripts/; this file only names them. The kernel's own Makefile is in build/linux.

ARCH    ?= x86_64
VARIANT ?= run

# The scripts run make themselves, as the kernel's: nothing of this make may leak into it.
unexport MAKEFLAGS MAKELEVEL MFLAGS ARCH VARIANT QUICK PART RECORD KERNELS SECONDS
.NOTPARALLEL:

# Says which of the variables that were given do nothing for what is made.
given := $(foreach word,$(MAKEOVERRIDES),$(if $(findstring =,$(word)),$(firstword $(subst =, ,$(word)))))
$(shell scripts/help unused "$(or $(MAKECMDGOALS),help)" "$(given)" >&2)

help: ## this list
	@scripts/help

demo: ## build, boot, and watch probes fire (at most 15 minutes the first time, then one)
	@scripts/boot demo $(ARCH)

kernel: ## kernel and modules, in build/ARCH[-VARIANT]
	@scripts/build $(ARCH) $(VARIANT)

test: ## KUnit, kselftests and the base's ftrace selftests in a virtual machine
	@scripts/test $(ARCH) $(VARIANT)

torture: ## probes come and go under load for a minute, in a virtual machine
	@scripts/torture $(ARCH) $(VARIANT) $(SECONDS)

lint: ## style, documentation comments, unit tests of the workflow (2 minutes)
	@scripts/check lint

check: ## lint; sparse and W=1 on each architecture; what a hit executes cannot be probed
	@scripts/check all

bench: ## cost and scale beside the base's own kprobes, in tables and plots (45 minutes)
	@PART="$(PART)" scripts/bench/run $(ARCH) "$(QUICK)" "$(RECORD)"

proof: ## probes on every instruction under a workload (hours)
	@QUICK="$(QUICK)" PART="$(PART)" scripts/proof/run $(ARCH) $(VARIANT) $(SECONDS)

ci: ## what gates a change: lint, tests, torture, figures (20 to 45 minutes)
	@scripts/ci

matrix: ## every kernel and architecture, built and tested, in scripts/matrix.txt (hours)
	@scripts/matrix $(KERNELS)

tree: ## the assembled kernel source, in build/linux
	@scripts/packages
	@scripts/tree

shell: ## a shell in the virtual machine
	@scripts/boot shell $(ARCH) $(VARIANT)

configs: ## kernels without kprobes, modules or SMP, and the smallest, boot
	@scripts/configs $(ARCH)

series: ## patches with a cover letter, in build/series, tried with git am on a pristine base
	@scripts/packages
	@scripts/series $(ARCH)

clean: ## remove build/; the unpacked base and the compiler cache stay in ~/.cache/kprobes
	rm -rf build

.PHONY: help demo kernel test torture lint check bench proof ci matrix tree shell configs series clean
