#!/bin/sh
# Tests that inline checks have the measurements of hooks, for all memory layouts of the process.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tests run with and without the direct-mapped shadow.
. "${0%/*}/../lib.sh"

need_compilers
case $compilers in
*inline*) ;;
*) skip 'no clang, or no instrumenter' ;;
esac
unset APROF_CC_COMPILER

# Calls of every depth, reads by ancestors, input from the kernel, fresh memory, memory functions.
cat >program.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUTINE __attribute__((noinline))

#ifdef BY_NUMBER
static void *map_by_number(void *at, unsigned long bytes, long protection, long flags, long file, long offset)
{
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
#define mmap map_by_number
#endif

static unsigned numbers[100000];
static unsigned char text[5000];
static volatile unsigned result;

ROUTINE static unsigned sum(const unsigned *from, unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s += from[i];
    return s;
}

ROUTINE static void fill(unsigned *to, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = i * 7919;
}

ROUTINE static unsigned descend(const unsigned *from, unsigned depth)
{
    unsigned s = from[depth];
    if (depth)
        s += descend(from, depth - 1) + from[depth / 2];
    return s + from[depth];
}

ROUTINE static unsigned letters(const unsigned char *from, unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s += from[i];
    return s;
}

struct shape { unsigned side[12]; double weight; };
ROUTINE static struct shape turned(const struct shape *from)
{
    struct shape to = *from;
    to.side[0] = from->side[11];
    return to;
}

ROUTINE static void again(int file)
{
    for (int i = 0; i < 3; i++) {
        if (pread(file, text, 1000, 0) != 1000)
            abort();
        result += letters(text, 500 + 100 * i);
    }
}

int main(int argc, char **argv)
{
    int file = open(argv[argc - 1], O_RDONLY);
    struct shape shape = {.weight = 2};
    fill(numbers, 100000);
    for (unsigned i = 1; i < 50; i++)
        result += sum(numbers + i, 100 * i) + descend(numbers, i);
    again(file);
    unsigned *mapped = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, file, 0);
    result += sum(mapped, 1024) + sum(mapped, 1024);
    for (int i = 0; i < 3; i++) {
        unsigned *fresh = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        result += sum(fresh, 1000);
        fill(fresh, 1000);
        result += sum(fresh, 1000);
        munmap(fresh, 1 << 20);
    }
#ifdef ELSEWHERE /* 4 TiB below the numbers, as far as the direct-mapped shadow is concerned */
    unsigned long place = ((unsigned long)numbers & 0x3fffffff000) + 0x300000000000;
    unsigned *far = mmap((void *)place, 1 << 20, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    result += sum(far, 2000);
    fill(far, 1000);
    result += sum(far, 2000) + sum(numbers, 3000);
#endif
#ifdef LOCKED
    mlockall(MCL_CURRENT);
    result += sum(numbers, 3000);
#endif
    for (unsigned i = 0; i < 20; i++) {
        shape.side[11] = i;
        shape = turned(&shape);
    }
    memmove(numbers + 10, numbers, 4000);
    memset(numbers, argc, 2000);
    result += sum(numbers, 2000) + (unsigned)shape.weight;
    if (getenv("MAPS"))
        for (int c; (c = open("/proc/self/maps", O_RDONLY)) >= 0;) {
            ssize_t n;
            while ((n = read(c, text, sizeof text)) > 0)
                if (write(1, text, (size_t)n) != n)
                    abort();
            break;
        }
    return 0;
}
END
head -c 8192 /dev/urandom >file

# alike HOW COMMAND...: checks that the program's points equal the points of hooks.
alike()
{
    begin "$1"
    shift
    rm -f report
    APROF=out=report run 0 "$@"
    ! grep '^aprof' err || fail "$last: a message"
    all_points report >found.points
    cmp -s hooks.points found.points || fail "$(diff hooks.points found.points | head -8)"
}

# The mappings where direct-mapped shadows are put, in this memory layout.
direct_shadows()
{
    MAPS=1 APROF=out=maps.report "$@" file | awk -F '[- ]' '{
        if (length($1) == 12 && $1 >= "158000000000" && $1 < "2a8000000000") n++ } END { print n + 0 }'
}

