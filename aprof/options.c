/* The command line options of the tool.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One table is the parser, the help text and the list that the manual is checked against.
 */
#include "valgrind_core.h"

#include "options.h"

Bool clo_trms = True;
Bool clo_rms = True;
UInt clo_resolution = 4;
UInt clo_resolution_log2 = 2;
Bool clo_cost_instructions = False;
Bool clo_separate_threads = False;
Bool clo_instr_atstart = True;
const HChar *clo_out_file = "aprof.out.%p";
UInt clo_counter_bits = 31;

static XArray *toggles; /* of const HChar *, NULL if none was given */
static XArray *given;   /* of const HChar *: our options as the user wrote them */

/*------------------------------------------------------------*/
/*--- Parsers of values                                    ---*/
/*------------------------------------------------------------*/

struct option {
    const HChar *name; /* with dashes, without '=' */
    const HChar *values;
    const HChar *help;
    Bool (*parse)(const struct option *,
                  const HChar *value); /* False: not a value of this option */
    void *variable;
    Bool hidden; /* for tests: in --help-debug only */
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

/* A decimal number without sign, `low` to `high`; nothing else is a number. */
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

static Bool parse_cost(const struct option *option, const HChar *value)
{
    clo_cost_instructions = VG_(strcmp)(value, "instr") == 0;
    return clo_cost_instructions || VG_(strcmp)(value, "bb") == 0;
}

static Bool parse_counter_bits(const struct option *option, const HChar *value)
{
    return parse_number(value, 4, 31, &clo_counter_bits);
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
    {"--instr-atstart", "yes|no", "measure from the first instruction [yes]", parse_yes_no,
     &clo_instr_atstart, False},
    {"--toggle-collect", "<pattern>", "measure only in routines of this name (* ?)", parse_pattern,
     NULL, False},
    {"--aprof-out-file", "<file>", "report file name [aprof.out.%p]", parse_text, &clo_out_file,
     False},
    {"--counter-bits", "4..31", "width of the time counter [31]", parse_counter_bits, NULL, True},
};

#define N_OPTIONS (sizeof options / sizeof options[0])

static Bool option_parse(const struct option *option, const HChar *argument)
{
    SizeT length = VG_(strlen)(option->name);

    if (VG_(strncmp)(argument, option->name, length) != 0 || argument[length] != '=')
        return False;
    /* The core offers each argument several times; it is parsed when it says so. */
    if (!VG_(check_clom)(cloP, argument, option->name, True))
        return True;
    if (!option->parse(option, argument + length + 1))
        VG_(fmsg_bad_option)(argument, "aprof: %s: takes %s\n", option->name, option->values);
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

void options_register(void)
{
    VG_(needs_command_line_options)(process_option, print_usage, print_debug_usage);
}

/*------------------------------------------------------------*/
/*--- Queries                                              ---*/
/*------------------------------------------------------------*/

Bool options_have_toggles(void)
{
    return toggles != NULL;
}

Bool options_is_toggle(const HChar *routine_name)
{
    for (Word i = 0; toggles && i < VG_(sizeXA)(toggles); i++) {
        if (VG_(string_match)(*(const HChar **)VG_(indexXA)(toggles, i), routine_name))
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
