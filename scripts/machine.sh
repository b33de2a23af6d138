# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154,SC2034 # variables of load_arch, and of who sources this
# Sourced after load_arch: how a built kernel is booted, and with what user space.

# Kernel arguments that save 15 seconds of a boot: they switch off KUnit's suites, and the start-up
# tests of ftrace, for which it is enough to name a tracer.
no_boot_tests="kunit.enable=0 ftrace=nop"

# take_fragment: sets the CPU in $qemu, and adds to $boot_args, as a variant's fragment tells. Call it
# once.
take_fragment()
{
	local cpu
	cpu=$(named_by_fragment CPU "$top")
	[ -z "$cpu" ] || qemu="${qemu/-cpu max/-cpu $cpu}"
	boot_args="${boot_args:-} $(named_by_fragment Arguments "$top")"
}

# machine MODE [KERNEL ARGUMENT...]: sets $machine to the command line of QEMU. The guest's clock counts
# instructions of 2 ns (of 1 << SHIFT), and all virtual CPUs take turns in one thread by that clock: two runs of
# one kernel print the same, whatever else the host does. An idle guest's clock jumps to the next timer.
# SEED is what a guest has of chance. TCG_THREAD=multi: a thread for each CPU, by the host's clock. So
# it is for machines ($by_host_clock: always, smp) where QEMU does not let CPUs, or several, count them: in one thread
# and by the host's clock an interrupt for another CPU would wait for the end of a turn, 0.1 s.
# The accelerator is always named, because there may be a /dev/kvm that cannot run guests.
machine()
{
	local mode=$1 memory=${MEMORY:-1G} thread=${TCG_THREAD:-single} clock cpus=${SMP:-4}
	shift
	! checks_memory || memory=2G
	[ -z "${TOOLS:-}" ] || memory=${MEMORY:-4G}
	take_fragment
	clock="-icount shift=${SHIFT:-1},sleep=off -rtc base=2024-01-01,clock=vm"
	case ${by_host_clock:-}/$cpus in
	/* | smp/1) ;;
	*) thread=multi ;;
	esac
	[ "$thread" = single ] || clock=
	# shellcheck disable=SC2206,SC2207 # words
	machine=(
		$("$scripts/emulator" "$arch") ${qemu#* } -smp "$cpus${by_sockets:+,sockets=$cpus}" -m "$memory"
		-accel "tcg,thread=$thread" $clock -seed "${SEED:-1}"
		-nodefaults -nographic -serial mon:stdio -no-reboot
		-kernel "$out/$image" -initrd "$out/initramfs.cpio"
		-append "console=$console panic=-1 printk.devkmsg=on watchdog_thresh=60 ${boot_args:-} $* -- $mode"
	)
}

# quiet COMMAND...: what it prints goes to the file $log. If it fails, so does the script.
quiet()
{
	"$@" >>"$log" 2>&1 || { tail -n 20 "$log" >&2; die "$1 failed, see $(show "$log")"; }
}

# make_root ROOT: a new directory with busybox, the first process, and the scripts that it knows.
make_root()
{
	rm -rf "$1"
	mkdir -p "$1/bin"
	cp "$(guest_busybox)" "$1/bin/busybox"
	cp -r "$scripts/guest" "$1/"
	mv "$1/guest/init" "$1/"
}

# add_programs ROOT PROGRAM...: programs of this machine, with the libraries that they are linked to.
add_programs()
{
	local root=$1 program
	shift
	for program; do
		program=$(command -v "$program")
		install -D "$program" "$root/bin/${program##*/}"
		ldd "$program" | grep -o '/[^ ]*' | xargs -I{} install -D {} "$root"{}
	done
}

# pack_root ROOT FILE: not compressed, because the emulator would unpack it slowly. Device nodes need no
# root this way. Another guest may be reading the file that is there.
pack_root()
{
	printf '%s\n' 'dir /dev 0755 0 0' 'nod /dev/console 0600 0 0 c 5 1' 'nod /dev/kmsg 0600 0 0 c 1 11' >"$1.list"
	(cd "$out" && quiet "$linux/usr/gen_initramfs.sh" -o "$2.new" -u squash -g squash "$1.list" "$1")
	mv "$2.new" "$2"
}
