# Sourced by the scripts of this folder: reads -b BUILD, and makes a folder `work` that is removed at the end.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034
#
# Sets also here, the folder of the scripts. Other operands stay in $@ after `shift $((OPTIND - 1))`.

build=
while getopts b: option; do
    case $option in
    b) build=$(cd "$OPTARG" && pwd) ;;
    *) exit 2 ;;
    esac
done
[ "$build" ] || { echo "usage: ${0##*/} -b BUILD" >&2; exit 2; }
here=$(cd "${0%/*}" && pwd)
export PATH="$build/tools:$PATH" APROF_VALGRIND_LIB="$build/.in_place" LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
