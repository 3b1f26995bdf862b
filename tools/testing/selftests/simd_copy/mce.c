// SPDX-License-Identifier: GPL-2.0
/*
 * mce: machine checks in copies that are to survive them.
 *
 * For a guest in QEMU whose host runs mce.py: at each load of each routine that the
 * exception table says may have one, a machine check is taken, as if the memory that is
 * read had an error. The kernel is to go on; what the routine says of the bytes that are
 * copied must be true, and the registers of the task must be its own.
 *
 * A line to the host asks for a machine check at an instruction, another one asks what
 * became of it. See mce.py.
 *
 * mce [NAME]...: in the rows of these names only, or in copy_mc_to_kernel() for "stock".
 * die/NAME: at the loads of a row that have entries of another type
 * cow/NAME: in a copy on write that the hook of copy_mc_to_kernel() leads to a row
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "hammer.h"
#include "ktap.h"
#include "simd_copy_test_uapi.h"

#define HOST		"/dev/ttyS2"
#define ROUTINES	"/sys/kernel/debug/simd_copy/routines"
#define CHOICE		"/sys/kernel/simd_copy/copy_mc"
#define PAGE		4096ul
#define LINE		64

/* Less than this in front of an error may be copied, and not be said to be: MC_TURN. */
#define TURN		256

/* Of the exception table, by arch/x86/include/asm/extable_fixup_types.h. */
#define EX_TYPE_FAULT			2
#define EX_TYPE_DEFAULT_MCE_SAFE	14
#define EX_TYPE_FAULT_MCE_SAFE		15

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define MAX_ROWS	64
#define MAX_LOADS	64

static bool die;

static void bail_out(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(KSFT_FAIL);
}

/* --- The kernel's memory ------------------------------------------------- */

static unsigned long symbol_of(const char *name, const char *module)
{
	unsigned long addr, found = 0;
	char line[512], sym[128], mod[64];
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && !found && fgets(line, sizeof(line), f)) {
		mod[0] = '\0';
		if (sscanf(line, "%lx %*c %127s [%63[^]]", &addr, sym, mod) >= 2 &&
		    !strcmp(sym, name) && !strcmp(mod, module))
			found = addr;
	}
	if (f)
		fclose(f);
	return found;
}

/* The first symbol behind an address. */
static unsigned long next_symbol(unsigned long from)
{
	unsigned long addr, next = ~0ul;
	char line[512], type;
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %c", &addr, &type) == 2 && addr > from && addr < next &&
		    (type == 't' || type == 'T'))
			next = addr;
	if (f)
		fclose(f);
	return next;
}

static bool read_kernel(unsigned long addr, void *to, size_t n)
{
	static int fd = -1;
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	int i;

	if (fd < 0)
		fd = open("/proc/kcore", O_RDONLY);
	if (fd < 0 || pread(fd, &eh, sizeof(eh), 0) != sizeof(eh))
		bail_out("/proc/kcore");
	for (i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), eh.e_phoff + i * sizeof(ph)) != sizeof(ph))
			break;
		if (ph.p_type == PT_LOAD && addr >= ph.p_vaddr &&
		    addr + n <= ph.p_vaddr + ph.p_memsz)
			return pread(fd, to, n, ph.p_offset + addr - ph.p_vaddr) == (ssize_t)n;
	}
	return false;
}

static unsigned long section_of(const char *module, const char *section)
{
	unsigned long addr = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", module, section);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lx", &addr) != 1)
		addr = 0;
	if (f)
		fclose(f);
	return addr;
}

/**
 * struct entry - one of an exception table
 * @insn:	where the instruction is, counted from here
 * @fixup:	where to go on, counted from there
 * @data:	the type, in the low byte
 */
struct entry {
	int32_t	insn;
	int32_t	fixup;
	int32_t	data;
};

static bool may_have_error(const struct entry *e)
{
	int type = e->data & 0xff;

	if (die)
		return type == EX_TYPE_FAULT;
	return type == EX_TYPE_DEFAULT_MCE_SAFE || type == EX_TYPE_FAULT_MCE_SAFE;
}

