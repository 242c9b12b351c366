/* The command line options of the tool.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One table of options drives both the parser and the help text, and a test compares the manual
 * with it.
 */
#include "aprof/valgrind_core.h"

#include "contexts/fraction.h"
#include "aprof/options.h"
#include "aprof/stream.h"
#include "ground/pattern.h"

Bool clo_trms = True;
Bool clo_rms = True;
UInt clo_resolution = 4;
UInt clo_resolution_log2 = 2;
Bool clo_cost_instructions = False;
Bool clo_separate_threads = False;
Bool clo_fold_runtime = True;
Bool clo_edges = True;
Bool clo_lines = True;
Bool clo_instr_atstart = True;
const HChar *clo_out_file = "aprof.out.%p";
UInt clo_size = 0;
enum process_contexts_mode clo_contexts = CONTEXTS_OFF;
UInt clo_phi = FRACTION_ONE / 10000;
UInt clo_epsilon = 0;
Bool clo_contexts_by_cost = False;
Bool clo_fold_recursion = False;
UInt clo_dump_every = 0;
UInt clo_wrapper_cost = 0;
Int clo_run_process = 0;
const HChar *clo_run_folder = NULL;
Bool clo_run_displaced = False;
enum concurrent clo_concurrent = CONCURRENT_AUTO;
UInt clo_counter_bits = 31;
UInt clo_chunk_words = STREAM_CHUNK_WORDS;
UInt clo_ring_chunks = STREAM_RING_CHUNKS;

static XArray *toggles; /* array of const HChar *; NULL if no such option was given */
static XArray *given;   /* array of const HChar *: options of aprof as the user wrote them */

/*------------------------------------------------------------*/
/*--- Parsers of values                                    ---*/
/*------------------------------------------------------------*/

struct option {
    const HChar *name; /* name as the user gives it, with dashes and without '=' */
    const HChar *values;
    const HChar *help;
    Bool (*parse)(const struct option *,
                  const HChar *value); /* returns false if the option does not accept the value */
    void *variable;
    Bool hidden; /* option for tests, listed only by --help-debug */
};

static void append(XArray **to, const HChar *text)
{
    if (*to == NULL)
        *to = VG_(newXA)(VG_(malloc), "aprof.options", VG_(free), sizeof text);
    VG_(addToXA)(*to, &text);
}

static Bool parse_yes_no(const struct option *option, const HChar *value)
{
    Bool *variable = option->variable;

    *variable = VG_(strcmp)(value, "yes") == 0;
    return *variable || VG_(strcmp)(value, "no") == 0;
}

/* Accepts only a decimal number without sign, from `low` to `high`. */
static Bool parse_number(const HChar *value, UInt low, UInt high, UInt *number)
{
    HChar *end;
    ULong parsed;

    if (!VG_(isdigit)(value[0]) || VG_(strlen)(value) > 9)
        return False;
    parsed = VG_(strtoull10)(value, &end);
    if (*end != '\0' || parsed < low || parsed > high)
        return False;
    *number = parsed;
    return True;
}

static Bool parse_metrics(const struct option *option, const HChar *value)
{
    static const struct {
        const HChar *value;
        Bool trms, rms;
    } known[] = {
        {"trms", True, False},
        {"rms", False, True},
        {"trms,rms", True, True},
        {"rms,trms", True, True},
    };

    for (UInt i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (VG_(strcmp)(value, known[i].value) != 0)
            continue;
        clo_trms = known[i].trms;
        clo_rms = known[i].rms;
        return True;
    }
    return False;
}

static Bool parse_resolution(const struct option *option, const HChar *value)
{
    UInt bytes;

    if (!parse_number(value, 1, 16, &bytes) || (bytes & (bytes - 1)) != 0)
        return False;
    clo_resolution = bytes;
    clo_resolution_log2 = __builtin_ctz(bytes);
    return True;
}

static Bool parse_runtime(const struct option *option, const HChar *value)
{
    clo_fold_runtime = VG_(strcmp)(value, "fold") == 0;
    return clo_fold_runtime || VG_(strcmp)(value, "show") == 0;
}

static Bool parse_size(const struct option *option, const HChar *value)
{
    return value[0] != '0' && parse_number(value, 1, 999999999, &clo_size);
}

static Bool parse_cost(const struct option *option, const HChar *value)
{
    clo_cost_instructions = VG_(strcmp)(value, "instr") == 0;
    return clo_cost_instructions || VG_(strcmp)(value, "bb") == 0;
}

/* Finds the position of a value in a list that ends with NULL. Returns false if the list does not
 * have the value. */
static Bool parse_word(const HChar *const *known, const HChar *value, UInt *position)
{
    for (*position = 0; known[*position]; ++*position) {
        if (VG_(strcmp)(value, known[*position]) == 0)
            return True;
    }
    return False;
}

