// SPDX-License-Identifier: GPL-2.0
/*
 * hooks: the kernel's own page and user copies, through simd_copy.
 *
 * In a kernel that has the hooks, what a task sees of them is memory that is
 * zero when it comes, copies after a fork, and what read() returns. So each
 * routine is put behind the hooks by name, and tasks look at these, with values in
 * their registers and x87 exceptions pending. And the text of the running kernel
 * shows what a call site is before and after it is patched.
 *
 * -v: show the bytes of each call site
 */
#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"
#include "x87.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define SYSFS		"/sys/kernel/simd_copy/"
#define ROUTINES	"/sys/kernel/debug/simd_copy/routines"
#define STATS		"/sys/kernel/debug/simd_copy/stats"
#define HUGE_SIZE	"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"
#define PAGE		4096ul
#define LINE		64

/* A compiler that does not use them has no name for them. */
#ifdef __SSE__
#define CLOBBERS	"memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"
#else
#define CLOBBERS	"memory"
#endif

static int verbose;

/* --- The routines behind the hooks --------------------------------------- */

/* The names of a kind, the one in use first; without its brackets. */
static unsigned int read_names(const char *file, char names[][32], unsigned int max)
{
	char path[64], line[1024], *word;
	unsigned int n = 1;
	FILE *f;

	snprintf(path, sizeof(path), SYSFS "%s", file);
	f = fopen(path, "r");
	if (!f || !fgets(line, sizeof(line), f)) {
		printf("Bail out! %s: %s\n", path, strerror(errno));
		exit(KSFT_FAIL);
	}
	fclose(f);
	for (word = strtok(line, "\n "); word && n < max; word = strtok(NULL, "\n ")) {
		if (word[0] == '[')
			snprintf(names[0], 32, "%.*s", (int)strlen(word) - 2, word + 1);
		else
			snprintf(names[n++], 32, "%s", word);
	}
	return n;
}

static void use(const char *file, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), SYSFS "%s", file);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, name, strlen(name)) < 0)
		FAIL("%s: '%s': %s", path, name, strerror(errno));
	close(fd);
}

/**
 * struct row - of a routine, what debugfs says
 * @name:	"" if there is no such row
 * @guard:	its guard class
 */
struct row {
	char	name[32];
	char	guard[8];
};

/* The row of a name, or the stock row for NULL. */
static struct row find_row(const char *kind, const char *name)
{
	FILE *f = fopen(ROUTINES, "r");
	struct row row, none = {};
	char line[512], k[16];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%15s %31s %7s", k, row.name, row.guard) != 3 || strcmp(k, kind))
			continue;
		if (name ? !strcmp(row.name, name) : !!strstr(line, " stock")) {
			fclose(f);
			return row;
		}
	}
	if (f)
		fclose(f);
	return none;
}

static void use_stock(const char *kind)
{
	const struct row row = find_row(kind, NULL);

	if (!row.name[0])
		FAIL(ROUTINES " does not say what is stock");
	use(kind, row.name);
}

/* A row to use in place of stock, which neither streams nor needs a section. */
static const char *not_stock(const char *kind)
{
	return strcmp(find_row(kind, NULL).name, "mov") ? "mov" : "careful";
}

/* The row of a case, as debugfs says: "KIND/CASE, from ...: ROW (why)". */
static void row_of_case(const char *kind, const char *name, char row[32])
{
	FILE *f = fopen(ROUTINES, "r");
	char line[512], want[64], *p;

	row[0] = '\0';
	snprintf(want, sizeof(want), "%s/%s, from ", kind, name);
	while (f && fgets(line, sizeof(line), f)) {
		p = strstr(line, ": ");
		if (!strncmp(line, want, strlen(want)) && p)
			sscanf(p + 2, "%31s", row);
	}
	if (f)
		fclose(f);
}

/* Whether debugfs has a size from which on extents of a kind are streamed by themselves. */
static int streams_by_itself(const char *kind)
{
	FILE *f = fopen(ROUTINES, "r");
	char line[512], want[64];
	int found = 0;

	snprintf(want, sizeof(want), "%s: streamed by itself from ", kind);
	while (f && fgets(line, sizeof(line), f))
		found |= !strncmp(line, want, strlen(want));
	if (f)
		fclose(f);
	return found;
}

