# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # variables of common.sh; $work: a directory to work in
# Sourced after common.sh: fetches packages of this machine's archives without installing them.

# archives TYPE [SUITE]: what apt below is to read: packages of this TYPE (deb, deb-src) from where this
# machine has its own, of the same suites or of another one. Not each of these places has that.
archives()
{
	mkdir -p "$work/lists/partial" "$work/archives/partial"
	apt-get --print-uris update |
		sed -n "s,^'\(.*\)/dists/\(.*\)/InRelease' .*,$1 \1 ${2:-\\2} main,p" | sort -u >"$work/sources.list"
}

apt()
{
	apt-get -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$work/lists" -o Dir::Cache::Archives="$work/archives" \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

# A failure is the function's: set -e has no effect where || follows.
fetch_backports()
{
	local check=$1 to=$2 deb
	shift 2
	# shellcheck source=/dev/null
	. /etc/os-release
	cd "$work" && archives deb "${suite:-$VERSION_CODENAME-backports}" || return
	apt update || :
	apt download "$@" || return
	for deb in *.deb; do
		dpkg -x "$deb" root || return
	done
	"$check" && mv -T root "$to"
}

# unpack_backports NAME CHECK PACKAGE...: unpacks packages of Debian's backports into $cache/NAME-backports,
# if they are not there yet. CHECK is called where the packages are, and root/ has their files; it fails
# if they are too old. With $suite, packages of that suite into $cache/NAME-SUITE.
unpack_backports()
{
	# CHECK sees the caller's variables: none of their names here.
	local unpacked=$1-${suite:-backports} log=$logs/$1-${suite:-backports}.log
	shift
	mkdir -p "$cache" "$logs"
	lock "$unpacked"
	[ ! -d "$cache/$unpacked" ] || return 0
	work=$(mktemp -d "$cache/${unpacked%-*}.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	say "fetching a newer ${unpacked%-*}, log: $(show "$log")" >&2
	(fetch_backports "$1" "$cache/$unpacked" "${@:2}") >"$log" 2>&1 ||
		{ tail -n 15 "$log" >&2; die "no newer ${unpacked%-*}, see $(show "$log")"; }
}