static Bool parse_concurrent(const struct option *option, const HChar *value)
{
    static const HChar *const known[] = {[CONCURRENT_NO] = "no",
                                         [CONCURRENT_YES] = "yes",
                                         [CONCURRENT_AUTO] = "auto",
                                         [CONCURRENT_BOTH] = "both",
                                         [CONCURRENT_BOTH + 1] = NULL};
    UInt position;
    Bool found = parse_word(known, value, &position);

    clo_concurrent = position;
    return found;
}

static Bool parse_contexts(const struct option *option, const HChar *value)
{
    static const HChar *const known[] = {[CONTEXTS_OFF] = "off",
                                         [CONTEXTS_FULL] = "full",
                                         [CONTEXTS_HOT] = "hot",
                                         [CONTEXTS_HOT + 1] = NULL};
    UInt position;
    Bool found = parse_word(known, value, &position);

    clo_contexts = position;
    return found;
}

static Bool parse_contexts_weight(const struct option *option, const HChar *value)
{
    clo_contexts_by_cost = VG_(strcmp)(value, "cost") == 0;
    return clo_contexts_by_cost || VG_(strcmp)(value, "calls") == 0;
}

static Bool parse_fraction(const struct option *option, const HChar *value)
{
    return fraction_parse(value, VG_(strlen)(value), option->variable);
}

static Bool parse_dump_every(const struct option *option, const HChar *value)
{
    return parse_number(value, 1, 999999, &clo_dump_every);
}

static Bool parse_wrapper_cost(const struct option *option, const HChar *value)
{
    return parse_number(value, 0, 999999999, &clo_wrapper_cost);
}

/* Parses PID:FOLDER or PID!:FOLDER, which options_pass_on() writes. */
static Bool parse_run(const struct option *option, const HChar *value)
{
    HChar *end;

    clo_run_process = VG_(strtoull10)(value, &end);
    clo_run_displaced = *end == '!';
    end += clo_run_displaced;
    clo_run_folder = end + 1;
    return clo_run_process > 0 && end[0] == ':' && end[1] == '/';
}

static Bool parse_counter_bits(const struct option *option, const HChar *value)
{
    return parse_number(value, 4, 31, &clo_counter_bits);
}

/* The size of a chunk is a multiple of 64 words, so that the next chunk's header begins at a cache
 * line. */
static Bool parse_chunk_words(const struct option *option, const HChar *value)
{
    return parse_number(value, STREAM_CHUNK_LEAST, 1 << 20, &clo_chunk_words) &&
           clo_chunk_words % 64 == 0;
}

static Bool parse_ring_chunks(const struct option *option, const HChar *value)
{
    return parse_number(value, 3, 1 << 10, &clo_ring_chunks);
}

static Bool parse_text(const struct option *option, const HChar *value)
{
    *(const HChar **)option->variable = value;
    return value[0] != '\0';
}

static Bool parse_pattern(const struct option *option, const HChar *value)
{
    append(&toggles, value);
    return value[0] != '\0';
}

/*------------------------------------------------------------*/
/*--- The table                                            ---*/
/*------------------------------------------------------------*/

static const struct option options[] = {
    {"--metrics", "trms,rms", "input size by trms, rms or both [trms,rms]", parse_metrics, NULL,
     False},
    {"--resolution", "1|2|4|8|16", "bytes of one memory cell [4]", parse_resolution, NULL, False},
    {"--cost", "bb|instr", "cost counts basic blocks or instructions [bb]", parse_cost, NULL,
     False},
    {"--separate-threads", "no|yes", "one profile for each thread [no]", parse_yes_no,
     &clo_separate_threads, False},
    {"--runtime", "fold|show", "add the interpreter's work to script functions [fold]",
     parse_runtime, NULL, False},
    {"--edges", "yes|no", "record calls: caller, callee, line [yes]", parse_yes_no, &clo_edges,
     False},
    {"--lines", "yes|no", "record the cost of each source line [yes]", parse_yes_no, &clo_lines,
     False},
    {"--instr-atstart", "yes|no", "measure from the first instruction [yes]", parse_yes_no,
     &clo_instr_atstart, False},
    {"--toggle-collect", "<pattern>", "measure only in routines of this name (* ?)", parse_pattern,
     NULL, False},
    {"--aprof-out-file", "<file>", "report file name [aprof.out.%p]", parse_text, &clo_out_file,
     False},
    {"--size", "<number>", "size of this run, for aprof scale", parse_size, NULL, False},
    {"--dump-every", "<seconds>", "write a report of the running program at this interval",
     parse_dump_every, NULL, False},
    {"--wrapper-cost", "<cost>", "no report before exec below this cost [0]", parse_wrapper_cost,
     NULL, False},
    {"--contexts", "off|full|hot", "also measure each calling context [off]", parse_contexts, NULL,
     False},
    {"--phi", "<fraction>", "smallest share of a hot context [1e-4]", parse_fraction, &clo_phi,
     False},
    {"--epsilon", "<fraction>", "largest error of a hot context [--phi / 5]", parse_fraction,
     &clo_epsilon, False},
    {"--contexts-weight", "calls|cost", "calls or cost selects hot contexts [calls]",
     parse_contexts_weight, NULL, False},
    {"--fold-recursion", "no|yes", "a routine occurs once in a context [no]", parse_yes_no,
     &clo_fold_recursion, False},
    {"--concurrent", "no|yes|auto|both", "analyse on a second processor [auto]", parse_concurrent,
     NULL, False},
    {"--run", "<pid>[!]:<folder>", "first process and its folder, for later programs", parse_run,
     NULL, True},
    {"--counter-bits", "4..31", "width of the time counter [31]", parse_counter_bits, NULL, True},
    {"--chunk-words", "1024..1048576", "words of events per chunk [16384]", parse_chunk_words, NULL,
     True},
    {"--ring-chunks", "3..1024", "chunks between the two threads [64]", parse_ring_chunks, NULL,
     True},
};