/* Whether a hook is configured, where the kernel's configuration can be read. */
static int configured(const char *hook)
{
	FILE *f = popen("(zcat /proc/config.gz || cat /boot/config-$(uname -r)) 2>/dev/null", "r");
	char line[512], want[64];
	int known = 0, found = 0;

	snprintf(want, sizeof(want), "CONFIG_SIMD_COPY_%s=y\n", hook);
	while (f && fgets(line, sizeof(line), f)) {
		known = 1;
		found |= !strcmp(line, want);
	}
	if (f)
		pclose(f);
	return found || !known;
}

/* Sections opened so far. */
static unsigned long sections(void)
{
	unsigned long n = 0;
	char line[512];
	FILE *f = fopen(STATS, "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "total %lu", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* --- The text of the kernel ---------------------------------------------- */

/* A call site begins as one of these, which its size decides. */
static const uint8_t nop2[] = { 0x66, 0x90 };
static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
static const uint8_t nop5_32[] = { 0x3e, 0x8d, 0x74, 0x26, 0x00 };

#define JMP8	0xeb
#define JMP32	0xe9
#define CALL32	0xe8

/* Bytes in which a patched site has set up its call, and a hook made its own. */
#define STUB	64
#define BODY	512

static unsigned long text_start, text_end;

static unsigned long symbol(const char *name)
{
	unsigned long addr, found = 0;
	char line[512], sym[128];
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %*c %127s", &addr, sym) == 2 && !strcmp(sym, name))
			found = addr;
	if (f)
		fclose(f);
	return found;
}

/* The text, as it is now. */
static uint8_t *read_text(void)
{
	int fd = open("/proc/kcore", O_RDONLY);
	uint8_t *text = NULL;
	int i;

	ElfW(Phdr) ph;
	ElfW(Ehdr) eh;

	if (fd < 0 || pread(fd, &eh, sizeof(eh), 0) != sizeof(eh))
		goto out;
	for (i = 0; i < eh.e_phnum; i++) {
		unsigned long done = 0, size = text_end - text_start;

		if (pread(fd, &ph, sizeof(ph), eh.e_phoff + i * sizeof(ph)) != sizeof(ph))
			goto out;
		if (ph.p_type != PT_LOAD || text_start < ph.p_vaddr ||
		    text_end - ph.p_vaddr > ph.p_memsz)
			continue;
		text = malloc(size);
		while (text && done < size) {
			ssize_t n = pread(fd, text + done, size - done,
					  ph.p_offset + text_start - ph.p_vaddr + done);

			if (n <= 0) {
				free(text);
				text = NULL;
				break;
			}
			done += n;
		}
		break;
	}
out:
	close(fd);
	return text;
}

static int32_t rel32(const uint8_t *p)
{
	int32_t rel;

	memcpy(&rel, p, sizeof(rel));
	return rel;
}

/* Where the jump at @at goes to, as an offset of the text; 0 if it is no jump. */
static unsigned long jump_target(const uint8_t *text, unsigned long at)
{
	if (text[at] == JMP8)
		return at + 2 + (int8_t)text[at + 1];
	if (text[at] == JMP32)
		return at + 5 + rel32(text + at + 1);
	return 0;
}

static int is_nop(const uint8_t *p, const uint8_t *patched)
{
	if (patched[0] == JMP8)
		return !memcmp(p, nop2, sizeof(nop2));
	return !memcmp(p, nop5, sizeof(nop5)) || !memcmp(p, nop5_32, sizeof(nop5_32));
}

/*
 * Whether one of the instructions there calls a function, or jumps to it, be it by
 * way of a trampoline that is nothing but a jump.
 */
static int leads_to(const uint8_t *text, unsigned long at, unsigned long span,
		    unsigned long function)
{
	unsigned long size = text_end - text_start, end = at + span, target;

	for (; at < end && at + 5 < size; at++) {
		if (text[at] != CALL32 && text[at] != JMP32)
			continue;
		target = at + 5 + rel32(text + at + 1);
		if (text_start + target == function)
			return 1;
		if (target + 5 < size && text[target] == JMP32 &&
		    text_start + jump_target(text, target) == function)
			return 1;
	}
	return 0;
}

static void show_site(const char *what, const uint8_t *p)
{
	printf("# %s %02x %02x %02x %02x %02x\n", what, p[0], p[1], p[2], p[3], p[4]);
}

/*
 * What is a NOP with stock, and a jump to a direct call of @function with any
 * other routine. Return: how many such sites there are.
 */
static unsigned int count_sites(const uint8_t *stock, const uint8_t *other,
				unsigned long function)
{
	unsigned long i, size = text_end - text_start;
	unsigned int n = 0;

	for (i = 0; i + 5 < size; i++) {
		unsigned long target;

		if (stock[i] == other[i])
			continue;
		target = jump_target(other, i);
		if (!target || target >= size || !is_nop(stock + i, other + i) ||
		    !leads_to(other, target, STUB, function))
			continue;
		if (verbose || !n) {
			printf("# %lx:\n", text_start + i);
			show_site("  stock:", stock + i);
			show_site("  other:", other + i);
		}
		n++;
		i += 4;
	}
	return n;
}

/*
 * @kind: of the hook of @caller; it calls @function, and that the runner of the routine.
 * Nothing else is looked at: the kernel patches more than that, at any time.
 */
static void test_text(const char *kind, const char *caller, const char *hook,
		      const char *function)
{
	const struct row stock_row = find_row(kind, NULL);
	unsigned long addr = symbol(function), body = addr - text_start, run, run_stock;
	uint8_t *stock, *other, *again;
	unsigned int sites;
	char runner[64], name[64];

	snprintf(name, sizeof(name), "call sites of %s()", caller);
	if (!configured(hook)) {
		SKIP(name, "CONFIG_SIMD_COPY_%s is not set", hook);
		return;
	}
	snprintf(runner, sizeof(runner), "run_%s_%s", kind, stock_row.name);
	run_stock = symbol(runner);
	snprintf(runner, sizeof(runner), "run_%s_%s", kind, not_stock(kind));
	run = symbol(runner);

	use_stock(kind);
	stock = read_text();
	use(kind, not_stock(kind));
	other = read_text();
	use_stock(kind);
	again = read_text();
	if (!addr || !run || !run_stock || !stock || !other || !again) {
		FAIL("cannot look at the text: %s at %lx, its routines at %lx and %lx, /proc/kcore: %s",
		     function, addr, run_stock, run, strerror(errno));
		goto out;
	}
	sites = count_sites(stock, other, addr);
	printf("# %u call sites of %s\n", sites, function);
	if (!sites)
		FAIL("no NOP became a jump to a call of %s", function);
	if (!leads_to(other, body, BODY, run))
		FAIL("%s does not call %s, which is chosen", function, runner);
	if (count_sites(again, other, addr) != sites)
		FAIL("back with stock, not all of these are NOPs");
	if (leads_to(again, body, BODY, run) || !leads_to(again, body, BODY, run_stock))
		FAIL("back with stock, %s does not call it", function);
	/* The controls. Between these no call site differs, and nothing else is chosen. */
	if (count_sites(stock, again, addr) || leads_to(stock, body, BODY, run))
		FAIL("the test is void: it finds what is not there");
out:
	free(stock);
	free(other);
	free(again);
	end(name);
}

/**
 * struct hook - a hook whose call sites can be seen
 * @kind:	of what it leads to
 * @caller:	the function that has it
 * @config:	CONFIG_SIMD_COPY_*
 * @function:	what it calls
 * @cases:	what its calls can be, but for large ones that are streamed by themselves
 * @large:	it has those as well
 */
struct hook {
	const char	*kind;
	const char	*caller;
	const char	*config;
	const char	*function;
	const char	*cases[5];
	int		large;
};

static const struct hook hooks[] = {
	{ "clear", "clear_page", "CLEAR_PAGE", "simd_clear_pages", { "page" }, 0 },
	{ "copy", "copy_page", "COPY_PAGE", "simd_copy_pages", { "page" }, 0 },
	{ "to_user", "raw_copy_to_user", "TO_USER", "simd_raw_copy_to_user",
	  { "small", "page", "large", "misaligned" }, 1 },
#ifdef __LP64__
	{ "copy_mc", "copy_mc_to_kernel", "COPY_MC", "simd_copy_mc", { "page" }, 0 },
#endif
};

/* Whether what was chosen is stock wherever a hook leads. */
static int leads_to_stock(const struct hook *hook)
{
	const struct row stock = find_row(hook->kind, NULL);
	const char *const *name;
	char row[32];

	for (name = hook->cases; *name; name++) {
		row_of_case(hook->kind, *name, row);
		if (!row[0])
			FAIL(ROUTINES " has no case %s/%s", hook->kind, *name);
		if (strcmp(row, stock.name))
			return 0;
	}
	if (!hook->large || !streams_by_itself(hook->kind))
		return 1;
	row_of_case(hook->kind, "stream", row);
	return !strcmp(row, stock.name);
}

/* The call sites that are jumps now, and were NOPs with stock in all cases. */
static unsigned int jumps_now(const struct hook *hook, const uint8_t *stock)
{
	uint8_t *now = read_text();
	unsigned int n = now ? count_sites(stock, now, symbol(hook->function)) : 0;

	if (!now)
		FAIL("cannot look at the text: /proc/kcore: %s", strerror(errno));
	free(now);
	return n;
}

/*
 * The bytes of the running kernel: on a machine whose choice is stock wherever a hook leads,
 * the hook is NOPs; where it is not, all of them are jumps. And a routine for streams that no
 * size is streamed with leaves them NOPs.
 */
static void test_choice(const struct hook *hook)
{
	char stream[32], stream_name[64], name[96];
	unsigned int all, chosen, unreached = 0, again;
	uint8_t *stock;
	int is_stock;

	snprintf(name, sizeof(name), "%s() is a NOP where stock is best", hook->caller);
	if (!configured(hook->config)) {
		SKIP(name, "CONFIG_SIMD_COPY_%s is not set", hook->config);
		return;
	}
	snprintf(stream, sizeof(stream), "%s_stream", hook->kind);
	use_stock(hook->kind);
	stock = read_text();
	if (!stock) {
		FAIL("cannot look at the text: /proc/kcore: %s", strerror(errno));
		end(name);
		return;
	}
	use(hook->kind, not_stock(hook->kind));
	all = jumps_now(hook, stock);
	use_stock(hook->kind);

	/* Where anything is streamed. */
	row_of_case(hook->kind, "stream", stream_name);
	if (stream_name[0]) {
		/* "mov" does not stream: no size is one from which on anything does. */
		use(stream, "mov");
		row_of_case(hook->kind, "stream", stream_name);
		if (strcmp(stream_name, "mov") || streams_by_itself(hook->kind))
			FAIL("the test is void: %s is %s", stream, stream_name);
		unreached = jumps_now(hook, stock);
	}

	use(hook->kind, "auto");
	is_stock = leads_to_stock(hook);
	chosen = jumps_now(hook, stock);
	printf("# %s(): %u sites; as chosen, %s: %u jumps\n", hook->caller, all,
	       is_stock ? "stock" : "not stock", chosen);

	use_stock(hook->kind);
	again = jumps_now(hook, stock);
	if (!all)
		FAIL("the test is void: no NOP became a jump");
	if (unreached)
		FAIL("%u jumps for a routine that no call leads to", unreached);
	if (chosen != (is_stock ? 0 : all))
		FAIL("%u jumps, with %s in all that it leads to", chosen,
		     is_stock ? "stock" : "another routine");
	if (again)
		FAIL("back with stock, %u are jumps", again);
	free(stock);
	end(name);
}

/* --- What tasks see ------------------------------------------------------ */

/**
 * struct seen - what the tasks of a test have seen, in memory that they share
 * @pages:	looked at
 * @wrong:	of them not what they should be
 * @lost:	of their first touches, those that cost a register or an exception
 * @faults:	that it took to get a huge page
 */
struct seen {
	unsigned int	pages;
	unsigned int	wrong;
	unsigned int	lost;
	unsigned int	faults;
};

#define NR_TASKS	2
#define SMALL		(64 * PAGE)

static int has_fxsave, has_sse;

/* 2 MiB, or 4 MiB without PAE. */
static unsigned long huge_size;

/* Not by any string or vector instruction, which is what is tested. */
static int all_words(const void *page, uint64_t word)
{
	const volatile uint64_t *p = page;
	unsigned int i;

	for (i = 0; i < PAGE / sizeof(*p); i++)
		if (p[i] != word)
			return 0;
	return 1;
}

static void fill(void *page, uint64_t word)
{
	volatile uint64_t *p = page;
	unsigned int i;

	for (i = 0; i < PAGE / sizeof(*p); i++)
		p[i] = word;
}

/*
 * Store a byte to a page for the first time, with an x87 exception pending and a
 * pattern in the XMM registers. Return: whether they came through it.
 *
 * Only a store: an emulator makes a load and a store of OR, and the load would get
 * the one page that is all zero.
 *
 * A kernel that saves with FNSAVE has bugs of its own with pending exceptions.
 */
static int touch(void *page, char byte)
{
	static const uint32_t env[ENV_WORDS] = { FCW_INIT & ~FSW_ZE, FSW_ZE | FSW_ES, 0xffff };
	uint64_t pattern[2] = { 0x0123456789abcdefull, (uintptr_t)page }, got[16];
	uint16_t fsw = 0;
	unsigned int i;

	if (!has_fxsave) {
		*(volatile char *)page = byte;
		return 1;
	}
	if (!has_sse) {
		asm volatile("fldenv %1; movb %b3, (%2); fnstsw %0; fnclex; fninit"
			     : "=m" (fsw) : "m" (env), "r" (page), "q" (byte) : "memory");
		return !!(fsw & FSW_ES);
	}
	asm volatile("movups (%1), %%xmm0; movups (%1), %%xmm1; movups (%1), %%xmm2;"
		     "movups (%1), %%xmm3; movups (%1), %%xmm4; movups (%1), %%xmm5;"
		     "movups (%1), %%xmm6; movups (%1), %%xmm7;"
		     "fldenv %2; movb %b5, (%3); fnstsw %0; fnclex; fninit;"
		     "movups %%xmm0, (%4); movups %%xmm1, 16(%4); movups %%xmm2, 32(%4);"
		     "movups %%xmm3, 48(%4); movups %%xmm4, 64(%4); movups %%xmm5, 80(%4);"
		     "movups %%xmm6, 96(%4); movups %%xmm7, 112(%4)"
		     : "+m" (fsw)
		     : "r" (pattern), "m" (env), "r" (page), "r" (got), "q" (byte)
		     : CLOBBERS);
	for (i = 0; i < ARRAY_SIZE(got); i++)
		if (got[i] != pattern[i % 2])
			return 0;
	return !!(fsw & FSW_ES);
}

static void *map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		printf("Bail out! mmap of %zu bytes: %s\n", size, strerror(errno));
		exit(KSFT_FAIL);
	}
	return p;
}