/**
 * struct routine - what machine checks are taken in
 * @name:	as SIMD_COPY_TEST_COPY_MC takes it
 * @load:	addresses of its loads
 * @start:	address of itself
 * @nr:		number of loads
 */
struct routine {
	char		name[32];
	unsigned long	load[MAX_LOADS];
	unsigned long	start;
	unsigned int	nr;
};

/* Find the loads of @function, which is in @module, or in the kernel itself for "". */
static bool find_loads(struct routine *r, const char *function, const char *module)
{
	unsigned long at, end, behind;
	struct entry e;

	if (module[0]) {
		at = section_of(module, "__ex_table");
		/* Of a module nothing says how many there are: it ends with a type of 0. */
		end = ~0ul;
	} else {
		at = symbol_of("__start___ex_table", "");
		end = symbol_of("__stop___ex_table", "");
	}
	r->start = symbol_of(function, module);
	r->nr = 0;
	if (!at || !end || !r->start)
		return false;
	behind = next_symbol(r->start);
	for (; at < end && read_kernel(at, &e, sizeof(e)) && e.data; at += sizeof(e)) {
		unsigned long insn = at + e.insn;

		if (insn < r->start || insn >= behind || !may_have_error(&e))
			continue;
		if (r->nr == MAX_LOADS)
			return false;
		r->load[r->nr++] = insn;
	}
	return r->nr;
}

/* --- The host ------------------------------------------------------------ */

static FILE *host;

static void open_host(void)
{
	struct termios t;
	int fd = open(HOST, O_RDWR | O_NOCTTY);

	if (fd < 0 || tcgetattr(fd, &t))
		bail_out(HOST);
	cfmakeraw(&t);
	cfsetspeed(&t, B115200);
	if (tcsetattr(fd, TCSANOW, &t))
		bail_out(HOST);
	host = fdopen(fd, "r+");
}

/**
 * struct outcome - what the host says of a machine check
 * @hits:	how many there were
 * @addr:	what the instruction was to load
 * @again:	how often that line was read afterwards
 */
struct outcome {
	unsigned int	hits;
	unsigned long	addr;
	unsigned int	again;
};

static void ask(char answer[128])
{
	fflush(host);
	if (!fgets(answer, 128, host))
		bail_out("the host");
	/* Between reads and writes. */
	fseek(host, 0, SEEK_CUR);
}

/*
 * At the instruction at @insn of @r, not before it has run @skip times, and only in a call
 * whose source is in the physical page @phys, unless that is 0.
 */
static void arm(const struct routine *r, unsigned long insn, unsigned int skip,
		unsigned long phys)
{
	char answer[128];

	fprintf(host, "arm %lx %lx %u %lx\n", r->start, insn, skip, phys);
	ask(answer);
	if (strcmp(answer, "armed\n")) {
		errno = EPROTO;
		bail_out(answer);
	}
}

static struct outcome disarm(void)
{
	struct outcome o;
	char answer[128];

	fprintf(host, "disarm\n");
	ask(answer);
	if (sscanf(answer, "%u %lx %u", &o.hits, &o.addr, &o.again) != 3) {
		errno = EPROTO;
		bail_out(answer);
	}
	return o;
}

/* --- Registers ----------------------------------------------------------- */

#define ST_AT		32
#define XMM_AT		160
#define XMM_BYTES	(16 * 16)
#define HEADER_AT	512
#define XS_YMM		2

static struct hammer h;

static void fill_registers(void)
{
	unsigned int a, b, c, d, i, ymm_at = 0;
	uint16_t fcw = 0x37f;
	uint32_t mxcsr = 0x1f80;

	__cpuid(1, a, b, c, d);
	if (c & bit_OSXSAVE) {
		asm volatile("xgetbv" : "=a" (a), "=d" (d) : "c" (0));
		h.rfbm = a & 7;
	}
	h.size = 512;
	if (h.rfbm >> XS_YMM & 1) {
		__cpuid_count(0xd, XS_YMM, a, b, c, d);
		ymm_at = b;
		h.size = b + a;
	}
	for (i = 0; i < h.size; i++) {
		bool st = i >= ST_AT && i < ST_AT + 8 * 16 && i % 16 < 10;
		bool xmm = i >= XMM_AT && i < XMM_AT + XMM_BYTES;
		bool ymm = ymm_at && i >= ymm_at;

		h.want[i] = st || xmm || ymm ? 17 * i + i / 256 + 1 : 0;
		h.mask[i] = st || xmm || ymm ? 0xff : 0;
	}
	memcpy(h.want, &fcw, sizeof(fcw));
	h.want[4] = 0xff;
	memcpy(h.want + 24, &mxcsr, sizeof(mxcsr));
	memcpy(h.want + HEADER_AT, &h.rfbm, sizeof(h.rfbm));
}

