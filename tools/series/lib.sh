# SPDX-License-Identifier: GPL-2.0
#
# How this tree becomes part of a kernel tree. Sourced, with $top set.
#
# patches/NN-NAME describes patch NN of the series, as fields and a message:
#
#	Subject: of the patch
#	Files: names and globs of files of this tree, relative to its top
#	Edits: names in edits/: changes of the kernel's own files
#	Part: FILE PATTERN: the statements of FILE that match come with this patch,
#		the rest of FILE with the patch that takes it
#
# A file belongs to the patch that names it, or else to the first with a glob that
# matches. A statement is a line that begins with something, the comments above
# it, and what is indented below it: good for Kconfig and Makefiles.
#
# edits/NAME/KERNEL.patch does NAME to the tree of KERNEL and of all others that it
# fits: the first that applies is used. This is where kernels differ.
#
# edits/NAME/*.insert puts lines into a file of any tree, where no patch of NAME is to
# depend on the lines around them. It has fields, an empty line, and the lines:
#
#	File: the name of the file. Documentation/arch/x86/ is Documentation/x86/ in
#		kernels before 6.5, here and in the lines.
#	Sorted: PATTERN (awk): the lines are an entry of a sorted list, whose entries
#		begin with lines that match. Entries of more than one line have an empty
#		line between them.
#	After: PATTERN: instead of Sorted, the lines follow the last line that matches

. "$top/tools/testing/vm/kernels.sh"

series=$top/tools/series
tab=$(printf '\t')

# The repository above is none of the business of those that are made here.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

# Who signs what tests make, for whom nobody has to be known to git.
sign_as_test()
{
	GIT_AUTHOR_NAME='The simd_copy developers'
	GIT_AUTHOR_EMAIL=simd_copy@localhost
	GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME
	GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
	GIT_CONFIG_GLOBAL=/dev/null
	export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL \
		GIT_CONFIG_GLOBAL
}

# x86_docs TREE: the folder in Documentation/ that is about x86. It moved in 6.5.
x86_docs()
{
	if [ -e "$1/Documentation/arch/x86" ]; then
		echo arch/x86
	else
		echo x86
	fi
}

# place TREE: each name read, and where it is in that kernel tree, if it goes there.
place()
{
	# simdbench and the rest of tools/ are about this tree, not about a kernel.
	sed -n -e 's/.*/& &/' \
		-e '/ Kconfig$/s| | lib/simd_copy/|p' \
		-e '/ include\/asm\//s| | arch/x86/|p' \
		-e '/ tests\/kunit\//s| tests/kunit/| lib/simd_copy/tests/|p' \
		-e "s| Documentation/arch/x86/| Documentation/$(x86_docs "$1")/|" \
		-e '/ Documentation\/bench\//d' \
		-e '/ Documentation\//p' \
		-e '/ arch\/x86\/lib\/simd_/p' \
		-e '/ lib\/simd_copy\//p' \
		-e '/ tools\/testing\/selftests\/simd_copy\//p'
}

patch_names()
{
	(cd "$series/patches" && ls) | grep -vx 00-cover
}

# field PATCH NAME: the values of a field, one a line
field()
{
	sed -n "/^\$/q; s/^$2: *//p" "$series/patches/$1"
}

message()
{
	sed '1,/^$/d' "$series/patches/$1"
}

edit_names()
{
	for patch in $(patch_names); do
		field "$patch" Edits
	done
}

# The files that the edits may change.
edited()
{
	sed -n 's|^--- a/\([^	 ]*\).*|\1|p' "$series"/edits/*/*.patch
	grep -h '^File: ' "$series"/edits/*/*.insert |
		sed 's/^File: *//p; s|/arch/x86/|/x86/|'
	echo MAINTAINERS
}

