/* Finds the size of each of several runs; see scale_axis.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/scale_axis.h"
#include "lib/report/pairing.h"

#include <math.h>
#include <stdlib.h>

#define READER_RUNS 64

/* External input that grows by less than this factor is ignored, because such growth may be due to
 * a longer argument or the time of day. */
#define EXTERNAL_GROWTH_MIN 1.1

/* A routine counts as a reader of all new input if it misses at most a tenth of the new input. */
#define NEW_INPUT_MISSED 0.1

#define BUFFER_BYTES 4096.0

/* Sizes are confirmed if the costs of enough routines are proportional to the sizes; deviations of
 * a tenth are allowed. These routines must have at least the part CONFIRM_COSTS of all cost. The
 * part CONFIRM_CALLS suffices for routines whose numbers of calls are proportional to the sizes,
 * because start-up distorts costs more than numbers of calls. Routines with fewer than CALLS_LEAST
 * calls are not used for this, because small numbers may be proportional by accident. */
#define WITNESS_RUNS   3
#define PROPORTION_OFF 0.1
#define CALLS_LEAST    8
#define CONFIRM_CALLS  0.05
#define CONFIRM_COSTS  0.5

static int by_size(const void *a, const void *b)
{
    const struct scale_run *left = a, *right = b;
    return (left->size > right->size) - (left->size < right->size);
}

static double carried_size(const struct report *r)
{
    return (double)r->size;
}

static double external_input(const struct report *r)
{
    return (double)r->totals.induced_external;
}

/* Fills in the sizes and sorts the runs; returns false if the sizes do not form an axis. */
static bool take_axis(struct scale_run *runs, size_t count, double (*size)(const struct report *))
{
    double least = 1;
    for (size_t i = 0; i < count; i++) {
        runs[i].size = size ? size(runs[i].report) : runs[i].size;
        least = fmin(least, runs[i].size);
    }
    qsort(runs, count, sizeof *runs, by_size);
    for (size_t i = 1; i < count; i++)
        least = fmin(least, runs[i].size > runs[i - 1].size ? 1 : 0);
    return least > 0 && runs[count - 1].size >= SCALE_GROWTH_MIN * runs[0].size;
}

/* Input of start-up -------------------------------------------------------------------------- */

/* The external input of the activations of one routine, in each run. */
struct reader {
    double input[READER_RUNS];
};

typedef VECTOR(struct reader) reader_list;

static double input_read(const struct pairing_entry *e)
{
    const struct report_profile *p = e->profile;
    const struct report_point *points = profile_points(e->report, p, METRIC_TRMS);
    double sum = 0;
    for (size_t i = 0; i < p->count[METRIC_TRMS]; i++)
        sum += (double)points[i].induced_external;
    return sum;
}

/* True if the routine or its callees read the additional input of each run: the input by which the
 * run exceeds the previous run. */
static bool reads_what_is_new(const struct reader *r, const struct scale_run *runs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double more = external_input(runs[i].report) - external_input(runs[i - 1].report);
        if (fabs(r->input[i] - r->input[i - 1] - more) > NEW_INPUT_MISSED * more)
            return false;
    }
    return r->input[0] > 0;
}

/* Returns, for each run, the external input of the routine that has index `first` in the first run.
 * The search in run i begins at index next[i], and advances this index. */
static struct reader take_reader(struct pairing_entry *const *entries, const struct scale_run *runs,
                                 size_t count, size_t first, size_t *next)
{
    struct reader reader = {0};
    const struct pairing_entry *wanted = &entries[0][first];
    for (size_t i = 0; i < count; i++) {
        size_t all = runs[i].report->profiles.count;
        while (next[i] < all && pairing_compare(&entries[i][next[i]], wanted) < 0)
            next[i]++;
        while (next[i] < all && pairing_compare(&entries[i][next[i]], wanted) == 0)
            reader.input[i] += input_read(&entries[i][next[i]++]);
    }
    return reader;
}

/* Lists all routines that read the new input. The runs are sorted by their external input. */
static reader_list find_readers(const struct scale_run *runs, size_t count)
{
    struct pairing_entry *entries[READER_RUNS];
    size_t next[READER_RUNS] = {0};
    reader_list readers = {0};
    for (size_t i = 0; i < count; i++)
        entries[i] = pairing_sort(runs[i].report);
    for (size_t first = 0; first < runs[0].report->profiles.count; first = next[0]) {
        struct reader reader = take_reader(entries, runs, count, first, next);
        if (reads_what_is_new(&reader, runs, count))
            vector_push(&readers, reader);
    }
    for (size_t i = 0; i < count; i++)
        free(entries[i]);
    return readers;
}

static int by_first_input(const void *a, const void *b)
{
    const struct reader *left = a, *right = b;
    return (left->input[0] > right->input[0]) - (left->input[0] < right->input[0]);
}

/* Of the routines that read the new input, chooses the routine with the least other input. A
 * routine with more other input is preferred if the difference is a number of whole pages: these
 * pages are the first buffer of the input, not start-up. */
static struct reader choose_reader(reader_list *readers, unsigned cell)
{
    qsort(readers->at, readers->count, sizeof *readers->at, by_first_input);
    struct reader best = readers->at[0];
    for (size_t i = 1; i < readers->count; i++) {
        double more = (readers->at[i].input[0] - best.input[0]) * cell;
        if (more > 0 && fmod(more, BUFFER_BYTES) == 0)
            best = readers->at[i];
    }
    return best;
}

