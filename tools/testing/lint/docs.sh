#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# docs.sh: Documentation/ and the kernel-doc comments, to the taste of the kernel's own
# scripts, and with the names that the code has. Reports KTAP.
set -eu
cd "$(realpath "$(dirname "$0")/../../..")"
out=build/lint/docs
. tools/testing/lint/lib.sh
top=$PWD
. tools/testing/vm/kernels.sh

page=Documentation/arch/x86/simd_copy.rst
abi=Documentation/ABI/testing/sysfs-kernel-simd_copy
header=include/asm/simd_page.h

# Those that go into a kernel.
commented()
{
	find include lib arch tests/kunit tools/testing/selftests -name '*.[ch]' | sort
}

# kernel_doc FILE...: fails if a comment has a mistake, and says which
kernel_doc()
{
	perl "$scripts/kernel-doc" -none -Wall -Werror "$@" 2>&1
}

# silent COMMAND...: fails if it says anything
silent()
{
	"$@" >"$out/said" 2>&1 || echo "$1 failed" >>"$out/said"
	cat "$out/said"
	[ ! -s "$out/said" ]
}

get_abi()
{
	perl "$scripts/get_abi.pl" "$@"
}

# tree DIR [PAGE ABI HEADER]: what sphinx reads, as it is in a kernel tree
tree()
{
	set -- "$out/$1" "${2-$page}" "${3-$abi}" "${4-$header}"
	mkdir -p "$1/arch/x86/include/asm" "$1/doc" "$1/ABI/testing"
	cp "$2" "$1/doc/simd_copy.rst"
	cp "$3" "$1/ABI/testing/${abi##*/}"
	cp "$4" "$1/arch/x86/include/asm/simd_page.h"
	get_abi rest --rst-source --dir "$1/ABI" >"$1/doc/abi.rst" 2>/dev/null
	printf '%s\n' Index ===== "" ".. toctree::" "" "   simd_copy" "   abi" >"$1/doc/index.rst"
}

# pages DIR: sphinx has no complaint, as the kernel sets it up
pages()
{
	silent env PYTHONPATH="$scripts/sphinx" PYTHONDONTWRITEBYTECODE=1 \
		sphinx-build -q -C -b dummy -d "$out/$1/doctrees" \
		-D extensions=kerneldoc,sphinx.ext.autosectionlabel \
		-D autosectionlabel_prefix_document=1 -D c_id_attributes=__user \
		-D kerneldoc_srctree="$out/$1" -D kerneldoc_bin="$scripts/kernel-doc" \
		"$out/$1/doc" "$out/$1/html"
}

# What has a name, in the code and in what describes it: one a line.

code_files()
{
	grep -v '^#include' lib/simd_copy/sysfs.c | gcc -E -P - |
		grep -oE '__ATTR\([a-z_]+|debugfs_create_file\("[a-z_]+' | sed 's/.*[("]//'
}

files_in()
{
	grep -oE '/sys/kernel/(debug/)?simd_copy/[a-z_]+' "$1" | sed 's|.*/||'
}

code_symbols()
{
	sed -n 's/^config /CONFIG_/p' Kconfig
}

symbols_in()
{
	grep -oE 'CONFIG_SIMD_COPY[A-Z_]*' "$1"
}

code_parameters()
{
	sed -nE 's/^module_param(_named)?\(([a-z_]+),.*/simd_copy.\2=/p' lib/simd_copy/*.c
}

parameters_in()
{
	grep -oE 'simd_copy\.[a-z_]+=' "$1"
}

code_reasons()
{
	sed -n 's/.*\[SIMD_REFUSED_[A-Z]*\]	*= "\(.*\)".*/\1/p' lib/simd_copy/guard.c
}

# reasons_in PAGE: those of stats that it puts into quotes
reasons_in()
{
	code_reasons | while read -r reason; do
		! grep -q "\`\`$reason\`\`" "$1" || echo "$reason"
	done
}

# Why a case runs stock.
code_whys()
{
	sed -n 's/.*"\(stock: [^"]*\)".*/\1/p' lib/simd_copy/[a-z]*.c
}

