#!/bin/sh
# Tests that the recipes of CONTRIBUTING.md, followed exactly in a copy of the sources, build and work.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each recipe names the files that an addition touches. This test makes a copy of the sources and of the
# build, makes one addition of each kind, and touches no file that the recipe does not name. Then the test
# builds, runs the additions, and checks that a release contains all of them.
#
# RECIPES_DISTCHECK=1 tests/recipes.sh        also `make distcheck` with the additions; minutes
# shellcheck disable=SC2154
. "${0%/*}/lib.sh"
need_papers

need automake
need autoconf
case $build in
"$source"/*) folder=${build#"$source"/} ;;
*) skip 'the build folder is not below the sources' ;;
esac
test -w "$source" || skip 'the sources cannot be written, as in a release that is checked'

copy=$scratch/copy
mkdir copy
tar -C "$source" -cf - --exclude=./.git --exclude=./autom4te.cache --exclude="./$folder" . | tar -C copy -xf -
mkdir -p "copy/$folder"
# At the same time, other tests run in the build folder.
tar -C "$build" -cf - --exclude=./ci --exclude='./tests/*.dir' --exclude='*.log' --exclude='*.trs' . 2>unread |
    tar -C "copy/$folder" -xf -
# Replaces the path of the sources in configure's command by the path of the copy, but not as a part of
# another path, such as /aprof in build-aux/aprof.pc.in.
before='\(^\|-I\|[^[:alnum:]_./-]\)'
moved_inside="s,$before$source/,\1$copy/,g"
moved_itself="s,$before$source\([^/[:alnum:]]\),\1$copy\2,g"
find "copy/$folder" -name config.status -o -name '*.Po' | xargs grep -lF "$source/" |
    xargs -r sed -i "$moved_inside"
sed -i "$moved_itself" "copy/$folder/config.status"
(cd "copy/$folder" && ./config.status) >configured 2>&1 || { show configured; fail 'config.status'; finish; }

# ---------------------------------------------------------------- Words of this test

# recipe HEAD [NAME]: extracts the paragraph of CONTRIBUTING.md; the addition has the name NAME.
recipe()
{
    recipe=$1
    name=${2-}
    awk -v head="**$1**" 'index($0, head) == 1 { found = 1 } found && /^$/ { exit } found' "$copy/CONTRIBUTING.md" >recipe
    test -s recipe || fail "CONTRIBUTING.md has no recipe '$1'"
}

# touches FILE: checks that the recipe has FILE in backticks. Leaves the actual file name in $file.
touches()
{
    grep -qF -e "\`$1\`" recipe || fail "$recipe: the recipe does not name $1"
    file=$(echo "$1" | sed "s/NAME/$name/")
    echo "$file" >>touched
}

# add FILE: makes a new file of standard input.
add()
{
    touches "$1"
    cat >"$copy/$file"
}

# change FILE SED-SCRIPT
change()
{
    touches "$1"
    sed "$2" "$copy/$file" >changed
    ! cmp -s changed "$copy/$file" || fail "$recipe: nothing to change in $1"
    cat changed >"$copy/$file"
}

# insert FILE BEFORE: inserts standard input before the first line that begins with BEFORE.
insert()
{
    touches "$1"
    cat >inserted
    awk -v before="$2" 'index($0, before) == 1 && !done { while ((getline line < "inserted") > 0) print line; done = 1 } { print }' \
        "$copy/$file" >changed
    ! cmp -s changed "$copy/$file" || fail "$recipe: no '$2' in $1"
    cat changed >"$copy/$file"
}

# in_copy COMMAND...: runs in the build folder of the copy, with its programs.
in_copy()
{
    (cd "$copy/$folder" && PATH=$copy/$folder/tools:$PATH APROF_SCRIPTS=$copy/scripts && export PATH APROF_SCRIPTS && unset MAKEFLAGS && "$@")
}

# passes TEST...: runs tests of the copy.
passes()
{
    run 0 in_copy make -s check "TESTS=$*"
}

# ---------------------------------------------------------------- The additions

recipe 'A sub-command' count
add tools/cmd_NAME.c <<'END'
/* `aprof count`: how many routines a report has.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/command.h"
#include "lib/report/report_reader.h"

#include <stdio.h>

static int run(const struct command *command, char **argv)
{
    struct options options;
    struct report report;
    struct failure why;
    if (!options_parse(&options, command, argv, NULL))
        return options.status;
    if (!report_read_file(&report, options.operands.at[0], &why))
        return message_failure(&why);
    printf("%zu routines\n", report.routines.count);
    report_free(&report);
    return STATUS_OK;
}

static const struct option_entry count_options[] = {{0}};

const struct command command_count = {
    .name = "count",
    .summary = "counts the routines of a report",
    .usage = "REPORT",
    .details = "Prints how many routines the report has.",
    .options = count_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one report",
    .run = run,
};
END
add docs/aprof-NAME.1 <<'END'
.\" aprof count: how many routines a report has.
.\" SPDX-License-Identifier: GPL-2.0-or-later
.Dd November 23, 2026
.Dt APROF-COUNT 1
.Os
.Sh NAME
.Nm aprof-count
.Nd count the routines of a report
.Sh SYNOPSIS
.Nm aprof Cm count
.Ar report
.Sh DESCRIPTION
Prints how many routines the report has.
.Sh EXIT STATUS
0 if all went well, 1 if the report is bad, 2 if the command line is wrong.
.Sh EXAMPLES
.Dl $ aprof count aprof.out.1234
.Sh SEE ALSO
.Xr aprof 1
END
change tools/local.mk 's|^	\$(papers_events)$|	$(papers_events) \\\n	tools/cmd_count|'
change docs/aprof.1 's/^\.Xr aprof-diff 1 ,$/.Xr aprof-count 1 ,\n&/'
add tests/tools/NAME.sh <<'END'
#!/bin/sh
# `aprof count` counts the routines of a report.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
run 0 aprof count "$data/basic.aprof"
expect "$(grep -c '^routine	' "$data/basic.aprof") routines"
finish
END
chmod +x "$copy/$file"
test_of_count=$file
change tests/local.mk "s|^	tests/tools/history.sh .*|	$test_of_count \\\\\\n&|"

recipe 'A plot' calls
insert lib/export/plot.c '/* All routines of reports' <<'END'
static bool write_calls(const struct plot_request *q, FILE *to)
{
    return write_points(q, to, "calls", calls_of);
}

END
change lib/export/plot.c '/^const struct plot_kind plot_kinds/,/^};/s/^    {0},/    {"calls", "cost.gp", true, false, ": calls", NULL, "calls", false, NULL, write_calls},\n&/'
insert docs/charts.md '| `external`' <<'END'
| `calls` | ![calls](pictures/calls.svg) | how many calls had each size |
END
change docs/aprof-plot.1 's/^\.It Cm thread-induced , external$/.It Cm calls\nhow many calls had each size.\n&/'
change docs/local.mk 's|^	docs/pictures/external.svg.*|	docs/pictures/calls.svg \\\n&|'
touches docs/pictures/NAME.svg

recipe 'An export format' calls
add lib/export/export_NAME.c <<'END'
/* The calls of each routine, a line each.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/export/export.h"

#include <inttypes.h>

static bool calls_report(struct export_writer *w, const struct export_job *job, struct failure *why)
{
    const struct report *r = &job->report;
    (void)why;
    for (size_t i = 0; i < r->profiles.count; i++)
        fprintf(w->stream, "%s %" PRIu64 "\n", r->routines.at[r->profiles.at[i].routine].name,
                r->profiles.at[i].calls);
    return true;
}

const struct export_format export_calls = {"calls", export_nothing, calls_report, export_nothing,
                                           true};
END
insert lib/export/export.h 'extern const struct export_format export_csv,' <<'END'
extern const struct export_format export_calls;

END
change tools/cmd_export.c '/^} formats/,/^};/s/^    {0},/    {"calls", \&export_calls},\n&/'
change lib/local.mk "s|^	lib/export/export_callgrind.c .*|&\\n	lib/export/export_$name.c \\\\|"
change docs/aprof-export.1 's/^\.Ar csv ,$/.Ar calls ,\n&/'

recipe 'An analysis' sizes
# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/p' "$copy/docs/analyses.md" | sed '/^```/d' | add analyses/NAME.c
change analyses/analysis.c 's/A(cache)/& A(sizes)/'
change analyses/local.mk "s|^	analyses/paths.c$|	analyses/paths.c \\\\\\n	analyses/$name.c|"

recipe 'A system call'
change aprof/syscall_wrap.c 's/^    {"msgsnd(msgp->mtext)", LIMIT_SUCCESS},/    {"fsetxattr(value)", LIMIT_SUCCESS},\n&/'
change tests/regress/syscalls_more.c 's/^#include <sys\/wait.h>/&\n#include <sys\/xattr.h>/'
insert tests/regress/syscalls_more.c '/* Two entries of a descriptor' <<'END'
/* The name, 2 cells; errno, 2; nothing of the value, because the call fails: trms 4, rms 4 */
ROUTINE int do_fsetxattr(void)
{
    static char attribute[8] CELL_ALIGNED = "user.a";
    return fsetxattr(-1, attribute, out, 64, 0);
}

