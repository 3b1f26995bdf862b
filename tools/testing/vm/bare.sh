#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bare.sh: do the commands of the README work in a Debian 12 that has nothing but what
# "debootstrap --variant=minbase" installs, and make, git and ca-certificates? Prints KTAP.
# bare.sh COMMAND [ARGUMENT]...: run a command there, in a clone of this tree
#
# That Debian is a folder below build/bare/, which is gone when this script ends. What is
# mounted in it is in a namespace of its own, and so are the processes. What stays is the
# archive that the folder comes from, and packages that were downloaded.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

bare=$build/bare
suite=bookworm
user=somebody
archives=/var/cache/apt/archives

skip()
{
	echo "KTAP version 1"
	echo "1..0 # SKIP $*"
	exit 4
}

# isolated COMMAND...: with mounts and processes that end when the command does, or when
# this script does
job=
isolated()
{
	# unshare itself complains of how its child ends.
	# shellcheck disable=SC2016 # for the other shell
	setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child sh -euc '
		exec 2>&4 4>&-
		read -r pid rest </proc/self/stat
		echo "$pid" >"$0"
		"$@"' "$root.pid" "$@" </dev/null 4>&2 2>/dev/null &
	job=$!
	wait $job && rc=0 || rc=$?
	job=
	return $rc
}

# link_packages FROM TO: what was downloaded before need not come again
link_packages()
{
	find "$1" -maxdepth 1 -name '*.deb' -exec cp -ln -t "$2" {} + 2>/dev/null || :
}

clean()
{
	if [ -n "$job" ]; then
		# The first process of a namespace takes the others with it.
		kill -KILL "$(cat "$root.pid" 2>/dev/null || echo $job)"
		wait $job || :
	fi
	link_packages "$root$archives" "$bare/packages"
	rm -rf "$root" "$root".*
}

# inside USER COMMAND...: as that user, in the clone of the user
inside()
{
	who=$1
	shift
	# With CDPATH, as some people have it, "cd" prints where it goes.
	# shellcheck disable=SC2016 # for the other shell
	isolated sh -euc '
		root=$0
		mount -t proc proc "$root/proc"
		mount -t sysfs -o ro sysfs "$root/sys"
		user=$1
		shift
		exec chroot "$root" setpriv --reuid="$user" --regid="$user" --init-groups \
			env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb CDPATH=. \
			http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" \
			sh -c "cd ~$user && export HOME=\$PWD && cd ./simd_copy && exec \"\$@\"" \
			sh "$@"' \
		"$root" "$who" "$@"
}

# The package sources of this machine that are Debian 12's own, one a line: URI SUITE COMPONENT
package_sources()
{
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | grep " $suite" | sort -u
}

# Make what is copied from, in $root: a minimal Debian with the package sources of this
# machine.
make_base()
{
	step "making a bare Debian, which takes a minute, once" >&2
	# A machine may have been rid of its package lists.
	[ -n "$(package_sources)" ] || apt-get -qq update </dev/null >&2
	sources=$(package_sources) || skip "this machine has no package sources of Debian 12"
	# Its files live for minutes, and need not be synced to the disk.
	mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
	link_packages $archives "$bare/packages"
	isolated debootstrap --variant=minbase --include=make,git,ca-certificates \
		--cache-dir="$bare/packages" $suite "$root" \
		"$(echo "$sources" | sed -n "s/ $suite main$//p")" \
		>"$bare/debootstrap.log" 2>&1 || {
		cat "$bare/debootstrap.log" "$root/debootstrap/debootstrap.log" >&2 || :
		skip "debootstrap failed: $(tail -n 1 "$bare/debootstrap.log")"
	}
	echo "$sources" | sed 's/^/deb /' >"$root/etc/apt/sources.list"
	# How to get there.
	apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$root/etc/apt/apt.conf" || :
	cp -L /etc/resolv.conf /etc/hosts "$root/etc"
	chroot "$root" useradd -m $user
	rm -f "$root$archives"/*.deb
	tar -cf "$root.tar" -C "$root" .
	mv "$root.tar" "$bare/base.tar"
}

# make_clone FOLDER: of this tree as it is, committed or not
make_clone()
{
	mkdir -p "$1"
	sources | (cd "$top" && xargs cp -a --parents -t "$1")
	(
		unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
		export GIT_CONFIG_GLOBAL=/dev/null
		cd "$1"
		git init -q -b main
		git add -A
		git -c user.name=$user -c user.email=$user@localhost commit -qm "as it is now"
	)
}

not_root_is_told_one_line()
{
	inside $user make run >"$output" 2>&1 && return 1
	cat "$output"
	[ "$(grep -c apt-get "$output")" = 1 ] &&
		grep -qE '^  sudo apt-get update && sudo apt-get install [-a-z0-9 +.]*$' "$output"
}

make_run()
{
	inside root make run >"$output" 2>&1 || rc=$?
	cat "$output"
	[ $rc = 0 ] && [ "$(tail -n 1 "$output")" = "simd_copy: ready" ]
}

make_check()
{
	inside root make check
}

# What root installed is what others were told to, and they can do the rest: whoever
# compiles with a kernel's header downloads one.
not_root_needs_no_more()
{
	# shellcheck disable=SC2016 # for the other shell
	inside $user sh -c 'tools/testing/vm/packages.sh run 6.12 &&
		make -s -C tools/testing/selftests/simd_copy "$PWD/build/harness/64/cpu.o"'
}

# The control: a package that no list of ours names is not to be had.
withheld_package_is_missed()
{
	printf '%s\n' 'Package: pahole' 'Pin: release *' 'Pin-Priority: -1' \
		>"$root/etc/apt/preferences.d/withheld"
	inside root dpkg --purge pahole
	! make_run && grep -q "error: .*apt-get install.* pahole.* failed" "$output"
}

# nothing_left PROGRAM...: of a run of this script by PROGRAM
nothing_left()
{
	"$@" "$0" sh -c 'touch /reached; exec sleep 1000' &
	pid=$!
	until find "$bare" -maxdepth 2 -name reached | grep -q .; do
		kill -0 $pid || return 1
		sleep 0.1
	done
	left=$(find "$bare" -maxdepth 2 -name reached)
	left=${left%/*}
	inner=$(cat "$left.pid")
	# As the terminal does at ^C: to all of the group.
	kill -INT -$pid
	wait $pid && return 1
	! kill -0 "$inner" 2>/dev/null && [ ! -e "$left" ] && [ ! -e "$left.pid" ] &&
		! grep -q "$left" /proc/mounts
}

interrupt_leaves_nothing()
{
	nothing_left setsid env --default-signal=INT
}

[ "$(id -u)" = 0 ] || skip "a bare Debian takes root to be made"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
mkdir -p "$bare/packages"
root=$(mktemp -d "$bare/root.XXXXXX")
output=$root.output
trap clean EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$root"
isolated true || skip "this machine allows no namespaces"
eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
export http_proxy
if [ -e "$bare/base.tar" ]; then
	tar -xf "$bare/base.tar" -C "$root"
else
	make_base
fi
link_packages "$bare/packages" "$root$archives"
make_clone "$root/root/simd_copy"
cp -a "$root/root/simd_copy" "$root/home/$user"
chroot "$root" chown -R $user "/home/$user/simd_copy"

if [ $# != 0 ]; then
	inside root "$@"
	exit
fi
checks "$root.log" not_root_is_told_one_line make_run make_check not_root_needs_no_more \
	withheld_package_is_missed interrupt_leaves_nothing