/* Touch, look at and spoil memory; where it is huge, one touch brings all of it. */
static void look_at(struct seen *seen, char *mem, size_t size, size_t first)
{
	size_t i;

	seen->lost += !touch(mem + first, 0);
	for (i = 0; i < size; i += PAGE) {
		if (i != first)
			seen->lost += !touch(mem + i, 0);
		seen->wrong += !all_words(mem + i, 0);
		seen->pages++;
		fill(mem + i, ~0ull);
	}
}

static void fresh_memory(struct seen *seen)
{
	char *mem = map(SMALL), *huge = map(2 * huge_size), *aligned;
	struct rusage before, after;

	look_at(seen, mem, SMALL, 0);
	munmap(mem, SMALL);

	aligned = (char *)(((uintptr_t)huge + huge_size - 1) & ~(huge_size - 1));
	madvise(aligned, huge_size, MADV_HUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	look_at(seen, aligned, huge_size, huge_size / 8 * 5);
	getrusage(RUSAGE_SELF, &after);
	seen->faults = after.ru_minflt - before.ru_minflt;
	munmap(huge, 2 * huge_size);
}

/* Of memory that two tasks share until one of them stores, each keeps its own. */
static void forked_memory(struct seen *seen)
{
	char *mem = map(SMALL);
	size_t i;
	int pid;

	for (i = 0; i < SMALL; i += PAGE)
		fill(mem + i, i + 1);
	pid = fork();
	for (i = 0; i < SMALL; i += PAGE) {
		seen->lost += !touch(mem + i, i + 1);
		seen->wrong += !all_words(mem + i, i + 1);
		seen->pages += !pid;
		if (!pid)
			fill(mem + i, ~0ull);
	}
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	for (i = 0; i < SMALL; i += PAGE)
		seen->wrong += !all_words(mem + i, i + 1);
	munmap(mem, SMALL);
}

/* Several tasks at a time, so that they also switch between each other. */
static void storm(void (*look)(struct seen *), unsigned int pages)
{
	struct seen *seen = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int pids[NR_TASKS], status;
	unsigned int i;

	for (i = 0; i < NR_TASKS; i++) {
		pids[i] = fork();
		if (pids[i] < 0) {
			printf("Bail out! fork: %s\n", strerror(errno));
			exit(KSFT_FAIL);
		}
		if (!pids[i]) {
			look(&seen[i]);
			_exit(0);
		}
	}
	for (i = 0; i < NR_TASKS; i++) {
		waitpid(pids[i], &status, 0);
		if (status)
			FAIL("task %u ended with status %#x", i, status);
		if (seen[i].pages != pages || seen[i].wrong || seen[i].lost)
			FAIL("task %u: %u pages, should be %u; %u wrong, %u lost registers",
			     i, seen[i].pages, pages, seen[i].wrong, seen[i].lost);
		/* One for the page, and some for what the task does meanwhile. */
		if (seen[i].faults > huge_size / PAGE / 2)
			FAIL("task %u: %u faults, so it had no huge page", i, seen[i].faults);
	}
	munmap(seen, PAGE);
}

#define FILE_BYTES	(1ul << 20)

static char file_byte(size_t i)
{
	return (uint32_t)i * 0x9e3779b1u >> 24;
}

/* A read of @n bytes from @pos on to a place that is not there yet, @room from a hole. */
static void read_one(int fd, size_t pos, size_t n, size_t room)
{
	size_t size = (room + PAGE - 1) / PAGE * PAGE, i, want = n < room ? n : room;
	char *mem = map(size + PAGE), *dst = mem + size - room;
	ssize_t got;

	mprotect(mem + size, PAGE, PROT_NONE);
	got = pread(fd, dst, n, pos);
	/* The kernel's own copies give up on the rest of a line or two before a fault. */
	if (got < 0 || (size_t)got > want || (size_t)got + 2 * LINE < want ||
	    (n <= room && (size_t)got != n)) {
		FAIL("read %zd bytes from %zu on, should be %zu", got, pos, want);
	} else {
		for (i = 0; i < (size_t)got; i++)
			if (dst[i] != file_byte(pos + i))
				break;
		if (i < (size_t)got)
			FAIL("byte %zu of %zd from %zu on is wrong", i, got, pos);
		for (; n <= room && i < room && !dst[i]; i++)
			;
		if (n <= room && i < room)
			FAIL("byte %zu is changed, %zu were asked for", i, n);
	}
	munmap(mem, size + PAGE);
}

static void read_all(int fd)
{
	static const size_t sizes[] = { 511, 512, 4096, 5000, 65536, FILE_BYTES / 2 + 1 };
	static const size_t positions[] = { 0, 1, 4093 };
	unsigned int i, p;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (p = 0; p < ARRAY_SIZE(positions); p++) {
			/* Aligned like the source, and not; all, and up to a hole. */
			read_one(fd, positions[p], sizes[i], sizes[i] + LINE);
			read_one(fd, positions[p], sizes[i], sizes[i] + 3);
			read_one(fd, positions[p], sizes[i], sizes[i] - sizes[i] / 3);
		}
}

static int make_file(void)
{
	char path[] = "/tmp/hooks.XXXXXX", *data = malloc(FILE_BYTES);
	int fd = mkstemp(path);
	size_t i;

	unlink(path);
	for (i = 0; i < FILE_BYTES; i++)
		data[i] = file_byte(i);
	if (fd < 0 || write(fd, data, FILE_BYTES) != FILE_BYTES) {
		printf("Bail out! %s: %s\n", path, strerror(errno));
		exit(KSFT_FAIL);
	}
	free(data);
	return fd;
}

/* --- The tests ----------------------------------------------------------- */

static const char *test_name(const char *what, const char *kind, const char *name)
{
	static char buf[128];

	snprintf(buf, sizeof(buf), "%s, %s/%s", what, kind, name);
	return buf;
}

/*
 * A hook that leads nowhere would pass: sections show that it leads to the routine. The
 * other kinds are stock meanwhile, which opens none.
 */
static void expect_sections(const char *kind, const char *name, unsigned long before)
{
	const struct row row = find_row(kind, name);

	if (row.guard[0] && strcmp(row.guard, "NONE") && sections() == before)
		FAIL("no section was opened");
}

static void test_all(const char *kind, char names[][32], unsigned int n, const char *missing,
		     const char *what, void (*look)(struct seen *), unsigned int pages, int fd)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned long before = sections();

		if (missing) {
			SKIP(test_name(what, kind, names[i]), "%s is not set", missing);
			continue;
		}
		use(kind, names[i]);
		if (look)
			storm(look, pages);
		else
			read_all(fd);
		expect_sections(kind, names[i], before);
		printf("# %s: %u pages, %lu sections\n", what, pages * NR_TASKS,
		       sections() - before);
		end(test_name(what, kind, names[i]));
	}
	use_stock(kind);
}