END
change tests/regress/syscalls_more.c 's/^    need(do_poll() .*/    sink = do_fsetxattr();\n&/'
insert tests/regress/syscalls_more.test 'expect: routine=do_poll ' <<'END'
expect: routine=do_fsetxattr calls=1 trms=4x1 rms=4x1 induced_thread=0 induced_external=0
END

recipe 'An interposed function'
insert native/trms/interpose/system.c 'GIVES(int, uname, struct utsname)' <<'END'
SYSTEM_CALL(int, mincore, (void *at, size_t n, unsigned char *to), (at, n, to), NOTHING,
            WRITES(to, (n + 4095) / 4096))
END
insert tests/native/trms_libc.c 'ROUTINE void do_uname(void)' <<'END'
ROUTINE void do_mincore(void) /* a byte, external */
{
    keep(mincore((void *)((unsigned long)in & ~4095ul), 1, (unsigned char *)in));
    use(in, 1);
}

END
change tests/native/trms_libc.c 's/^    do_uname();/    do_mincore();\n&/'
change tests/native/trms_libc.sh 's/^    external uname 2 2/    external mincore 1 1\n&/'

recipe 'A field of the report'
change ground/record_schema.h '/^#define RECORD_EDGE_COUNTS/,/^$/s/^    F(number, input, "input", cells, sum)/& \\\
    F(extra, input_most, "input-most", cells, most)/'