for flags in -O0 -O2 '-O2 -fPIE -pie' '-O2 -no-pie' '-O3 -march=native' '-O2 -DELSEWHERE' '-O2 -DELSEWHERE -DBY_NUMBER' '-O2 -DLOCKED' -O1; do
    begin "$flags: compiles"
    # shellcheck disable=SC2086
    {
        APROF_CC_COMPILER=clang aprof-cc --aprof=trms,hooks -w $flags -o hooks program.c || fail 'with hooks'
        aprof-cc --aprof=trms,inline -w $flags -o inline program.c || fail inline
    }
    APROF=out=hooks.report run 0 ./hooks file
    all_points hooks.report >hooks.points
    alike "$flags: a direct-mapped shadow" ./inline file
    case $flags in
    *-D*) ;;
    *) same "$(direct_shadows ./inline)" 1 'direct-mapped shadows' ;;
    esac
    alike "$flags: little address space" sh -c 'ulimit -v 4000000; exec ./inline file'
    alike "$flags: a stack without limit" sh -c 'ulimit -s unlimited; exec ./inline file'
    alike "$flags: no random addresses" setarch -R ./inline file
done

begin 'other places for mappings: a direct-mapped shadow all the same'
same "$(ulimit -s unlimited && direct_shadows ./inline)" 1 'direct-mapped shadows'

# With random addresses, mappings may have words in common.
begin 'little address space: a narrow direct-mapped shadow, mostly'
found=0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    found=$((found + $(ulimit -v 8000000 && direct_shadows ./inline)))
done
[ "$found" -ge 3 ] || fail "$found direct-mapped shadows in 12 runs"
same "$(ulimit -v 900000 && direct_shadows ./inline)" 0 'direct-mapped shadows in less than a GiB'

# says REPORT WORD: checks the option about direct-mapped shadows in the report; '': none.
says()
{
    same "$(awk -F '\t' '$1 == "options" { for (i = 2; i <= NF; i++) if ($i ~ /^direct_shadow=/) print $i }' "$1")" "$2" \
        "options of $1"
}

# committed KB COMMAND...: runs the command as if vm.overcommit_memory were 2 with KB of free memory.
committed()
{
    printf 'CommitLimit: %s kB\nCommitted_AS: 0 kB\n' "$1" >meminfo
    echo 2 >overcommit
    shift
    unshare -rm sh -c 'mount --bind overcommit /proc/sys/vm/overcommit_memory && mount --bind meminfo /proc/meminfo &&
        exec "$@"' sh "$@"
}

begin 'reports say where there is no direct-mapped shadow'
APROF=out=report run 0 ./inline file
says report ''
APROF=out=report run 0 sh -c 'ulimit -v 900000; exec ./inline file'
says report direct_shadow=none

if committed 1000000000 true 2>/dev/null; then
    begin 'what is reserved counts as used: mostly a narrow direct-mapped shadow of what is left, and none in less than a GiB'
    found=0
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        found=$((found + $(direct_shadows committed 1000000000 ./inline)))
    done
    [ "$found" -ge 3 ] || fail "$found direct-mapped shadows in 12 runs"
    same "$(direct_shadows committed 1000000 ./inline)" 0 'direct-mapped shadows'

    begin 'there, a program that forks gives its direct-mapped shadow up before: the child would have another one'
    cat >fork.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned cells[1000];
