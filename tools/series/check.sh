#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# check.sh: what series.sh and apply.sh promise, each with what would break the
# promise. Reports KTAP. Needs Debian's linux-source-6.12 and linux-source-6.1.
set -eu
top=$(realpath "$(dirname "$0")/../..")
. "$top/tools/series/lib.sh"

out=$build/series-check
checked=$out/checked
series=$checked/tools/series
kernels='6.12 6.1'
sign_as_test

fail()
{
	echo "$*"
	exit 1
}

# fresh KERNEL DIR: DIR has those files of KERNEL that are edited, as they are
fresh()
{
	source_tree "$1" >&2
	rm -rf "$2"
	mkdir -p "$2"
	for file in $(edited | sort -u) Makefile; do
		[ ! -e "$tree/$file" ] || (cd "$tree" && cp --parents "$file" "$2")
	done
}

# All of a tree, what is hidden included.
sums()
{
	(cd "$1" && find . -type f ! -path './.git/*' -exec sha256sum {} + | sort -k 2 &&
		find . -type d ! -path './.git*' | sort)
}

# refuses PATTERN DIR COMMAND...: the command fails, says PATTERN, and leaves DIR alone
refuses()
{
	pattern=$1
	dir=$2
	shift 2
	was=$(sums "$dir")
	! "$@" >"$out/said" 2>&1 || fail "not refused: $*"
	cat "$out/said"
	grep -q -- "$pattern" "$out/said" || fail "it does not say '$pattern'"
	[ "$(sums "$dir")" = "$was" ] || fail "$dir has changed"
}

# A copy of what is checked, to spoil it.
spoilt()
{
	rm -rf "$out/top"
	cp -a "$checked" "$out/top"
}

all_kernels()
{
	for kernel in $kernels; do
		echo "Linux $kernel"
		"$1" "$kernel"
	done
}

# --- The series -----------------------------------------------------------

# is_whole DIR: numbered, listed in the cover letter, signed
is_whole()
{
	nr=0
	for patch in "$1"/*.patch; do
		nr=$((nr + 1))
		case ${patch##*/} in
		"$(printf '%04d' $nr)"-*)	;;
		*)	fail "no patch $nr in $1" ;;
		esac
		subject=$(sed -n 's/^Subject: \[PATCH [0-9/]*\] //p' "$patch")
		grep -qxF "  $subject" "$1"/0000-cover-letter.txt ||
			fail "the cover letter does not list '$subject'"
		grep -q '^Signed-off-by: ' "$patch" || fail "$patch is not signed"
		[ "$(sed '1,/^$/d; /^Signed-off-by/,$d' "$patch" | wc -w)" -ge 25 ] ||
			fail "$patch says hardly anything"
	done
	echo "$nr patches"
	[ $nr -gt 15 ]
}

series_of()
{
	"$series/series.sh" "$1" "$out/series-$1" >"$out/said-$1"
	cat "$out/said-$1"
	is_whole "$out/series-$1"
}

series()
{
	all_kernels series_of
	# What it would not take.
	for damage in 'rm 0003-*' 'sed -i "/copy a folio/d" 0000-*' \
		'sed -i s/^Signed-off/X/ 0005-*' 'sed -i 5,30d 0009-*'; do
		rm -rf "$out/damaged"
		cp -a "$out/series-6.12" "$out/damaged"
		(cd "$out/damaged" && eval "$damage")
		! (is_whole "$out/damaged") || fail "'$damage' is not noticed"
	done
}

# typed KERNEL: in $out/am, what series.sh says to type, as it says it
typed()
{
	rm -rf "$out/am"
	cp -a "$out/am-base" "$out/am"
	sed -n 's/^  \(git am \)/\1-q /p' "$out/said-$1" >"$out/command"
	cat "$out/command"
	grep -q . "$out/command" || fail "series.sh does not say what to type"
	(cd "$out/am" && sh -e "$out/command")
}

