#!/bin/sh
# Tests that a sampled activation has the measurements that it has in a whole run.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers
case $compilers in
*inline*) ;;
*) skip 'no clang, or no instrumenter' ;;
esac
unset APROF_CC_COMPILER

# Recursion, input from the kernel, memory functions, fresh memory, longjmp over frames, signal handlers,
# callbacks of the library, computed jumps, calls that must be tail calls; each case occurs often enough to be
# sampled.
cat >program.c <<'EOF'
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUTINE __attribute__((noinline)) static

static unsigned numbers[5000], sorted[500], seen_by_handler[64];
static unsigned char text[4096];
static volatile unsigned result;
static jmp_buf back;

ROUTINE unsigned sum(const unsigned *from, unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s += from[i] % 3 ? from[i] : 1;
    return s;
}

ROUTINE void fill(unsigned *to, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = i * 7919;
}

ROUTINE unsigned descend(const unsigned *from, unsigned depth)
{
    unsigned s = from[depth];
    if (depth)
        s += descend(from, depth - 1) + from[depth / 2];
    return s + sum(from, depth % 5) + from[depth];
}

ROUTINE unsigned take(int file, unsigned n)
{
    unsigned s = 0;
    for (int i = 0; i < 3; i++) {
        if (pread(file, text, n, 0) != (ssize_t)n)
            abort();
        for (unsigned k = 0; k < n; k++)
            s += text[k] > 9;
    }
    return s;
}

ROUTINE void leap(unsigned depth)
{
    result += sum(numbers + 7 * depth, depth);
    if (depth == 0)
        longjmp(back, 1);
    leap(depth - 1);
}

ROUTINE void catch(unsigned depth)
{
    if (setjmp(back) == 0)
        leap(depth);
    result += sum(numbers, 11);
}

ROUTINE unsigned note(unsigned *from) { return sum(from, 1 + from[0]++ % 60); }
static void handle(int sig) { seen_by_handler[63] = (unsigned)sig + note(seen_by_handler); }

ROUTINE void interrupted(unsigned n)
{
    result += sum(numbers, n);
    raise(SIGUSR1);
    result += sum(numbers, n / 2);
}

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

ROUTINE unsigned run(const unsigned char *code)
{
    static void *const places[] = {&&add, &&twice, &&end};
    unsigned s = 1;
    goto *places[*code];
add:
    s += sum(numbers, s % 9);
    goto *places[*++code];
twice:
    s *= 2;
    goto *places[*++code];
end:
    return s;
}

ROUTINE unsigned last(unsigned n) { return numbers[n] + numbers[n + 1]; }
ROUTINE unsigned step(unsigned n)
{
    numbers[n]++;
    if (n == 0)
        __attribute__((musttail)) return last(n);
    __attribute__((musttail)) return step(n - 1);
}

ROUTINE void round_of(unsigned i, int file)
{
    static const unsigned char code[] = {0, 1, 0, 1, 1, 0, 2};
    fill(numbers + i, 20 + i);
    result += sum(numbers, i) + descend(numbers, i % 40) + take(file, 100 + i) + step(i % 7);
    catch(i % 13);
    interrupted(i % 17);
    memcpy(sorted, numbers + i, sizeof sorted);
    qsort(sorted, 20 + i % 50, sizeof *sorted, compare);
    unsigned *fresh = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(fresh, 1, i);
    result += sum(fresh, 100) + run(code);
    munmap(fresh, 1 << 16);
}

int main(int argc, char **argv)
{
    int file = open(argv[argc - 1], O_RDONLY);
    signal(SIGUSR1, handle);
    for (unsigned i = 1; i < 700; i++)
        round_of(i, file);
    return 0;
}
EOF
head -c 8192 /dev/urandom >file

