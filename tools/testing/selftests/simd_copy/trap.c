// SPDX-License-Identifier: GPL-2.0
/*
 * Traps in the call of a routine: what a kernel does about a load or store that
 * faults, a signal handler does here, by the same table.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <asm/asm.h>
#include <asm/page.h>
#include <asm/trapnr.h>

#include "checked_call.h"
#include "harness.h"

#ifdef CONFIG_X86_64
#define REG_IP	REG_RIP
#define REG_AX	REG_RAX
#else
#define REG_IP	REG_EIP
#define REG_AX	REG_EAX
#endif

#define FLAG_TF	(1 << 8)

/* A routine needs two: its own access, and the byte that can not be copied. */
#define MAX_FAULTS	8

/* One entry of the exception table, as _ASM_EXTABLE_TYPE lays it out. */
struct ex_entry {
	s32	insn;
	s32	fixup;
	s32	type;
};

/* From the linker */
extern const struct ex_entry __start___ex_table[], __stop___ex_table[];

struct trap trap;

static sigjmp_buf crashed;

static const struct ex_entry *find_entry(unsigned long ip)
{
	const struct ex_entry *e;

	for (e = __start___ex_table; e < __stop___ex_table; e++)
		if ((unsigned long)&e->insn + e->insn == ip)
			return e;
	return NULL;
}

/* The instruction at @ip is next. */
static void on_step(unsigned long ip)
{
	static const u8 sfence[] = { 0x0f, 0xae, 0xf8 };

	if (!memcmp((const void *)ip, sfence, sizeof(sfence)))
		trap.fenced = true;
	else if (find_entry(ip))
		trap.fenced = false;
}

/* What a kernel repairs by an entry: it may not go on after just any machine check. */
static bool repairs(const struct ex_entry *e)
{
	return e->type == EX_TYPE_FAULT_MCE_SAFE ||
	       (e->type == EX_TYPE_FAULT && trap.claim != X86_TRAP_MC);
}

/* Only accesses of the hole are to be repaired, whatever else has an entry. */
static bool on_fault(greg_t *regs, const u8 *addr)
{
	const struct ex_entry *e = find_entry(regs[REG_IP]);

	if (!trap.hole || trap.filled || addr < trap.hole || addr >= trap.hole + PAGE_SIZE ||
	    !e || !repairs(e) || ++trap.faults > MAX_FAULTS)
		return false;
	if (trap.user && shim_stac != shim_clac + 1)
		trap.closed = true;

	regs[REG_AX] = X86_TRAP_PF;
	if (trap.claim) {
		regs[REG_AX] = trap.claim;
		trap.filled = !mprotect(trap.hole, PAGE_SIZE, PROT_READ | PROT_WRITE);
	}
	regs[REG_IP] = (unsigned long)&e->fixup + e->fixup;
	on_step(regs[REG_IP]);
	return true;
}

static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	mcontext_t *context = &((ucontext_t *)ctx)->uc_mcontext;
	greg_t *regs = context->gregs;

	if (sig == SIGTRAP && trap.step) {
		on_step(regs[REG_IP]);
	} else if (sig != SIGSEGV || !on_fault(regs, info->si_addr)) {
		trap.signal = sig;
		trap.addr = info->si_addr;
		siglongjmp(crashed, 1);
	}
#ifndef CONFIG_X86_64
	checked_resume(regs, context->fpregs);
#endif
}

void trap_init(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGALRM };
	static u8 stack[64 * 1024];
	const stack_t altstack = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct sigaction sa = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	unsigned int i;

	/* A routine may have lost the stack pointer. */
	sigaltstack(&altstack, NULL);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &sa, NULL);
}

/* Make the call that checked_frame describes. Return: whether it returned. */
bool trap_call(void)
{
	trap.filled = false;
	trap.faults = 0;
	trap.closed = false;
	trap.fenced = false;
	trap.signal = 0;
	shim_stac = 0;
	shim_clac = 0;
	checked_frame.flags_in = 2 | (trap.step ? FLAG_TF : 0);

	if (sigsetjmp(crashed, 0)) {
		checked_clean();
		return false;
	}
	checked_call();
	return true;
}
