// SPDX-License-Identifier: GPL-2.0
/*
 * The tables: what each row and each case promises to those that walk them, and whether
 * what is known of this CPU is what the CPU says.
 */
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/page.h>

#include "check.h"

static bool lists(const struct simd_feature *f, const char *name)
{
	for (; f->name; f++)
		if (!strcmp(f->name, name))
			return true;
	return false;
}

/* A list has to end within its array of @n. */
static bool overflows(const struct simd_feature *f, unsigned int n)
{
	return f[n - 1].name;
}

/* Return: what is wrong with a row, NULL if nothing is. */
static const char *row_fault(const struct simd_routine *r)
{
	if (!r->name || !r->name[0] || strpbrk(r->name, " [],/\n") || !strcmp(r->name, "auto"))
		return "name";
	if (!r->desc || !r->desc[0])
		return "description";
	if (r->kind >= SIMD_NR_KINDS)
		return "kind";
	if (r->guard >= SIMD_NR_GUARDS || (r->guard && !r->all[0].name))
		return "guard";
	if (lists(r->all, "MMX") ? r->guard != SIMD_GUARD_MMX : r->guard == SIMD_GUARD_MMX)
		return "guard";
	if (lists(r->all, "XMM") && r->guard != SIMD_GUARD_XMM)
		return "guard";
	if (!r->fn.clear)
		return "function";
	if (overflows(r->all, ARRAY_SIZE(r->all)) || overflows(r->any, ARRAY_SIZE(r->any)) ||
	    overflows(r->veto, ARRAY_SIZE(r->veto)))
		return "features";
	if (!is_power_of_2(r->granule) || r->granule > PAGE_SIZE ||
	    (simd_may_fault(r->kind) && r->granule != 1))
		return "granule";
	if (!is_power_of_2(r->dst_align) || r->dst_align > r->granule)
		return "destination alignment";
	if (!is_power_of_2(r->src_align) || r->src_align > r->granule)
		return "source alignment";
	/* No more than some microseconds, and whole pages. */
	if (r->guard ? !r->section || r->section % PAGE_SIZE || r->section > 65536 : r->section)
		return "section";
	/* Where a section ends, so does a turn. */
	if (r->pages && (r->pages < 2 || !is_power_of_2(r->pages) ||
			 (r->guard && r->pages * PAGE_SIZE > r->section)))
		return "pages";
	if (r->xfeatures && r->guard != SIMD_GUARD_XMM)
		return "XCR0";
	if (r->flags & ~SIMD_STREAMING)
		return "flags";
	/* Stock runs wherever nothing else may, and on extents of any length. */
	if (r->stock.name && (r->guard || r->all[0].name || r->any[0].name || r->xfeatures ||
			      r->flags || r->granule > 64))
		return "stock";
	/* What is not to be chosen must have another one that is stock in its place. */
	if (r->stock.name && r->veto[0].name && !r->stock.name[0])
		return "stock";
	return NULL;
}

static void contract(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, row_fault(test->param_value) ?: "nothing", "nothing");
}

static void SIMD_ABI some_clear(void *dst, unsigned long len)
{
}

/* Rows that break the contract in one place, which it has to see. */
#define NAMED	.name = "x", .desc = "x", .fn = { .clear = some_clear }
#define SHAPED	NAMED, .granule = 64, .dst_align = 1, .src_align = 1
#define NEEDS(_feature)	.all = { { 0, _feature } }

