/* Writes a random file of calling contexts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     generate SEED CONTEXTS ROUTINES THREADS BUILD-ID > FILE
 */
#include "lib/contexts/contexts_writer.h"
#include "tests/contexts_tools/random_tree.h"

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    struct rng rng = {strtoull(argv[1], NULL, 10)};
    struct random_tree shape = {.contexts = (uint32_t)strtoul(argv[2], NULL, 10),
                                .routines = (uint32_t)strtoul(argv[3], NULL, 10),
                                .threads = (uint32_t)strtoul(argv[4], NULL, 10),
                                .sites = true,
                                .build_id = argv[5]};
    struct context_profile profile;
    random_profile(&rng, &shape, &profile);
    contexts_write(&profile, stdout);
    contexts_free(&profile);
    return fflush(stdout) != 0;
}