__attribute__((noinline)) static unsigned sum(int n) { unsigned s = 0; while (n--) s += cells[n]; return s; }
static int direct_shadows(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    int n = 0;
    for (unsigned long from; fgets(line, sizeof line, maps);)
        n += sscanf(line, "%lx-", &from) == 1 && from >= 0x158000000000 && from < 0x2a8000000000;
    fclose(maps);
    return n;
}
int main(void)
{
    int status, before = direct_shadows();
    for (int i = 0; i < 1000; i++)
        cells[i] = i;
    unsigned s = sum(500);
    pid_t child = fork();
    s += sum(1000);
    if (!child)
        return direct_shadows() + (s == 0);
    if (wait(&status) != child || status)
        return 9;
    return 10 * before + direct_shadows();
}
END
    aprof-cc --aprof=trms,inline -w -O1 -o fork fork.c
    for _ in 1 2 3 4 5 6; do # sometimes no address is free
        rm -f ./*.forked
        status=0
        APROF=out=%p.forked committed 1000000000 ./fork >out 2>err || status=$?
        [ "$status" = 0 ] || break
    done
    same "$status" 10 'direct-mapped shadow before, and none after'
    for report in *.forked; do
        says "$report" direct_shadow=lost
        measured "$report" 'routine=sum input=1000 calls=1'
    done
fi

if command -v valgrind >/dev/null; then
    alike 'under Valgrind' valgrind -q --tool=none ./inline file
    same "$(direct_shadows valgrind -q --tool=none ./inline 2>/dev/null)" 0 'direct-mapped shadows'
    alike 'under memcheck, which would read and write for minutes what it keeps of a direct-mapped shadow' \
        timeout 120 valgrind -q --tool=memcheck ./inline file
fi

# Blocks of every size, until the heap and the mappings have left a narrow direct-mapped shadow's places.
cat >grow.c <<'END'
#include <stdlib.h>
#define ROUTINE __attribute__((noinline)) static
ROUTINE unsigned sum(const unsigned *p, size_t n) { unsigned s = 0; while (n--) s += p[n]; return s; }
ROUTINE void fill(unsigned *p, size_t n) { while (n--) p[n] = n; }
int main(void)
{
    static unsigned *all[150];
    unsigned s = 0;
    for (int i = 0; i < 150; i++) {
        size_t bytes = i % 3 ? 100000 : 10 << 20;
        all[i] = i % 5 ? malloc(bytes) : aligned_alloc(4096, bytes / 4096 * 4096);
        fill(all[i], 1000 + i);
        for (int j = 0; j <= i; j += 7)
            s += sum(all[j], 1000);
    }
    return s == 0;
}
END
APROF_CC_COMPILER=clang aprof-cc -w -O1 -o hooks grow.c
aprof-cc --aprof=trms,inline -w -O1 -o inline grow.c
APROF=out=hooks.report run 0 ./hooks
all_points hooks.report >hooks.points
for limit in '-v 1800000' '-v 4000000' '-d 2400000'; do
    alike "ulimit $limit: memory leaves the places of a narrow direct-mapped shadow" sh -c "ulimit $limit; exec ./inline"
done

begin 'a program that limits its own address space has all of it'
cat >limits.c <<'END'
#include <stdlib.h>
#include <sys/resource.h>
__attribute__((noinline)) static int first(const int *p) { return *p; }
int main(int argc, char **argv)
{
    struct rlimit limit = {1 << 30, 1 << 30};
    static int number;
    number = argc - 1;
    int before = first(&number);
    if (setrlimit(RLIMIT_AS, &limit))
        return 1;
    char *block = malloc(100 << 20);
    return block ? before + first(&number) : 2;
}
END
aprof-cc --aprof=trms,inline -w -O1 -o limits limits.c
APROF=out=report run 0 ./limits
measured report 'routine=first calls=2 trms=1x2'

begin 'one that does so while other threads have direct-mapped shadows keeps the limit that it had; what it forks has the new one'
cat >limits.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_barrier_t both;
static int number;
__attribute__((noinline)) static int first(const int *p) { return *p; }
static void *work(void *unused)
{
    int own = first(&number);
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return own + first(&number) ? &number : unused;
}
static int limit_all(void)
{
    struct rlimit limit = {1 << 30, 1 << 30}, old, now;
    char *block;
    if (prlimit(0, RLIMIT_AS, &limit, &old) || getrlimit(RLIMIT_AS, &now) || !(block = malloc(100 << 20)))
        return 2;
    memset(block, 1, 100 << 20);
    return now.rlim_cur == old.rlim_cur;
}
int main(int argc, char **argv)
{
    pthread_t other;
    int status;
    pthread_barrier_init(&both, 0, 2);
    if (argc > 1 || pthread_create(&other, 0, work, 0))
        return 3;
    pthread_barrier_wait(&both);
    pid_t child = fork();
    if (!child)
        _exit(limit_all());
    if (waitpid(child, &status, 0) < 0 || status)
        return 4;
    if (limit_all() != 1)
        return 5;
    pthread_barrier_wait(&both);
    pthread_join(other, 0);
    return 0;
}
END
aprof-cc --aprof=trms,inline -w -O1 -o limits limits.c -pthread
APROF=out=%p.limited run 0 ./limits

begin 'a child that was forked in a signal handler goes on with what that interrupted'
cat >handler.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned cells[1000];
static volatile int forked = -1;
static void handler(int signal)
{
    forked = fork();
}
__attribute__((noinline)) unsigned sum(int rounds)
{
    unsigned s = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 1000; i++)
            cells[i] += s += r ^ i;
    return s;
}
int main(void)
{
    struct itimerval soon = {.it_value = {0, 10000}};
    int status;
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (forked < 0)
        sum(1000);
    if (!forked)
        return !sum(2);
    return waitpid(forked, &status, 0) < 0 || status ? 4 : 0;
}
END
for profile in trms,inline trms,hooks; do
    APROF_CC_COMPILER=clang aprof-cc "--aprof=$profile" -w -O1 -o handler handler.c
    APROF=out=%p.forked run 0 ./handler
done

begin 'a range that is written while the first signal handler makes the second ctx is known to have been written'
cat >midst.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#define CELLS (4 << 20)
static int *cells;
static volatile int hit, result;
__attribute__((noinline)) static void handler(int number) { hit = number; }
__attribute__((noinline)) static void *reader(void *unused)
{
    int sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += cells[i];
    result = sum;
    return unused;
}
int main(int argc, char **argv)
{
    struct itimerval soon = {{0, 0}, {0, atoi(argv[1])}};
    pthread_t thread;
    signal(SIGALRM, handler);
    cells = malloc(4 * CELLS);
    memset(cells, 0, 4 * CELLS);
    setitimer(ITIMER_REAL, &soon, NULL);
    memset(cells, argc, 4 * CELLS);
    while (!hit)
        ;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    return 0;
}
END
APROF_CC_COMPILER=clang aprof-cc --aprof=trms,inline -w -g -O2 -pthread -o midst midst.c || fail 'does not compile'
for after in 2000 2700 3600 4900 6600 8900 12000 16000 22000 30000; do
    APROF=out=report run 0 timeout 60 ./midst $after
    measured report 'routine=reader induced_thread=4194306 induced_external=0'
done

begin 'a range that is written while a timer makes the second thread is known to have been written'
cat >timer.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define CELLS (4 << 20)
static int *cells;
static volatile int written, result, done;
__attribute__((noinline)) static void reader(void)
{
    int sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += cells[i];
    result = sum;
}
__attribute__((noinline)) static void expired(union sigval value)
{
    (void)value;
    while (!written)
        ;
    reader();
    done = 1;
}
int main(int argc, char **argv)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD};
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000 * atoi(argv[1])}};
    timer_t timer;
    event.sigev_notify_function = expired;
    cells = malloc(4 * CELLS);
    memset(cells, 0, 4 * CELLS);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    for (unsigned i = 0; i < CELLS; i++)
        cells[i * 2654435761u % CELLS] = argc;
    written = 1;
    while (!done)
        ;
    return 0;
}
END
APROF_CC_COMPILER=clang aprof-cc --aprof=trms,inline -w -g -O2 -pthread -o timer timer.c || fail 'does not compile'
for after in 4900 8900 16000 30000 60000; do
    APROF=out=report run 0 timeout 60 ./timer $after
    measured report 'routine=reader induced_thread=4194306 induced_external=0'
done

begin 'handlers are left by a jump, and threads cancelled, in the midst of calls and returns'
cat >jumps.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
static sigjmp_buf back;
static volatile int jumps;
static int cells[32];
__attribute__((noinline)) static int leaf(int i) { return cells[i % 32]++; }
__attribute__((noinline)) static int walk(int n) { return n ? walk(n - 1) + leaf(n) : 0; }
static void handler(int signal)
{
    walk(3);
    jumps++;
    siglongjmp(back, signal);
}
static void *work(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        walk(20);
    return unused;
}
int main(void)
{
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    sigsetjmp(back, 1);
    setitimer(ITIMER_REAL, &often, NULL);
    while (jumps < 300)
        walk(30);
    setitimer(ITIMER_REAL, &never, NULL);
    for (int i = 0; i < 30; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL))
            return 1;
        usleep(200);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    return 0;
}
END
for profile in trms,inline trms,hooks; do
    APROF_CC_COMPILER=clang aprof-cc "--aprof=$profile" -w -O1 -o jumps jumps.c -pthread
    APROF=out=report run 0 ./jumps
    run 0 aprof report report
done

begin 'a signal may come behind any instruction of a call or a return'
for compiler in $compilers; do
    build $compiler "-O1 -I$source" steps "$here/trms_steps.c"
    APROF=out=report run 0 timeout 100 ./steps 600
    measured report 'routine=called calls=2400 trms=2x2400' 'routine=below calls=2400 trms=2x2400' \
        "routine=handler calls=$(cut -d ' ' -f 1 out)" 'routine=round_of calls=600'
done

begin 'more threads at once than there is room for wide direct-mapped shadows'
cat >many.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static unsigned common[300];
static pthread_barrier_t all;
__attribute__((noinline)) static unsigned sum(const unsigned *p, int n) { unsigned s = 0; while (n--) s += p[n]; return s; }
static void *work(void *unused)
{
    unsigned mine[100], s = 0;
    for (int i = 0; i < 100; i++)
        mine[i] = i;
    pthread_barrier_wait(&all);
    unsigned *block = malloc(4000);
    for (int i = 0; i < 1000; i++)
        block[i] = i;
    for (int i = 1; i <= 20; i++)
        s += sum(mine, 5 * i) + sum(common, 10 * i) + sum(block, 50 * i);
    free(block);
    pthread_barrier_wait(&all);
    return s ? unused : &all;
}
int main(void)
{
    enum { THREADS = 60 };
    pthread_t threads[THREADS];
    pthread_barrier_init(&all, 0, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], 0, work, 0))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
END
APROF_CC_COMPILER=clang aprof-cc -w -O1 -o hooks many.c -pthread
aprof-cc --aprof=trms,inline -w -O1 -o inline many.c -pthread
APROF=out=hooks.report run 0 ./hooks
all_points hooks.report >hooks.points
alike 'many threads, each with a direct-mapped shadow' ./inline
alike 'many threads in little address space' sh -c 'ulimit -v 8000000; exec ./inline'

begin 'a library and its executable'
cat >library.c <<'END'
__attribute__((noinline)) static int inner(const int *from, int n) { int s = 0; while (n--) s += from[n]; return s; }
int outer(const int *from, int n) { return inner(from, n) + from[0]; }
END
cat >user.c <<'END'
int outer(const int *from, int n);
static int numbers[100];
int main(void) { for (int i = 1; i <= 10; i++) numbers[i] = outer(numbers, i); return 0; }
END
aprof-cc --aprof=trms,inline -O2 -w -fPIC -shared -o libouter.so library.c
aprof-cc --aprof=trms,inline -O2 -o user user.c ./libouter.so
APROF=out=report run 0 ./user
measured report 'routine=inner trms=1x1,2x1,3x1,4x1,5x1,6x1,7x1,8x1,9x1,10x1' 'routine=outer calls=10'

begin 'objects with hooks and objects without, and the linker as optimiser'
aprof-cc --aprof=trms,inline -O2 -c -o library.o library.c
APROF_CC_COMPILER=clang aprof-cc -O2 -c -o user.o user.c
aprof-cc --aprof=trms,inline -o mixed user.o library.o
APROF=out=report run 0 ./mixed
measured report 'routine=inner trms=1x1,2x1,3x1,4x1,5x1,6x1,7x1,8x1,9x1,10x1' 'routine=main calls=1'
if command -v ld.lld >/dev/null; then
    aprof-cc --aprof=trms,inline -O2 -flto -fuse-ld=lld -o whole user.c library.c
    APROF=out=report run 0 ./whole
    measured report 'routine=inner trms=1x1,2x1,3x1,4x1,5x1,6x1,7x1,8x1,9x1,10x1' 'routine=main calls=1'
fi

begin 'tail calls that must be some'
cat >tails.c <<'END'
static int numbers[1000];
__attribute__((noinline)) static int last(int n) { return numbers[n] + numbers[n + 1]; }
static int odd(int n);
__attribute__((noinline)) static int even(int n)
{
    numbers[n]++;
    if (n == 0)
        __attribute__((musttail)) return last(n);
    __attribute__((musttail)) return odd(n - 1);
}
__attribute__((noinline)) static int odd(int n)
{
    numbers[n]++;
    __attribute__((musttail)) return even(n - 1);
}
int main(void) { return even(900) - 2; }
END
aprof-cc --aprof=trms,inline -O1 -o tails tails.c
APROF=out=report run 0 ./tails
measured report 'routine=even calls=451' 'routine=odd calls=450' 'routine=last calls=1 trms=2x1'

begin "locks of one's own in assembly synchronise"
cat >assembly.c <<'END'
#include <pthread.h>
#include <sched.h>
static int turn, data[10], result;
static int exchanged(int *at, int value)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
    return value;
}
static void wait_for(int whose)
{
    for (;;) {
        int found = exchanged(&turn, 9);
        if (found == whose)
            return;
        if (found != 9)
            exchanged(&turn, found);
        sched_yield();
    }
}
__attribute__((noinline)) static void consume(void) { for (int i = 0; i < 10; i++) result += data[i]; }
static void *produce(void *unused)
{
    for (int n = 0; n < 20; n++) {
        wait_for(0);
        for (int i = 0; i < 10; i++)
            data[i]++;
        exchanged(&turn, 1);
    }
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, produce, 0);
    for (int n = 0; n < 20; n++) {
        wait_for(1);
        consume();
        exchanged(&turn, 0);
    }
    pthread_join(thread, 0);
    return result == 10 * 210 ? 0 : 1;
}
END
aprof-cc --aprof=trms,inline -O2 -o assembly assembly.c -pthread
APROF=out=report run 0 timeout 60 ./assembly
measured report 'routine=consume calls=20 induced_thread=200'

# looks FLAGS: prints how many calls routine f has for a read of 4 bytes.
looks()
{
    aprof-cc --aprof=trms,inline -O2 "$@" -c -o known.o known.c
    objdump -dr known.o | awk '/^[0-9a-f]* <f>:/ { is_f = 1 } /^$/ { is_f = 0 }
        is_f && /aprof_trms_read_4/ { n++ } END { print n + 0 }'
}

begin 'what repeats an access does not look, unless something may have synchronised'
cat >known.c <<'END'
void g(void);
struct pair { int a, b; };
int f(struct pair *p, int *other, int way)
{
    int x = p->b;
    *other = 1; /* perhaps there */
    x += p->b;
    if (way) {
        *other = x;
        x += p->b;
    }