static const struct control {
	const char		*wrong;
	struct simd_routine	row;
} controls[] = {
	{ "nothing", { SHAPED } },
	{ "nothing", { SHAPED, .stock = { 0, "" } } },
	{ "nothing", { SHAPED, NEEDS("MMX"), .guard = SIMD_GUARD_MMX, .section = 4 * PAGE_SIZE } },
	{ "name", { } },
	{ "name", { .name = "auto" } },
	{ "name", { .name = "two words" } },
	{ "description", { .name = "x" } },
	{ "kind", { NAMED, .kind = SIMD_NR_KINDS } },
	{ "guard", { NAMED, .guard = SIMD_NR_GUARDS } },
	{ "guard", { NAMED, .guard = SIMD_GUARD_XMM } },
	{ "guard", { NAMED, .guard = SIMD_GUARD_MMX, NEEDS("XMM") } },
	{ "guard", { NAMED, NEEDS("XMM") } },
	{ "function", { .name = "x", .desc = "x" } },
	{ "features", { NAMED, .veto = { { 0, "a" }, { 0, "b" } } } },
	{ "granule", { NAMED, .granule = 96 } },
	{ "granule", { NAMED, .granule = 2 * PAGE_SIZE } },
	{ "granule", { NAMED, .granule = 64, .kind = SIMD_KIND_to_user } },
	{ "granule", { NAMED, .granule = 64, .kind = SIMD_KIND_copy_mc } },
	{ "destination alignment", { NAMED, .granule = 64, .dst_align = 128 } },
	{ "source alignment", { NAMED, .granule = 64, .dst_align = 64, .src_align = 3 } },
	{ "section", { SHAPED, .section = PAGE_SIZE } },
	{ "section", { SHAPED, NEEDS("MMX"), .guard = SIMD_GUARD_MMX } },
	{ "section", { SHAPED, NEEDS("MMX"), .guard = SIMD_GUARD_MMX, .section = 1 << 20 } },
	{ "pages", { SHAPED, .pages = 1 } },
	{ "pages", { SHAPED, .pages = 3 } },
	{ "pages", { SHAPED, NEEDS("MMX"), .guard = SIMD_GUARD_MMX, .section = 4 * PAGE_SIZE,
		     .pages = 8 } },
	{ "XCR0", { SHAPED, .xfeatures = SIMD_XFEATURES_YMM } },
	{ "flags", { SHAPED, .flags = 0x80 } },
	{ "stock", { SHAPED, .stock = { 0, "" }, .flags = SIMD_STREAMING } },
	{ "stock", { SHAPED, .stock = { 0, "" }, NEEDS("ERMS") } },
	{ "stock", { SHAPED, .stock = { 0, "" }, .veto = { { 0, "a" } } } },
};

static void control_desc(const struct control *control, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", control->wrong);
}

static void contract_control(struct kunit *test)
{
	const struct control *control = test->param_value;

	KUNIT_EXPECT_STREQ(test, row_fault(&control->row) ?: "nothing", control->wrong);
}

/* Of rows that tie the first is chosen: it should be one that needs no section. */
static void order(struct kunit *test)
{
	unsigned int row;

	for (row = 1; row < SIMD_NR_ROUTINES; row++) {
		const struct simd_routine *r = &simd_routines[row];

		if (r->kind == r[-1].kind && !r->guard && !check_planted(r))
			KUNIT_EXPECT_EQ_MSG(test, r[-1].guard, SIMD_GUARD_NONE,
					    "%s/%s comes behind a row that needs a section",
					    simd_kind_names[r->kind], r->name);
	}
}

/*
 * Return: what is wrong with the cases of a kind and regime, NULL if nothing is. Each size
 * of a call has to have one.
 */
static const char *cases_fault(const struct simd_case *cases, unsigned int nr,
			       enum simd_kind kind, enum simd_regime regime)
{
	unsigned long end = ULONG_MAX;
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		const struct simd_case *k = &cases[i];

		if (k->kind != kind)
			continue;
		if (!k->name || !k->name[0] || strpbrk(k->name, " ,/\n"))
			return "name";
		for (j = 0; j < i; j++)
			if (cases[j].kind == kind && !strcmp(cases[j].name, k->name))
				return "name";
		if (k->regime >= SIMD_NR_REGIMES)
			return "regime";
		if (k->regime != regime)
			continue;
		if (!k->states || k->states >= BIT(SIMD_NR_STATES))
			return "states";
		if (k->from >= end)
			return "order";
		if (k->bytes < k->from || k->bytes >= end || !k->bytes)
			return "size";
		/* Who clears and copies does so with whole pages. */
		if (kind != SIMD_KIND_to_user && (k->from | k->bytes) % PAGE_SIZE)
			return "size";
		end = k->from;
	}
	if (end == ULONG_MAX)
		return "no case";
	return end ? "no case of the least size" : NULL;
}

