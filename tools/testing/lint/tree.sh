#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tree.sh: what no file may say, and the licence line that source files have.
# All files that git does not ignore count, committed or not. Reports KTAP.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
cd "$top"
. tools/testing/vm/kernels.sh
out=build/lint/tree
. tools/testing/lint/lib.sh

# Written so that none of them matches itself.
paths='(^|[^[:alnum:]._-])/(work|farm)/'
hosts='(deb|security|snapshot|ftp)[.]debian[.]org|(archive|security)[.]ubuntu[.]com'
hosts="$hosts|pypi[.]org|pythonhosted[.]org|registry[.]npmjs|crates[.]io|proxy[.]golang"
hosts="$hosts|rubygems[.]org|(docker|ghcr|quay)[.]io"
later='(^|[^[:alnum:]_])(TOD[O]|FIXM[E]|XX[X])([^[:alnum:]_]|$)'

# The kernel wants it in the first line, or in the second behind a "#!".
licence="SPDX-License-""Identifier: GPL-2.0"

# silent LIST PATTERN: no file in LIST has a line like this
silent()
{
	xargs grep -nIE -e "$2" /dev/null <"$1" >"$out/hits" 2>&1 || :
	cat "$out/hits"
	[ ! -s "$out/hits" ]
}

# licensed LIST: each source file has its licence line
licensed()
{
	grep -E '[.](c|h|S|sh|def|awk)$' "$1" | while read -r f; do
		head -n 2 "$f" | grep -qF "$licence" ||
			echo "$f:1: no $licence in the first two lines"
	done >"$out/unlicensed"
	cat "$out/unlicensed"
	[ ! -s "$out/unlicensed" ]
}

# control STATUS PATTERN TEXT: what becomes of a file of that text?
control()
{
	case $1 in
	0)	what="lets pass" ;;
	1)	what="finds" ;;
	esac
	echo "$3" >"$out/control"
	echo "$out/control" >"$out/list"
	is "$1" "control: $what: $3" silent "$out/list" "$2"
}

results()
{
	sources >"$out/files"
	is 0 "there are files to look at" grep -q '^tools/testing/lint/tree[.]sh$' "$out/files"
	is 0 "no path of a developer's machine" silent "$out/files" "$paths"
	is 0 "no host of a package registry" silent "$out/files" "$hosts"
	is 0 "nothing is left for later" silent "$out/files" "$later"
	is 0 "licence lines" licensed "$out/files"

	for folder in wor''k far''m; do
		control 1 "$paths" "/$folder/main"
		control 1 "$paths" "see (/$folder/main)"
		control 0 "$paths" "net/$folder/main"
		control 0 "$paths" "/${folder}s/main"
	done
	control 1 "$hosts" "http://deb.debian"".org/debian"
	control 1 "$hosts" "https://pypi"".org/simple"
	control 0 "$hosts" "https://www.debian"".org/"
	for word in TO''DO FIX''ME X''XX; do
		control 1 "$later" "/* $word: finish this */"
		control 0 "$later" "mktemp $word$word"
	done

	printf '%s\n' '#!/bin/sh' '#' "# $licence" >"$out/late.sh"
	printf '%s\n' '#include "guard.h"' >"$out/without.c"
	printf '%s\n' "/* ${licence% *} MIT */" >"$out/other.h"
	for f in late.sh without.c other.h; do
		echo "$out/$f" >"$out/list"
		is 1 "control: licence line, $f" licensed "$out/list"
	done
}
ktap results
