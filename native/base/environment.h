/* Options of a runtime, in one environment variable: "key=value key=value".
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Blanks or commas separate options. A comma belongs to the value if no `=` follows before the next
 * blank or comma. Therefore metrics=trms,rms is one option, and so is out=a,b.
 *
 * An error in the options must not change the program's behaviour. Each unknown key or value causes
 * one message on standard error, and the key keeps its default. Example: `aprof: APROF_CONTEXTS:
 * burst=often: must be off, adaptive or two times`. A program that runs with the rights of another
 * user (AT_SECURE) ignores the options and is not profiled.
 *
 *     static const struct native_option table[] = {
 *         {"phi", NATIVE_FRACTION, OFFSETOF(struct config, phi), NULL},
 *         {"mode", NATIVE_CHOICE, OFFSETOF(struct config, mode), mode_names},
 *         {"burst", NATIVE_CUSTOM, 0, NULL, set_burst},
 *         {"out", NATIVE_TEXT, OFFSETOF(struct config, out), NULL},
 *         {0},
 *     };
 *     native_options_read("APROF_CONTEXTS", table, &config);
 */
#ifndef NATIVE_BASE_ENVIRONMENT_H
#define NATIVE_BASE_ENVIRONMENT_H

#include "native/base/native.h"

#define NATIVE_OPTION_TEXT_BYTES 1024 /* size of the longest value, with its final zero byte */

enum native_option_kind {
    NATIVE_CHOICE,   /* uint32_t: index into `names`, which ends with NULL */
    NATIVE_NUMBER,   /* uint64_t: decimal */
    NATIVE_BYTES,    /* uint64_t: decimal with an optional K, M or G (powers of 1024) */
    NATIVE_DURATION, /* uint64_t nanoseconds: decimal with ns, us, ms or s */
    NATIVE_FRACTION, /* double in [0, 1]: 0.0001, 1e-4 */
    NATIVE_TEXT,     /* char[NATIVE_OPTION_TEXT_BYTES] */
    NATIVE_CUSTOM,   /* processed by `set` */
};

struct native_option {
    const char *key; /* NULL ends the table */
    enum native_option_kind kind;
    size_t offset; /* offset of the value in the configuration; not used by NATIVE_CUSTOM */
    const char *const *names; /* names of the values of a NATIVE_CHOICE option */
    /* For NATIVE_CUSTOM: stores `value` and returns NULL. If `value` is not valid, returns a text
     * that lists the valid values. */
    const char *(*set)(void *config, const char *value);
};

/* Reads the options from an environment variable. `config` holds the defaults; each key overrides
 * one default. If a key is repeated, its last value applies. */
NATIVE_HIDDEN void native_options_read(const char *variable, const struct native_option *table,
                                       void *config);

/* Like native_options_read, but reads the options in `text`. Messages begin with `variable`. */
NATIVE_HIDDEN void native_options_parse(const char *variable, const char *text,
                                        const struct native_option *table, void *config);

/* Returns the first option in `text`, or NULL if there is no option; *bytes is the option's
 * length. */
NATIVE_HIDDEN const char *native_options_next(const char *text, size_t *bytes);

/* Parsers for `set` functions. A parser returns false if the text up to `end` (NULL: the whole
 * text) is not valid. */
NATIVE_HIDDEN bool native_parse_number(const char *text, const char *end, uint64_t *value);
NATIVE_HIDDEN bool native_parse_bytes(const char *text, const char *end, uint64_t *value);
NATIVE_HIDDEN bool native_parse_duration(const char *text, const char *end, uint64_t *nanoseconds);

#define NATIVE_OFFSETOF(type, member) __builtin_offsetof(type, member)

/* Writes "aprof: WHAT: WHY\n" to standard error in one system call. WHY may be NULL. Long texts are
 * cut at 1 KiB. */
NATIVE_HIDDEN void native_message(const char *what, const char *why);

/* Returns the description of an error number, for messages ("No space left on device"). */
NATIVE_HIDDEN const char *native_error_text(int error);

#endif
