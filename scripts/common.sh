# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # variables of who sources this
# Sourced by the scripts beside it: where things are, how to speak to the user, one lock.

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scripts=$top/scripts
build=$top/build
linux=$build/linux
logs=$build/log
# What outlives a checkout: the unpacked base and the compiler cache.
cache=${XDG_CACHE_HOME:-${HOME:-$build}/.cache}/kprobes

variants="run noftrace preempt noibt framepointer debug kcsan"
# These only show that it compiles, and where there is a console, boots.
compile_variants="nokprobes nomodules up allno allnokprobes"

say()  { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
die()  { printf 'error: %s\n' "$*" >&2; exit 1; }

# Paths are shown relative to where the user stands, when that is shorter.
show() { case $1 in "$PWD"/*) printf '%s' "${1#"$PWD"/}" ;; *) printf '%s' "$1" ;; esac; }

# One writer at a time in build/: two makes in one tree would break each other. The lock goes
# away with the process, however it ends. $1 tells which part is locked.
lock()
{
	mkdir -p "$build"
	exec 9>"$build/.lock-$1"
	if ! flock -n 9; then
		say "another make is at work on $(show "$build/$1"); waiting for it"
		flock 9
	fi
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

# config_files TREE: sets $base, the make target that a variant begins with, $fragments, the names
# of what comes over it, and $files, where these are in TREE. All variants stand on the run kernel,
# with what an architecture's width adds, unless their first lines name another base.
config_files()
{
	local f dir names=(kprobes-run.config "kprobes-$arch.config")
	base=tinyconfig files=()
	if [ "$variant" != run ]; then
		f=$(sed -n 's/^# Base: //p' "$1/kernel/configs/kprobes-$variant.config")
		[ -z "$f" ] || base=$f names=()
		names+=("kprobes-$variant.config")
	fi
	for f in "${names[@]}"; do
		for dir in "$1/kernel/configs" "$1/arch/$srcarch/configs"; do
			[ ! -f "$dir/$f" ] || files+=("$dir/$f")
		done
	done
	mapfile -t fragments < <(printf '%s\n' "${files[@]##*/}" | uniq)
}

# The kernel's own make. ccache is told where the checkout begins, so that two clones share
# their objects, and nothing of the machine gets into the image.
kmake()
{
	CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$build CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=8G \
	KBUILD_BUILD_USER=kprobes KBUILD_BUILD_HOST=localhost \
	make -C "$linux" O="$out" ARCH="$kbuild_arch" ${cross:+CROSS_COMPILE="$cross"} \
		CC="ccache ${cross:-}gcc" HOSTCC="ccache gcc" "$@"
}
