// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/simd_copy: which routine is in use, and the way to another.
 * debugfs/simd_copy: why, and what the guard counted.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "choice.h"
#include "guard.h"
#include "sysfs.h"

/**
 * struct choice_attribute - a file that shows and changes a choice
 * @attr:	the file
 * @kind:	the kind it is about
 * @shown:	the case whose row it shows
 * @regimes:	the regimes it changes, a bit mask
 */
struct choice_attribute {
	struct kobj_attribute	attr;
	enum simd_kind		kind;
	unsigned int		shown;
	unsigned int		regimes;
};

static ssize_t choice_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct choice_attribute *c = container_of(attr, struct choice_attribute, attr);
	char names[SIMD_NAMES];

	guard(mutex)(&simd_lock);
	simd_list_names(c->kind, simd_plan.row[c->shown], names, sizeof(names));
	return sysfs_emit(buf, "%s\n", names);
}

static ssize_t choice_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	struct choice_attribute *c = container_of(attr, struct choice_attribute, attr);
	char name[SIMD_NAMES];
	int err;

	/* No name is that long: "" is none, and makes the log say which there are. */
	if (strscpy(name, buf, sizeof(name)) < 0)
		name[0] = '\0';
	strim(name);

	/* What a boot chooses would take the place of this. */
	simd_settle();
	guard(mutex)(&simd_lock);
	err = simd_force(c->kind, c->regimes, name);
	return err ?: count;
}

#define CHOICE(_file, _kind, _case, _regimes)					\
	{									\
		.attr		= __ATTR(_file, 0644, choice_show, choice_store), \
		.kind		= SIMD_KIND_##_kind,				\
		.shown		= SIMD_CASE_##_kind##_##_case,			\
		.regimes	= (_regimes),					\
	}

/* KIND shows what a page is done with, and sets all cases at once. */
#define CHOICES(_kind)								\
	CHOICE(_kind, _kind, page, SIMD_ALL_REGIMES),				\
	CHOICE(_kind##_stream, _kind, stream, BIT(SIMD_STREAM))

static struct choice_attribute choices[] = {
	CHOICES(clear),
	CHOICES(copy),
	CHOICES(to_user),
	CHOICE(copy_mc, copy_mc, page, SIMD_ALL_REGIMES),
	CHOICE(to_user_misaligned, to_user, misaligned, BIT(SIMD_MISALIGNED)),
};

static int routines_show(struct seq_file *m, void *unused)
{
	guard(mutex)(&simd_lock);
	simd_report(m, simd_results, &simd_machine, &simd_plan, simd_evidence);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(routines);

static int stats_show(struct seq_file *m, void *unused)
{
	simd_stats_show(m);
	return 0;
}

static int stats_open(struct inode *inode, struct file *file)
{
	return single_open(file, stats_show, NULL);
}

/* Whatever is written, the counters start anew. */
static ssize_t stats_write(struct file *file, const char __user *buf, size_t count,
			   loff_t *pos)
{
	simd_stats_reset();
	return count;
}

static const struct file_operations stats_fops = {
	.owner		= THIS_MODULE,
	.open		= stats_open,
	.read		= seq_read,
	.write		= stats_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static struct kobject *kobj;
static struct dentry *debugfs;

int __init simd_sysfs_init(void)
{
	unsigned int i;
	int err;

	kobj = kobject_create_and_add("simd_copy", kernel_kobj);
	if (!kobj)
		return -ENOMEM;

	for (i = 0; i < ARRAY_SIZE(choices); i++) {
		sysfs_attr_init(&choices[i].attr.attr);
		err = sysfs_create_file(kobj, &choices[i].attr.attr);
		if (err) {
			kobject_put(kobj);
			kobj = NULL;
			return err;
		}
	}

	/* Not there without debugfs, which is no error. */
	debugfs = debugfs_create_dir("simd_copy", NULL);
	debugfs_create_file("routines", 0444, debugfs, NULL, &routines_fops);
	debugfs_create_file("stats", 0644, debugfs, NULL, &stats_fops);
	return 0;
}

void simd_sysfs_exit(void)
{
	debugfs_remove(debugfs);
	kobject_put(kobj);
}
