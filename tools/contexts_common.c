/* Functions that the sub-commands of `aprof contexts` share; see contexts_command.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "lib/report/estimate.h"
#include "lib/contexts/contexts_reader.h"
#include "lib/symbols/contexts_symbols.h"
#include "lib/base/short_name.h"

#include <inttypes.h>
#include <string.h>

/* Reading -------------------------------------------------------------------------------------- */

static void name_everything(struct context_profile *p, const char *debug_path, bool sites)
{
    struct contexts_symbols symbols = {.debug_path = debug_path, .sites = sites};
    contexts_symbols_resolve(p, &symbols);
    for (size_t i = 0; i < symbols.notes.count; i++) {
        message_error("%s", symbols.notes.at[i]);
        free(symbols.notes.at[i]);
    }
    vector_free(&symbols.notes);
}

bool contexts_load(struct context_profile *p, const char *path,
                   const struct common_options *settings, struct failure *why)
{
    if (!contexts_read_file(p, path, why))
        return false;
    name_everything(p, settings->debug_path, settings->sites);
    return true;
}

bool contexts_load_sum(struct context_profile *sum, const char *path,
                       const struct common_options *settings, struct failure *why)
{
    struct context_profile profile;
    const struct context_profile *const one = &profile;
    if (!contexts_read_file(&profile, path, why))
        return false;
    /* Hot contexts that differ only by call site are not merged. A chain of d calls, each from two
     * sites, has 2^d contexts. Most of these contexts are too rare to be kept, so a sum of the kept
     * contexts would have no error bound. */
    bool sites = settings->sites || contexts_is_hot_tree(&profile);
    name_everything(&profile, settings->debug_path, sites);
    bool good = contexts_sum(&one, 1, (uint32_t)settings->thread, sites, sum, why);
    contexts_free(&profile);
    return good;
}

double contexts_phi(const struct context_profile *p, const struct common_options *settings,
                    double otherwise)
{
    if (settings->phi >= 0)
        return settings->phi;
    return contexts_is_hot_tree(p) && *p->phi ? strtod(p->phi, NULL) : otherwise;
}

/* Words ---------------------------------------------------------------------------------------- */

char *contexts_number_cell(uint64_t number)
{
    return memory_format("%" PRIu64, number);
}

static void write_site(const struct context_profile *p, uint32_t id, FILE *to)
{
    if (id == CONTEXTS_NONE)
        return;
    const struct context_site *site = &p->sites.at[id];
    const char *slash = strrchr(site->file, '/');
    if (site->line)
        fprintf(to, " (%s:%" PRIu32 ")", slash ? slash + 1 : site->file, site->line);
    else
        fprintf(to, " (+0x%" PRIx64 ")", site->offset);
}

char *contexts_chain_words(const struct context_profile *p, const struct context *contexts,
                           uint32_t id, size_t frames, size_t name_bytes)
{
    char *words = NULL;
    size_t bytes, written = 0;
    FILE *to = memory_stream(&words, &bytes);
    for (uint32_t site = CONTEXTS_NONE; id != 0; id = contexts[id].parent) {
        if (frames && written == frames) {
            fputs(" < ...", to);
            break;
        }
        const char *name = contexts_routine_name(p, contexts[id].routine);
        char *brief = name_bytes ? short_name(name, name_bytes) : memory_copy_string(name);
        fprintf(to, "%s%s", written++ ? " < " : "", brief);
        free(brief);
        write_site(p, site, to);
        site = contexts[id].site;
    }
    fclose(to);
    return words;
}

static void write_technique(const struct context_profile *p, FILE *to)
{
    if (contexts_is_hot_tree(p))
        fprintf(to, "hot contexts (%s, phi %s, epsilon %s), ", *p->summary ? p->summary : "exact",
                *p->phi ? p->phi : "-", *p->epsilon ? p->epsilon : "-");
    else
        fputs("all contexts, ", to);
    fprintf(to, "by %s, bursts %s\n", p->weight, *p->burst ? p->burst : "off");
}

/* The total weight of contexts that were not kept; sums of contexts may be too low by this
 * weight. */
static uint64_t missing_weight(const struct context_profile *p, const struct contexts_tree *tree)
{
    uint64_t known = 0;
    for (size_t i = 0; i < tree->count; i++) {
        const struct context *c = &p->contexts.at[tree->first + i];
        known += c->monitored ? c->count - c->error : 0;
    }
    return known < tree->total ? tree->total - known : 0;
}

static void write_missing(const struct context_profile *p, const struct contexts_tree *tree,
                          FILE *to)
{
    uint64_t missing = missing_weight(p, tree);
    char *share = table_percent((double)missing, (double)tree->total, 2);
    fprintf(to, "rare:    up to %" PRIu64 " (%s%%) in contexts that were not recorded; ", missing,
            share);
    fputs("sums may be too low by up to this weight\n", to);
    free(share);
}

char *contexts_heading(const struct context_profile *p)
{
    const struct contexts_tree *tree = &p->trees.at[0];
    char *words = NULL;
    size_t bytes;
    FILE *to = memory_stream(&words, &bytes);
    table_write_words("command:", &p->command, to);
    table_write_words("\nprocess:", &p->process, to);
    fputs(", end: ", to);
    table_write_safe(p->end_reason, to);
    fputs("\nprofile: ", to);
    write_technique(p, to);
    const char *unit = strcmp(p->weight, "time") == 0 ? "ns" : "calls";
    fprintf(to, "total:   %" PRIu64 " %s; ", tree->total, unit);
    if (tree->calls != tree->total)
        fprintf(to, "%" PRIu64 " calls; ", tree->calls);
    fprintf(to, "%zu contexts, deepest %" PRIu64 "\n", tree->count - 1, tree->deepest);
    if (*p->burst && strcmp(p->burst, "off") != 0) {
        struct estimate estimate = estimate_of(&p->options);
        char *bound = estimate_words(&estimate, tree->total);
        fprintf(to, "bursts:  the total is %s\n", bound);
        free(bound);
    }
    if (contexts_is_hot_tree(p))
        write_missing(p, tree, to);
    fclose(to);
    return words;
}