# within WHOLE SAMPLED METRICS: each point of the sample consists of activations of the whole run: at most as
# many with an equal input, with costs in the same range, and equal if all are sampled.
within()
{
    awk -F '\t' -v metrics="$3" '
        FNR == 1 { file++ }
        $1 == "routine" { name[file, $2] = $6 }
        $1 == "profile" {
            of = name[file, $2]
            if (file == 1) calls[of] = $4
            else if (!(of in calls)) print of " is not in the whole run"
            else if ($4 > $7 || $7 > calls[of] * 1.04) print of ": " $4 " of " $7 " of " calls[of] " calls"
        }
        index(metrics, $1) && ($1 == "trms" || $1 == "rms") {
            key = of " " $1 " " $2
            line = $3 " " $4 " " $5 " " $6 " " $7 " " $8
            if (file == 1) {
                whole[key] = line
                next
            }
            n++
            if (!(key in whole)) { print key ": no such activation"; next }
            split(whole[key], w, " ")
            if ($3 > w[1] || $4 > w[2] || $5 < w[3] || $6 > w[4] || $7 > w[5] || $8 > w[6] ||
                ($3 == w[1] && line != whole[key]))
                print key ": " line " of " whole[key]
        }
        END { if (n < 20) print n " points only" }' "$1" "$2" >differences
    test ! -s differences || fail "$(head -5 differences)"
}

# Prints the parts of a report that must be equal in two reports of one run.
body()
{
    grep -Ev '^(process|options|command|complete)' "$1"
}

sampled()
{
    APROF="out=$1 sample=$2 sample-seed=$3" run 0 "$4" file
    ! grep '^aprof' err || fail "$last: a message"
}

for flags in -O2 -O0 '-O2 -no-pie' '-O1 -fPIC'; do
    begin "$flags: a program in two versions measures the same"
    # shellcheck disable=SC2086
    {
        aprof-cc --aprof=trms,inline -w $flags -o one program.c || fail inline
        aprof-cc --aprof=trms,inline,sample -w $flags -o two program.c || fail sample
    }
    APROF='out=one.report edges=no' run 0 ./one file
    APROF='out=two.report edges=no' run 0 ./two file
    grep -v '^object' one.report | body - | sed 's/0x[0-9a-f]*\t[0-9]*/PLACE/' >one.body
    grep -v '^object' two.report | body - | sed 's/0x[0-9a-f]*\t[0-9]*/PLACE/' >two.body
    same "$(diff one.body two.body | head -5)" '' 'one version and two'

    begin "$flags: a rate of 1 is the whole run"
    sampled whole '1 edges=no' 1 ./two
    body two.report >two.body
    body whole >whole.body
    same "$(cmp two.body whole.body 2>&1)" '' 'not asked for and 1'

    for seed in 1 2 3; do
        for rate in 2 8; do
            begin "$flags: one of $rate, seed $seed: activations of the whole run"
            sampled some $rate $seed ./two
            within whole some trms,rms
        done
    done
done
begin 'the same seed takes the same'
sampled some 8 1 ./two
sampled again 8 1 ./two
body some >some.body
body again >again.body
same "$(cmp some.body again.body 2>&1)" '' 'twice'

begin 'main is never measured'
! grep -q '^routine.*	main	' some || fail 'it is'

begin 'no direct-mapped shadow: little address space'
run 0 sh -c 'ulimit -v 4000000; APROF="out=some sample=4" ./two file'
within whole some trms,rms

