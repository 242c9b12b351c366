/* Random calls of mem*, str* and wcs* functions: compares counts with byte-exact models.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each model implements the function in the simplest way, by get() and put(), which record the
 * bytes that they access. The interposed function (native/trms/interpose/) calls the real function,
 * and reports accesses to watch_access below. Model and function work on arenas with equal
 * contents. Afterwards results, contents, bytes read and bytes written must be equal.
 *
 * Arguments: number of rounds [2000], seed [1].
 */
#define _GNU_SOURCE
#include "native/base/modules.h"
#include "native/base/environment.h"
#include "native/base/report_output.h"
#include "native/trms/runtime.h"
#include "tests/property/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

#define ARENA      256
#define SECOND     128 /* where the second operand's half begins */
#define TEXT_MOST  40
#define NO_POINTER (-1000)

struct test_arena {
    _Alignas(16) char bytes[ARENA];
    char read[ARENA], written[ARENA];
};

static struct test_arena real, model;
static bool recording;

/* ---------------------------------------------------------------- the runtime's border */

struct trms_executable trms_executable = {0, ~(uintptr_t)0};
static struct trms_exec_context some_exec_context;
struct trms_exec_context trms_nobody;
NATIVE_TLS struct trms_exec_context *trms_current = &some_exec_context;

void watch_access(uintptr_t address, size_t bytes, enum watch_kind kind)
{
    char *marks = kind == WATCH_READ ? real.read : real.written;
    for (size_t i = 0; recording && i < bytes; i++)
        if (address + i - (uintptr_t)real.bytes < ARENA)
            marks[address + i - (uintptr_t)real.bytes] = 1;
}

void watch_kernel_write(uintptr_t address, size_t bytes)
{
    watch_access(address, bytes, WATCH_WRITE);
}

void watch_kernel_read(uintptr_t address, size_t bytes)
{
    watch_access(address, bytes, WATCH_READ);
}

void watch_map_file(uintptr_t address, size_t bytes)
{
    (void)address, (void)bytes;
}

bool trms_direct_shadows_exist(void)
{
    return false;
}

bool trms_direct_shadows_end(void)
{
    return true;
}

bool trms_memory_is_watched;

void trms_memory_given(uintptr_t address, size_t bytes)
{
    (void)address, (void)bytes;
}

void watch_forget(uintptr_t address, size_t bytes)
{
    (void)address, (void)bytes;
}

void watch_thread_sync(void)
{
}

void watch_thread_create(void)
{
}

const struct native_module *native_modules_find(uintptr_t address)
{
    (void)address;
    return NULL;
}

void native_output_keep_folder(void)
{
}

void native_modules_refresh(void)
{
}

void native_message(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
}

/* ---------------------------------------------------------------- models */

static char get(const char *at)
{
    model.read[at - model.bytes] = 1;
    return *at;
}

static void put(char *at, char byte)
{
    model.written[at - model.bytes] = 1;
    *at = byte;
}

static size_t length_of(const char *a)
{
    size_t n = 0;
    while (get(a + n))
        n++;
    return n;
}

static long copy(char *to, const char *from, size_t n)
{
    char kept[ARENA];
    for (size_t i = 0; i < n; i++)
        kept[i] = get(from + i);
    for (size_t i = 0; i < n; i++)
        put(to + i, kept[i]);
    return to - model.bytes;
}

static long fill(char *to, char byte, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(to + i, byte);
    return to - model.bytes;
}