# As a maintainer would do it, and compared with what "make apply" does.
git_am()
{
	fresh "$1" "$out/am-base"
	fresh "$1" "$out/applied"
	"$series/apply.sh" "$out/applied"
	(
		cd "$out/am-base"
		git init -q
		git add -A -f
		git commit -qm base
	)
	typed "$1"
	diff -r -x .git -x .simd_copy "$out/am" "$out/applied"
	echo >>"$out/applied/lib/simd_copy/main.c"
	! diff -rq -x .git -x .simd_copy "$out/am" "$out/applied" ||
		fail "a byte more is not noticed"

	# With a cover letter that is named like a patch it does not go through.
	cp "$out/series-$1/0000-cover-letter.txt" "$out/series-$1/0000-cover-letter.patch"
	! (typed "$1") || fail "'git am' of an empty patch is not noticed"
	rm "$out/series-$1/0000-cover-letter.patch"
}

git_am_equals_apply()
{
	all_kernels git_am
}

# Does what is there name only what is there?
named()
{
	for dir in lib/simd_copy lib/simd_copy/tests; do
		[ -e $dir/Makefile ] || continue
		# Composite objects are made of the others.
		for o in $(sed 's/#.*//' $dir/Makefile | grep -o '[a-z_][a-z_]*\.o' | sort -u); do
			o=${o%.o}
			grep -q "^$o-" $dir/Makefile || [ -e "$dir/$o.c" ] ||
				[ -e "$dir/tests/$o.S" ] || [ -e "$dir/$o.S" ] ||
				echo "not there: $o.o of $dir/Makefile"
		done
		! grep -qw tests/ $dir/Makefile || [ -e lib/simd_copy/tests/Makefile ] ||
			echo "not there: tests/ of $dir/Makefile"
	done
	! grep -q simd_copy lib/Kconfig lib/Makefile || [ -e lib/simd_copy/Kconfig ] ||
		echo "not there: lib/simd_copy/Kconfig"
	grep -os 'SIMD_COPY[A-Z_]*' lib/simd_copy/Kconfig | sort -u >"$out/names" || :
	while read -r symbol; do
		grep -q "^config $symbol\$" lib/simd_copy/Kconfig ||
			echo "not there: $symbol of Kconfig"
	done <"$out/names"
	grep -rs '^#include "' lib/simd_copy arch/x86/lib |
		sed 's/:#include "\([^"]*\)".*/ \1/' | sort -u >"$out/names"
	while read -r file header; do
		[ -e "${file%/*}/$header" ] || [ -e "lib/simd_copy/$header" ] ||
			echo "not there: $header that $file includes"
	done <"$out/names"
}

# steps SERIES: the same after each patch
steps()
{
	rm -rf "$out/steps"
	fresh 6.12 "$out/steps"
	cd "$out/steps"
	git init -q
	git add -A -f
	git commit -qm base
	git am -q "$1"/*.patch
	nr=0
	for commit in $(git rev-list --reverse HEAD); do
		git checkout -q "$commit"
		nr=$((nr + 1))
		named | sed "s/$/, at '$(git log -1 --format=%f)'/"
	done
	cd "$out"
	[ $nr -gt 15 ] || fail "$nr steps"
	echo "$nr steps"
}

nothing_is_named_too_early()
{
	steps "$out/series-6.12" >"$out/steps.log"
	cat "$out/steps.log"
	! grep 'not there' "$out/steps.log" || fail "see above"

	spoilt
	sed -i 's/^Part: .*hooks.*//; s/^Part: .*PLANT.*//; s/^Files: .*run.h//' \
		"$out/top/tools/series/patches/"*
	"$out/top/tools/series/series.sh" 6.12 "$out/early"
	steps "$out/early" >"$out/steps.log"
	for early in hooks.o SIMD_COPY_TEST run.h; do
		grep "not there: $early .* at '" "$out/steps.log" || fail "$early is not noticed"
	done
}

# Where they are and what they are for aside, a patch of two kernels is the same one.
substance()
{
	sed '/^index /d; /^@@/d; /^From /d' "$1"
}