/* What tells right from wrong must do so. */
static void test_control(void)
{
	struct seen seen = {};
	char *mem = map(2 * PAGE);

	mem[PAGE + 4095] = 1;
	if (all_words(mem + PAGE, 0) || !all_words(mem, 0))
		FAIL("a byte that is not zero goes unseen");
	look_at(&seen, mem, 2 * PAGE, 0);
	if (seen.wrong != 1)
		FAIL("%u pages are wrong, should be 1", seen.wrong);
	munmap(mem, 2 * PAGE);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "clear", "copy", "to_user", "copy_mc" };
	/* copy_mc_to_kernel(), in 6.1 since a stable release, or copy_page() */
	const char *cow = sizeof(long) == 8 ? "copy_mc" : "copy";
	static char clear[64][32], copy[64][32], to_user[64][32];
	unsigned int a, b, c, d = 0, k, nr_clear, nr_copy, nr_to_user;
	FILE *f;
	int fd;

	verbose = argc > 1 && !strcmp(argv[1], "-v");
	printf("KTAP version 1\n");
	if (geteuid() || access(SYSFS, R_OK)) {
		printf("1..0 # SKIP as root, on a kernel with simd_copy: " SYSFS ": %s\n",
		       strerror(errno));
		return KSFT_SKIP;
	}
	if (!symbol("simd_hooks_update")) {
		printf("1..0 # SKIP this kernel has no hooks, which are options below CONFIG_SIMD_COPY=y\n");
		return KSFT_SKIP;
	}
	f = fopen(HUGE_SIZE, "r");
	if (!f || fscanf(f, "%lu", &huge_size) != 1) {
		printf("1..0 # SKIP " HUGE_SIZE ": %s. It needs CONFIG_TRANSPARENT_HUGEPAGE\n",
		       strerror(errno));
		return KSFT_SKIP;
	}
	fclose(f);
	text_start = symbol("_stext");
	text_end = symbol("_etext");
	__get_cpuid(1, &a, &b, &c, &d);
	has_fxsave = !!(d & bit_FXSAVE);
	has_sse = has_fxsave && (d & bit_SSE);

	nr_clear = read_names("clear", clear, ARRAY_SIZE(clear));
	nr_copy = read_names(cow, copy, ARRAY_SIZE(copy));
	nr_to_user = read_names("to_user", to_user, ARRAY_SIZE(to_user));
	printf("1..%zu\n", 1 + 2 * ARRAY_SIZE(hooks) + nr_clear + nr_copy + nr_to_user);

	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		use_stock(kinds[k]);
	for (k = 0; k < ARRAY_SIZE(hooks); k++) {
		test_text(hooks[k].kind, hooks[k].caller, hooks[k].config, hooks[k].function);
		test_choice(&hooks[k]);
	}
	test_control();
	end("control: a byte that is not zero is seen");

	test_all("clear", clear, nr_clear,
		 configured("CLEAR_PAGE") || configured("ZERO_FOLIO") ? NULL :
		 "CONFIG_SIMD_COPY_CLEAR_PAGE or CONFIG_SIMD_COPY_ZERO_FOLIO",
		 "fresh memory", fresh_memory, (SMALL + huge_size) / PAGE, -1);
	if (!strcmp(cow, "copy_mc"))
		test_all(cow, copy, nr_copy,
			 configured("COPY_MC") ? NULL : "CONFIG_SIMD_COPY_COPY_MC",
			 "copy on write", forked_memory, SMALL / PAGE, -1);
	else
		test_all(cow, copy, nr_copy,
			 configured("COPY_PAGE") ? NULL : "CONFIG_SIMD_COPY_COPY_PAGE",
			 "copy on write", forked_memory, SMALL / PAGE, -1);
	fd = make_file();
	test_all("to_user", to_user, nr_to_user,
		 configured("TO_USER") ? NULL : "CONFIG_SIMD_COPY_TO_USER",
		 "read()", NULL, 0, fd);
	close(fd);
	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		use(kinds[k], "auto");
	return ktap_result();
}