begin 'computed jumps: by tables of addresses and of differences, and whose labels get out'
cat >jumps.c <<'EOF'
#define ROUTINE __attribute__((noinline)) static
static unsigned numbers[3000];
static volatile unsigned result;
static void *kept;
ROUTINE unsigned sum(unsigned n) { unsigned s = 0; while (n) s += numbers[--n]++; return s; }
ROUTINE unsigned absolute(const unsigned char *code, unsigned n)
{
    static void *const places[] = {&&add, &&twice, &&end};
    unsigned s = n;
    goto *(n % 2 ? places[*code] : &&add);
add:
    s += sum(s % 50);
    goto *places[*++code];
twice:
    s *= 2;
    goto *places[*++code];
end:
    return s;
}
ROUTINE unsigned relative(const unsigned char *code, unsigned n)
{
    static const int places[] = {&&add - &&add, &&twice - &&add, &&end - &&add};
    unsigned s = n;
    goto *(&&add + places[*code]);
add:
    s += sum(s % 30);
    goto *(&&add + places[*++code]);
twice:
    s += n + sum(3);
    goto *(&&add + places[*++code]);
end:
    return s;
}
ROUTINE unsigned stored(unsigned n)
{
    if (!kept)
        kept = n % 2 ? &&odd : &&even;
    goto *kept;
odd:
    result++;
    kept = &&even;
    return sum(n % 10);
even:
    kept = &&odd;
    return sum(n % 20) + 1;
}
int main(void)
{
    static const unsigned char code[] = {0, 1, 0, 1, 1, 0, 2};
    for (unsigned i = 1; i < 2000; i++)
        result += absolute(code + i % 6, i) + relative(code + i % 4, i) + stored(i);
    return (int)(result % 64);
}
EOF
for flags in -O2 '-O2 -fPIC' -O1 -O0; do
    # shellcheck disable=SC2086
    {
        clang -w $flags -o plain jumps.c
        aprof-cc --aprof=trms,inline,sample -w $flags -o jumps jumps.c
    }
    status=0
    ./plain || status=$?
    APROF='out=whole sample=1' run "$status" ./jumps
    APROF='out=some sample=4' run "$status" ./jumps
    within whole some trms,rms
    measured whole 'routine=absolute calls=1999' 'routine=stored calls=1999'
    same "$(awk -F '\t' '
        $1 == "routine" { name[$2] = $6 }
        $1 == "profile" { print name[$2] }' some | sort | tr '\n' ' ')" \
        'absolute relative sum ' "$flags: recorded"
done

begin 'exceptions'
cat >throws.cpp <<'EOF'
#define ROUTINE __attribute__((noinline)) static
static unsigned numbers[2000];
static volatile unsigned result;
ROUTINE unsigned sum(unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s += numbers[i]++;
    return s;
}
ROUTINE void thrower(unsigned depth)
{
    struct guard { ~guard() { result += sum(3); } } guard;
    result += sum(depth * 3);
    if (depth == 0)
        throw result + 0;
    thrower(depth - 1);
}
ROUTINE void catcher(unsigned i)
{
    try {
        thrower(i % 20);
    } catch (unsigned) {
        result += sum(i);
    }
}
ROUTINE void passes(unsigned i) { catcher(i); result += sum(i / 2); }
int main() { for (unsigned i = 0; i < 1500; i++) passes(i); }
EOF
APROF_CC_COMPILER=clang aprof-c++ --aprof=trms,inline,sample -O2 -w -o throws throws.cpp
sampled whole 1 1 ./throws
for seed in 1 2 3 4; do
    sampled some 4 $seed ./throws
    within whole some trms,rms
done

