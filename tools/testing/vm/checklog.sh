#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# checklog.sh [FILE]: print the lines of a kernel log that no healthy kernel
# writes, each with the test that was running. Fails if there is one.
# checklog.sh --selftest proves that it catches what it must, and only that.

scan()
{
	awk '
	{ sub(/\r$/, "") }
	/simd_copy_vm: / { during = $0; sub(/.*simd_copy_vm: /, "", during) }
	# The reports that test debug provokes and counts; nothing else in them.
	during == "debug" &&
	/simd_copy: .* (scheduled in|changed the|ended a|ran outside|moved more) / { ours = 1 }
	# Of CPU models, about mitigations that want a microcode.
	/Speculative Return Stack Overflow: WARNING: See / { next }
	/end trace/ { ours = 0 }
	ours && /WARNING: .*(simd_copy\/debug\.c:|\[simd_copy\]$)/ { next }
	ours && (/RIP: 0010:/ || /Call Trace:/) { next }
	# The one oops that test smap provokes. Its RIP is printed again at the end.
	during == "smap" && /BUG: unable to handle page fault for address: / && !smap++ { ours = 1 }
	ours && during == "smap" && (/BUG: unable/ || /Oops: / || /Call Trace:/) { next }
	smap && during == "smap" && /RIP: 0010:offend_smap\+/ { next }
	/WARNING: |BUG: |BUG at |Oops|Kernel panic|Call Trace:|RIP: 0010:/ ||
	/general protection|double fault|invalid opcode|divide error/ ||
	/fpu exception|stack segment|unable to handle|Unable to handle/ ||
	/suspicious|scheduling while atomic|sleeping function called/ ||
	/possible (circular|recursive|irq)|inconsistent lock state/ ||
	/held lock freed|bad unlock balance|lock held when returning/ ||
	/(self-detected|detected) stalls?|stalls on CPU|soft lockup|hard LOCKUP/ ||
	/blocked for more than|list_(add|del) corruption|refcount_t: / ||
	/UBSAN: |KASAN: |KCSAN: |KMSAN: |ODEBUG: |suspected memory leak/ ||
	/segfault at|Bad FPU state|Out of memory/ {
		bad++
		where = during ? " (during: " during ")" : ""
		print $0 where
	}
	END { exit bad != 0 }' "$@"
}