known_kernels()
{
	(cd "$series/edits" && printf '%s\n' */*.patch) |
		sed 's|.*/||; s|\.patch$||' | sort -Vu | paste -s -d ' '
}

# check_tree TREE: is it the source of a kernel?
check_tree()
{
	[ -n "$1" ] || die "no kernel tree: pass KDIR=/path/to/the/source/of/a/kernel"
	[ -d "$1" ] || die "no folder $1: pass KDIR=/path/to/the/source/of/a/kernel"
	grep -qs '^PATCHLEVEL = ' "$1/Makefile" ||
		die "$1 is not the source of a kernel: its Makefile has no version"
	[ -e "$1/mm/memory.c" ] ||
		die "$1 has the headers of a kernel only: its source is needed"
}

tree_version()
{
	awk '$1 == "VERSION" { v = $3 } $1 == "PATCHLEVEL" { p = $3 } $1 == "SUBLEVEL" { s = $3 }
		END { print v "." p "." s }' "$1/Makefile"
}

# insert LINES FILE Sorted|After PATTERN: put what is in LINES into FILE, see above. Where
# that cannot be, standard output says why, and FILE stays as it is.
#
# In a sorted list the place is where the fewest entries are on the wrong side: a list
# that is not quite sorted has one as well.
insert()
{
	LC_ALL=C order=$3 pattern=$4 awk '
	BEGIN { sorted = ENVIRON["order"] == "Sorted"; pattern = ENVIRON["pattern"] }
	NR == FNR {
		text = text $0 "\n"
		if (first == "")
			first = $0
		paragraph = sorted && FNR > 1
		next
	}
	$0 == first { present = 1 }
	{ line[FNR] = $0 }
	$0 ~ pattern && !(paragraph && line[FNR - 1] != "") {
		entry[++n] = FNR
		wrong += $0 > first ? 1 : -1
		if (!sorted || wrong < least) {
			least = wrong
			place = n
		}
	}
	END {
		if (!n)
			why = "no line matches " pattern
		else if (present)
			why = "there is a line already that reads " first
		if (why) {
			print why
			exit 1
		}
		# After the entry before it, or before the entry after it.
		if (!paragraph && place)
			last = entry[place]
		else
			last = place < n ? entry[place + 1] - 1 : FNR
		file = ARGV[2] ".new"
		for (i = 1; i <= last; i++)
			print line[i] >file
		if (!paragraph)
			printf "%s", text >file
		else if (last < FNR)
			print text >file
		else
			printf "\n%s", text >file
		for (; i <= FNR; i++)
			print line[i] >file
	}' "$1" "$2" && mv "$2.new" "$2"
}

# do_insert EDIT DIR: the same as the file EDIT says, in DIR
do_insert()
{
	lines=$2.lines
	sed "s|Documentation/arch/x86/|Documentation/$(x86_docs "$2")/|" "$1" >"$lines"
	file=$(sed -n '/^$/q; s/^File: *//p' "$lines")
	order=$(sed -n '/^$/q; s/^\(Sorted\|After\): .*/\1/p' "$lines")
	pattern=$(sed -n "/^\$/q; s/^$order: *//p" "$lines")
	sed -i '1,/^$/d' "$lines"
	if [ ! -e "$2/$file" ]; then
		echo "$file: no such file"
		false
	elif ! why=$(insert "$lines" "$2/$file" "$order" "$pattern"); then
		echo "$file: $why"
		false
	fi
}

# do_edit NAME DIR WHAT: edit the files in DIR, which are those of the tree WHAT
do_edit()
{
	edit=$series/edits/$1
	[ -d "$edit" ] || die "no tools/series/edits/$1"
	export GIT_CEILING_DIRECTORIES="${2%/*}"
	misfits=
	for p in $(cd "$edit" && ls | sed -n '/[.]insert$/p'); do
		why=$(do_insert "$edit/$p" "$2") || misfits="$misfits
tools/series/edits/$1/$p:
  $why"
	done
	said=$misfits
	for p in $(cd "$edit" && ls | sed -n '/[.]patch$/p' | sort -Vr); do
		why=$(cd "$2" && git apply --check "$edit/$p" 2>&1) && {
			(cd "$2" && git apply "$edit/$p")
			said=$misfits
			break
		}
		said="$said
tools/series/edits/$1/$p:
$(echo "$why" | sed 's/^/  /')"
	done
	[ -z "$said" ] || die "the edit '$1' does not fit $3.$said
Known kernels: $(known_kernels). For another, add tools/series/edits/$1/VERSION.patch"
}

# add_maintainers TREE FILE: put our entry where it belongs into FILE, the MAINTAINERS
# of TREE
add_maintainers()
{
	grep -v "^F:" "$top/MAINTAINERS" >"$2.entry"
	# In a kernel tree tests/ is below lib/simd_copy/, and tools/ is not ours alone.
	sed -n "s/^F:$tab//p" "$top/MAINTAINERS" |
		sed '/^tests\//d; s|^tools/testing/$|&selftests/simd_copy/|' | place "$1" |
		sed "s/.* /F:$tab/" | LC_ALL=C sort -u >>"$2.entry"
	why=$(insert "$2.entry" "$2" Sorted '^[0-9A-Z]') || die "MAINTAINERS of $1: $why"
	rm "$2.entry"
}

# pristine TREE FILE: where FILE is as it was before "make apply"; fails if it was not
pristine()
{
	if [ -e "$1/.simd_copy/files" ] && grep -q "^[^ ]*  $2\$" "$1/.simd_copy/files"; then
		[ -e "$1/.simd_copy/orig/$2" ] && echo "$1/.simd_copy/orig/$2"
	else
		[ -e "$1/$2" ] && echo "$1/$2"
	fi
}

# stage TREE OUT: in OUT/base those files of TREE that change, in OUT/new what
# they become and what is added to them. OUT/places has the lines of place().
stage()
{
	rm -rf "$2"
	mkdir -p "$2/base"
	for file in $(edited | sort -u); do
		from=$(pristine "$1" "$file") || continue
		case $file in
		*/*)	mkdir -p "$2/base/${file%/*}" ;;
		esac
		cp "$from" "$2/base/$file"
	done
	cp -a "$2/base" "$2/new"

	for edit in $(edit_names); do
		do_edit "$edit" "$2/new" "$1 ($(tree_version "$1"))"
	done
	[ -e "$2/new/MAINTAINERS" ] || die "$1 has no MAINTAINERS"
	add_maintainers "$1" "$2/new/MAINTAINERS"

	sources | place "$1" >"$2/places"
	[ -s "$2/places" ] || die "no files of simd_copy in $top"
	while read -r file where; do
		! pristine "$1" "$where" >/dev/null ||
			die "$1/$where exists: is the series, or another version of it, applied?"
		[ -d "$2/new/${where%/*}" ] || mkdir -p "$2/new/${where%/*}"
		cp -p "$top/$file" "$2/new/$where"
	done <"$2/places"
}

# source_tree KERNEL: set $tree to Debian's source of KERNEL, or to what is edited of it
source_tree()
{
	case $1 in
	''|*[!0-9.]*)	die "no kernel '$1': KERNEL= takes one that Debian has the source of," \
				"like 6.12, and KDIR= any tree" ;;
	esac
	tree=$build/linux-$1
	[ ! -e "$tree/.complete" ] || return 0
	tar=/usr/src/linux-source-$1.tar.xz
	[ -e "$tar" ] || die "no $tar: install linux-source-$1, or pass KDIR=/path/to/a/kernel/tree"
	tree=$build/series-source-$1
	# The file must not be an older one, and hold what an edit has come to need.
	files=$({ edited; printf '%s\n' Makefile scripts/checkpatch.pl scripts/spelling.txt \
		scripts/const_structs.checkpatch; } | sort -u)
	want="$(stat -Lc '%s %Y' "$tar") $files"
	[ "$(cat "$tree/.complete" 2>/dev/null)" != "$want" ] || return 0
	step "unpacking what is edited of Linux $1"
	rm -rf "$tree"
	mkdir -p "$build"
	unpacked=$(mktemp -d "$build/series-source.XXXXXX")
	echo "$files" | sed "s|^|linux-source-$1/|" >"$unpacked.list"
	# Of another kernel some need not be there.
	tar -xf "$tar" -C "$unpacked" --strip-components=1 -T "$unpacked.list" 2>/dev/null || :
	rm "$unpacked.list"
	echo "$want" >"$unpacked/.complete"
	mv -T "$unpacked" "$tree" 2>/dev/null || rm -rf "$unpacked"
}