#ifdef CALL
    else
        g();
#endif
    *other = 2;
    return x + p->b;
}
END
same "$(looks)" 1 'looks'
same "$(looks -DCALL)" 2 'looks with a call on one way'

# default_of COMMAND...: prints the profiler in the object that the command makes.
default_of()
{
    rm -f default.o
    (
        unset APROF_CC_PROFILE
        "$@" -w -O1 -c -o default.o user.c
    )
    nm default.o | awk '/aprof_trms_enter/ { print "inline"; exit } /__tsan_func_entry/ { print "hooks"; exit }'
}

begin 'without a word it is what clang compiles, and gcc where that is asked for'
same "$(default_of aprof-cc)" inline 'by default'
same "$(default_of aprof-c++ -x c)" inline 'C++ by default'
same "$(default_of env APROF_CC_COMPILER=gcc aprof-cc)" hooks 'gcc'
same "$(default_of env APROF_CC_COMPILER=clang aprof-cc)" inline 'a clang that is named'
same "$(default_of aprof-cc --aprof=trms)" inline 'input sizes'
same "$(default_of aprof-cc --aprof=trms,hooks)" hooks 'hooks'
same "$(default_of env APROF_CC_COMPILER=clang aprof-cc --aprof=trms,hooks)" hooks 'hooks of clang'
same "$(default_of aprof-cc -fopenmp)" hooks 'OpenMP'
same "$(default_of aprof-cc -flto)" hooks 'the linker as optimiser'
(
    unset APROF_CC_PROFILE
    aprof-cc -O2 -fopenmp -c -o user.o user.c
    aprof-cc -O2 -c -o library.o library.c
    aprof-cc -fopenmp -o mixed user.o library.o
) || fail 'does not link'
APROF=out=report run 0 ./mixed
measured report 'routine=inner trms=1x1,2x1,3x1,4x1,5x1,6x1,7x1,8x1,9x1,10x1' 'routine=main calls=1'