# What is expected of each line: + must be caught, - must not. \n is a new line.
samples()
{
	cat <<'END'
+[    1.0] WARNING: CPU: 0 PID: 70 at kernel/fork.c:421
+[    1.0] WARNING: possible circular locking dependency detected
+[    1.0] WARNING: suspicious RCU usage
+[    1.0] BUG: scheduling while atomic: insmod/71/0x00000002
+[    1.0] BUG: sleeping function called from invalid context at mm/slab.h:1
+[    1.0] BUG: kernel NULL pointer dereference, address: 0000000000000000
+[    1.0] kernel BUG at lib/simd_copy/main.c:1!
+[    1.0] Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1]
+[    1.0] general protection fault: 0000 [#1] PREEMPT SMP
+[    1.0] rcu: INFO: rcu_preempt self-detected stall on CPU
+[    1.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
+[    1.0] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [insmod:70]
+[    1.0] INFO: task insmod:70 blocked for more than 120 seconds.
+[    1.0] Call Trace:
+[    1.0] RIP: 0010:simd_clear_sse+0x4/0x20 [simd_copy]
+[    1.0] invalid opcode: 0000 [#1] PREEMPT SMP NOPTI
+[    1.0] fpu exception: 0000 [#1] PREEMPT SMP NOPTI
+[    1.0] Bad FPU state detected at restore_fpregs_from_fpstate+0x4/0x60
+[    1.0] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100
+[    1.0] traps: hostile[80] general protection fault ip:401000 sp:7ffc error:0 in hostile
+[    1.0] hostile[80]: segfault at 0 ip 0000000000401000 sp 00007ffc error 4 in hostile
+[    1.0] UBSAN: array-index-out-of-bounds in lib/simd_copy/main.c:1:1
-[    0.0] Command line: console=ttyS0 panic=-1 oops=panic
-[    0.0] Kernel command line: console=ttyS0 panic=-1 oops=panic panic_on_warn=0
-[    0.0] rcu: Preemptible hierarchical RCU implementation.
-[    0.0] Spectre V1 : Mitigation: usercopy/swapgs barriers and __user pointer sanitization
-[    0.0] debug_atomic_sleep: on
-[    0.0] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
-[    0.0] x86/fpu: Supporting XSAVE feature 0x002: 'SSE registers'
-[    0.0] mce: CPU0: Thermal monitoring warning: none
-[    0.0] Speculative Return Stack Overflow: WARNING: See https://kernel.org/doc/html/latest/admin-guide/hw-vuln/srso.html for mitigation options.
-[    0.5] NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.
-[    1.0] simd_copy: loading out-of-tree module taints kernel.
-[    1.0] simd_copy: module verification failed: signature missing - tainting kernel
-[    1.0] sched_clock: Marking stable (900000000, 8000000)->(910000000, -2000000)
-[    1.0] Freeing unused kernel image (initmem) memory: 3000K
-[    1.0] reboot: Power down
END
	report='[    1.0] simd_copy: clear/sse scheduled in a section\n'\
'[    1.0] WARNING: CPU: 0 PID: 70 at lib/simd_copy/debug.c:81 report+0x5f/0x80\n'\
'[    1.0] RIP: 0010:report+0x5f/0x80 [simd_copy]\n[    1.0] Call Trace:'
	oops='simd_copy_vm: smap\n'\
'[    1.0] BUG: unable to handle page fault for address: 00007ffc\n'\
'[    1.0] #PF: supervisor write access in kernel mode\n[    1.0] Oops: Oops: 0003 [#1]\n'\
'[    1.0] RIP: 0010:offend_smap+0x18/0x30 [simd_copy_test]\n[    1.0] Call Trace:\n'\
'[    1.0] ---[ end trace 0 ]---\n[    1.0] RIP: 0010:offend_smap+0x18/0x30 [simd_copy_test]'
	cat <<END
-$oops
+simd_copy_vm: hammer\n${oops#*\\n}
+$oops\n[    1.0] BUG: unable to handle page fault for address: 00007ffc
+$oops\n[    1.0] RIP: 0010:simd_to_user_sse+0x4/0x20 [simd_copy]
-simd_copy_vm: debug\n$report
-simd_copy_vm: debug\n[    1.0] simd_copy: clear/mmx scheduled in a section\n[    1.0] WARNING: CPU: 0 PID: 706 at sched_out+0x56/0x90 [simd_copy]
+simd_copy_vm: contexts\n$report
+simd_copy_vm: debug\n[    1.0] simd_copy_vm: end\n$report
+simd_copy_vm: debug\n$report\n[    1.0] WARNING: CPU: 0 PID: 70 at kernel/fork.c:421
+simd_copy_vm: debug\n$report\n[    1.0] BUG: scheduling while atomic: debug/71/0x00000002
+simd_copy_vm: debug\n$report\n[    1.0] ---[ end trace 0 ]---\n[    1.0] Call Trace:
END
}

if [ "${1-}" != --selftest ]; then
	scan "$@"
	exit
fi

samples | {
	n=0
	bad=0
	while IFS= read -r line; do
		n=$((n + 1))
		expect=${line%"${line#?}"}
		if printf '%b\n' "${line#?}" | scan >/dev/null; then
			got=-
		else
			got=+
		fi
		[ "$got" = "$expect" ] && continue
		bad=$((bad + 1))
		echo "# expected '$expect', got '$got': ${line#?}"
	done
	echo "# $n sample lines"
	[ "$n" -gt 30 ] && [ "$bad" = 0 ]
}