static int folded(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Compares up to the first difference; with `ends`, also up to a common end. */
static long compare(const char *a, const char *b, size_t n, bool ends, bool folds)
{
    for (size_t i = 0; i < n; i++) {
        int x = get(a + i), y = get(b + i);
        if (folds) {
            x = folded((char)x);
            y = folded((char)y);
        }
        if (x != y)
            return x < y ? -1 : 1;
        if (ends && !x)
            return 0;
    }
    return 0;
}

static long place(const char *at)
{
    return at ? at - model.bytes : NO_POINTER;
}

static const char *find(const char *a, char byte, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (get(a + i) == byte)
            return a + i;
    return NULL;
}

static const char *find_last(const char *a, char byte, size_t n)
{
    while (n--)
        if (get(a + n) == byte)
            return a + n;
    return NULL;
}

static long find_in_text(const char *a, char byte, bool or_end)
{
    for (;; a++) {
        char c = get(a);
        if (c == byte)
            return place(a);
        if (!c)
            return place(or_end ? a : NULL);
    }
}

static long find_part(const char *a, const char *part, bool folds)
{
    size_t n = length_of(part);
    for (;; a++) {
        size_t i = 0;
        while (i < n) {
            char c = get(a + i);
            if (!c)
                return place(NULL);
            if (folds ? folded(c) != folded(part[i]) : c != part[i])
                break;
            i++;
        }
        if (i == n)
            return place(a);
    }
}

static long find_bytes(const char *a, size_t n, const char *part, size_t part_bytes)
{
    if (!part_bytes || part_bytes > n)
        return place(part_bytes ? NULL : a);
    for (size_t i = 0; i < part_bytes; i++)
        get(part + i);
    for (size_t at = 0; at + part_bytes <= n; at++) {
        size_t i = 0;
        while (i < part_bytes && get(a + at + i) == part[i])
            i++;
        if (i == part_bytes)
            return place(a + at);
    }
    for (size_t i = 0; i < n; i++) /* a search may stop no earlier than at the end */
        get(a + i);
    return place(NULL);
}

static bool is_in(char c, const char *set)
{
    while (*set && *set != c)
        set++;
    return c && *set == c;
}

static long span(const char *a, const char *set, bool inside)
{
    length_of(set);
    for (size_t n = 0;; n++) {
        char c = get(a + n);
        if (!c || is_in(c, set) != inside)
            return (long)n;
    }
}

static long find_any(const char *a, const char *set)
{
    const char *hit = a + span(a, set, false);
    return place(*hit ? hit : NULL);
}

/* Models strsep without its pointer; returns the end of the word. */
static long separate(char *a, const char *set)
{
    length_of(set);
    for (;; a++) {
        char c = get(a);
        if (!c)
            return place(NULL);
        if (is_in(c, set)) {
            put(a, 0);
            return place(a + 1);
        }
    }
}

static long token(char *a, const char *set)
{
    while (get(a) && is_in(*a, set))
        a++;
    if (!*a) {
        length_of(set);
        return place(NULL);
    }
    separate(a, set);
    return place(a);
}

static long number(const char *a, long base)
{
    long value = 0, sign = 1;
    while (get(a) == ' ')
        a++;
    if (*a == '-') {
        sign = -1;
        get(++a);
    }
    for (; get(a) >= '0' && *a < '0' + base; a++)
        value = value * base + (*a - '0');
    return sign * value;
}

/* Copies up to and including the byte. */
static long copy_to_byte(char *to, const char *from, char byte, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(to + i, get(from + i));
        if (to[i] == byte)
            return place(to + i + 1);
    }
    return place(NULL);
}

static long swap_pairs(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        char x = get(from + i), y = get(from + i + 1);
        put(to + i, y);
        put(to + i + 1, x);
    }
    return 0;
}

static long length_within(const char *a, size_t limit)
{
    size_t n = 0;
    while (n < limit && get(a + n))
        n++;
    return (long)n;
}

static long copy_text(char *to, const char *from)
{
    copy(to, from, length_of(from) + 1);
    return place(to);
}

static long copy_padded(char *to, const char *from, size_t n)
{
    size_t length = (size_t)length_within(from, n);
    for (size_t i = 0; i < n; i++)
        put(to + i, i < length ? from[i] : 0);
    return place(to);
}

static long append(char *to, const char *from, size_t limit)
{
    char *end = to + length_of(to);
    size_t n = (size_t)length_within(from, limit);
    for (size_t i = 0; i < n; i++)
        put(end + i, from[i]);
    put(end + n, 0);
    return place(to);
}

static long print(char *to, size_t n)
{
    static const char text[] = "12345-678";
    for (size_t i = 0; i < n && i < sizeof text; i++)
        put(to + i, i + 1 < n ? text[i] : 0);
    return sizeof text - 1;
}

/* ---------------------------------------------------------------- operands */

/* The text ends after `n` bytes at the latest. */
static char *cut(char *text, size_t n)
{
    text[n] = 0;
    return text;
}

/* "  -1234," and shorter. */
static char *as_number(char *at, size_t n)
{
    char *to = at;
    for (size_t i = 0; i < n % 3; i++)
        *to++ = ' ';
    if (n & 1)
        *to++ = '-';
    for (size_t i = 0; i <= n % 7; i++)
        *to++ = (char)('1' + i);
    *to = ',';
    return at;
}

/* ---------------------------------------------------------------- the fortified functions */

void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t bytes, size_t room);
void *__memset_chk(void *to, int byte, size_t bytes, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t bytes, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);

/* ---------------------------------------------------------------- one call */