/* Do a system call with values in all registers. Return: whether they were kept. */
static bool with_registers(struct step *s)
{
	h.step = s;
	h.end = s + 1;
	hammer_run(&h);
	return h.step == h.end;
}

static void test_registers_control(int fd)
{
	unsigned int try;

	for (try = 0; try < 1000; try++) {
		struct step s = {
			.nr	= SYS_ioctl,
			.arg	= { fd, SIMD_COPY_TEST_OFFEND, SIMD_COPY_TEST_NO_SAVE },
		};

		if (!with_registers(&s))
			break;
	}
	if (try == 1000)
		FAIL("registers that are lost go unseen");
	end("control: registers that are lost are seen");
}

/* --- The routines -------------------------------------------------------- */

/* Where copies begin, and how long they are: each load is to be one of theirs. */
static const struct shape {
	unsigned int	offset;
	unsigned int	align;
	unsigned int	n;
} shapes[] = {
	{ 0, 0, 2 * PAGE }, { 3, 3, 2 * PAGE + 77 }, { 3, 8, PAGE + 77 }, { 8, 5, PAGE + 77 },
	{ 1, 0, 13 },
};

static const unsigned int skips[] = { 9, 0 };

static uint8_t seen[SIMD_COPY_TEST_MC_RED + SIMD_COPY_TEST_MC_MAX + SIMD_COPY_TEST_MC_RED];

static uint8_t source_byte(const struct simd_copy_test_copy_mc *t, long i)
{
	return SIMD_COPY_TEST_BYTE(t->offset + i);
}

/*
 * Whether what was said of a copy is true: @error is where the error was, or @t->n if
 * there was none. Return: what is wrong, or NULL.
 */
static const char *judge(const struct simd_copy_test_copy_mc *t, unsigned long error)
{
	const uint8_t *dst = seen + SIMD_COPY_TEST_MC_RED;
	unsigned long copied = t->n - t->left;
	long i, n = t->n;

	if (t->left > t->n)
		return "it says that it did not copy more bytes than it was given";
	if (copied > error)
		return "it says that it copied what has the error";
	if (error < t->n ? error - copied >= TURN : copied < error)
		return "it says that it copied less than it has to";
	for (i = -SIMD_COPY_TEST_MC_RED; i < n + SIMD_COPY_TEST_MC_RED; i++) {
		uint8_t want = source_byte(t, i);

		if (i < 0 || i >= n || i >= (long)error) {
			if (dst[i] != (uint8_t)~want)
				return "it stored something where nothing was to be stored";
		} else if (i < (long)copied ? dst[i] != want :
			   dst[i] != want && dst[i] != (uint8_t)~want) {
			return "what it says that it copied is not there";
		}
	}
	return NULL;
}

static bool copy(struct simd_copy_test_copy_mc *t, int fd, const char *row,
		 const struct shape *shape)
{
	struct step s = {
		.nr	= SYS_ioctl,
		.arg	= { fd, SIMD_COPY_TEST_COPY_MC, (unsigned long)t },
	};

	memset(t, 0, sizeof(*t));
	snprintf(t->row, sizeof(t->row), "%s", row);
	t->n = shape->n;
	t->offset = shape->offset;
	t->align = shape->align;
	t->to = (unsigned long)seen;
	if (!with_registers(&s)) {
		FAIL("%s: the registers of the task are not what they were", row);
		return false;
	}
	if (s.ret) {
		FAIL("%s: SIMD_COPY_TEST_COPY_MC returned %ld", row, s.ret);
		return false;
	}
	return true;
}