/* Confirmation --------------------------------------------------------------------------------- */

/* If the chosen routine does not read the first buffer of the input, its sizes are wrong, such as
 * 1, 11 and 31 for runs of sizes 1, 2 and 4. The numbers of calls of routines are not proportional
 * to such wrong sizes. */
struct witness {
    double calls[READER_RUNS], cost[READER_RUNS];
};

static bool is_proportional(const double *value, const struct scale_run *runs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double wanted = value[0] * runs[i].size / runs[0].size;
        if (fabs(value[i] - wanted) > PROPORTION_OFF * wanted)
            return false;
    }
    return true;
}

/* Returns the calls and the self cost of a routine in each run; the parameters are the same as for
 * take_reader(). */
static struct witness take_witness(struct pairing_entry *const *entries,
                                   const struct scale_run *runs, size_t count, size_t first,
                                   size_t *next)
{
    struct witness witness = {0};
    const struct pairing_entry *wanted = &entries[0][first];
    for (size_t i = 0; i < count; i++) {
        size_t all = runs[i].report->profiles.count;
        while (next[i] < all && pairing_compare(&entries[i][next[i]], wanted) < 0)
            next[i]++;
        while (next[i] < all && pairing_compare(&entries[i][next[i]], wanted) == 0) {
            const struct report_profile *p = entries[i][next[i]++].profile;
            witness.calls[i] += (double)p->calls;
            witness.cost[i] += (double)p->cost_self;
        }
    }
    return witness;
}

/* Small runs consist mostly of start-up, so small runs cannot confirm an axis. */
static bool is_confirmed(const struct scale_run *all_runs, size_t all_count)
{
    size_t count = all_count < WITNESS_RUNS ? all_count : WITNESS_RUNS;
    const struct scale_run *runs = all_runs + all_count - count;
    struct pairing_entry *entries[READER_RUNS];
    size_t next[READER_RUNS] = {0};
    double by_calls = 0, by_costs = 0, all = (double)runs[count - 1].report->totals.cost;
    for (size_t i = 0; i < count; i++)
        entries[i] = pairing_sort(runs[i].report);
    for (size_t first = 0; first < runs[0].report->profiles.count; first = next[0]) {
        struct witness witness = take_witness(entries, runs, count, first, next);
        double cost = witness.cost[count - 1];
        if (witness.calls[0] >= CALLS_LEAST)
            by_calls += is_proportional(witness.calls, runs, count) ? cost : 0;
        by_costs += is_proportional(witness.cost, runs, count) ? cost : 0;
    }
    for (size_t i = 0; i < count; i++)
        free(entries[i]);
    return by_calls >= CONFIRM_CALLS * all || by_costs >= CONFIRM_COSTS * all;
}

/* The axis ------------------------------------------------------------------------------------- */

static bool take_reader_axis(struct scale_run *runs, size_t count, const struct reader *reader)
{
    for (size_t i = 0; i < count; i++)
        runs[i].size = reader->input[i];
    return take_axis(runs, count, NULL) && is_confirmed(runs, count);
}

/* Uses the external input without the input of start-up. The sizes are the inputs of one routine
 * that reads the new input: the best routine if these sizes are confirmed, otherwise the first
 * routine with confirmed sizes. */
static bool take_input_of_reader(struct scale_run *runs, size_t count)
{
    take_axis(runs, count, external_input);
    if (count > READER_RUNS || runs[count - 1].size < EXTERNAL_GROWTH_MIN * runs[0].size)
        return false;
    reader_list readers = find_readers(runs, count);
    bool found = false;
    if (readers.count > 0) {
        struct reader best = choose_reader(&readers, runs[0].report->resolution_bytes);
        found = take_reader_axis(runs, count, &best);
    }
    for (size_t i = 0; i < readers.count && !found; i++) {
        if (i == 0 || readers.at[i].input[0] > readers.at[i - 1].input[0])
            found = take_reader_axis(runs, count, &readers.at[i]);
    }
    vector_free(&readers);
    return found;
}

bool scale_axis_find(struct scale_run *runs, size_t count, const double *sizes, const char **axis,
                     struct failure *why)
{
    for (size_t i = 0; sizes && i < count; i++)
        runs[i].size = sizes[i];
    *axis = "the given sizes";
    if (sizes)
        return take_axis(runs, count, NULL) ||
               failure_set(
                   why,
                   "sizes: too close together: the largest must be at least %g times the smallest",
                   SCALE_GROWTH_MIN);
    *axis = "the sizes that the reports carry";
    if (take_axis(runs, count, carried_size))
        return true;
    *axis = "external input without start-up, in cells";
    if (take_input_of_reader(runs, count))
        return true;
    *axis = "external input, in cells";
    if (!take_axis(runs, count, external_input))
        return failure_set(
            why,
            "%s: size of the run unknown: the external input grew less than %g times; "
            "give --sizes, or profile with --size",
            runs[count - 1].report->path, SCALE_GROWTH_MIN);
    return (count <= READER_RUNS && is_confirmed(runs, count)) ||
           failure_set(why,
                       "%s: size of the run unknown: no routine grows in proportion to the "
                       "external input; give --sizes, or profile with --size",
                       runs[count - 1].report->path);
}
