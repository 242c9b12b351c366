/* Fuzzes the reader of calling contexts; see fuzz_lines.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/fuzz/fuzz_lines.h"

#include "lib/contexts/contexts_accuracy.h"
#include "lib/contexts/contexts_export.h"
#include "lib/contexts/contexts_flame.h"
#include "lib/contexts/contexts_reader.h"
#include "lib/contexts/contexts_sum.h"
#include "lib/contexts/contexts_writer.h"

/* Checks properties that every user of a profile relies on. */
static void check_profile(const struct context_profile *p)
{
    size_t contexts = 0;
    for (size_t t = 0; t < p->trees.count; t++) {
        const struct contexts_tree *tree = &p->trees.at[t];
        CHECK(tree->first == contexts && tree->count > 0);
        for (size_t i = 0; i < tree->count; i++) {
            const struct context *c = &p->contexts.at[tree->first + i];
            CHECK(i == 0 ? c->parent == CONTEXTS_NONE : c->parent < i);
            CHECK(i == 0 ? c->routine == CONTEXTS_NONE : c->routine < p->routines.count);
            CHECK(c->site == CONTEXTS_NONE || c->site < p->sites.count);
        }
        contexts += tree->count;
    }
    CHECK(contexts == p->contexts.count);
}

static char *written(const struct context_profile *p, size_t *count)
{
    char *bytes = NULL;
    FILE *memory = open_memstream(&bytes, count);
    contexts_write(p, memory);
    fclose(memory);
    return bytes;
}

/* A written profile must be readable, and writing it again must give equal bytes. */
static void check_round_trip(const struct context_profile *p)
{
    struct context_profile again;
    struct failure why;
    size_t count, count_again;
    char *bytes = written(p, &count);
    CHECK(contexts_read_memory(&again, bytes, count, "again", &why));
    char *bytes_again = written(&again, &count_again);
    CHECK(count == count_again && memcmp(bytes, bytes_again, count) == 0);
    contexts_free(&again);
    free(bytes);
    free(bytes_again);
}

/* Sums, pictures and comparisons must accept every readable profile. */
static void use(const struct context_profile *p)
{
    struct failure why;
    struct context_profile sum;
    struct context_pair pair;
    struct contexts_accuracy accuracy;
    struct contexts_flame flame = {.title = "fuzz", .depth_max = 100};
    char *text = NULL;
    size_t bytes;
    if (!contexts_sum(&p, 1, CONTEXTS_MERGED, true, &sum, &why))
        return;
    check_profile(&sum);
    check_round_trip(&sum);
    FILE *to = open_memstream(&text, &bytes);
    for (const struct contexts_format *f = contexts_formats; f->name; f++)
        f->write(&sum, 3, to);
    contexts_flame_write(&sum, &flame, to);
    flame.inverted = true;
    contexts_flame_write(&sum, &flame, to);
    fclose(to);
    free(text);
    CHECK(contexts_pair(p, &sum, CONTEXTS_MERGED, false, true, &pair, &why));
    unsigned char *marks = memory_get_zeroed(pair.common.contexts.count + 1, 1);
    contexts_measure(&pair, 0.1, marks, &accuracy);
    CHECK(accuracy.reference_nodes == accuracy.common_nodes);
    free(marks);
    contexts_pair_free(&pair);
    contexts_free(&sum);
}

static void read_once(const uint8_t *bytes, size_t count)
{
    struct context_profile profile;
    struct failure why = {{0}};
    if (contexts_read_memory(&profile, bytes, count, "fuzz", &why)) {
        check_profile(&profile);
        check_round_trip(&profile);
        use(&profile);
    } else {
        CHECK(why.text[0]);
    }
    contexts_free(&profile);
}