static void case_contract(struct kunit *test)
{
	enum simd_kind kind = (const char *const *)test->param_value - simd_kind_names;
	unsigned int regime, c;

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
		const char *fault = cases_fault(simd_cases, SIMD_NR_CASES, kind, regime);

		/* Whole pages are never misaligned, and what was copied on write is used. */
		if ((regime == SIMD_MISALIGNED && kind != SIMD_KIND_to_user) ||
		    (regime == SIMD_STREAM && kind == SIMD_KIND_copy_mc))
			KUNIT_EXPECT_STREQ(test, fault ?: "nothing", "no case");
		else
			KUNIT_EXPECT_STREQ_MSG(test, fault ?: "nothing", "nothing",
					       "regime %u", regime);
	}
	simd_for_each_case_of(c, kind) {
		KUNIT_EXPECT_GT(test, simd_case_end(c), simd_cases[c].bytes);
		KUNIT_EXPECT_GE(test, simd_cases[c].bytes, simd_cases[c].from);
	}
}

/* Cases that break the contract in one place, which it has to see. */
#define CASE(_name, _from, _bytes, _states)					\
	{ .name = (_name), .from = (_from) * PAGE_SIZE, .bytes = (_bytes) * PAGE_SIZE,	\
	  .states = (_states) }
#define OF_KIND(_kind)	{ .name = "x", .kind = SIMD_KIND_##_kind }

static const struct case_control {
	const char		*wrong;
	struct simd_case	cases[2];
} case_controls[] = {
	{ "nothing", { CASE("a", 4, 8, 1), CASE("b", 0, 1, 1) } },
	{ "nothing", { CASE("a", 0, 8, 1), OF_KIND(copy) } },
	{ "name", { CASE("a", 4, 8, 1), CASE("a", 0, 1, 1) } },
	{ "name", { CASE("a b", 4, 8, 1), CASE("b", 0, 1, 1) } },
	{ "regime", { CASE("a", 0, 8, 1), { .name = "b", .regime = SIMD_NR_REGIMES } } },
	{ "states", { CASE("a", 4, 8, 1), CASE("b", 0, 1, 0) } },
	{ "states", { CASE("a", 4, 8, BIT(SIMD_NR_STATES)), CASE("b", 0, 1, 1) } },
	{ "order", { CASE("a", 0, 1, 1), CASE("b", 4, 8, 1) } },
	{ "size", { CASE("a", 4, 2, 1), CASE("b", 0, 1, 1) } },
	{ "size", { CASE("a", 4, 8, 1), CASE("b", 0, 4, 1) } },
	{ "size", { CASE("a", 4, 8, 1), { .name = "b", .bytes = 512, .states = 1 } } },
	{ "no case", { OF_KIND(copy), OF_KIND(to_user) } },
	{ "no case of the least size", { CASE("a", 4, 8, 1), CASE("b", 1, 1, 1) } },
};

static void case_control_desc(const struct case_control *control, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", control->wrong);
}

static void case_contract_control(struct kunit *test)
{
	const struct case_control *control = test->param_value;

	KUNIT_EXPECT_STREQ(test, cases_fault(control->cases, ARRAY_SIZE(control->cases),
					     SIMD_KIND_clear, SIMD_CACHED) ?: "nothing",
			   control->wrong);
}

/* A name leads back to its row only if no row before has it. */
static void names(struct kunit *test)
{
	unsigned int row;

	simd_for_each_row(row) {
		const struct simd_routine *r = &simd_routines[row];

		KUNIT_EXPECT_EQ_MSG(test, simd_find_row(r->kind, r->name), row, "%s/%s",
				    simd_kind_names[r->kind], r->name);
	}
	KUNIT_EXPECT_EQ(test, simd_find_row(SIMD_KIND_clear, "nonsense"), -1);
	KUNIT_EXPECT_EQ(test, simd_find_row(SIMD_KIND_clear, ""), -1);
}

/* Descriptions name the instructions, those with VEX or EVEX by a v in front. */
static bool emulators_lack(const struct simd_routine *r)
{
	return strstr(r->desc, "vmov") || strstr(r->desc, "movdir64b");
}

