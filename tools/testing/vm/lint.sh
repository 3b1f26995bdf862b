#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lint.sh: checkpatch, sparse, warnings, objtool, shell syntax, and what is in
# tools/testing/lint/. Any complaint fails. Reports KTAP.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

out=$build/lint
allow=tools/testing/vm/checkpatch.allow
control=build/lint/control.c
mkdir -p "$out"
cd "$top"

checkpatch()
{
	kernel_scripts || return 1
	# It leaves a cache where it runs, and stops without a word at an empty
	# file: the control comes last, and must be complained about.
	printf 'int x; \n' >"$control"
	rm -f .checkpatch-camelcase.*
	sources | grep -vxE 'LICENSE|Documentation/bench/.*|.*[.]xz' >"$out/files"
	echo "$control" >>"$out/files"
	xargs perl "$scripts/checkpatch.pl" --strict --no-tree --no-summary --terse --show-types \
		--max-line-length=100 -f <"$out/files" >"$out/checkpatch" || true
	rm -f .checkpatch-camelcase.*
	awk '
	NR == FNR {
		if ($0 !~ /^(#|$)/) { n++; file[n] = $1; type[n] = $2 }
		next
	}
	$0 ~ "^" control ":" { reached = 1; next }
	{
		split($0, part, ":")
		for (i = 1; i <= n; i++)
			if (part[1] ~ file[i] && part[4] == type[i])
				break
		if (i <= n) { used[i] = 1; next }
		print
		bad = 1
	}
	END {
		for (i = 1; i <= n; i++)
			if (!used[i]) {
				print allow ": not needed any more: " file[i] " " type[i]
				bad = 1
			}
		if (!reached) {
			print "checkpatch did not complain about " control
			bad = 1
		}
		exit bad
	}' allow="$allow" control="$control" "$allow" "$out/checkpatch"
}

# The build itself warns, for lack of nothing: the headers have no vmlinux.
warnings()
{
	flock "$build/lock" "$vm/kernel.sh" 6.12 >&2
	rm -rf "$build/modules/lint"
	"$vm/modules.sh" "$(kernel_dir 6.12)" lint W=1 C=2 SIMD_COPY_PLANT=1 || return 1
	set -- "$build/modules/lint"
	grep -q "^  CHECK " "$1/build.log" || { echo "sparse did not run"; return 1; }
	! sed "s|$1/||" "$1/build.log" |
		grep -iE 'warning|error:|objtool|undefined'
}

shell()
{
	rc=0
	for f in $(sources | xargs grep -lE '^#!/bin/(ba)?sh'); do
		sh -n "$f" || rc=1
		dash -n "$f" || rc=1
		[ -x "$f" ] || { echo "$f:1: is not executable"; rc=1; }
	done
	return $rc
}

set -- checkpatch warnings shell
for hook in tools/testing/lint/*.sh; do
	[ ! -x "$hook" ] || set -- "$@" "$hook"
done

echo "KTAP version 1"
echo "1..$#"
nr=0
bad=0
for check; do
	nr=$((nr + 1))
	if "$check" >"$out/log" 2>&1 </dev/null; then
		verdict=ok
	else
		verdict='not ok'
		bad=1
	fi
	# A hook may report KTAP, which nests, or complain in any form.
	if grep -qE '^K?TAP version' "$out/log"; then
		sed -n '/TAP version/,$s/^/    /p' "$out/log"
	else
		sed 's/^/# /' "$out/log"
	fi
	echo "$verdict $nr $check"
done
exit $bad