begin 'threads: input by rms, and what others write while an activation runs is left out'
cat >threads.c <<'EOF'
#include <pthread.h>
static unsigned shared[1000];
static __thread unsigned own[3000];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define ROUTINE __attribute__((noinline)) static
ROUTINE unsigned sum(unsigned *at, unsigned n) { unsigned s = 0; while (n) s += at[--n]++; return s; }
ROUTINE unsigned work(unsigned i) { return sum(own, i) + sum(own + 5, i / 2); }
ROUTINE unsigned exchange(unsigned n)
{
    pthread_mutex_lock(&lock);
    unsigned s = sum(shared, n);
    pthread_mutex_unlock(&lock);
    return s + work(n % 4);
}
static void *run(void *unused)
{
    unsigned s = 0;
    for (unsigned i = 0; i < 1000; i++)
        s += work(i) + exchange(i % 90);
    own[0] = s;
    return unused;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, run, 0);
    run(0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
EOF
aprof-cc --aprof=trms,inline,sample -O2 -w -o threads threads.c -pthread
sampled whole 1 1 ./threads
for seed in 1 2 3; do
    sampled some 4 $seed ./threads
    within whole some rms
    APROF="out=some sample=4 sample-seed=$seed separate-threads=yes" run 0 ./threads
    same "$(grep -c '^profile.*' some)" 12 'profiles of four threads'
done

begin 'a library has turns of its own'
cat >library.c <<'EOF'
__attribute__((noinline)) static int inner(const int *from, int n) { int s = 0; while (n--) s += from[n]; return s; }
int outer(const int *from, int n) { return inner(from, n) + from[0]; }
EOF
cat >user.c <<'EOF'
int outer(const int *from, int n);
static int numbers[1000];
int main(void) { for (int i = 1; i < 1000; i++) numbers[i] = outer(numbers, i); return 0; }
EOF
aprof-cc --aprof=trms,inline,sample -O2 -w -fPIC -shared -o libouter.so library.c
aprof-cc --aprof=trms,inline,sample -O2 -o user user.c ./libouter.so
sampled whole 1 1 ./user
sampled some 2 1 ./user
within whole some trms,rms

begin 'code that has one version is not recorded, and runs on'
aprof-cc --aprof=trms,inline -O2 -w -c -o library.o library.c
aprof-cc --aprof=trms,inline,sample -O2 -w -c -o user.o user.c
aprof-cc --aprof=trms,inline,sample -o mixed user.o library.o
APROF='out=some sample=2' run 0 ./mixed
same "$(grep -c '^profile' some)" 0 'profiles'

begin 'what cannot be'
aprof-cc --aprof=trms,inline -O2 -o one user.c library.c
APROF='out=report sample=4' run 0 ./one
expect_error 'no code of this process was compiled with --aprof=trms,inline,sample'
measured report 'routine=inner calls=999'
APROF='out=report sample=4 contexts=full' run 0 ./user
expect_error 'contexts cannot be sampled'
APROF='out=report sample=0' run 0 ./user
expect_error 'must be a number from 1 to 65536'
for value in 0% 51% 5.5% %; do
    APROF="out=report sample=$value" run 0 ./user
    expect_error 'or a percentage from 1% to 50%'
done
APROF='out=report sample=5% cost=time' run 0 ./user
expect_error 'a percentage needs cost=bb'

begin 'estimates: early calls are cheap, or late ones, or deep; recursion of one routine and of two'
cat >phases.c <<'EOF'
#define ROUTINE __attribute__((noinline))
int a[1000];
ROUTINE void rises(int n) { for (int i = 0; i < n; i++) if (a[i] & 1) a[i]++; }
ROUTINE void falls(int n) { for (int i = 0; i < n; i++) if (a[i] & 1) a[i]++; }
ROUTINE void stays(int n) { for (int i = 0; i < n; i++) if (a[i] & 1) a[i]++; }
ROUTINE int fib(int n) { return n < 2 ? a[n] : fib(n - 1) + fib(n - 2); }
ROUTINE int odd(int n);
ROUTINE int even(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return n == 0 ? s : s + odd(n - 1); }
ROUTINE int odd(int n) { int s = 0; for (int i = 0; i < 3 * n; i++) s += a[i]; return n == 0 ? s : s + even(n - 1); }
int main(void)
{
    int s = 0;
    for (int i = 0; i < 20000; i++) {
        rises(i < 10000 ? 10 : 500);
        falls(i < 10000 ? 500 : 10);
        stays(255);
        s += fib(i / 10 % 12) + even(i < 10000 ? i % 10 : i % 30);
    }
    return s == 42;
}
EOF
aprof-cc --aprof=trms,inline,sample -O2 -w -o phases phases.c
costs()
{
    aprof report --top=0 --format=tsv "$1" | awk -F '\t' -v word="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print word, $at["routine"], $at["calls"], $at["self_cost"], $at["total_cost"],
              "total_error" in at ? $at["total_error"] : 0 }'
}
sampled all 1 1 ./phases
costs all whole >costs.all
for seed in $(seq 30); do
    sampled some 8 "$seed" ./phases
    costs some sample >>costs.all
