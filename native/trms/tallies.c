/* Tallies of calls; see tallies.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/tallies.h"
#include "native/trms/edges.h"
#include "ground/array.h"
#include "ground/host.h"

struct trms_tally trms_tally_apart = {.point.input = TRMS_TALLY_NO_INPUT, .edge = EDGE_NONE};
struct trms_tally trms_tally_unmeasured = {.point.input = TRMS_TALLY_NO_INPUT, .edge = EDGE_NONE};

static void tally_start(struct trms_tally *tally, uint64_t input)
{
    tally->point = (struct point){.input = input, .cost_min = ~(uint64_t)0};
    tally->outermost = 0;
    tally->calls_before = 0;
    tally->other = TRMS_TALLY_NO_INPUT;
}

static void tally_move(struct trms_strand *strand, struct trms_tally *tally)
{
    const struct point *point = &tally->point;
    if (point->calls) {
        profile_add_point(tally->profile, point, strand->world->config.metrics);
        tally->profile->cost_total += tally->outermost;
        strand->activations += point->calls;
        if (strand->edges)
            trms_edge_count(strand, tally->edge, point->calls, tally->outermost,
                            point->calls * point->input);
    }
}

/* Pending activations keep the address of theirs, so that each is a piece of memory of its own. */
struct trms_tally *trms_tally_get(struct trms_strand *strand, struct routine_profile *profile,
                                  uint32_t edge)
{
    uint32_t number = strand->edges ? edge : profile->routine->id;
    strand->tallies = array_grow("aprof.trms.tallies", strand->tallies, &strand->n_tallies,
                                 number + 1, sizeof(*strand->tallies));
    struct trms_tally *tally = strand->tallies[number];
    if (UNLIKELY(!tally)) {
        tally = host_alloc("aprof.trms.tally", sizeof(*tally));
        tally->profile = profile;
        tally->edge = edge;
        tally_start(tally, TRMS_TALLY_NO_INPUT);
        strand->tallies[number] = tally;
    }
    return tally;
}

bool trms_tally_turn(struct trms_strand *strand, struct trms_tally *tally, uint64_t input)
{
    bool again = tally->other == input && tally->calls_before == (uint32_t)tally->point.calls;
    tally->other = input;
    tally->calls_before = (uint32_t)tally->point.calls;
    if (!again)
        return false;
    tally_move(strand, tally);
    tally_start(tally, input);
    return true;
}

void trms_tallies_gather(struct trms_strand *strand)
{
    for (uint32_t i = 0; i < strand->n_tallies; i++)
        if (strand->tallies[i])
            tally_move(strand, strand->tallies[i]);
    trms_tallies_clear(strand);
}

void trms_tallies_clear(struct trms_strand *strand)
{
    for (uint32_t i = 0; i < strand->n_tallies; i++)
        if (strand->tallies[i])
            tally_start(strand->tallies[i], TRMS_TALLY_NO_INPUT);
}

void trms_tallies_free(struct trms_strand *strand)
{
    for (uint32_t i = 0; i < strand->n_tallies; i++)
        host_free(strand->tallies[i]);
    host_free(strand->tallies);
}
