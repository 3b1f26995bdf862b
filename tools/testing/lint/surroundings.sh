#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# surroundings.sh: scripts that run elsewhere than where they were written: with CDPATH in
# the environment, in a folder with a space in its name, against a kernel that clang has
# built. Reports KTAP.
set -eu
cd "$(realpath "$(dirname "$0")/../../..")"
out=$PWD/build/lint/surroundings
. tools/testing/lint/lib.sh
top=$PWD
. tools/testing/vm/kernels.sh

# says TEXT COMMAND...: COMMAND fails, and says TEXT
says()
{
	text=$1
	shift
	"$@" >"$out/said" 2>&1 && return 1
	cat "$out/said"
	grep -qF -e "$text" "$out/said"
}

# relative_cd LIST: the scripts in which "cd" may begin at a folder of CDPATH
relative_cd()
{
	xargs grep -n 'cd "[$](dirname' /dev/null <"$1"
}

# with_cdpath FOLDER: a script of it, called by a path that CDPATH has as well
with_cdpath()
{
	(cd "$1" && CDPATH=$out/decoy:. &&
		export CDPATH && says "no kernel 'none'" tools/testing/vm/kernel.sh none)
}

# in_path NAME: the scripts and the Makefile, in a folder of that name
in_path()
{
	mkdir -p "$out/$1/tools/testing" "$out/$1/lib"
	cp -r tools/testing/vm "$out/$1/tools/testing/"
	cp Makefile "$out/$1"
}

# with_config LINE...: what modules.sh does for a kernel with that in its configuration
with_config()
{
	printf '%s\n' "$@" >"$out/kernel/.config"
	(
		unset LLVM
		PATH=$bin "$out/plain/tools/testing/vm/modules.sh" "$out/kernel" linted >&2 &&
			cat "$out/plain/build/modules/linted/build.log"
	)
}

results()
{
	sources | grep -E '[.]sh$|^[.]ci/' >"$out/list"
	is 1 "no cd to where a script is called from" relative_cd "$out/list"
	relative="cd \"\$(dirname \"\$0\")/../../..\""
	echo "$relative" >"$out/control"
	echo "$out/control" >"$out/list"
	is 0 "control: such a cd" relative_cd "$out/list"
	in_path plain
	mkdir -p "$out/decoy/tools/testing/vm"
	is 0 "CDPATH is not minded" with_cdpath "$out/plain"
	in_path relative
	for script in "$out"/relative/tools/testing/vm/*.sh; do
		sed "s|^top=.*|top=\$($relative; pwd)|" "$script" >"$out/control"
		cat "$out/control" >"$script"
	done
	is 1 "control: CDPATH is minded" with_cdpath "$out/relative"

	for name in 'a space' a:colon; do
		in_path "$name"
		path="the path of this tree, '$out/$name'"
		is 0 "make says that there is $name" says "$path" make -C "$out/$name" run
		is 0 "a script, too: $name" \
			says "$path" "$out/$name/tools/testing/vm/run.sh" 6.12
	done
	is 0 "control: another path" says "no kernel 'none'" make -C "$out/plain" run KERNEL=none

	# All programs of this machine, but for clang.
	bin=$out/bin
	mkdir "$bin" "$out/kernel"
	ln -s /usr/bin/* /bin/* "$bin" 2>/dev/null || :
	rm -f "$bin"/clang* "$bin"/ld.lld*
	# shellcheck disable=SC2016 # make's own variable
	printf 'modules:\n\t@echo "LLVM is $(LLVM)."\n' >"$out/kernel/Makefile"
	clang="CONFIG_CC_IS_CLANG=y CONFIG_CLANG_VERSION=990102"
	with_config CONFIG_CC_IS_GCC=y >"$out/gcc"
	is 0 "gcc's kernel" grep -qx "LLVM is ." "$out/gcc"
	is 0 "clang's kernel, and no clang" says \
		"sudo apt-get install clang-99 lld-99 llvm-99" with_config $clang
	ln -s /bin/true "$bin/clang"
	ln -s /bin/true "$bin/ld.lld"
	with_config $clang >"$out/other"
	is 0 "clang's kernel, and another clang" grep -qx "LLVM is 1." "$out/other"
	ln -s /bin/true "$bin/clang-99"
	ln -s /bin/true "$bin/ld.lld-99"
	with_config $clang >"$out/same"
	is 0 "clang's kernel, and that clang" grep -qx "LLVM is -99." "$out/same"
}
ktap results
