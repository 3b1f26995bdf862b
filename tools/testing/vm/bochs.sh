#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bochs.sh KERNEL: run the rows while a process has an x87 exception pending, on an
# emulator that takes #MF in ring 0 as a CPU does. QEMU's TCG takes it for FWAIT
# only, and would let a kernel without rule 2 of the guard (see guard.c) pass.
# Prints KTAP; leaves all in build/run/bochs-KERNEL.
#
# The control is a module without rule 2, which the guest loads last. The kernel must oops
# at the first MMX instruction: if it does not, neither does its silence before mean
# anything.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

kernel=${1-}
check_kernel_name "$kernel"
good=bochs-$kernel
bad=$good-rule2
out=$build/run/$good
log=$out/console.log

# 32-bit code dies in the vDSO of Debian's kernel on some models. The initcalls cost
# Bochs 15 s, and serve nobody here.
args="console=ttyS0,115200 loglevel=5 oops=panic panic=-1 reboot=t nokaslr mitigations=off"
args="$args vdso32=0 cryptomgr.notests initcall_blacklist=load_system_certificate_list,"
args="${args}jent_mod_init,bpf_tcp_ca_kfunc_init,trace_eval_init,init_kprobe_trace,"
args="${args}bpf_dummy_struct_ops_init"

# The boot medium, with the modules that are in build/modules/
prepare()
{
	rm -rf "$out"
	mkdir -p "$out/iso"
	modules=$build/modules
	"$vm/initramfs.sh" "$out/initramfs.gz" \
		"modules/simd_copy.ko=$modules/$good/simd_copy.ko" \
		"modules/simd_copy_test.ko=$modules/$good/simd_copy_test.ko" \
		"modules/rule2/simd_copy.ko=$modules/$bad/simd_copy.ko" \
		"modules/rule2/simd_copy_test.ko=$modules/$bad/simd_copy_test.ko" \
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
	APPEND initrd=initrd $args tests="hostile pending"
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
	cd "$out"
	TERM=dumb exec "$vm/watch.sh" "$boot_silence" "$boot_total" console.log guest.txt -- \
		bochs -q -f bochsrc -rc rc >bochs.out 2>&1
}

# What the kernel says before it has the module of the control, and from then on.
log_before()
{
	sed '/simd_copy_vm: rule2/,$d' "$log"
}

log_after()
{
	sed -n '/simd_copy_vm: rule2/,$p' "$log"
}

good_run()
{
	if [ ! -s "$log" ]; then
		echo "the kernel did not start, see build/run/$good/bochs.out"
		return 1
	fi
	log_before | grep -q 'simd_copy_vm: end' && return
	grep '^# killed: ' "$out/bochs.out" || :
	tail -n 20 "$log"
	return 1
}

clean_log()
{
	log_before | "$vm/checklog.sh"
}

control()
{
	log_after | grep -E 'fpu exception|[RE]IP: ' || :
	log_after | grep -q 'fpu exception: 0000 \[#1\]' &&
		log_after | grep -qE '(RIP: 0010:|EIP: )simd_[a-z]+_mmx.* \[simd_copy\]' &&
		[ $rc != 124 ] && return
	grep '^# killed: ' "$out/bochs.out" || :
	echo "the test is void: there is no oops with 'fpu exception' in an MMX routine in"
	echo "build/run/$good/console.log, the last lines of which are:"
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
prepare
flock -u 8

rc=0
boot &
pid=$!
trap 'kill $pid 2>/dev/null || true; wait' EXIT
trap 'exit 1' HUP INT TERM
wait $pid || rc=$?
trap - EXIT HUP INT TERM
rm "$out/boot.iso"

sed -n '/^KTAP version/,$p' "$out/guest.txt" | grep -v '^# @' || true
checks "$out/why" good_run clean_log control
