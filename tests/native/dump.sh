#!/bin/sh
# Tests that SIGKILL leaves the report of the latest request or interval, for each runtime.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers

echo text >text
chmod +x text

# killed PROFILE VARIABLE OPTIONS LIFE: leaves `report`, which the tools must recognise as unfinished.
killed()
{
    profile=$1
    rm -f report
    if ! test -x "./lives-$profile"; then
        run 0 aprof-cc "--aprof=$profile,hooks" -O1 -g -w -fno-inline -o "lives-$profile" "$here/base_lives.c" -pthread
    fi
    run 137 env "$2=out=report,$3" timeout -s INT 60 "./lives-$profile" "$4" report
    ! grep '^aprof' err || fail "$last: a message"
    run 0 aprof report report
    expect 'end: still running'
    cp out "seen-$profile"
}

# Prints the result of an awk program on the report.
sum()
{
    awk -F '\t' "$1" report
}

method='$1 == "method" { sum += $NF } END { print sum }'
for mode in concurrent sequential; do
    killed events APROF_EVENTS "mode=$mode,dump-signal=USR1" killed
    same "$(sum "$method")" 10 "events, $mode"
    killed events APROF_EVENTS "mode=$mode,dump-every=5ms" killed-later
    same "$(sum "$method")" 6 "events, $mode, every 5 ms"
done

# The events of an unfinished stream also count, because estimates are based on them.
killed events APROF_EVENTS "sampling=100,dump-signal=USR1" killed
same "$(sum '$1 == "options" { print $4, $5 }')" 'made=10 seen=10' 'sampled events'
rm -f aprof.events.*
run 0 env APROF_EVENTS=sampling=100 ./lives-events exec
same "$(awk -F '\t' '$1 == "options" { print $4, $5 }' aprof.events.*)" 'made=6 seen=6' 'before exec'

# calls CALLS WHAT: checks the calls of the routine `work`, in all contexts.
calls()
{
    run 0 aprof contexts report --format=tsv report
    same "$(awk -F '\t' '$7 ~ /work / { sum += $1 } END { print sum }' out)" "$1" "$2"
}
for options in mode=cct mode=hcct mode=cct,burst=60s/59s; do
    killed contexts APROF_CONTEXTS "$options,dump-signal=USR1" killed
    calls 9 "contexts, $options"
    killed contexts APROF_CONTEXTS "$options,dump-every=5ms" killed-later
    calls 5 "contexts, $options, every 5 ms"
done

for options in cost=bb cost=time; do
    killed trms APROF "$options,dump-signal=USR1" killed
    measured report 'routine=work calls=9' 'routine=killed calls=1' 'end=still_running'
    killed trms APROF "$options,dump-every=5ms" killed-later
    measured report 'routine=work calls=5' 'routine=killed_later calls=1' 'end=still_running'
done

# A copy of the process writes these reports, and calls interposed functions of the C library while hooks
# wait: strncmp compares the uninstrumented calling routine with the latest known routine.
cat >plain.c <<'END'
int leaf(int n);
int main_of_others(int n) { return leaf(n) + 1; }
END
cat >calls_plain.c <<'END'
#include <signal.h>
#include <unistd.h>
int main_of_others(int n);
__attribute__((noinline)) int leaf(int n) { return n; }
int main(int argc, char **argv)
{
    int sum = main_of_others(argc);
    if (argc == 1) {
        execl("/bin/true", "true", (char *)0);
        return 3;
    }
    usleep(300000);
    kill(getpid(), SIGKILL);
    return sum;
}
END
gcc -O1 -g -c plain.c
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    APROF_CC_COMPILER=$compiler run 0 aprof-cc --aprof=trms,hooks -O1 -g -w -o calls_plain calls_plain.c plain.o
    rm -f report*
    APROF=out=report run 0 timeout -s INT 60 ./calls_plain
    measured report.exec1 'routine=leaf calls=1' 'end=exec'
    APROF=out=report,dump-every=5ms run 137 timeout -s INT 60 ./calls_plain killed
    measured report 'routine=leaf calls=1' 'end=still_running'
done

# Threads begin and end while reports are written, including the report of the end.
cat >short.c <<'END'
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) static long work(long n) { return n > 1 ? n + work(n - 1) : n; }
static void *thread(void *argument) { return (void *)work((long)argument); }
static void *forever(void *argument)
{
    pthread_t other;
    for (;; usleep(50))
        if (pthread_create(&other, NULL, thread, argument) == 0)
            pthread_detach(other);
    return NULL;
}
int main(void)
{
    pthread_t other;
    for (int i = 0; i < 3; i++)
        pthread_create(&other, NULL, forever, (void *)20);
    usleep(100000);
    return 0;
}
END
for mode in trms events contexts; do
    run 0 aprof-cc --aprof=$mode,hooks -O1 -g -w -o short short.c -pthread
    for round in 1 2 3 4 5; do
        rm -f report*
        APROF=out=report,dump-every=2ms APROF_EVENTS=out=report,dump-every=2ms \
            APROF_CONTEXTS=out=report,dump-every=2ms run 0 timeout -s INT 60 ./short
        test -s report || fail "$mode: no report in round $round"
    done
done

# The thread that waits for the time does not hinder functions that need a process of one thread.
run 0 aprof-cc -O1 -g -w -o identities "$here/identities.c"
status=0
APROF=out=report,dump-every=1ms timeout 60 ./identities user >out 2>err || status=$?
test "$status" = 0 || test "$status" = 77 || fail "unshare: status $status: $(cat err)"
measured report 'routine=leaf calls=200000' 'end=exit'

# The copy that writes the report before exec has its own processor time, which is not the program's.
rm -f aprof.out.*
run 0 env APROF=cost=time ./lives-trms exec
cost=$(awk -F '\t' '$1 == "totals" { print $2 }' aprof.out.*.exec1)
test "${#cost}" -le 12 || fail "cost before exec: $cost ns"
finish
