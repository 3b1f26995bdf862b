#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bochs.sh KERNEL: run the rows while a process has an x87 exception pending, on an
# emulator that takes #MF in ring 0 as a CPU does. QEMU's TCG takes it for FWAIT
# only, and would let a kernel without rule 2 of the guard (see guard.c) pass.
# Prints KTAP; leaves all in build/run/bochs-KERNEL*.
#
# The control is that kernel. It must oops at the first MMX instruction: if it
# does not, neither does the other one's silence mean anything.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

kernel=${1-}
check_kernel_name "$kernel"
good=bochs-$kernel
bad=bochs-$kernel-rule2

# 32-bit code dies in the vDSO of Debian's kernel on some models. The initcalls cost
# Bochs 15 s, and serve nobody here.
args="console=ttyS0,115200 loglevel=5 oops=panic panic=-1 reboot=t nokaslr mitigations=off"
args="$args vdso32=0 cryptomgr.notests initcall_blacklist=load_system_certificate_list,"
args="${args}jent_mod_init,bpf_tcp_ca_kfunc_init,trace_eval_init,init_kprobe_trace,"
args="${args}bpf_dummy_struct_ops_init"

# prepare NAME TESTS: the boot medium of build/run/NAME, with the modules that are
# in build/modules/NAME
prepare()
{
	out=$build/run/$1
	rm -rf "$out"
	mkdir -p "$out/iso"
	"$vm/initramfs.sh" "$out/initramfs.gz" \
		"modules/simd_copy.ko=$build/modules/$1/simd_copy.ko" \
		"modules/simd_copy_test.ko=$build/modules/$1/simd_copy_test.ko" \
		"bin/hostile=$build/harness/hostile$width" \
		"bin/pending=$build/harness/pending$width" \
		${width:+"bin/busybox=$kdir/busybox"}
	# The emulated CPU would take longer to unpack it than to read it.
	gunzip "$out/initramfs.gz"
	mv "$out/initramfs" "$out/iso/initrd"
	cp "$build/kernel/$kernel/boot"/vmlinuz-* "$out/iso/linux"
	cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$out/iso"
	cat >"$out/iso/isolinux.cfg" <<-END
	DEFAULT linux
	LABEL linux
	KERNEL linux
	APPEND initrd=initrd $args tests="$2"
	END
	genisoimage -quiet -o "$out/boot.iso" -b isolinux.bin -c boot.cat -no-emul-boot \
		-boot-load-size 4 -boot-info-table "$out/iso"
	rm -r "$out/iso"

	cat >"$out/bochsrc" <<-END
	config_interface: textconfig
	display_library: term
	plugin_ctrl: speaker=0
	cpu: model=$model, ips=15000000, reset_on_triple_fault=0
	memory: guest=128, host=128
	romimage: file=/usr/share/bochs/BIOS-bochs-latest, options=fastboot
	vgaromimage: file=/usr/share/vgabios/vgabios.bin
	ata0-master: type=cdrom, path=boot.iso, status=inserted
	boot: cdrom
	clock: sync=none, time0=946681200
	com1: enabled=1, mode=file, dev=console.log
	com2: enabled=1, mode=file, dev=guest.txt
	log: bochs.log
	panic: action=fatal
	END
	# Debian's Bochs has a debugger in it, which waits for a command.
	echo c >"$out/rc"
}

# Becomes Bochs, which ends with status 1 whatever happened.
boot()
{
	cd "$build/run/$1"
	TERM=dumb exec "$vm/watch.sh" "$boot_silence" "$boot_total" console.log guest.txt -- \
		bochs -q -f bochsrc -rc rc >bochs.out 2>&1
}

# Prints why, and fails, if build/run/NAME did not end by itself, but with STATUS.
ended()
{
	if [ "$2" = 124 ]; then
		grep '^# killed: ' "$build/run/$1/bochs.out"
		return 1
	fi
	[ -s "$build/run/$1/console.log" ] && return
	echo "the kernel did not start, see build/run/$1/bochs.out"
	return 1
}

good_run()
{
	ended $good $good_rc || return 1
	grep -q 'simd_copy_vm: end' "$build/run/$good/console.log" && return
	tail -n 20 "$build/run/$good/console.log"
	return 1
}

clean_log()
{
	"$vm/checklog.sh" "$build/run/$good/console.log"
}

control()
{
	ended $bad $bad_rc || return 1
	log=$build/run/$bad/console.log
	grep -E 'fpu exception|[RE]IP: ' "$log"
	grep -q 'fpu exception: 0000 \[#1\]' "$log" &&
		grep -qE '(RIP: 0010:|EIP: )simd_[a-z]+_mmx.* \[simd_copy\]' "$log" && return
	echo "the test is void: there is no oops with 'fpu exception' in an MMX routine in"
	echo "build/run/$bad/console.log, the last lines of which are:"
	tail -n 5 "$log"
	return 1
}

# As in guest.sh: what others build as well is built by one at a time.
mkdir -p "$build"
exec 8>"$build/lock"
flock 8
"$vm/kernel.sh" "$kernel" >&2
kdir=$(kernel_dir "$kernel")
if [ -e "$kdir/busybox" ]; then
	width=_32
	model=p3_katmai
else
	# One of which the kernel does not WARN, as it does of Intel's topology.
	width=
	model=zambezi
fi
"$vm/modules.sh" "$kdir" $good
MUTATE='lib/simd_copy/guard.c s/asm volatile("fnclex")//' "$vm/modules.sh" "$kdir" $bad
make -s -C "$selftests" OUTPUT="$build/harness" \
	"$build/harness/hostile$width" "$build/harness/pending$width" >&2
prepare $good "hostile pending"
prepare $bad pending
flock -u 8

good_rc=0
bad_rc=0
boot $good &
good_pid=$!
boot $bad &
bad_pid=$!
trap 'kill $good_pid $bad_pid 2>/dev/null || true; wait' EXIT
trap 'exit 1' HUP INT TERM
wait $good_pid || good_rc=$?
wait $bad_pid || bad_rc=$?
trap - EXIT HUP INT TERM
rm "$build/run/$good/boot.iso" "$build/run/$bad/boot.iso"

sed -n '/^KTAP version/,$p' "$build/run/$good/guest.txt" | grep -v '^# @' || true
checks "$build/run/$good/why" good_run clean_log control