/* Operands: a and b are texts in the halves of an arena, n a number of bytes, c a byte. */
struct operands {
    char *a, *b;
    size_t n;
    char c;
};

static long at_real(const void *pointer)
{
    return pointer ? (const char *)pointer - real.bytes : NO_POINTER;
}

static long sign(int value)
{
    return value < 0 ? -1 : value > 0;
}

static long real_separate(char *text, const char *set)
{
    char *rest = text;
    strsep(&rest, set);
    return at_real(rest);
}

static long real_token(char *text, const char *set)
{
    char *rest;
    return at_real(strtok_r(text, set, &rest));
}

static long real_duplicate(const char *text)
{
    char *duplicate = strdup(text);
    long length = -1;
    while (duplicate[++length])
        ;
    free(duplicate);
    return length;
}

struct call {
    const char *name;
    long (*real)(struct operands);
    long (*model)(struct operands);
};

#define OPERANDS                                                                                   \
    char *a = o.a, *b = o.b, c = o.c;                                                              \
    size_t n = o.n;                                                                                \
    (void)a, (void)b, (void)c, (void)n
#define CALL(name, real_value, model_value)                                                        \
    static long real_##name(struct operands o)                                                     \
    {                                                                                              \
        OPERANDS;                                                                                  \
        return (long)(real_value);                                                                 \
    }                                                                                              \
    static long model_##name(struct operands o)                                                    \
    {                                                                                              \
        OPERANDS;                                                                                  \
        return (long)(model_value);                                                                \
    }
#include "tests/native/trms_libc_calls.h"
#undef CALL

#define CALL(name, real_value, model_value) {#name, real_##name, model_##name},
static const struct call calls[] = {
#include "tests/native/trms_libc_calls.h"
};
#undef CALL

/* ---------------------------------------------------------------- rounds */

static void make_text(struct rng *rng, char *at)
{
    static const char alphabet[] = "aaabbABc, 0123-";
    size_t n = rng_below(rng, 4) ? rng_below(rng, TEXT_MOST) : rng_below(rng, 4);
    for (size_t i = 0; i < n; i++)
        at[i] = alphabet[rng_below(rng, sizeof alphabet - 1)];
    at[n] = 0;
}

static struct operands choose(struct rng *rng)
{
    size_t a = rng_below(rng, 16), b = SECOND + rng_below(rng, 16);
    for (size_t i = 0; i < ARENA; i++)
        real.bytes[i] = (char)rng_below(rng, 256);
    make_text(rng, real.bytes + a);
    make_text(rng, real.bytes + b);
    if (rng_below(rng, 3) == 0)
        memcpy(real.bytes + b, real.bytes + a, rng_below(rng, TEXT_MOST));
    real.bytes[b + TEXT_MOST] = real.bytes[a + TEXT_MOST] = 0;
    size_t n = rng_below(rng, 2) ? rng_below(rng, 48) : rng_below(rng, 8);
    char c = real.bytes[a + rng_below(rng, TEXT_MOST)];
    return (struct operands){real.bytes + a, real.bytes + b, n, c};
}

static int differs(const char *name, const char *what, const void *x, const void *y)
{
    const char *a = x, *b = y;
    for (size_t i = 0; i < ARENA; i++)
        if (a[i] != b[i]) {
            printf("%s: %s: byte %zu: %d, model %d\n", name, what, i, a[i], b[i]);
            return 1;
        }
    return 0;
}

static int round_of(const struct call *call, struct rng *rng)
{
    memset(&real, 0, sizeof real);
    struct operands o = choose(rng), of_model = o;
    model = real;
    of_model.a = model.bytes + (o.a - real.bytes);
    of_model.b = model.bytes + (o.b - real.bytes);
    recording = true;
    long result = call->real(o);
    recording = false;
    long expected = call->model(of_model);
    if (result != expected)
        printf("%s: result %ld, model %ld\n", call->name, result, expected);
    return (result != expected) | differs(call->name, "contents", real.bytes, model.bytes) |
           differs(call->name, "read", real.read, model.read) |
           differs(call->name, "written", real.written, model.written);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 2000;
    struct rng rng = {.state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1};
    size_t n_calls = sizeof calls / sizeof *calls;
    int failed = 0;
    for (size_t i = 0; i < n_calls; i++) {
        int wrong = 0;
        for (long r = 0; r < rounds && !wrong; r++)
            wrong = round_of(&calls[i], &rng);
        failed += wrong;
    }
    printf("%zu functions, %d wrong\n", n_calls, failed);
    return failed != 0;
}
