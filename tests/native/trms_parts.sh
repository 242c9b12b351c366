#!/bin/sh
# Tests that the parts of a report add up to the report of the whole run.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers

# Recursion, data from the kernel, signal handlers, and activations that last for several parts. Each SIGUSR1
# requests a part; the program waits for the part, so that parts end inside pending activations.
cat >program.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define ROUTINE __attribute__((noinline)) static
int divides;
static int a[300], handled;
static char text[4096];
ROUTINE int leaf(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]++ & 3; return s; }
ROUTINE int deep(int n) { return n ? leaf(n % 40) + deep(n - 1) + a[n] : a[0]; }
static void handle(int sig) { handled += sig + leaf(7); }
void divide(void);
ROUTINE int halfway(int n)
{
    int s = deep(n);
    divide();
    for (int i = 0; i < n; i++)
        s += a[i];
    return s + deep(n / 2);
}
ROUTINE int outer(int n)
{
    int s = leaf(n), file = open("/dev/zero", O_RDONLY);
    for (int i = 0; i < 3; i++) {
        s += halfway(n + i);
        if (read(file, text, 100 * (i + 1)) < 0)
            abort();
        s += text[0] + text[99];
        raise(SIGUSR2);
    }
    close(file);
    return s;
}
static void *other(void *n) { return (void *)(long)deep((int)(long)n); }
int main(int argc, char **argv)
{
    int threads = argc > 2, s = 0;
    divides = argc > 1 && argv[1][0] == 'd';
    signal(SIGUSR2, handle);
    for (int round = 0; round < 3; round++) {
        s += outer(20 + 30 * round);
        for (int i = 0; threads && i < 2; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, other, (void *)(50L + i));
            pthread_join(thread, NULL);
        }
    }
    return (s + handled) == 42;
}
END

# This file is compiled without aprof-cc, and makes system calls without data, so that it adds no input.
cat >divide.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
extern int divides;
void divide(void)
{
    static int n;
    char name[4096];
    struct timespec nap = {0, 1000000};
    if (!divides)
        return;
    snprintf(name, sizeof name, "%s.part%d", getenv("PARTS"), ++n);
    syscall(SYS_kill, syscall(SYS_getpid), SIGUSR1);
    for (int i = 0; syscall(SYS_access, name, F_OK) != 0; i++, syscall(SYS_clock_nanosleep, 0, 0, &nap, NULL))
        if (i > 20000)
            _exit(9);
}
END
gcc -O1 -c divide.c

# Removes the head, whose words differ, and the checksum from a merged report.
body()
{
    grep -v -E '^(process|options|end|command|complete)' "$1"
}

# adds_up OPTIONS ARGUMENTS: the parts of a run add up to another run without parts.
adds_up()
{
    options=$1
    shift
    rm -f whole parts*
    APROF="out=whole $options" run 0 ./program whole "$@"
    PARTS=$PWD/parts APROF="out=parts $options dump-signal=USR1 dump-parts=100" run 0 timeout 100 ./program divide "$@"
    ! grep '^aprof' err || fail "$last: a message"
    same "$(ls parts.part* | wc -l)" 9 'parts'
    for part in parts parts.part*; do
        run 0 aprof report "$part"
        run 0 aprof export --format=json "$part"
    done
    run 0 aprof merge -o one whole
    run 0 aprof merge -o sum parts parts.part*
    body one >one.body
    body sum >sum.body
    diff one.body sum.body >differences || fail "$options $*: $(head -n 20 differences)"
    measured sum 'routine=outer calls=3' 'routine=halfway calls=9' 'routine=handle calls=9'
    expect=$(awk '$1 == "options"' parts.part3 | grep -c 'part=3')
    same "$expect" 1 'number of the part'
}

for code in $compilers; do
    use_compiler "$code"
    begin "$code: parts and the rest are equal to the whole"
    build "$code" '-O1 -w divide.o' program program.c
    adds_up ''
    adds_up 'metrics=trms edges=no'
    adds_up '' threads
    adds_up 'separate-threads=yes' threads
