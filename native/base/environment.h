/* Options of a runtime, which come in one environment variable: "key=value key=value".
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Blanks and commas stand between options, whichever a user prefers. A comma belongs to the value
 * if what follows it, up to the next blank or comma, has no `=`: metrics=trms,rms is one option,
 * and so is out=a,b.
 *
 * A mistake in it must not change what the program does: there is one message on standard error for
 * each unknown key or value, `aprof: APROF_CONTEXTS: burst=often: must be off, adaptive or two
 * times`, and that key keeps its default. In a program with the rights of another user (AT_SECURE)
 * there are no options and no profile.
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

#define NATIVE_OPTION_TEXT_BYTES 1024 /* the longest value, with its final zero */

enum native_option_kind {
    NATIVE_CHOICE,   /* uint32_t: index into `names`, which ends with NULL */
    NATIVE_NUMBER,   /* uint64_t: decimal */
    NATIVE_BYTES,    /* uint64_t: decimal with an optional K, M or G (powers of 1024) */
    NATIVE_DURATION, /* uint64_t nanoseconds: decimal with ns, us, ms or s */
    NATIVE_FRACTION, /* double in [0, 1]: 0.0001, 1e-4 */
    NATIVE_TEXT,     /* char[NATIVE_OPTION_TEXT_BYTES] */
    NATIVE_CUSTOM,   /* whatever `set` makes of it */
};

struct native_option {
    const char *key; /* NULL ends the table */
    enum native_option_kind kind;
    size_t offset;            /* into the configuration; not used by NATIVE_CUSTOM */
    const char *const *names; /* of NATIVE_CHOICE */
    /* Of NATIVE_CUSTOM: NULL if `value` is fine and taken, else what it must be. */
    const char *(*set)(void *config, const char *value);
};

/* Reads the variable from the environment. `config` holds the defaults and is changed key by key.
 * The last of repeated keys wins. */
NATIVE_HIDDEN void native_options_read(const char *variable, const struct native_option *table,
                                       void *config);

/* The same from a text, for tests and for defaults that a program is built with. */
NATIVE_HIDDEN void native_options_parse(const char *variable, const char *text,
                                        const struct native_option *table, void *config);

/* The first option of `text`, which has *bytes bytes; NULL: there is none. */
NATIVE_HIDDEN const char *native_options_next(const char *text, size_t *bytes);

/* The parts of it, for `set` functions: false if `text` up to `end` (NULL: all) is not one. */
NATIVE_HIDDEN bool native_parse_number(const char *text, const char *end, uint64_t *value);
NATIVE_HIDDEN bool native_parse_bytes(const char *text, const char *end, uint64_t *value);
NATIVE_HIDDEN bool native_parse_duration(const char *text, const char *end, uint64_t *nanoseconds);
NATIVE_HIDDEN bool native_parse_fraction(const char *text, const char *end, double *value);

#define NATIVE_OFFSETOF(type, member) __builtin_offsetof(type, member)

/* Writes "aprof: WHAT: WHY\n" to standard error in one system call. WHY may be NULL. Long texts are
 * cut at 1 KiB. */
NATIVE_HIDDEN void native_message(const char *what, const char *why);

/* What an error number means in words, for messages ("No space left on device"). */
NATIVE_HIDDEN const char *native_error_text(int error);

#endif