begin 'a report in the middle of a loop has its blocks, except for a thousand'
cat >loop.c <<'END'
#include <sys/time.h>
int main(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 200000}}, 0);
    for (unsigned i = 0;; i++)
        __asm__ volatile("" : : "r"(i));
}
END
aprof-cc --aprof=trms,inline -O2 -o loop loop.c
APROF=out=report run 142 sh -c 'timeout 60 ./loop; exit $?' # the alarm is not caught
test "$(sed -n 's/^totals\t\([0-9]*\)\t.*/\1/p' report)" -ge 10000 || fail "few blocks: $(grep totals report)"

# masks FLAGS: prints how often routine f loads the mask of its execution context.
masks()
{
    aprof-cc --aprof=trms,inline -O1 "$@" -c -o loop.o loop.c
    objdump -dr loop.o | awk '/^[0-9a-f]* <f>:/ { is_f = 1 } /^$/ { is_f = 0 }
        is_f && /mov +0x20\(%r[a-z0-9]+\),%r/ && !/%rsp/ { n++ } END { print n + 0 }'
}

begin 'what stays the same is loaded once, in front of a loop, unless the loop calls'
cat >loop.c <<'END'
void g(void);
int f(const int *p, int n)
{
    int x = 0;
    for (int i = 0; i < n; i++) {
        x *= p[i];
#ifdef CALL
        g();
#endif
        x += p[2 * i];
    }
    return x;
}
END
same "$(masks)" 1 'loads'
same "$(masks -DCALL)" 2 'loads with a call between'

begin 'what runs before the runtime starts reads'
cat >early.c <<'END'
static unsigned table[64], sums[2];
__attribute__((noinline)) static unsigned sum(const unsigned *from, unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s += from[i];
    for (unsigned i = 0; i < n; i += 2)
        s += *(const unsigned long long *)(const void *)(from + i) != 0;
    return s;
}
static void early(void)
{
    table[1] = 3;
    sums[0] = sum(table, 64);
    table[1] = 5;
    sums[0] += sum(table, 32);
}
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = early;
int main(void)
{
    sums[1] = sum(table, 64);
    return sums[0] != 10 || sums[1] != 6;
}
END
for level in -O0 -O1 -O2; do
    aprof-cc --aprof=trms,inline $level -g -w -fno-strict-aliasing -o early early.c
    rm -f report
    APROF=out=report run 0 ./early
    test -s report || fail "$level: no report"
done

begin 'gcc has no part in it'
run 2 env APROF_CC_COMPILER=gcc aprof-cc --aprof=trms,inline -c program.c
expect_error 'trms,inline: only clang can compile it'
finish