/* What a row is said to lack is one of its own, and the CPU does lack it. */
static void support(struct kunit *test)
{
	const struct simd_routine *r = test->param_value;
	const struct simd_result *res = &simd_results[r - simd_routines];
	const struct simd_feature *f;
	bool any = !r->any[0].name, all = true, named = false, veto = false;

	for (f = r->all; f->name; f++) {
		all &= !!boot_cpu_has(f->bit);
		named |= res->missing && !strcmp(res->missing, f->name) && !boot_cpu_has(f->bit);
	}
	for (f = r->any; f->name; f++) {
		any |= !!boot_cpu_has(f->bit);
		named |= res->missing && !strcmp(res->missing, f->name) && !boot_cpu_has(f->bit);
	}
	for (f = r->veto; f->name; f++)
		veto |= !!simd_cpu_has(f->bit);
	veto |= r->kind == SIMD_KIND_to_user && boot_cpu_has(X86_FEATURE_HYPERVISOR) &&
		emulators_lack(r);

	if (all && any && !r->xfeatures)
		KUNIT_EXPECT_NULL(test, res->missing);
	else if (all && any && res->missing)
		KUNIT_EXPECT_STREQ(test, res->missing, "XCR0");
	else if (!all || !any)
		KUNIT_EXPECT_TRUE_MSG(test, named, "lacks %s?", res->missing ?: "nothing");
	KUNIT_EXPECT_EQ(test, !!res->veto, veto);
	/* What is missing has not been checked. */
	if (!res->missing)
		KUNIT_EXPECT_EQ_MSG(test, !!res->barred, check_planted(r), "barred: %s",
				    res->barred ?: "it is not");
}

/* The listed models of family 6, whatever their stepping, and none of another vendor. */
static void prefer_ymm(struct kunit *test)
{
	static const u32 genu = 0x756e6547, ntel = 0x6c65746e, auth = 0x68747541, camd = 0x444d4163;
	static const u8 listed[] = { 0x55, 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0x9d };
	u32 model, signature, i;

	for (model = 0; model < 256; model++) {
		bool want = false;

		signature = (model & 0xf0) << 12 | 6 << 8 | (model & 15) << 4 | 7;
		for (i = 0; i < ARRAY_SIZE(listed); i++)
			want |= listed[i] == model;
		KUNIT_EXPECT_EQ_MSG(test, simd_signature_prefers_ymm(genu, ntel, signature), want,
				    "family 6, model %x", model);
		KUNIT_EXPECT_FALSE(test, simd_signature_prefers_ymm(auth, camd, signature));
		/* Families 19 and 26, Zen 4 and Zen 5, have models of these numbers. */
		signature |= 15 << 8;
		KUNIT_EXPECT_FALSE(test, simd_signature_prefers_ymm(auth, camd,
								    signature | 11 << 20));
		KUNIT_EXPECT_FALSE(test, simd_signature_prefers_ymm(genu, ntel,
								    signature | 11 << 20));
	}
}

/* There is one for each kind, and it runs on every CPU. */
static void stock_row(struct kunit *test)
{
	const char *const *name = test->param_value;
	unsigned int kind = name - simd_kind_names, chosen = simd_stock_row(kind), row;
	bool always = false;

	KUNIT_EXPECT_EQ(test, simd_routines[chosen].kind, kind);
	KUNIT_ASSERT_NOT_NULL(test, simd_routines[chosen].stock.name);
	KUNIT_EXPECT_TRUE(test, simd_usable(&simd_results[chosen]));
	simd_for_each_row_of(row, kind) {
		const struct simd_feature *f = &simd_routines[row].stock;

		if (!f->name)
			continue;
		always |= !f->name[0];
		/* A row in front of it would have been chosen. */
		if (row < chosen) {
			KUNIT_EXPECT_NE(test, f->name[0], 0);
			KUNIT_EXPECT_FALSE(test, simd_cpu_has(f->bit));
		}
	}
	KUNIT_EXPECT_TRUE_MSG(test, always, "no row is stock on every CPU");
	KUNIT_EXPECT_NULL(test, simd_results[chosen].veto);
}

KUNIT_ARRAY_PARAM(row, simd_routines, check_row_desc);
KUNIT_ARRAY_PARAM(control, controls, control_desc);
KUNIT_ARRAY_PARAM(case_control, case_controls, case_control_desc);
KUNIT_ARRAY_PARAM(kind, simd_kind_names, check_kind_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(contract, row_gen_params),
	KUNIT_CASE_PARAM(contract_control, control_gen_params),
	KUNIT_CASE(order),
	KUNIT_CASE_PARAM(case_contract, kind_gen_params),
	KUNIT_CASE_PARAM(case_contract_control, case_control_gen_params),
	KUNIT_CASE(names),
	KUNIT_CASE_PARAM(support, row_gen_params),
	KUNIT_CASE(prefer_ymm),
	KUNIT_CASE_PARAM(stock_row, kind_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_table",
	.suite_init	= check_settled,
	.test_cases	= cases,
};

kunit_test_suite(suite);
