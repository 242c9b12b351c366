#!/bin/sh
# Tests that the control file changes the sampling rate of a running program, and does not disturb the program.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers
case $compilers in
*inline*) ;;
*) skip 'no clang, or no instrumenter' ;;
esac
unset APROF_CC_COMPILER

# The program writes the control file itself, and waits until the file has been read: its thread compares the
# file every second.
cat >program.c <<'END'
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define ROUTINE __attribute__((noinline)) static
static int a[100];
ROUTINE int before(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]++ & 3; return s; }
ROUTINE int after(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]++ & 3; return s; }
ROUTINE int both(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]++ & 3; return s; }
static void *phase_one(void *unused)
{
    for (int i = 0; i < 20000; i++)
        a[0] += before(i % 50) + both(i % 50);
    return unused;
}
static void *phase_two(void *unused)
{
    for (int i = 0; i < 20000; i++)
        a[0] += after(i % 50) + both(i % 50);
    return unused;
}
static void in_threads(void *(*phase)(void *), int threads)
{
    pthread_t thread;
    if (!threads) {
        phase(NULL);
        return;
    }
    pthread_create(&thread, NULL, phase, NULL);
    pthread_join(thread, NULL);
}
static int open_files(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}
int main(int argc, char **argv)
{
    int threads = argc > 2 && !strcmp(argv[2], "threads"), files = open_files();
    int forks = argc > 2 && !strcmp(argv[2], "forks");
    in_threads(phase_one, threads);
    if (forks && fork() != 0) {
        int status;
        wait(&status);
        return WEXITSTATUS(status);
    }
    FILE *control = fopen("control.new", "w");
    fputs(argv[1], control);
    fclose(control);
    rename("control.new", "control");
    for (int i = 0; i < 30; i++, usleep(100000))
        if (open_files() != files)
            return 3;
    in_threads(phase_two, threads);
    return 0;
}
END
aprof-cc --aprof=trms,inline,sample -O2 -w -o program program.c -pthread

# Estimated and recorded calls of a routine.
calls()
{
    aprof report --top=0 --format=tsv report | awk -F '\t' -v routine="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["routine"] == routine { print $at["calls"] }'
}
recorded()
{
    aprof export --format=csv report | awk -F , -v routine="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["routine"] == routine && $at["metric"] == "trms" { n += $at["calls"] } END { print n + 0 }'
}

# is_near NUMBER EXPECTED WHAT: the number of estimated calls differs by at most two strata of up to 256 calls.
is_near()
{
    test "${1:-0}" -ge $(($2 - 512)) && test "${1:-0}" -le $(($2 + 512)) || fail "$3: $1 instead of $2"
}

begin 'what the program did while collecting was off is not counted'
for how in one threads; do
    rm -f control
    APROF='out=report sample=8 collect=off control=control' run 0 ./program collect=on $how
    ! grep '^aprof' err || fail "$last: a message"
    same "$(calls before)" '' "calls before, $how"
    is_near "$(calls after)" 20000 "calls after, $how"
    is_near "$(calls both)" 20000 "calls of both, $how"
    grep -q 'control=changed' report || fail 'the report does not name the change'
done

begin 'collecting is turned off'
rm -f control
APROF='out=report sample=8 control=control' run 0 ./program collect=off
is_near "$(calls before)" 20000 'calls before'
same "$(calls after)" '' 'calls after'

begin 'the file is read at the start, and options that it does not name keep their values'
echo collect=off >control
APROF='out=report sample=8 control=control' run 0 ./program 'sample=8'
same "$(calls before)" '' 'calls before'
is_near "$(calls after)" 20000 'calls after'

begin 'another rate, another budget'
rm -f control
APROF='out=report sample=65536 control=control' run 0 ./program sample=2
# At least one call of each stage is recorded.
test "$(recorded before)" -le 10 || fail "recorded with sample=65536: $(recorded before)"
test "$(recorded after)" -gt 200 || fail "recorded with sample=2: $(recorded after)"
rm -f control
APROF='out=report sample=65536 control=control' run 0 ./program sample=50%
test "$(recorded after)" -gt 100 || fail "recorded with sample=50%: $(recorded after)"
rm -f control
APROF='out=report sample=50% control=control' run 0 ./program sample=65536
test "$(recorded before)" -gt 100 || fail "recorded with sample=50%: $(recorded before)"
test "$(recorded after)" -le 10 || fail "recorded with sample=65536: $(recorded after)"

begin 'a forked child reads the file, too'
rm -f control report*
APROF='out=report sample=65536 control=control' run 0 ./program sample=2 forks
mv report.* report
test "$(recorded after)" -gt 200 || fail "recorded in the child: $(recorded after)"

begin 'a stratum of one call has a weight'
cat >one.c <<'END'
#include <stdio.h>
#include <unistd.h>
static int a[100];
__attribute__((noinline)) static int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]++ & 3; return s; }
int main(void)
{
    int s = 0;
    for (int i = 0; i < 63; i++)
        s += f(i);
    FILE *control = fopen("control", "w");
    fputs("sample=65536", control);
    fclose(control);
    sleep(3);
    for (int i = 0; i < 400; i++) /* the first of these calls is the last of its stage */
        s += f(77 + i % 20);
    return s == 42;
}
END
aprof-cc --aprof=trms,inline,sample -O2 -w -o one one.c
rm -f control
APROF='out=report sample=8 control=control' run 0 ./one
run 0 aprof report report
same "$(awk '$1 == "trms" && $2 == 77 { print $NF }' report)" 1 'weight of the only call that reads 77 cells'

begin 'a wrong text is reported once, and changes nothing'
for text in sample=1 sample=60% rate=3; do
    rm -f control
    APROF='out=report sample=8 control=control' run 0 ./program "$text"
    expect_error 'control file'
    same "$(grep -c '^aprof' err)" 1 "messages for $text"
    is_near "$(calls before)" 20000 "calls before, $text"
    is_near "$(calls after)" 20000 "calls after, $text"
done
rm -f control
mkdir control
APROF='out=report sample=8 control=control' run 0 ./program sample=2
! grep '^aprof' err || fail "$last: a message"
same "$(grep -c control=changed report)" 0 'changes by a folder'
rmdir control
APROF='out=report control=control' run 0 ./program sample=2
expect_error 'set sample'
finish