done
case $compilers in
*inline*)
    begin 'samples: points and the number of calls are equal'
    aprof-cc --aprof=trms,inline,sample -O1 -w -o sampled program.c divide.o -pthread || fail 'no program'
    rm -f parts*
    APROF='out=whole sample=4' run 0 ./sampled whole
    PARTS=$PWD/parts APROF='out=parts sample=4 dump-signal=USR1 dump-parts=100' run 0 timeout 100 ./sampled divide
    run 0 aprof merge -o one whole
    run 0 aprof merge -o sum parts parts.part*
    for report in one sum; do
        # The number of calls, and per routine the recorded calls, their costs and weights, and the points.
        awk '$1 == "sampled" { print $3 } $1 == "profile" { print $2, $4, $5, $6, $8, $9, $10 }
            $1 == "trms" || $1 == "rms"' "$report" | sed 's/^\([0-9]* [0-9]* [0-9]* [0-9]*\) [0-9]* /\1 /' >"$report.body"
    done
    same "$(cat sum.body)" "$(cat one.body)" 'sampled points'
    test "$(grep -c trms one.body)" -gt 20 || fail 'too few points'
    ;;
esac

begin 'only the latest parts are kept'
rm -f parts*
PARTS=$PWD/parts APROF='out=parts dump-signal=USR1 dump-parts=100' run 0 timeout 100 ./program divide
mv parts.part9 ninth
rm -f parts*
# The program waits for each part, which exists until two later parts exist.
PARTS=$PWD/parts APROF='out=parts dump-signal=USR1 dump-parts=2' run 0 timeout 100 ./program divide
same "$(ls parts*)" "$(printf 'parts\nparts.part8\nparts.part9')" 'kept parts'
body ninth >one.body
body parts.part9 >sum.body
same "$(cat sum.body)" "$(cat one.body)" 'the ninth part'

begin 'options'
APROF='out=report dump-parts=3' run 0 ./program whole
expect_error 'dump-parts: needs dump-every or dump-signal'
APROF='out=report dump-parts=3 dump-every=1s contexts=full' run 0 ./program whole
expect_error 'contexts cannot be divided into parts'
test -s report || fail 'no report'

# Threads, signal handlers and forked children run while parts are written every 2 ms. Each call must be
# counted in exactly one part of one process.
cat >storm.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define ROUTINE __attribute__((noinline)) static
static volatile int handled;
static int a[64];
ROUTINE int in_handler(int n) { handled++; return a[n & 63]; }
static void handle(int sig) { in_handler(sig); }
ROUTINE int leaf(const int *from, int n) { int s = 0; for (int i = 0; i < n; i++) s += from[i]; return s; }
ROUTINE int counted(int n) { int own[64] = {n}; return n ? counted(n - 1) + leaf(own, n) : leaf(own, 1); }
static void *thread(void *unused)
{
    int s = 0;
    for (int i = 0; i < 2000; i++)
        s += counted(i % 20);
    return s == 42 ? unused : NULL;
}
static void *starts(void *unused)
{
    for (int i = 0; i < 10; i++) {
        pthread_t other;
        pthread_create(&other, NULL, thread, NULL);
        pthread_join(other, NULL);
    }
    return unused;
}
int main(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    pthread_t threads[3];
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, starts, NULL);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            thread(NULL);
            exit(7);
        }
        int status;
        while (waitpid(child, &status, 0) < 0)
            continue;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
            return 3;
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    return 0;
}
END
for code in $compilers; do
    begin "$code: each call is counted in one part"
    build "$code" '-O1 -w' storm storm.c
    for round in 1 2 3; do
        rm -rf many
        mkdir many
        APROF='out=many/%p dump-every=2ms dump-parts=1000000' run 0 timeout 100 ./storm
        ! grep '^aprof' err || fail "$last: a message"
        test "$(ls many | wc -l)" -gt 25 || fail "round $round: only $(ls many | wc -l) reports"
        find many -type f -exec cat {} + | awk -F '\t' -v round="$round" '
            $1 == "routine" { name[$2] = $6 }
            $1 == "profile" { of = name[$2] }
            $1 == "rms" && of == "counted" { calls += $3; inputs += $2 * $3 }
            END { if (calls != 50 * 2000 * 21 / 2) print "round " round ": " calls " calls" }' >wrong
        same "$(cat wrong)" '' 'calls in all parts'
    done
done
finish
