# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # variables of common.sh
# Sourced after common.sh: which files are this project's, and how its objects are compiled with checks.

# own PATTERN...: lists this project's files.
own()
{
	(cd "$top" && git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done)
}

# Those that belong to the kernel: all in directories that are not the workflow's. The kernel has files
# in its top directory, and a scripts/, of its own.
own_kernel_files() { own ':(glob)*/**' ':!scripts' ':!patches' ':!build' ':(glob,exclude).*/**'; }

ports() { (cd "$scripts/arch" && printf '%s\n' *.sh) | sed 's/\.sh$//'; }

# What the kernel's make is to compile of them, as load_arch has set the architecture: the files of
# another width are not for it.
own_objects()
{
	echo kernel/kprobes.o
	echo kernel/kprobes/
	own "arch/$srcarch/*.[cS]" 'samples/*.c' | grep -vE "/(${foreign:-/})$" | sed 's/[cS]$/o/'
}

# kmake with W=1 and sparse, which look at this project's files alone.
kmake_checked()
{
	own_kernel_files >"$build/own-files"
	OWN_FILES=$build/own-files kmake W=1 C=1 CHECK="$scripts/sparse" KERNELDOC=true "$@"
}

# own_warnings LOG: those of the compiler and of sparse in this project's files, and those of objtool,
# which names functions.
own_warnings()
{
	grep -E 'warning:|error:' "$1" | sed "s,^\(\.\./linux\|$linux\)/,," |
		grep -F -f <(own_kernel_files | sed 's/$/:/') || :
	grep -E 'objtool: [a-z_]*k(ret)?probe' "$1" || :
}
