#!/bin/sh
# `aprof run` on scripts and wrappers: a report of each program that does work, whatever starts it.
# SPDX-License-Identifier: GPL-2.0-or-later

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin follow
[ -x "$builddir/tools/aprof" ] || skip "the command aprof has not been built"
export APROF_VALGRIND_LIB="$builddir/.in_place"

case_begin "leaves.c compiles"
compile leaves -O1 leaves.c || :
case_end

# run WORD...: in the work directory.
run() {
    rm -f "$work"/*out*
    status=0
    (cd "$work" && exec timeout 100 "$builddir/tools/aprof" run --vgdb=no "$@") \
        > "$work/stdout" 2> "$work/stderr" < /dev/null || status=$?
}

script() {
    printf '#!/bin/sh\n%s\n' "$1" > "$work/script"
    chmod +x "$work/script"
}

# expect_reports COUNT [PATTERN]: so many reports, each of another process.
expect_reports() {
    found=$(cd "$work" && find . -name "${2:-aprof.out.*}" | sort)
    n=$(printf '%s\n' "$found" | grep -c . || :)
    check "$n reports instead of $1: $found" [ "$n" = "$1" ]
    n=$(cd "$work" && sed -n 's/^process	//p' $found | sort -u | wc -l)
    check "they are of $n processes" [ "$n" = "$1" ]
}

# with_work COUNT [PATTERN]: in so many of them stands the routine.
with_work() {
    n=$(cd "$work" && find . -name "${2:-aprof.out.*}" -exec grep -lw work {} + | wc -l)
    check "work is in $n reports instead of $1" [ "$n" = "$1" ]
}

case_begin "a program: one report, of its process"
run ./leaves stay
expect_status 3
expect_reports 1
with_work 1
case_end

case_begin "a script that turns into the program"
script 'exec ./leaves stay'
run ./script
expect_status 3
expect_reports 1
with_work 1
case_end

case_begin "a script that starts programs, here and elsewhere, with an empty environment"
# shellcheck disable=SC2016
script './leaves stay
home=$(pwd)
cd / && /usr/bin/env -i "$home/leaves" stay
exit 4'
run ./script
expect_status 4
expect_reports 4 # the script, both programs, and the process of pwd
with_work 2
case_end

case_begin "one name for all: the others append their process"
run --aprof-out-file=out ./script
expect_status 4
expect_reports 4 'out*'
with_work 0 out
with_work 2 'out.*'
case_end

case_begin "one name for all, of a child's child"
script '( (exit 3); exit 4 ); exit 5'
run --aprof-out-file=out ./script
expect_status 5
expect_reports 3 'out*'
case_end

case_begin "wrappers have reports if that is wanted"
script 'exec ./leaves stay'
run --wrapper-cost=0 --aprof-out-file=out ./script
expect_status 3
expect out "routine=work calls=1"
expect out.exec1 "end=exec"
case_end

case_begin "what is not followed is named"
script './leaves stay'
run --trace-children=no ./script
expect_status 3
with_work 0
check "no message: $(cat "$work/stderr")" grep -q 'leaves is not profiled' "$work/stderr"
run -q --trace-children=no ./script
expect_status 3
check "-q is not silent: $(cat "$work/stderr")" [ ! -s "$work/stderr" ]
case_end

case_begin "a program with rights of its own runs, and is not profiled"
cp "$work/leaves" "$work/mighty"
chmod u+s "$work/mighty"
script './mighty stay; ./leaves stay'
run ./script
expect_status 3
with_work 1
check "no message" grep -q 'mighty is not profiled: it runs with rights' "$work/stderr"
check "the core complains" [ "$(grep -c setuid "$work/stderr")" = 0 ]
case_end

if [ "$(id -u)" = 0 ]; then
    case_begin "a program in another root runs, and is not profiled"
    mkdir -p "$work/root"
    compile root/leaves "-O1 -static" leaves.c && {
        run --aprof-out-file=out --wrapper-cost=0 ./leaves chroot root exec /leaves
        expect_status 9
        expect out.exec1 "routine=work calls=1"
        check "no message" grep -q '/leaves is not profiled: Valgrind is out' "$work/stderr"
    }
    case_end
fi

case_begin "a program that aprof-cc has compiled: a message"
(cd "$work" && CC=$CC "$builddir/tools/aprof-cc" -O1 -I"$regress" -o compiled \
    "$regress/leaves.c") > "$work/compiler.log" 2>&1 || problem "$(cat "$work/compiler.log")"
run --aprof-out-file=out ./compiled stay
expect_status 3
check "no message: $(cat "$work/stderr")" grep -q 'compiled: .*profiled twice' "$work/stderr"
run --aprof-out-file=out ./leaves stay
check "a false message" [ "$(grep -c 'profiled twice' "$work/stderr")" = 0 ]
case_end

case_begin "a full disk: status 125"
run --aprof-out-file=/dev/full ./leaves stay
expect_status 125
case_end

finish
