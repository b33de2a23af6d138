# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # $work of who sources this: a directory to work in
# Sourced by who fetches packages of this machine's archives without installing them.

# archives TYPE [SUITE]: what apt below is to read: packages of this TYPE (deb, deb-src), of the suites
# that this machine uses or of another one. Of that there are no security updates.
archives()
{
	local type=$1 suite=${2:-} f codename
	local sources="s/^Types:.*/Types: $type/" list="s/^deb /$type /p"
	if [ -n "$suite" ]; then
		codename=${suite%%-*}
		sources="$sources; s/^Suites:.*/Suites: $suite/"
		list="/security/d; s/^deb \(.*\) $codename /$type \1 $suite /p"
	fi
	mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/parts"
	for f in /etc/apt/sources.list.d/*.sources; do
		[ ! -f "$f" ] || sed "$sources" "$f" |
			awk -v RS= -v ORS='\n\n' -v suite="$suite" 'suite == "" || !/security/' \
			>"$work/parts/${f##*/}"
	done
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -f "$f" ] || sed -n "$list" "$f" >"$work/parts/${f##*/}.list"
	done
}

apt()
{
	apt-get -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/parts" \
		-o Dir::State::Lists="$work/lists" -o Dir::Cache::Archives="$work/archives" \
		-o APT::Sandbox::User="$(id -un)" "$@"
}
