// SPDX-License-Identifier: GPL-2.0
/*
 * The table of mutants.
 */
#include <string.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "harness.h"

#define SIMD_ROUTINE(_kind, _name, ...) SIMD_PROTOTYPE_##_kind(mutant_##_kind##_##_name);
#include "mutants.def"

const struct mutant mutants[] = {
#define SIMD_ROUTINE(_kind, _name, _guard, _check, ...)			\
	{								\
		.check = _check,					\
		.row = {						\
			.name	= #_name,				\
			.kind	= SIMD_KIND_##_kind,			\
			.guard	= SIMD_GUARD_##_guard,			\
			.fn	= { ._kind = mutant_##_kind##_##_name }, \
			__VA_ARGS__					\
		},							\
	},
#include "mutants.def"
};

const unsigned int nr_mutants = ARRAY_SIZE(mutants);

/* One feature is all that a mutant needs, and at most one state. */
const char *mutant_missing(const struct mutant *m)
{
	const struct simd_feature *f = m->row.all;

	if (f->name && !boot_cpu_has(f->bit))
		return f->name;
	if (!cpu_has_xfeatures(m->row.xfeatures, NULL))
		return "XCR0";
	return NULL;
}