change aprof/activation.h 's/^    edge->input += input;/&\n    edge->input_most = input > edge->input_most ? input : edge->input_most;/'
change docs/aprof-out.5 's/^\.It Ic edge Ar caller callee location calls cost input$/& Op Ar input-most/'

# Checks the layout, as tests/format.sh does.
! command -v clang-format >/dev/null || (cd "$copy" && grep '\.[ch]$' "$scratch/touched" | sort -u | xargs clang-format -i)

# ---------------------------------------------------------------- The build with the additions

begin 'everything that was added builds, and the build files are made again without a warning'
for target in pictures all; do
    run 0 in_copy make -s $target
    ! grep -i 'warning' out err >warnings || { fail 'warnings'; show warnings; }
done
test "$failures" = 0 || finish

begin 'a sub-command has help, a page and a test'
run 0 in_copy aprof help
expect '  count '
passes "$test_of_count" tests/tools/help.sh

begin 'a plot is drawn, and shown in the manual'
run 0 in_copy aprof plot --kind=calls heap_sort "$data/growth.aprof" -o "$scratch/calls.svg"
grep -qF '>heap_sort: calls<' calls.svg || fail 'no picture of calls'
passes tests/tools/plot.sh tests/tools/pictures.sh

begin 'an export format is written'
run 0 in_copy aprof export --format=calls "$data/basic.aprof"
expect 'main 1'
passes tests/tools/export.sh

begin 'an analysis runs in a compiled program, and its report is read'
cat >four.c <<'END'
long long a[4];
short b;

int main(int n, char **words)
{
    for (int i = 0; i < 4; i++)
        a[i] = n;
    b = (short)a[n];
    return words == 0;
}
END
run 0 in_copy aprof-cc --aprof=events,memory -O1 -o "$scratch/four" "$scratch/four.c"
run 0 env APROF_EVENTS=analysis=sizes,out="$scratch/four.events" ./four
run 0 in_copy aprof events report "$scratch/four.events"
expect 'accesses in 2 rows'
test "$(sed -n 's/^ *\([28]\)  *\([0-9]*\) .*/\1 \2/p' out | sort | tr '\n' ' ')" = '2 1 8 5 ' || { fail 'other counts'; show out; }
passes tests/analyses/sixth.sh

begin 'a field is measured, read and added; a report without it is read, too'
run 0 in_copy ./vg-in-place -q --tool=aprof --aprof-out-file="$scratch/with.aprof" "$scratch/four"
awk -F '\t' '$1 == "edge" && NF == 10 && $10 > 0 && $10 <= $9 && $10 * $7 >= $9 { n++ } END { print n }' with.aprof >filled
test "$(cat filled)" -gt 10 || { fail 'the field is not filled'; grep '^edge' with.aprof | head >some; show some; }
run 0 in_copy aprof merge -o "$scratch/twice.aprof" "$scratch/with.aprof" "$scratch/with.aprof"
for report in with twice; do
    awk -F '\t' -v OFS='\t' -v times=$((1 + (${#report} > 4))) '$1 == "edge" { print $7 / times, $9 / times, $10 }' $report.aprof >$report.edges
done
same_files twice.edges with.edges 'sums of edges'
run 0 in_copy aprof report "$data/code.aprof"
passes tests/tools/test_schema tests/tools/schema.sh

begin 'a system call of the Valgrind tool is measured'
passes tests/regress/syscalls_more.test

begin 'an interposed function is measured'
passes tests/native/trms_libc.sh

begin 'the tests of the sources accept the additions'
passes tests/listed.sh tests/format.sh tests/includes.sh tests/mentions.sh

# A build without the page makes no release.
has_page || finish
begin 'a release has the additions'
mkdir -p "$copy/debian/aprof/usr"
touch "$copy/debian/aprof/usr/left" "$copy/debian/files"
run 0 in_copy make -s distdir
release=$(find "$copy/$folder" -maxdepth 1 -name 'aprof-[0-9]*' -type d)
sort -u touched | while read -r file; do
    test -f "$release/$file" || echo "$file"
done >missing
test ! -s missing || { fail 'a release lacks files'; show missing; }
test ! -e "$release/debian/files" || fail 'a release has what building packages left'
test ! -d "$release/debian/aprof" || fail 'a release has a staging folder'

if test "${RECIPES_DISTCHECK-}"; then
    begin 'the release builds, passes a test, installs and uninstalls'
    chmod -R u+w "$release"
    rm -rf "$release"
    run 0 in_copy make -s distcheck TESTS="$test_of_count tests/tools/pictures.sh tests/analyses/sixth.sh"
fi

finish
