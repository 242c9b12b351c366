/* Random seccomp filters: filter_run must return the kernel's answer.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each filter is tested in a separate child. The filter allows all calls except getppid. For
 * getppid, a random program of straight code and forward jumps returns SECCOMP_RET_ERRNO and 12
 * bits of its result. The child makes the call with random arguments and compares errno.
 */
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aprof/seccomp_filter.h"

#define FILTERS 300
#define CALLS   20
#define BODY    30
#define ERRNOS  0x7ff /* the kernel's maximum is 4095; 0 is no error */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_I386
#endif

_Static_assert(sizeof(struct filter_step) == sizeof(struct sock_filter), "the kernel's layout");
_Static_assert(sizeof(struct filter_call) == sizeof(struct seccomp_data), "the kernel's layout");

static const uint16_t codes[] = {
    BPF_LD | BPF_W | BPF_ABS,
    BPF_LD | BPF_IMM,
    BPF_LDX | BPF_IMM,
    BPF_LD | BPF_MEM,
    BPF_LDX | BPF_MEM,
    BPF_LD | BPF_W | BPF_LEN,
    BPF_LDX | BPF_W | BPF_LEN,
    BPF_ST,
    BPF_STX,
    BPF_MISC | BPF_TAX,
    BPF_MISC | BPF_TXA,
    BPF_ALU | BPF_ADD | BPF_K,
    BPF_ALU | BPF_ADD | BPF_X,
    BPF_ALU | BPF_SUB | BPF_K,
    BPF_ALU | BPF_SUB | BPF_X,
    BPF_ALU | BPF_MUL | BPF_K,
    BPF_ALU | BPF_MUL | BPF_X,
    BPF_ALU | BPF_DIV | BPF_K,
    BPF_ALU | BPF_AND | BPF_K,
    BPF_ALU | BPF_AND | BPF_X,
    BPF_ALU | BPF_OR | BPF_K,
    BPF_ALU | BPF_OR | BPF_X,
    BPF_ALU | BPF_XOR | BPF_K,
    BPF_ALU | BPF_XOR | BPF_X,
    BPF_ALU | BPF_LSH | BPF_K,
    BPF_ALU | BPF_RSH | BPF_K,
    BPF_ALU | BPF_NEG,
    BPF_JMP | BPF_JA,
    BPF_JMP | BPF_JEQ | BPF_K,
    BPF_JMP | BPF_JEQ | BPF_X,
    BPF_JMP | BPF_JGT | BPF_K,
    BPF_JMP | BPF_JGT | BPF_X,
    BPF_JMP | BPF_JGE | BPF_K,
    BPF_JMP | BPF_JGE | BPF_X,
    BPF_JMP | BPF_JSET | BPF_K,
    BPF_JMP | BPF_JSET | BPF_X,
};

static uint32_t any_number(void)
{
    return (uint32_t)rand() >> (rand() % 31);
}

/* A step of the body, `left` steps before its end. */
static struct filter_step any_step(unsigned left)
{
    struct filter_step step = {codes[(size_t)rand() % (sizeof codes / sizeof *codes)], 0, 0,
                               any_number()};

    if (step.code == (BPF_LD | BPF_W | BPF_ABS))
        step.k = 4 * ((uint32_t)rand() % (sizeof(struct filter_call) / 4));
    if (BPF_MODE(step.code) == BPF_MEM || BPF_CLASS(step.code) == BPF_ST ||
        BPF_CLASS(step.code) == BPF_STX)
        step.k %= 3; /* all words are set first: the kernel refuses to load a word that was never
                      * stored */
    if (BPF_CLASS(step.code) == BPF_ALU &&
        (BPF_OP(step.code) == BPF_LSH || BPF_OP(step.code) == BPF_RSH))
        step.k %= 32;
    if (step.code == (BPF_ALU | BPF_DIV | BPF_K) && step.k == 0)
        step.k = 3;
    if (step.code == (BPF_JMP | BPF_JA))
        step.k %= left;
    else if (BPF_CLASS(step.code) == BPF_JMP) {
        step.if_true = (uint8_t)((unsigned)rand() % left);
        step.if_false = (uint8_t)((unsigned)rand() % left);
    }
    return step;
}

static unsigned any_filter(struct filter_step *steps)
{
    unsigned n = 0;

    steps[n++] = (struct filter_step){BPF_LD | BPF_W | BPF_ABS, 0, 0, 0};
    steps[n++] = (struct filter_step){BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_getppid};
    steps[n++] = (struct filter_step){BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    for (uint32_t i = 0; i < 3; i++)
        steps[n++] = (struct filter_step){BPF_ST, 0, 0, i};
    for (unsigned i = 0; i < BODY; i++)
        steps[n++] = any_step(BODY - i);
    steps[n++] = (struct filter_step){BPF_ALU | BPF_AND | BPF_K, 0, 0, ERRNOS};
    steps[n++] = (struct filter_step){BPF_ALU | BPF_OR | BPF_K, 0, 0, SECCOMP_RET_ERRNO | 1};
    steps[n++] = (struct filter_step){BPF_RET | BPF_A, 0, 0, 0};
    return n;
}

/* In a child. The instruction pointer is unknown; a filter that depends on it is not used. */
static int differs(struct filter_step *steps, unsigned n)
{
    struct sock_fprog program = {(unsigned short)n, (struct sock_filter *)steps};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 2;
    for (unsigned i = 0; i < CALLS; i++) {
        struct filter_call call = {SYS_getppid, ARCHITECTURE, 0, {0}};
        uint32_t expected;

        for (unsigned j = 0; j < 6; j++)
            call.arguments[j] = (uintptr_t)any_number() << (rand() % 32);
        expected = filter_run(steps, n, &call);
        errno = 0;
        syscall(SYS_getppid, call.arguments[0], call.arguments[1], call.arguments[2],
                call.arguments[3], call.arguments[4], call.arguments[5]);
        if ((uint32_t)errno != (expected & 0xfff))
            return 1;
    }
    return 0;
}

static bool reads_instruction(const struct filter_step *steps, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (steps[i].code == (BPF_LD | BPF_W | BPF_ABS) && (steps[i].k == 8 || steps[i].k == 12))
            return true;
    }
    return false;
}

static void filters_answer_as_the_kernel_does(void **state)
{
    struct filter_step steps[BODY + 16];
    unsigned tried = 0;

    (void)state;
    srand(1);
    while (tried < FILTERS) {
        unsigned n = any_filter(steps);
        int status;
        pid_t child;

        if (reads_instruction(steps, n))
            continue;
        child = fork();
        if (child == 0)
            _exit(differs(steps, n));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            skip(); /* the kernel has no filters, or forbids them */
        assert_int_equal(status, 0);
        tried++;
    }
}

static void a_division_by_zero_kills(void **state)
{
    const struct filter_step steps[] = {{BPF_LDX | BPF_IMM, 0, 0, 0},
                                        {BPF_ALU | BPF_DIV | BPF_X, 0, 0, 0},
                                        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const struct filter_call call = {0};

    (void)state;
    assert_int_equal(filter_run(steps, 3, &call), FILTER_KILL_THREAD);
}

static void a_program_without_an_end_allows(void **state)
{
    const struct filter_step steps[] = {{BPF_JMP | BPF_JA, 0, 0, 0xffffffffu}};
    const struct filter_call call = {0};

    (void)state;
    assert_int_equal(filter_run(steps, 1, &call), FILTER_ALLOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_answer_as_the_kernel_does),
        cmocka_unit_test(a_division_by_zero_kills),
        cmocka_unit_test(a_program_without_an_end_allows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