done
# Means must be within 2 %. Standard errors must be at least half of the estimates' differences (rising costs
# within strata increase the errors).
awk '$1 == "whole" && $2 != "main" { for (i = 3; i <= 5; i++) whole[$2, i] = $i }
    $1 == "whole" { next }
    { n[$2]++; for (i = 3; i <= 5; i++) sum[$2, i] += $i; squares[$2] += $5 * $5; said[$2] += $6 * $6 }
    END {
        for (f in n) {
            routines++
            for (i = 3; i <= 5; i++) {
                ratio = sum[f, i] / n[f] / whole[f, i]
                if (ratio < .98 || ratio > 1.02) print f " " i ": " ratio
            }
            mean = sum[f, 5] / n[f]
            spread = said[f] ? sqrt((squares[f] / n[f] - mean * mean) / (said[f] / n[f])) : 9
            if (spread > 2) print f ": " spread " times what is said"
        }
        if (routines != 6) print "routines: " routines
    }' costs.all >differences
same "$(cat differences)" '' 'estimates'

begin 'a budget: the rate changes during the run, and estimates stay right'
cat >long.c <<'EOF'
#define ROUTINE __attribute__((noinline)) static
static int a[1000];
ROUTINE int leaf(int n) { int s = 0; for (int i = 0; i < n; i++) { if (a[i] & 1) s += a[i]; a[i] += 3; } return s; }
ROUTINE int middle(int n) { return leaf(n) + leaf(n / 2); }
ROUTINE int most(int n) { int s = 0; for (int i = 0; i < 400; i++) s += middle(n + i % 20); return s; }
int main(void) { int s = 0; for (int i = 0; i < 12000; i++) s += most(i % 50); return s == 42; }
EOF
aprof-cc --aprof=trms,inline,sample -O2 -w -o long long.c
sampled all 1 1 ./long
costs all whole >costs.all
for seed in 1 2 3 4 5 6; do
    sampled some 2% "$seed" ./long
    costs some sample >>costs.all
    awk '$1 == "sampled" && $2 <= 8 { print "the rate has not changed: " $2 }' some
done >unchanged
same "$(cat unchanged)" '' 'rates'
# The differences from the whole run must be within five standard errors.
awk '$1 == "whole" { whole[$2] = $5; next }
    $2 != "main" { n++; off = $5 - whole[$2]; if (off < 0) off = -off; if (off > 5 * $6) print }
    END { if (n != 18) print n " routines" }' costs.all >differences
same "$(cat differences)" '' 'estimates within five standard errors'

begin 'a budget: one long activation does not raise the period several times'
cat >slow.c <<'EOF'
#define ROUTINE __attribute__((noinline)) static
static int a[100];
ROUTINE int leaf(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]++ & 3; return s; }
ROUTINE int slow(int n) { int s = 0; for (int i = 0; i < 300000; i++) s += leaf(n + i % 20); return s; }
int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += slow(i % 50); return s == 42; }
EOF
aprof-cc --aprof=trms,inline,sample -O2 -w -o slow slow.c
for seed in 1 2 3; do
    sampled report 5% "$seed" ./slow
    awk '$1 == "sampled" { print $2 }' report
done >periods
# If windows end inside activations, the least of the three longest periods is at least 2048.
same "$(sort -n periods | awk 'NR == 1 { print ($1 < 1024) }')" 1 "longest periods: $(tr '\n' ' ' <periods)"

begin 'commands tell samples from whole runs'
sampled some 2 1 ./user
run 0 aprof report some
expect 'calls recorded'
expect 'near the root'
cp some other
run 0 aprof merge -o sum some other
expect_not 'error'
same "$(awk '$1 == "sampled" { print $3 }' sum)" \
    "$(awk '$1 == "sampled" { print 2 * $3 }' some)" 'known calls of two'
sampled third 4 1 ./user
run 0 aprof merge -o sum some third
same "$(awk '$1 == "sampled" { print $2 }' sum)" 4 'rate of two'
run 1 aprof merge -o sum some whole
expect_error 'different samples, 2 and 0'
run 2 aprof diff whole some
expect_error 'holds only sampled calls'
run 0 aprof export --format=json some
finish