# checkpatch KERNEL: what is accepted in this tree is accepted in a patch
checkpatch()
{
	source_tree 6.12
	patches=
	for patch in "$out/series-$1"/*.patch; do
		substance "$patch" >"$out/this"
		substance "$out/series-6.12/${patch##*/}" >"$out/other"
		[ "$1" != 6.12 ] && cmp -s "$out/this" "$out/other" || patches="$patches $patch"
	done
	echo "$patches" | wc -w
	mkdir -p "$out/control"
	printf '%s\n' 'From: A <a@b.c>' 'Subject: [PATCH] lib: Add a control' '' 'It is wrong.' '' \
		'Signed-off-by: A <a@b.c>' '---' 'diff --git a/lib/control.c b/lib/control.c' \
		'--- a/lib/control.c' '+++ b/lib/control.c' '@@ -1,1 +1,2 @@' ' int x;' '+int y; ' \
		>"$out/control/9999.patch"
	# MAINTAINERS names the new files in the last patch, whatever adds them.
	# shellcheck disable=SC2086 # they are many
	(cd "$out" && perl "$tree/scripts/checkpatch.pl" --strict --no-tree --no-summary --terse \
		--showfile --show-types --max-line-length=100 --ignore FILE_PATH_CHANGES \
		$patches control/9999.patch 2>"$out/checkpatch.err" || :) >"$out/checkpatch"
	rm -f "$out"/.checkpatch-camelcase.*
	(top=$checked; sources | place "$tree") >"$out/places"
	awk '
	FILENAME == ARGV[1] { file[$2] = $1; next }
	FILENAME == ARGV[2] { if ($0 !~ /^(#|$)/) { n++; name[n] = $1; type[n] = $2 }; next }
	/^lib\/control\.c:/ { control++; next }
	{
		split($0, part, ":")
		for (i = 1; i <= n; i++)
			if (part[1] in file && file[part[1]] ~ name[i] && part[4] == type[i])
				next
		print
		bad = 1
	}
	END {
		if (!control)
			print "it did not complain about the control"
		exit bad || !control
	}' "$out/places" "$top/tools/testing/vm/checkpatch.allow" "$out/checkpatch"
}

checkpatch_is_content()
{
	all_kernels checkpatch
}

file_without_patch_is_refused()
{
	spoilt
	echo '/* no patch has it */' >"$out/top/include/asm/orphan.h"
	refuses 'include/asm/orphan.h' "$out/top/tools" \
		"$out/top/tools/series/series.sh" 6.12 "$out/no"
}

part_of_nothing_is_refused()
{
	spoilt
	sed -i '/^Part: .*KUNIT/s/KUNIT/NOTHING/' "$out/top/tools/series/patches/"*
	refuses 'Kconfig.*NOTHING' "$out/top/tools" \
		"$out/top/tools/series/series.sh" 6.12 "$out/no"
}

new_routine_needs_no_edit()
{
	spoilt
	cp "$out/top/arch/x86/lib/simd_mmx.S" "$out/top/arch/x86/lib/simd_throwaway.S"
	line='SIMD_ROUTINE(clear, throwaway, NONE, "none", SHAPE(1, 1, 1))'
	sed -i "/^#undef SIMD_ROUTINE_64/i $line" "$out/top/lib/simd_copy/routines.def"
	"$out/top/tools/series/series.sh" 6.12 "$out/more"
	is_whole "$out/more"
	grep -lq '^+++ b/arch/x86/lib/simd_throwaway.S' "$out/more"/00*.patch
	grep -hq '^+SIMD_ROUTINE(clear, throwaway' "$out/more"/00*.patch
	! grep -q throwaway "$out/series-6.12"/*
}

# --- Insertions -----------------------------------------------------------

# a_list WORD...: a file with a list of them, in $style
a_list()
{
	echo head
	for word; do
		case $style in
		lines)		echo "= $word" ;;
		paragraphs)	printf '\n= %s\n\ttext\n' "$word" ;;
		esac
	done
	[ "$style" = paragraphs ] || echo tail
}

# inserted ORDER LIST WORD: put WORD into $out/list, which has those of LIST
inserted()
{
	# shellcheck disable=SC2086 # a list
	a_list $2 >"$out/list"
	a_list "$3" | sed '/^= /,$!d; /^tail/d' >"$out/lines"
	insert "$out/lines" "$out/list" "$1" '^= ' >"$out/said"
}

# becomes LIST WORD WANTED [ORDER]
becomes()
{
	inserted "${4-Sorted}" "$1" "$2" || fail "$1 + $2: $(cat "$out/said")"
	# shellcheck disable=SC2086
	a_list $3 | diff - "$out/list" || fail "$1 + $2 is not $3 (${4-Sorted}, $style)"
}

# stays LIST WORD SAYS [ORDER]
stays()
{
	! inserted "${4-Sorted}" "$1" "$2" || fail "not refused: $1 + $2"
	grep -q -- "$3" "$out/said" || fail "$1 + $2: it does not say '$3'"
	# shellcheck disable=SC2086
	a_list $1 | cmp - "$out/list" || fail "$1 + $2 is refused, and the file has changed"
}

places()
{
	for style in lines paragraphs; do
		becomes 'b d' c 'b c d'
		becomes 'b d' a 'a b d'
		becomes 'b d' e 'b d e'
		becomes b a 'a b'
		becomes b c 'b c'
		# The neighbours of Linux 6.12, those of 7.1, and with some of them gone.
		becomes 'sgx sigaltstack size' simd_copy 'sgx sigaltstack simd_copy size'
		becomes 'sgx signal size' simd_copy 'sgx signal simd_copy size'
		becomes 'sgx size' simd_copy 'sgx simd_copy size'
		becomes 'sgx signal sparc64' simd_copy 'sgx signal simd_copy sparc64'
		becomes 'sgx sparc64' simd_copy 'sgx simd_copy sparc64'
		# Entries that are out of order, before the place and after it.
		becomes 'x a b d e' c 'x a b c d e'
		becomes 'a b d e a' c 'a b c d e a'
		becomes 'a b y d x e a' c 'a b c y d x e a'
		stays 'a b c' b 'a line already that reads = b'
		stays 'c a b' b 'a line already that reads = b'
		stays '' b 'no line matches'
	done
	style=lines
	becomes 'c a' b 'c a b' After
	stays 'c b a' b 'a line already that reads = b' After
	stays '' b 'no line matches' After
}

insertions_find_their_place()
{
	places
	sed -n '/^insert()/,/^}/p' "$series/lib.sh" >"$out/good"
	while read -r damage; do
		sed "$damage" "$out/good" >"$out/damaged.sh"
		! cmp -s "$out/good" "$out/damaged.sh" || fail "'$damage' changes nothing"
		# shellcheck disable=SC1091 # written above
		! (. "$out/damaged.sh" && places >"$out/said.places" 2>&1) ||
			fail "'$damage' is not noticed"
		printf "%s: %s\n" "$damage" "$(tail -n 1 "$out/said.places")"
	done <<-'END'
	s/wrong < least/$0 < first/
	s/wrong += \(.*\) > first .*/if (\1 > first) found = 1; wrong -= !found/
	s/wrong < least/!place/
	s/wrong < least/1/
	s/!paragraph && place/place/
	s/last < FNR/1/
	s/present = 1/present = 0/
	s/if (!n)/if (0)/
	s/!sorted || //
	END
}

# What is next to our lines in Linux 6.12 may go, too.
neighbours_may_go()
{
	fresh 6.12 "$out/tree"
	while IFS='|' read -r file neighbour; do
		grep -q "^$neighbour" "$out/tree/$file" || fail "no $neighbour in $file"
		sed -i "\\|^$neighbour|d" "$out/tree/$file"
		echo "$file" >>"$out/inserted"
	done <<-END
	tools/testing/selftests/Makefile|TARGETS += sigaltstack
	tools/testing/selftests/Makefile|TARGETS += size
	Documentation/admin-guide/kernel-parameters.txt|${tab}show_lapic=
	Documentation/admin-guide/kernel-parameters.txt|${tab}slab_debug
	Documentation/arch/x86/index.rst|   xstate
	MAINTAINERS|SIMPLEFB
	arch/x86/include/asm/page_64.h|#include <linux/kmsan-checks.h>
	lib/Kconfig|source "lib/fonts/Kconfig"
	lib/Kconfig|config SG_SPLIT
	lib/Makefile|obj-\$(CONFIG_PLDMFW)
	lib/Makefile|obj-\$(CONFIG_GENERIC_LIB_DEVMEM_IS_ALLOWED)
	END
	"$series/apply.sh" "$out/tree"
	while read -r file; do
		grep -qi simd_ "$out/tree/$file" || fail "nothing of ours in $file"
	done <"$out/inserted"

	fresh 6.12 "$out/tree"
	echo 'TARGETS += simd_copy' >>"$out/tree/tools/testing/selftests/Makefile"
	refuses "edit 'selftests' does not fit" "$out/tree" "$series/apply.sh" "$out/tree"
	grep -q 'selftests/Makefile: .* a line already' "$out/said" || fail "it does not say why"
}

# --- apply and unapply ----------------------------------------------------

twice_and_back_again()
{
	fresh "$1" "$out/tree"
	before=$(sums "$out/tree")
	"$series/apply.sh" "$out/tree"
	[ -e "$out/tree/arch/x86/lib/simd_asm.h" ]
	[ "$(sums "$out/tree")" != "$before" ] || fail "nothing was applied"
	refuses 'applied to .* already.*make unapply' "$out/tree" "$series/apply.sh" "$out/tree"
	"$series/apply.sh" --undo "$out/tree"
	sums "$out/tree" >"$out/sums"
	echo "$before" | diff - "$out/sums"
	refuses 'is not applied' "$out/tree" "$series/apply.sh" --undo "$out/tree"
}

unapply_restores()
{
	all_kernels twice_and_back_again
}

changes_are_kept()
{
	fresh 6.12 "$out/tree"
	"$series/apply.sh" "$out/tree"
	for changed in arch/x86/lib/simd_asm.h mm/util.c; do
		echo >>"$out/tree/$changed"
		for mode in --undo --update; do
			refuses "^  $changed" "$out/tree" "$series/apply.sh" $mode "$out/tree"
		done
	done
}

# Interrupted in the middle, some files are new and some are not.
half_applied_is_restored()
{
	fresh 6.1 "$out/tree"
	before=$(sums "$out/tree")
	"$series/apply.sh" "$out/tree"
	cp "$out/tree/.simd_copy/orig/mm/util.c" "$out/tree/mm/util.c"
	rm "$out/tree/lib/simd_copy/guard.c"
	"$series/apply.sh" --undo "$out/tree"
	sums "$out/tree" >"$out/sums"
	echo "$before" | diff - "$out/sums"
}

inodes()
{
	(cd "$1" && find . -type f ! -path './.simd_copy/*' -printf '%p %i %T@\n' | sort)
}

update_touches_what_changed()
{
	fresh 6.12 "$out/tree"
	before=$(sums "$out/tree")
	spoilt
	"$out/top/tools/series/apply.sh" --update "$out/tree"
	inodes "$out/tree" >"$out/inodes"
	"$out/top/tools/series/apply.sh" --update "$out/tree"
	inodes "$out/tree" | diff "$out/inodes" -

	echo >>"$out/top/lib/simd_copy/guard.c"
	rm "$out/top/arch/x86/lib/simd_sse.S"
	cp "$out/top/arch/x86/lib/simd_mmx.S" "$out/top/arch/x86/lib/simd_throwaway.S"
	sed -i 's/simd_hooked_clear_pages(page, 1)/simd_hooked_clear_pages(page, 1ul)/' \
		"$out/top/tools/series/edits/clear_page/"*
	"$out/top/tools/series/apply.sh" --update "$out/tree"
	inodes "$out/tree" | diff "$out/inodes" - | sed -n 's/^[<>] \([^ ]*\).*/\1/p' |
		sort -u >"$out/touched"
	cat "$out/touched"
	printf './%s\n' arch/x86/include/asm/page_32.h arch/x86/include/asm/page_64.h \
		arch/x86/lib/simd_sse.S arch/x86/lib/simd_throwaway.S lib/simd_copy/guard.c |
		diff - "$out/touched"
	"$out/top/tools/series/apply.sh" --undo "$out/tree"
	sums "$out/tree" >"$out/sums"
	echo "$before" | diff - "$out/sums"
}

# Trees that share their files by hard links stay apart.
linked_tree_is_left_alone()
{
	fresh 6.12 "$out/tree"
	before=$(sums "$out/tree")
	rm -rf "$out/link"
	cp -al "$out/tree" "$out/link"
	"$series/apply.sh" "$out/link"
	sums "$out/tree" >"$out/sums"
	echo "$before" | diff - "$out/sums"
	rm -rf "$out/link"
}

unknown_tree_is_left_alone()
{
	fresh 6.12 "$out/tree"
	sed -i 's/long nr = folio_nr_pages(src);/long nr = its_pages(src);/' "$out/tree/mm/util.c"
	for command in apply.sh series.sh; do
		refuses "edit 'copy_folio' does not fit" "$out/tree" \
			"$series/$command" "$out/tree"
		grep -q 'mm/util.c' "$out/said" || fail "it does not name the file"
		grep -q 'Known kernels: 6.1 6.12' "$out/said" ||
			fail "it does not say which it knows"
	done

	fresh 6.12 "$out/tree"
	rm "$out/tree/arch/x86/include/asm/uaccess_64.h"
	refuses "edit 'to_user' does not fit" "$out/tree" "$series/apply.sh" "$out/tree"
	grep -q 'uaccess_64.h' "$out/said" || fail "it does not name the file"

	# Somebody did it by hand.
	fresh 6.12 "$out/tree"
	mkdir -p "$out/tree/lib/simd_copy"
	echo >"$out/tree/lib/simd_copy/guard.c"
	refuses "lib/simd_copy/guard.c exists" "$out/tree" "$series/apply.sh" "$out/tree"
}

what_is_no_tree_is_refused()
{
	rm -rf "$out/tree"
	mkdir -p "$out/tree/mm"
	for mode in '' --undo --update; do
		# shellcheck disable=SC2086 # no mode is no argument
		refuses 'no kernel tree: pass KDIR=' "$out/tree" "$series/apply.sh" $mode ''
		# shellcheck disable=SC2086
		refuses 'no folder' "$out/tree" "$series/apply.sh" $mode "$out/tree/none"
		# shellcheck disable=SC2086
		refuses 'not the source of a kernel' "$out/tree" \
			"$series/apply.sh" $mode "$out/tree"
	done
	echo 'PATCHLEVEL = 12' >"$out/tree/Makefile"
	refuses 'headers of a kernel only' "$out/tree" "$series/apply.sh" "$out/tree"
	refuses "no kernel 'six': KERNEL=" "$out/tree" "$series/series.sh" six
	refuses 'install linux-source-9.99' "$out/tree" "$series/series.sh" 9.99
}

if [ $# -gt 0 ]; then
	"$1"
	exit
fi

# The tree as it is now: others may be at work on it.
rm -rf "$out"
mkdir -p "$checked/build"
sources | (cd "$top" && xargs cp --parents -t "$checked")
for kernel in $kernels; do
	source_tree "$kernel" >&2
	ln -s "$tree" "$checked/build/"
done

# By itself: "set -e" means nothing below an "if".
checker=$0
checks "$out/log" series git_am_equals_apply nothing_is_named_too_early checkpatch_is_content \
	file_without_patch_is_refused part_of_nothing_is_refused new_routine_needs_no_edit \
	insertions_find_their_place neighbours_may_go unapply_restores changes_are_kept \
	half_applied_is_restored update_touches_what_changed linked_tree_is_left_alone \
	unknown_tree_is_left_alone what_is_no_tree_is_refused
