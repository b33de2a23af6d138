# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # variables of who sources this
# Sourced by the scripts in this directory: paths, output to the user, a lock.

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scripts=$top/scripts
build=$top/build
linux=$build/linux
logs=$build/log
# Not in the checkout, so that several share it: the unpacked base and the compiler cache.
cache=${XDG_CACHE_HOME:-${HOME:-$build}/.cache}/kprobes

variants="run small noftrace preempt rt noibt framepointer stuff debug kasan kcsan kcov clang fineibt \
defconfig"
# Kernels that are only compiled, and booted if they have a console.
compile_variants="nokprobes nomodules up allno allnokprobes"

say()  { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
die()  { printf 'error: %s\n' "$*" >&2; exit 1; }

# Shows a path relative to the user's directory if it is inside.
show() { case $1 in "$PWD"/*) printf '%s' "${1#"$PWD"/}" ;; *) printf '%s' "$1" ;; esac; }

# lock PART: allows one writer at a time in a part of build/, because two makes in one tree break
# each other. The lock is released when the process ends.
lock()
{
	mkdir -p "$build"
	exec 9>"$build/.lock-$1"
	if ! flock -n 9; then
		say "another make is at work on $(show "$build/$1"); waiting for it" >&2
		flock 9
	fi
}

# await_core: waits until fewer jobs of this shell run than there are cores.
await_core()
{
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n || :
	done
}

# patch_names: prints the names of the patches, in order; the first word of each line in patches/series.
patch_names() { sed 's/[[:space:]]*#.*//; s/[[:space:]].*//; /^$/d' "$top/patches/series"; }

# linux_git COMMAND...: git on build/linux. Its repository lies outside of it, because scripts of the
# kernel behave otherwise in a work tree of git. $index names another index than that of build/linux.
linux_git()
{
	GIT_DIR=$build/linux.git GIT_WORK_TREE=${work_tree:-$linux} \
	GIT_INDEX_FILE=${index:-$build/linux.git/index} GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \
	git "$@"
}

# load_arch ARCH [VARIANT [NAME]]: sets the variables of one architecture (scripts/arch/ARCH.sh)
# and the output directory, build/NAME, else build/ARCH[-VARIANT].
load_arch()
{
	arch=$1 variant=${2:-run}
	if [ ! -f "$scripts/arch/$arch.sh" ]; then
		die "unknown ARCH=$arch; there is: $(cd "$scripts/arch" && echo *.sh | sed 's/\.sh//g')"
	fi
	case " $variants $compile_variants " in
	*" $variant "*) ;;
	*) die "unknown VARIANT=$variant; there is: $variants (to compile: $compile_variants)" ;;
	esac
	kbuild_arch=$arch
	# shellcheck source=scripts/arch/x86_64.sh
	. "$scripts/arch/$arch.sh"
	name=$arch
	[ "$variant" = run ] || name=$arch-$variant
	name=${3:-$name}
	out=$build/$name
}

# Does the kernel check each memory access? It is slow then, and larger.
checks_memory()
{
	case $variant in debug | kasan | kcsan | kcov) ;; *) return 1 ;; esac
}

# named_by_fragment WORD TREE: what the first lines of a variant's fragment name by "# WORD: ".
named_by_fragment() { sed -n "s/^# $1: //p" "$2/kernel/configs/kprobes-$variant.config"; }

# config_files TREE: sets $base to the make target of a variant's base configuration, $fragments to
# the names of the fragments that are merged into it, and $files to their paths in TREE. Each
# variant is the small kernel with more; each fragment may have one beside it for the architecture.
# The first lines of a variant's fragment may name another base.
config_files()
{
	local f dir names=(small)
	base=tinyconfig files=()
	f=$(named_by_fragment Base "$1")
	# The last line for a symbol counts: an architecture may lack what the run kernel has.
	case $variant in
	small) names+=("$arch") ;;
	run) names+=(run "$arch" "$arch-run") ;;
	*) names+=("$arch" "$variant") ;;
	esac
	[ -z "$f" ] || base=$f names=("$variant")
	for f in "${names[@]}"; do
		for dir in "$1/kernel/configs" "$1/arch/$srcarch/configs"; do
			[ ! -f "$dir/kprobes-$f.config" ] || files+=("$dir/kprobes-$f.config")
		done
	done
	mapfile -t fragments < <(printf '%s\n' "${files[@]##*/}" | uniq)
}

# Debian's newest clang compiles the variants "clang" and "fineibt": the suffix of its programs.
clang=-22

is_built_by_clang()
{
	[ "${built_by:-gcc}" = clang ] || case $variant in clang | fineibt) ;; *) return 1 ;; esac
}

# kernel_program GNU LLVM: prints the name of the one that belongs to the kernel's compiler.
kernel_program() { if is_built_by_clang; then echo "$2$clang"; else echo "${cross:-}$1"; fi; }

# guest_prefix: what the names of the programs begin with that compile for the guest.
guest_prefix()
{
	if [ -n "${sysroot_packages:-}" ]; then "$scripts/sysroot" "$arch"; else echo "${guest_cross:-$cross}"; fi
}

# The kernel's own make. ccache gets the checkout's path, so that two clones share objects. Nothing
# in the image depends on the machine.
kernel_make()
{
	local compiler=(CC="ccache ${cross:-}gcc")
	! is_built_by_clang || compiler=(LLVM="$clang" CC="ccache clang$clang")
	CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$build CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=8G \
	KBUILD_BUILD_USER=kprobes KBUILD_BUILD_HOST=localhost \
	make ARCH="$kbuild_arch" ${cross:+CROSS_COMPILE="$cross"} ${kernel_flags:+"$kernel_flags"} \
		"${compiler[@]}" HOSTCC="ccache gcc" "$@"
}

kmake() { kernel_make -C "$linux" O="$out" "$@"; }
