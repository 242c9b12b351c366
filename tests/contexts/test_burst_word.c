/* The word of a burst: who comes late changes nothing, and no thread sees another burst's weight.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The model: bursts are opened one after the other; the thread that is to set the word of each may be
 * stopped until any later moment. All orders of few bursts are tried; then threads do the same at once.
 */
#include <pthread.h>
#include <stdlib.h>

#include "native/contexts/burst_word.h"
#include "tests/unit/cmocka_all.h"

#define BURSTS  6
#define THREADS 4
#define ROUNDS  200000

static uint64_t weight_of(uint32_t number)
{
    return number * 2654435761u % 1000 + 1;
}

/* In `order`, the i-th that arrives is the setter of burst first + order[i]. */
static void check_order(uint32_t first, const uint32_t *order)
{
    uint64_t word = burst_word(first - 1, 1);
    uint32_t latest = first - 1;
    for (uint32_t i = 0; i < BURSTS; i++) {
        uint32_t number = first + order[i];
        burst_word_set(&word, number, weight_of(number));
        if ((int32_t)(number - latest) > 0)
            latest = number;
        for (uint32_t b = 0; b < BURSTS; b++)
            assert_int_equal(burst_word_weight(&word, first + b),
                             first + b == latest ? weight_of(latest) : 0);
    }
}

static void permute(uint32_t first, uint32_t *order, uint32_t from)
{
    if (from == BURSTS)
        check_order(first, order);
    for (uint32_t i = from; i < BURSTS; i++) {
        uint32_t here = order[from];
        order[from] = order[i];
        order[i] = here;
        permute(first, order, from + 1);
        order[i] = order[from];
        order[from] = here;
    }
}

static void late_setters_change_nothing(void **state)
{
    (void)state;
    uint32_t order[BURSTS] = {0, 1, 2, 3, 4, 5};
    permute(1, order, 0);
    permute(0xfffffffd, order, 0); /* numbers wrap around */
}

static void weights_stay_in_their_half(void **state)
{
    (void)state;
    uint64_t word = 0;
    burst_word_set(&word, 7, UINT64_C(1) << 40);
    assert_int_equal(burst_word_weight(&word, 7), BURST_WEIGHT_MOST);
    assert_int_equal(burst_word_weight(&word, 8), 0);
}

static struct {
    uint64_t word;
    uint32_t number; /* atomic: the latest burst */
    uint32_t wrong;  /* atomic */
} shared;

/* Opens bursts as the helper does, and sets or reads as threads do, all at once. */
static void *run_bursts(void *unused)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t number = i % 3 ? __atomic_load_n(&shared.number, __ATOMIC_RELAXED)
                                : __atomic_add_fetch(&shared.number, 1, __ATOMIC_RELAXED);
        if (i % 3 == 0)
            burst_word_set(&shared.word, number, weight_of(number));
        uint64_t weight = burst_word_weight(&shared.word, number);
        if (weight && weight != weight_of(number))
            __atomic_add_fetch(&shared.wrong, 1, __ATOMIC_RELAXED);
    }
    return unused;
}

static void threads_see_their_own_bursts_weight(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_bursts, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(shared.wrong, 0);
    assert_int_equal(shared.word >> 32, shared.number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_setters_change_nothing),
        cmocka_unit_test(weights_stay_in_their_half),
        cmocka_unit_test(threads_see_their_own_bursts_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
