/* Sends the sweeps of sweep_run.c to the cache analysis; prints cachegrind's expected counts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Output: accesses, misses of the first level, misses of the second level.
 */
#include "tests/analyses/harness.h"
#include "tests/analyses/sweep.h"

int main(int argc, char **argv)
{
    struct sweep sweep = sweep_parse(argc, argv);
    const struct analysis *cache = analysis_find("cache");
    void *state = state_new(cache);
    unsigned long long first[4], second[4];
    enum event_word_kind kind = sweep.stores ? EVENT_STORE : EVENT_LOAD;
    char *report, *rows;

    for (size_t round = 0; round < sweep.rounds; round++)
        for (size_t at = 0; at < sweep.bytes; at += sweep.stride) {
            uint64_t event = event_access(kind, at, 1);
            cache->consume(state, &event, 1);
        }
    report = report_of(cache, state);
    rows = strstr(report, "\ncache\t1\t");
    if (!rows || sscanf(rows,
                        "\ncache\t1\t%llu\t%llu\t%llu\t%llu\n"
                        "cache\t2\t%llu\t%llu\t%llu\t%llu",
                        &first[0], &first[1], &first[2], &first[3], &second[0], &second[1],
                        &second[2], &second[3]) != 8)
        return 1;
    printf("%llu %llu %llu\n", first[2 * sweep.stores], first[2 * sweep.stores + 1],
           second[2 * sweep.stores + 1]);
    free(report);
    state_free(cache, state);
    return 0;
}
