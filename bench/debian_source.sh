# Sources of real programs for benchmarks, from Debian, without changes of the system's configuration.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Sourced by scripts that have a folder $work and a function fail.

# debian_source PACKAGE: the unpacked source in the folder $work/PACKAGE.
debian_source()
{
    [ ! -d "$work/$1" ] || return 0
    apt=$work/apt
    if [ ! -d "$apt" ]; then
        mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
        list=/etc/apt/sources.list.d/debian.sources
        [ ! -f "$list" ] || sed 's/^Types: deb$/Types: deb-src/' "$list" >"$apt/parts/src.sources"
        [ ! -f /etc/apt/sources.list ] ||
            sed 's/^deb /deb-src /' /etc/apt/sources.list >"$apt/parts/src.list"
    fi
    options="-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$apt/parts
        -o Dir::State::Lists=$apt/lists -o Dir::Cache=$apt/cache"
    # shellcheck disable=SC2086
    (
        cd "$apt"
        [ -e updated ] || apt-get $options update -qq
        touch updated
        # If a mirror lacks the newest version, the version of the release is used.
        apt-get $options source -qq --download-only "$1" ||
            apt-get $options source -qq --download-only "$1/$(. /etc/os-release && echo "$VERSION_CODENAME")"
        dpkg-source --no-check -q -x "$1"_*.dsc "$work/$1"
    ) >"$work/apt.log" 2>&1 || fail "$1: the source package cannot be fetched, see $work/apt.log"
}
