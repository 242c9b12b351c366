/* Calls the routines of blocks.S, each once.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>
#include "tests/regress/regress.h"

static int from[512] CELL_ALIGNED;
static int to[1024] CELL_ALIGNED;
static char text[100] CELL_ALIGNED;

long straight_194(void), straight_5000(void), straight_loads(int *), loop_1000(void);
long loop_long_body(void), loop_nested(void), jumps(void), not_taken(void), loop_instruction(void);
long jump_on_zero(void), entry_loop(int), cmov(int, int), rep_movsb(void *, void *, long);
long rep_stosl(int *), rep_zero(void *, void *), repne_scasb(char *), repe_cmpsb(int *, int *);
long rep_twice(int *, int *), rep_in_loop(int *), block_syscall(void), block_cpuid(void);
long block_rdtsc(void), block_lock_add(int *), block_cmpxchg(int *), block_divide(void);
long two_calls(void), pop_caller(void), call_next(void);

int main(void)
{
    memset(text, 'a', sizeof text - 1);
    straight_194();
    straight_5000();
    straight_loads(from);
    loop_1000();
    loop_long_body();
    loop_nested();
    jumps();
    not_taken();
    loop_instruction();
    jump_on_zero();
    entry_loop(100);
    cmov(1, 2);
    rep_movsb(to, from, 1000);
    rep_stosl(to);
    rep_zero(to, from);
    repne_scasb(text);
    repe_cmpsb(from, to);
    rep_twice(to, from);
    rep_in_loop(to);
    block_syscall();
    block_cpuid();
    block_rdtsc();
    block_lock_add(to);
    block_cmpxchg(to);
    block_divide();
    two_calls();
    pop_caller();
    call_next();
    return 0;
}
