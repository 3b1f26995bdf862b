# SPDX-License-Identifier: GPL-2.0
#
# The kernels to test on, and where things are. Sourced by the scripts here,
# with $top set to the top of the source tree.

# name, metapackage of the image, metapackage of the headers
kernels='
6.12     linux-image-6.12-cloud-amd64  linux-headers-6.12-cloud-amd64
6.1      linux-image-cloud-amd64       linux-headers-cloud-amd64
6.12-rt  linux-image-6.12-rt-amd64     linux-headers-6.12-rt-amd64
'

# What to test beside these, as KERNEL[-debug][@CPU]. The CPUs make the kernel save
# registers with FXSAVE or XSAVE, on i386 with FNSAVE too; without one it is all that
# QEMU has. "pentium" has CMOV because Debian's busybox and C library need it: neither
# the kernel nor our modules do. "athlon" keeps the SSE that QEMU gives it: without,
# TCG knows no SFENCE, which is one of the MMX extensions of an Athlon.
guests='
6.12-debug 6.12-rt-debug
6.12@core2duo 6.12@Nehalem 6.12@Haswell 6.12@EPYC
i386 i386@pentium,+cmov i386@pentium2 i386@athlon i386@pentium3 i386@coreduo
i386@core2duo
patched patched-6.1 patched-none patched-none@qemu64 patched-none@Nehalem
patched-none@Haswell patched-none@EPYC patched-i386@pentium,+cmov patched-i386@pentium2
patched-i386@pentium3 patched-i386@athlon patched-i386@coreduo
'

# Seconds for watch.sh, whatever boots. The longest silence of a guest was 24 s, while 12
# others wanted the two CPUs of the machine; the longest of all runs was 15 minutes there.
boot_silence=300
boot_total=5400

build=$top/build
vm=$top/tools/testing/vm
selftests=$top/tools/testing/selftests/simd_copy
start=$(date +%s)

# With it, "cd" may go elsewhere than to the folder of that name here, and prints where.
unset CDPATH

kernel_names()
{
	echo "$kernels" | awk 'NF { printf "%s%s", sep, $1; sep = " " }'
}

# Those that build.sh builds from source.
built_names()
{
	for config in "$vm"/configs/*.config; do
		basename "$config" .config
	done | paste -s -d " "
}

is_built()
{
	[ -n "$1" ] && [ -e "$vm/configs/$1.config" ]
}

# The version of Linux that build.sh builds a kernel from.
built_from()
{
	case $1 in
	*-6.1)	echo 6.1 ;;
	*)	echo 6.12 ;;
	esac
}

is_patched()
{
	case $1 in
	patched|patched-*)	;;
	*)			return 1 ;;
	esac
}

patched_guests()
{
	for guest in $guests; do
		! is_patched "${guest%%@*}" || echo "$guest"
	done
}

# The field of a kernel: 2 image, 3 headers.
kernel_field()
{
	echo "$kernels" | awk -v name="$1" -v field="$2" '$1 == name { print $field }'
}

die()
{
	echo "error: $*" >&2
	exit 1
}

# kbuild takes a space for the end of a name, and make a colon for that of a target.
case $top in
*[[:space:]:]*)
	die "there is a space or a colon in the path of this tree, '$top'." \
		"The kernel's build cannot handle that: move the tree" ;;
esac

check_kernel_name()
{
	[ -n "$(kernel_field "$1" 2)" ] || is_built "$1" ||
		die "no kernel '$1': KERNEL= takes one of $(kernel_names) $(built_names)"
}

# A line of progress, with the seconds since this script started.
step()
{
	printf '[%3d s] %s\n' $(($(date +%s) - start)) "$*"
}

kernel_dir()
{
	if is_built "$1"; then
		echo "$build/kernel/$1"
		return
	fi
	set -- "$build/kernel/$1/usr/src"/linux-headers-*-amd64
	echo "$1"
}

# linux_tar [KERNEL]: set $tar to Debian's source of a kernel
linux_tar()
{
	tar=/usr/src/linux-source-${1-6.12}.tar.xz
	[ -e "$tar" ] || die "no $tar: install linux-source-${1-6.12}"
}

# linux_source [KERNEL]: unpack that into build/linux-KERNEL, once, for all who build
# from it. Several may do so at a time: the first to end wins.
linux_source()
{
	set -- "${1-6.12}"
	linux_tar "$1"
	version=$(stat -Lc '%s %Y' "$tar")
	[ "$(cat "$build/linux-$1/.complete" 2>/dev/null)" != "$version" ] || return 0
	step "unpacking the source of Linux $1"
	mkdir -p "$build"
	rm -rf "$build/linux-$1"
	unpacked=$(mktemp -d "$build/linux-$1.XXXXXX")
	tar -xf "$tar" -C "$unpacked" --strip-components=1
	echo "$version" >"$unpacked/.complete"
	mv -T "$unpacked" "$build/linux-$1" 2>/dev/null || rm -rf "$unpacked"
}

# The files of this tree that git does not ignore, committed or not: one a line.
sources()
{
	cd "$top"
	if [ -e .git ]; then
		git ls-files -co --exclude-standard ||
			die "git does not list the files of $top, see above"
	else
		find . -path ./build -prune -o -type f -print | sed 's|^\./||'
	fi | sort | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done
}

# The kernel's own scripts that check sources, without the rest of it.
scripts=$build/kernel/scripts
kernel_scripts()
{
	set -- scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch \
		scripts/kernel-doc scripts/get_abi.pl Documentation/sphinx/kerneldoc.py \
		Documentation/sphinx/kernellog.py
	[ "$(cat "$scripts/.complete" 2>/dev/null)" != "$*" ] || return 0
	linux_tar
	mkdir -p "$scripts"
	printf 'linux-source-6.12/%s\n' "$@" | tar -xf "$tar" -C "$scripts" \
		--strip-components=2 --occurrence=1 -T - || return 1
	echo "$*" >"$scripts/.complete"
}

# patched_source [KERNEL]: set $patched to the same with the series applied, as it is
# now: links, but for what changes. Who builds from it again finds only those files
# newer.
patched_source()
{
	set -- "${1-6.12}"
	linux_source "$1"
	patched=$build/linux-$1-simd_copy
	exec 7>"$patched.lock"
	flock 7
	if [ "$(cat "$patched/.complete" 2>/dev/null)" != "$version" ]; then
		rm -rf "$patched" "$patched.new"
		cp -al "$build/linux-$1" "$patched.new"
		mv -T "$patched.new" "$patched"
	fi
	"$top/tools/series/apply.sh" --update "$patched" 7>&-
	exec 7>&-
}

# checks FILE CHECK...: a KTAP test of each check, with what it says, through FILE.
# $checker is what runs a check that is none by itself.
checker=
checks()
{
	said=$1
	shift
	echo "KTAP version 1"
	echo "1..$#"
	nr=0
	checks_failed=0
	for check; do
		nr=$((nr + 1))
		result=ok
		${checker:+"$checker"} "$check" >"$said" 2>&1 || {
			result="not ok"
			checks_failed=1
		}
		sed 's/^/# /' "$said"
		echo "$result $nr $check"
	done
	return $checks_failed
}