whys_in()
{
	grep -o '``stock: [^`]*``' "$1" | tr -d '`'
}

# agree WHAT FILE [HIDDEN]: what the code has is what FILE has, but for what matches HIDDEN
agree()
{
	"code_$1" | grep -vE "${3-^$}" | sort -u >"$out/code" || :
	"$1_in" "$2" | sort -u >"$out/described" || :
	[ -s "$out/code" ] || echo "no $1 in the code: has the way changed that they are written?"
	comm -23 "$out/code" "$out/described" | sed "s|^|$2 has no word on |"
	comm -13 "$out/code" "$out/described" | sed "s|.*|$2: there is no & in the code|"
	[ -s "$out/code" ] && cmp -s "$out/code" "$out/described"
}

# doctor FILE SCRIPT: FILE, changed by sed; the copy is named like it
doctor()
{
	mkdir -p "$out/wrong"
	sed "$2" "$1" >"$out/wrong/${1##*/}"
	! cmp -s "$1" "$out/wrong/${1##*/}" || echo "not ok - control: '$2' changes nothing"
}

# wrong_name WHAT FILE SCRIPT: agree notices when FILE is changed like that
wrong_name()
{
	doctor "$2" "$3"
	is 1 "control: $1 of ${2##*/}, $3" agree "$1" "$out/wrong/${2##*/}" "${4-}"
}

debugfs='^(routines|stats)$'

results()
{
	# shellcheck disable=SC2046 # names without blanks
	is 0 "kernel-doc" kernel_doc $(commented)
	for script in '/^ \* @npages:/d' '/^ \* Return:/d' 's/^ \* simd_clear_pages()/&x/'; do
		doctor $header "$script"
		is 1 "control: kernel-doc, $script" kernel_doc "$out/wrong/simd_page.h"
	done

	is 0 "the ABI is valid" silent get_abi validate --dir Documentation/ABI
	for script in 's/^What:/Where:/' '/^	/d; /^Description/d' 's/_stream//'; do
		mkdir -p "$out/ABI/testing"
		sed "$script" $abi >"$out/ABI/testing/${abi##*/}"
		is 1 "control: ABI, $script" silent get_abi validate --dir "$out/ABI"
	done

	tree good
	is 0 "sphinx" pages good
	doctor $page 's/^Design$/The design/; s/`Hooks`_/`Hook`_/'
	doctor $abi 's/"auto"/``auto"/'
	doctor $header 's/page aligned,/page **aligned,/'
	tree bad "$out/wrong/simd_copy.rst" "$out/wrong/${abi##*/}" "$out/wrong/simd_page.h"
	is 1 "control: sphinx" pages bad
	for what in 'Title underline too short' 'Unknown target name: "hook"' \
			'Inline literal start-string' 'simd_page.h.*Inline strong start-string'; do
		is 0 "control: sphinx, $what" grep -q "$what" "$out/said"
	done

	is 0 "files and ABI agree" agree files $abi "$debugfs"
	wrong_name files $abi 's/copy_stream/copy_streamed/' "$debugfs"
	is 0 "files and page agree" agree files $page
	wrong_name files $page '/debug\/simd_copy\/stats/d'
	is 0 "Kconfig symbols and page agree" agree symbols $page
	wrong_name symbols $page 's/CONFIG_SIMD_COPY_PLANT/CONFIG_SIMD_COPY/'
	is 0 "parameters and page agree" agree parameters $page
	wrong_name parameters $page 's/simd_copy.clear=/simd_copy.cleared=/'
	for edit in tools/series/edits/parameters/*; do
		is 0 "parameters and $edit agree" agree parameters "$edit"
		wrong_name parameters "$edit" '/simd_copy.copy=/d'
	done
	is 0 "refusals and page agree" agree reasons $page
	wrong_name reasons $page '/``rt_hardirq``/d'
	is 0 "reasons for stock and page agree" agree whys $page
	wrong_name whys $page 's/stock: not measured/stock: unknown/'
}

kernel_scripts >&2
command -v sphinx-build >/dev/null || die "no sphinx-build: install python3-sphinx"
ktap results