/* Let one copy meet a machine check. Return: whether there was one, or a failure. */
static bool check_load(const struct routine *r, unsigned long insn, int fd,
		       const struct shape *shape, unsigned int skip)
{
	struct simd_copy_test_copy_mc t;
	struct outcome o;
	const char *wrong;
	bool done;

	arm(r, insn, skip, 0);
	done = copy(&t, fd, r->name, shape);
	o = disarm();
	if (!done)
		return true;
	wrong = judge(&t, o.hits ? o.addr - t.source : t.n);
	if (!wrong && o.again)
		wrong = "it read the memory that has the error again";
	if (!wrong && !o.hits)
		return false;
	printf("# +0x%lx: error at %ld of %u, %llu bytes not copied\n", insn - r->start,
	       o.hits ? (long)(o.addr - t.source) : -1, t.n, (unsigned long long)t.left);
	if (wrong)
		FAIL("%s", wrong);
	return true;
}

static void test_routine(const struct routine *r, int fd)
{
	unsigned int i, s, k, nr_hit = 0;
	char name[128];

	for (i = 0; i < r->nr; i++) {
		bool hit = false;

		for (s = 0; s < 2 * ARRAY_SIZE(shapes) && !hit; s++)
			hit = check_load(r, r->load[i], fd, &shapes[s / 2], skips[s % 2]);
		if (!hit)
			FAIL("the load at +0x%lx did not run", r->load[i] - r->start);
		nr_hit += hit;
	}
	/* And none, where no error is. */
	for (k = 0; k < ARRAY_SIZE(shapes); k++) {
		struct simd_copy_test_copy_mc t;
		const char *wrong;

		if (!copy(&t, fd, r->name, &shapes[k]))
			continue;
		wrong = judge(&t, t.n);
		if (wrong)
			FAIL("without an error: %s", wrong);
	}
	snprintf(name, sizeof(name), "%s: a machine check at each of %u loads", r->name, r->nr);
	if (nr_hit < r->nr)
		FAIL("%u of them had one", nr_hit);
	end(name);
}

/* What tells right from wrong must do so. */
static void test_judge_control(int fd)
{
	const struct shape shape = { 0, 0, PAGE };
	struct simd_copy_test_copy_mc t;
	uint8_t *dst = seen + SIMD_COPY_TEST_MC_RED;
	long i;

	if (!copy(&t, fd, "stock", &shape))
		goto out;
	for (i = 1000; i < t.n; i++)
		dst[i] = ~source_byte(&t, i);
	t.left = t.n - 1000;
	if (judge(&t, 1000) || judge(&t, 1255))
		FAIL("what is right is called wrong: %s", judge(&t, 1000) ?: judge(&t, 1255));
	t.left = t.n - 1001;
	if (!judge(&t, 1001))
		FAIL("a byte too many goes unseen");
	if (!judge(&t, 1000))
		FAIL("a copy of the error goes unseen");
	t.left = t.n - 1000;
	if (!judge(&t, 1256))
		FAIL("a turn that is said to be not copied goes unseen");
	if (!judge(&t, t.n))
		FAIL("bytes that are not copied without an error go unseen");
	dst[1000] = source_byte(&t, 1000);
	if (!judge(&t, 1000))
		FAIL("a store of the error goes unseen");
	dst[1000] = ~source_byte(&t, 1000);
	dst[-1] ^= 1;
	if (!judge(&t, 1000))
		FAIL("a store in front goes unseen");
out:
	end("control: what was said of a copy is judged");
}

/* --- Copy on write ------------------------------------------------------- */

static unsigned long hardware_corrupted(void)
{
	unsigned long kib = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "HardwareCorrupted: %lu", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static unsigned long physical(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (fd < 0 || pread(fd, &entry, 8, (unsigned long)page / PAGE * 8) != 8)
		bail_out("/proc/self/pagemap");
	close(fd);
	return (entry & ((1ull << 55) - 1)) * PAGE;
}

static volatile char *touched;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	/* The exit status says what came. */
	if ((char *)info->si_addr < touched || (char *)info->si_addr >= touched + PAGE)
		_exit(3);
	_exit(info->si_code == BUS_MCEERR_AR ? 42 : 4);
}

