#!/bin/sh
# Tests routines of many accesses, whose checks are shorter or are calls, with equal counts.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers
case " $compilers " in *' inline '*) ;; *) skip 'no instrumenter' ;; esac

# sized NAME CASES: writes a routine that, in each case of a switch, reads an element, writes an element and
# reads another element.
sized()
{
    awk -v name="$1" -v n="$2" 'BEGIN {
        print "ROUTINE int " name "(const int *p, int *q)\n{\n    int s = 0;"
        print "    for (int i = 0; i < " n "; i++)\n        switch (i) {"
        for (i = 0; i < n; i++)
            printf "        case %d: q[%d] = p[%d] * %d; s ^= q[%d] + %d; break;\n", i, 5 * i, 3 * i, i * 7 + 3, 5 * i + 2, i * i
        print "        }\n    return s;\n}"
    }'
}

# straight NAME ELEMENTS: writes a routine with these accesses for each element, without a loop.
straight()
{
    awk -v name="$1" -v n="$2" 'BEGIN {
        print "ROUTINE int " name "(const int *p, int *q)\n{\n    int s = 0;"
        for (i = 0; i < n; i++)
            printf "    q[%d] = p[%d] * %d; s ^= q[%d] + %d;\n", 5 * i, 3 * i, i * 7 + 3, 5 * i + 2, i * i
        print "    return s;\n}"
    }'
}

{
    cat <<'END'
#include <pthread.h>
#include <stdio.h>
#define ROUTINE __attribute__((noinline))
static int from[4000], to[4000];
static volatile int result;
END
    sized small 15
    straight no_loop 15
    sized short_checks 150
    sized calls 700
    cat <<'END'
/* Once as they are, and once two bytes further on, where each element lies in two cells. */
static void *all(void *unused)
{
    int s = 0;
    for (int i = 0; i < 4000; i++)
        from[i] = i;
    for (int more = 0; more < 4; more += 2) {
        const int *p = (const int *)((char *)from + more);
        int *q = (int *)((char *)to + more);
        s += small(p, q) + no_loop(p, q) + short_checks(p, q) + calls(p, q);
    }
    result += s;
    return unused;
}

int main(void)
{
    pthread_t thread;
    all(NULL);
    pthread_create(&thread, NULL, all, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", result);
    return 0;
}
END
} >large.c

clang -O1 -w -pthread -o plain large.c || exit 1
./plain >wanted

# Two cells of a misaligned element, neither of which belongs to another element.
cat >expectations <<'END'
routine=small trms=30x2,60x2
routine=no_loop trms=30x2,60x2
routine=short_checks trms=300x2,600x2
routine=calls trms=1400x2,2800x2
END

for flags in -O1 -O2; do
    begin "sizes are those of the accesses: $flags"
    build inline $flags large large.c
    APROF=out=report run 0 ./large
    expect "$(cat wanted)"
    measured_as report expectations
done

# A write must be reported although only a routine of short checks makes it: another thread reads the cell again.
{
    cat <<'END'
#include <pthread.h>
#define ROUTINE __attribute__((noinline))
#define N 150
ROUTINE static void in_thread(void *(*start)(void *), void *to)
{
    pthread_t thread;
    pthread_create(&thread, NULL, start, to);
    pthread_join(thread, NULL);
}
static volatile long result;
END
    for type in char short int long; do
        sized "short_$type" 150 | sed "s/int \*/$type */g"
        cat <<END
static $type from_$type[6 * N], to_$type[6 * N];
static void *write_$type(void *to)
{
    for (int i = 0; i < 2; i++) /* the second time, the old words are its own */
        short_$type(from_$type, to);
    return to;
}
ROUTINE static long sum_$type(const volatile $type *q)
{
    long s = 0;
    for (int i = 0; i < N; i++)
        s += q[5 * i];
    return s;
}
ROUTINE static void twice_$type($type *q)
{
    write_$type(q);
    result += sum_$type(q);
    in_thread(write_$type, q);
    result += sum_$type(q);
    result += sum_$type(q);
}
END
    done
    echo 'int main(void)'
    echo '{'
    for type in char short int long; do
        echo "    twice_$type(to_$type);"
    done
    echo '    return 0;'
    echo '}'
} >shared.c

printf 'twice_%s\n' 'char 150' 'int 150' 'long 300' 'short 150' >wanted
for compiler in $compilers; do
    begin "a thread has written what a routine read before: $compiler"
    build "$compiler" -O1 shared shared.c
    APROF=out=report run 0 ./shared
    all_points report | awk '$1 ~ /^twice_/ && $2 == "trms" { print $1, $5 }' >found
    same_files found wanted "other counts of what the thread wrote"
done

# bytes OBJECT ROUTINE
bytes()
{
    hex=$(nm -S "$1" | awk -v name="$2" '$4 == name { print $2 }')
    echo $((0x$hex))
}

begin 'code stays small where much is read'
clang -O2 -w -c -o plain.o large.c
APROF_CC_PROFILE=trms,inline aprof-cc -O2 -w -c -o large.o large.c
for limit in no_loop=10 short_checks=10 calls=4; do
    name=${limit%=*}
    test "$(bytes large.o $name)" -le $((${limit#*=} * $(bytes plain.o $name))) ||
        fail "$name has $(bytes large.o $name) bytes, and $(bytes plain.o $name) natively"
done

begin 'large routines compare old words in loops without a call'
for loop in '' 'for (int i = 0; i < n; i++)'; do
    {
        echo "void write_all(volatile int *p, int n) { $loop {"
        for i in $(seq 100); do
            echo "p[n + $((5 * i))] = n;"
        done
        echo '} }'
    } >writes.c
    APROF_CC_PROFILE=trms,inline aprof-cc -O2 -w -c -o writes.o writes.c
    nm -u writes.o | grep -c aprof_trms_stored_ >found || :
    same "$(cat found)" "$([ "$loop" ] && echo 0 || echo 1)" "called functions, with the loop '$loop'"
done
finish