#define N_OPTIONS (sizeof options / sizeof options[0])

static Bool option_parse(const struct option *option, const HChar *argument)
{
    SizeT length = VG_(strlen)(option->name);

    if (VG_(strncmp)(argument, option->name, length) != 0 || argument[length] != '=')
        return False;
    /* The core passes each argument several times; VG_(check_clom) returns True when the argument
     * must be parsed. */
    if (!VG_(check_clom)(cloP, argument, option->name, True))
        return True;
    if (!option->parse(option, argument + length + 1))
        VG_(fmsg_bad_option)(argument, "aprof: %s: takes %s\n", option->name, option->values);
    if (option->parse != parse_run)
        append(&given, argument);
    return True;
}

static Bool process_option(const HChar *argument)
{
    for (UInt i = 0; i < N_OPTIONS; i++) {
        if (option_parse(&options[i], argument))
            return True;
    }
    return False;
}

static void print_options(Bool hidden)
{
    for (UInt i = 0; i < N_OPTIONS; i++) {
        const struct option *option = &options[i];
        Int pad = 27 - (Int)(VG_(strlen)(option->name) + VG_(strlen)(option->values));

        if (option->hidden == hidden)
            VG_(printf)("    %s=%s%*s %s\n", option->name, option->values, pad > 0 ? pad : 0, "",
                        option->help);
    }
}

static void print_usage(void)
{
    print_options(False);
}

static void print_debug_usage(void)
{
    print_options(True);
}

void options_take_environment(void)
{
    const HChar *value = VG_(getenv)("APROF_SIZE");

    if (clo_size || !value)
        return;
    if (!parse_size(NULL, value)) {
        VG_(fmsg)("aprof: APROF_SIZE: takes a number from 1 to 999999999, not '%s'\n", value);
        VG_(exit)(1);
    }
}

void options_register(void)
{
    VG_(needs_command_line_options)(process_option, print_usage, print_debug_usage);
}

void options_pass_on(Int process, const HChar *folder, Bool displaced)
{
    HChar *argument = VG_(malloc)("aprof.options.run", VG_(strlen)(folder) + 32);

    VG_(sprintf)(argument, "--run=%d%s:%s", process, displaced ? "!" : "", folder);
    VG_(addToXA)(VG_(args_for_valgrind), &argument);
}

/*------------------------------------------------------------*/
/*--- Queries                                              ---*/
/*------------------------------------------------------------*/

struct contexts_config options_contexts(void)
{
    struct contexts_config config = {
        .mode = clo_contexts,
        .by_cost = clo_contexts_by_cost,
        .fold_recursion = clo_fold_recursion,
        .phi = clo_phi,
        .epsilon = clo_epsilon,
    };

    if (config.epsilon == 0)
        config.epsilon = config.phi < 5 ? 1 : config.phi / 5;
    if (config.mode == CONTEXTS_HOT && config.epsilon >= config.phi) {
        VG_(fmsg)("aprof: --epsilon: must be less than --phi\n");
        VG_(exit)(1);
    }
    return config;
}

Bool options_have_toggles(void)
{
    return toggles != NULL;
}

Bool options_is_toggle(const HChar *routine_name)
{
    for (Word i = 0; toggles && i < VG_(sizeXA)(toggles); i++) {
        if (pattern_matches(*(const HChar **)VG_(indexXA)(toggles, i), routine_name))
            return True;
    }
    return False;
}

UInt options_given_count(void)
{
    return given ? VG_(sizeXA)(given) : 0;
}

const HChar *options_given(UInt index)
{
    return *(const HChar **)VG_(indexXA)(given, index);
}