/* What a child that touches a page comes to: an exit status of on_sigbus(), 0 for nothing. */
static int touch(volatile char *page, bool write)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		bail_out("fork");
	if (!pid) {
		touched = page;
		sigaction(SIGBUS, &action, NULL);
		if (write)
			page[100] = 1;
		else
			(void)page[100];
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + status;
}

static char *new_page(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		bail_out("mmap");
	memset(page, 0x5a, PAGE);
	return page;
}

/*
 * Write after a fork, to @page, with an error in it where @r loads it. Not all of its loads
 * run in a copy of a page.
 */
static struct outcome copy_with_error(const struct routine *r, char *page, int *status)
{
	const unsigned long phys = physical(page);
	struct outcome o = {};
	unsigned int i;

	*status = 0;
	for (i = 0; i < r->nr && !o.hits && !*status; i++) {
		arm(r, r->load[i], 3, phys);
		*status = touch(page, true);
		o = disarm();
	}
	return o;
}

/* The task that writes is to be told, and the page to be taken out of use. */
static void test_copy_on_write(const struct routine *r)
{
	unsigned long before = hardware_corrupted(), after;
	char *page = new_page();
	struct outcome o;
	unsigned int i;
	char name[128];
	int status;

	/* The control: without an error nothing of this happens. */
	status = touch(page, true);
	if (status || hardware_corrupted() != before)
		FAIL("without an error the task ends with %d, and %lu KiB are corrupted", status,
		     hardware_corrupted() - before);

	o = copy_with_error(r, page, &status);
	if (!o.hits)
		FAIL("no copy of the page by %s", r->name);
	if (status != 42)
		FAIL("the task ended with %d, and not by SIGBUS with BUS_MCEERR_AR", status);
	/* The page is taken out of use by a kernel thread. */
	for (i = 0; i < 100 && hardware_corrupted() == before; i++)
		usleep(50000);
	after = hardware_corrupted();
	if (after - before != PAGE / 1024)
		FAIL("HardwareCorrupted was %lu KiB, and is %lu", before, after);
	status = touch(page, false);
	if (status != 42)
		FAIL("who reads the page later ends with %d, and not by SIGBUS", status);
	printf("# HardwareCorrupted: %lu KiB, then %lu\n", before, after);
	munmap(page, PAGE);
	snprintf(name, sizeof(name), "copy on write by %s", r->name);
	end(name);
}

/* --- All of them --------------------------------------------------------- */

/**
 * struct row - of copy_mc, what debugfs says
 * @name:	its name
 * @why:	why it cannot be run, or ""
 * @veto:	why it is not chosen, or ""
 * @stock:	it is what the kernel does by itself
 */
static struct row {
	char	name[32];
	char	why[64];
	char	veto[64];
	bool	stock;
} rows[MAX_ROWS];

static unsigned int read_rows(void)
{
	FILE *f = fopen(ROUTINES, "r");
	unsigned int n = 0;
	char line[512], *why, *veto;

	while (f && n < MAX_ROWS && fgets(line, sizeof(line), f)) {
		/* Lines of cases begin with copy_mc as well. */
		if (line[7] != ' ' || sscanf(line, "copy_mc %31s", rows[n].name) != 1)
			continue;
		why = strstr(line, "unsupported");
		why = why ?: strstr(line, "barred");
		if (why)
			sscanf(why, "%63[^\n]", rows[n].why);
		rows[n].stock = strstr(line, " stock");
		veto = strstr(line, "only by name");
		if (veto)
			sscanf(veto, "%63[^\n]", rows[n].veto);
		n++;
	}
	if (f)
		fclose(f);
	return n;
}

/* What copy_mc_to_kernel() calls, which a static key decides. */
static const char *stock_function(void)
{
	FILE *f = fopen("/proc/cmdline", "r");
	char line[2048] = "";

	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	return strstr(line, "mce=recovery") ? "copy_mc_fragile" : "copy_mc_enhanced_fast_string";
}

static void test_stock(int fd)
{
	const char *function = stock_function();
	struct routine r = { .name = "stock" };

	printf("# stock: %s()\n", function);
	if (!find_loads(&r, function, ""))
		FAIL("the loads of %s() cannot be found", function);
	test_routine(&r, fd);
	test_copy_on_write(&r);
}

static void test_row(const struct row *row, int fd)
{
	struct routine r;
	char function[64];

	snprintf(r.name, sizeof(r.name), "copy_mc/%.20s", row->name);
	snprintf(function, sizeof(function), "simd_copy_mc_%s", row->name);
	if (row->why[0]) {
		SKIP(r.name, "%s", row->why);
		return;
	}
	if (row->veto[0])
		printf("# %s: %s\n", r.name, row->veto);
	if (!find_loads(&r, function, "simd_copy"))
		FAIL("the loads of %s() cannot be found", function);
	test_routine(&r, fd);
}

static void choose(const char *name)
{
	int file = open(CHOICE, O_WRONLY);

	if (file < 0 || write(file, name, strlen(name)) < 0)
		FAIL(CHOICE ": '%s': %s", name, strerror(errno));
	close(file);
}

/* The public call: the same loads, in a section that the guard opens, led there by name. */
static void test_api(int fd)
{
	struct routine r = { .name = "api" };

	choose("sse");
	if (!find_loads(&r, "simd_copy_mc_sse", "simd_copy"))
		FAIL("the loads of simd_copy_mc_sse() cannot be found");
	test_routine(&r, fd);
	choose("auto");
}

/*
 * Where the hook of copy_mc_to_kernel() leads, in a kernel that has the library in it. It
 * leads nowhere if the row is stock.
 */
static void test_hook(const char *row, unsigned int nr_rows)
{
	struct outcome o;
	struct routine r;
	char function[64], *page;
	unsigned int i;
	int status;

	snprintf(r.name, sizeof(r.name), "copy_mc/%.20s", row);
	snprintf(function, sizeof(function), "simd_copy_mc_%.20s", row);
	if (!find_loads(&r, function, ""))
		FAIL("the loads of %s() cannot be found", function);

	/* The control: with another one in use, the row copies nothing. */
	for (i = 0; i < nr_rows && !rows[i].stock; i++)
		;
	if (i < nr_rows)
		choose(rows[i].name);
	else
		FAIL(ROUTINES " does not say what is stock");
	page = new_page();
	o = copy_with_error(&r, page, &status);
	if (o.hits)
		FAIL("%s() copies while stock is in use", function);
	if (status)
		FAIL("with stock in use, and no error, the task ended with %d", status);
	munmap(page, PAGE);

	choose(row);
	test_copy_on_write(&r);
	choose("auto");
}

static void test_name(const char *name, unsigned int nr_rows, int fd)
{
	unsigned int i;

	if (!strcmp(name, "stock")) {
		test_stock(fd);
		return;
	}
	if (!strncmp(name, "cow/", 4)) {
		test_hook(name + 4, nr_rows);
		return;
	}
	die = !strncmp(name, "die/", 4);
	name += die ? 4 : 0;
	for (i = 0; i < nr_rows && strcmp(rows[i].name, name); i++)
		;
	if (i < nr_rows) {
		test_row(&rows[i], fd);
		return;
	}
	FAIL("there is no row of that name");
	end(name);
}

int main(int argc, char **argv)
{
	unsigned int nr_rows = read_rows(), i, plan = 2;
	int fd = open(SIMD_COPY_TEST_PATH, O_RDWR);

	printf("KTAP version 1\n");
	if (fd < 0) {
		printf("1..0 # SKIP %s: %s\n", SIMD_COPY_TEST_PATH, strerror(errno));
		return KSFT_SKIP;
	}
	open_host();
	fill_registers();
	for (i = 1; i < argc; i++)
		plan += strcmp(argv[i], "stock") ? 1 : 2;
	printf("1..%u\n", argc > 1 ? plan : nr_rows + 5);

	test_registers_control(fd);
	test_judge_control(fd);
	for (i = 1; i < argc; i++)
		test_name(argv[i], nr_rows, fd);
	if (argc == 1) {
		test_stock(fd);
		for (i = 0; i < nr_rows; i++)
			test_row(&rows[i], fd);
		test_api(fd);
		if (!nr_rows)
			FAIL(ROUTINES " has no row of copy_mc");
	}
	return ktap_result();
}
