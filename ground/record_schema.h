/* The schema of records: the fields of each record of a report, one row per field.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A row is F(kind, member, name, of, sum):
 *
 *     kind    how the field is written:
 *             number    decimal, 64 bits        extra     the same, left out if 0; the last field
 *             wide      decimal, 128 bits       hex       0x1139
 *             text      escaped; "-" if empty   index     decimal, 32 bits, below a limit
 *             place     three fields: inlined function or "-", file or "-", line
 *             digits    bytes as hexadecimal digits; "-" if there are none
 *             optional  an index, or "-" for RECORD_NONE
 *             words     texts, at least one; the last field
 *             list      texts, or none; the last field
 *     member  of every struct that holds such a record
 *     name    in aprof-out(5) and in messages
 *     of      unit of the field; for an index, the limit of its values (struct record_limits)
 *     sum     how records with equal keys are added: key, sum, least, most; no: never added
 *
 * The rows generate both writers: points/points_report*.c for a profiler's measurements, and
 * lib/report/report_writer.c for reports that the command has read. They also generate the reader
 * and its limits for the number of fields (lib/records/record_fields.h), and the members of structs
 * and their sums. Finally, they generate the synopses of aprof-out(5), and the test that writes,
 * reads and compares random records (tests/tools/test_schema.c). A new field needs a row here, and
 * the member that profilers fill.
 *
 * The first line of each file has a word for the format, such as RECORD_POINTS_FIRST, and the
 * version. The lines of the file's head follow. Each line of the head occurs once, in the order of
 * RECORD_HEAD, RECORD_CALL_HEAD or RECORD_EVENT_HEAD. A line of the head is a row H(how, what, tag,
 * fields, when):
 *
 *     how     plain    written and read as its fields say, from and into the members of those names
 *             checked  the same, but read by parse_WHAT() of the reader
 *             own      like `checked`, and written by put_WHAT() of the writer
 *     when    always; or maybe: left out if the member WHAT is 0, or by put_WHAT()
 *
 * If the name of a list ends in _TAIL, only some files have the fields of the list; these fields
 * follow the fields of the list without _TAIL. A numbered record begins with its id, which counts
 * from 0.
 *
 *     RECORD_PUT(w, "edge", RECORD_EDGE, &edge);
 *
 * This call of RECORD_PUT writes edge.caller, edge.callee, the three members of edge.place,
 * edge.calls and so on.
 */
#ifndef GROUND_RECORD_SCHEMA_H
#define GROUND_RECORD_SCHEMA_H

/* The object name of code that the program generates and names at run time. */
#define JIT_OBJECT "[JIT]"

#include "ground/record_writer.h"
#include "ground/wide.h"

#define RECORD_NONE (~(uint32_t)0)

#define RECORD_POINTS_FIRST   "aprof"
#define RECORD_CONTEXTS_FIRST "aprof-contexts"
#define RECORD_EVENTS_FIRST   "aprof-analysis"

/* A report has the oldest version that can hold its content, so that older tools can read it. */
#define RECORD_VERSION_SAMPLED 6
#define RECORD_VERSION_UNREAD  5 /* the file lists objects with unread debug data */
/* sampled reports without weights; profilers no longer write this version */
#define RECORD_VERSION_SAMPLED_BEFORE 4
#define RECORD_VERSION_CODE           3 /* the file has lines of code */
#define RECORD_VERSION_CONTEXTS       2
#define RECORD_VERSION_PLAIN          1
#define RECORD_VERSION_NEWEST         RECORD_VERSION_SAMPLED

/* ---------------------------------------------------------------- heads */

#define RECORD_CREATOR(F) F(text, creator, "name", word, no)
#define RECORD_TOOL(F)    F(text, tool, "name", word, no)
#define RECORD_ARCH(F)    F(text, arch, "name", word, key)
#define RECORD_COMMAND(F) F(words, command, "word", words, no)
#define RECORD_PROCESS(F) F(words, process, "identity", words, no)
#define RECORD_OPTIONS(F) F(list, options, "option", words, no)
#define RECORD_END(F)     F(text, end_reason, "reason", word, no)

#define RECORD_SIZE(F)       F(number, size, "number", size, no)
#define RECORD_METRICS(F)    F(words, metrics, "metric", words, key)
#define RECORD_RESOLUTION(F) F(number, resolution_bytes, "bytes", bytes, key)
#define RECORD_COST(F)       F(text, cost_unit, "unit", word, key)
#define RECORD_THREADS(F)    F(text, threads, "kind", word, key)

#define RECORD_TECHNIQUE(F)     F(text, technique, "name", word, key)
#define RECORD_SUMMARY(F)       F(text, summary, "name", word, no)
#define RECORD_WEIGHT(F)        F(text, weight, "unit", word, key)
#define RECORD_SHARE_PHI(F)     F(text, phi, "share", share, no)
#define RECORD_SHARE_EPSILON(F) F(text, epsilon, "share", share, no)
#define RECORD_BURST(F)         F(text, burst, "intervals", word, no)

#define RECORD_ANALYSIS(F) F(text, analysis, "name", word, key)

#define RECORD_SAMPLED(F)                                                                          \
    F(number, rate, "rate", activations, no)                                                       \
    F(number, known, "known", calls, no)                                                           \
    F(number, unseen, "unseen", calls, no)

#define RECORD_TOTALS(F)                                                                           \
    F(number, cost, "cost", cost, sum)                                                             \
    F(number, activations, "activations", activations, sum)                                        \
    F(number, reads, "reads", cells, sum)                                                          \
    F(number, induced_thread, "induced-thread", cells, sum)                                        \
    F(number, induced_external, "induced-external", cells, sum)

/* Head lines about the run, which every file has. */
#define RECORD_HEAD_RUN(H)                                                                         \
    H(plain, command, "command", RECORD_COMMAND, always)                                           \
    H(plain, process, "process", RECORD_PROCESS, always)                                           \
    H(plain, options, "options", RECORD_OPTIONS, always)

#define RECORD_HEAD(H)                                                                             \
    H(plain, creator, "creator", RECORD_CREATOR, always)                                           \
    H(plain, tool, "tool", RECORD_TOOL, always)                                                    \
    H(plain, arch, "arch", RECORD_ARCH, always)                                                    \
    RECORD_HEAD_RUN(H)                                                                             \
    H(checked, size, "size", RECORD_SIZE, maybe)                                                   \
    H(own, sampled, "sampled", RECORD_SAMPLED, maybe)                                              \
    H(own, metrics, "metrics", RECORD_METRICS, always)                                             \
    H(own, resolution, "resolution", RECORD_RESOLUTION, always)                                    \
    H(checked, cost, "cost", RECORD_COST, always)                                                  \
    H(own, threads, "threads", RECORD_THREADS, always)                                             \
    H(plain, end, "end", RECORD_END, always)                                                       \
    H(own, totals, "totals", RECORD_TOTALS, always)

/* Head records of files of calling contexts. */
#define RECORD_CALL_HEAD(H)                                                                        \
    H(plain, creator, "creator", RECORD_CREATOR, always)                                           \
    RECORD_HEAD_RUN(H)                                                                             \
    H(checked, technique, "technique", RECORD_TECHNIQUE, always)                                   \
    H(plain, summary, "summary", RECORD_SUMMARY, always)                                           \
    H(checked, weight, "weight", RECORD_WEIGHT, always)                                            \
    H(checked, phi, "phi", RECORD_SHARE_PHI, always)                                               \
    H(checked, epsilon, "epsilon", RECORD_SHARE_EPSILON, always)                                   \
    H(plain, burst, "burst", RECORD_BURST, always)                                                 \
    H(plain, end, "end", RECORD_END, always)

/* Head records of reports of analyses. */
#define RECORD_EVENT_HEAD(H)                                                                       \
    H(plain, creator, "creator", RECORD_CREATOR, always)                                           \
    RECORD_HEAD_RUN(H)                                                                             \
    H(plain, end, "end", RECORD_END, always)                                                       \
    H(checked, analysis, "analysis", RECORD_ANALYSIS, always)

/* ---------------------------------------------------------------- bodies */

#define RECORD_OBJECT(F) F(text, path, "path", path, key)
#define RECORD_OBJECT_TAIL(F)                                                                      \
    F(text, unread_id, "build-id", id, no) /* written since version 5 if debug data are unread */

#define RECORD_ROUTINE(F)                                                                          \
    F(index, object, "object", objects, key)                                                       \
    F(hex, offset, "offset", address, key)                                                         \
    F(number, size_bytes, "size", bytes, no)                                                       \
    F(text, symbol, "name", symbol, key)                                                           \
    F(text, file, "file", path, key)                                                               \
    F(index, line, "line", lines, no)

#define RECORD_PROFILE(F)                                                                          \
    F(index, routine, "routine", routines, key)                                                    \
    F(index, thread, "thread", threads, key)                                                       \
    F(number, calls, "calls", calls, sum)                                                          \
    F(number, cost_total, "cost", cost, sum)                                                       \
    F(number, cost_self, "self", cost, sum)
/* Fields of sampled reports; before version 6, sampled reports have only the fields of
 * RECORD_KNOWN. */
#define RECORD_PROFILE_TAIL(F) RECORD_KNOWN(F) RECORD_WEIGHTS(F)
#define RECORD_KNOWN(F)        F(number, known, "known", calls, sum)
#define RECORD_WEIGHTS(F)                                                                          \
    F(number, weight, "weight", calls, sum)                                                        \
    F(wide, total, "wcost", cost, sum)                                                             \
    F(wide, self, "wself", cost, sum)                                                              \
    F(wide, total_variance, "vcost", squares, sum)                                                 \
    F(wide, self_variance, "vself", squares, sum)

#define RECORD_POINT(F)                                                                            \
    F(number, input, "input", cells, key)                                                          \
    F(number, calls, "calls", calls, sum)                                                          \
    F(wide, cost_sum, "sum", cost, sum)                                                            \
    F(number, cost_min, "min", cost, least)                                                        \
    F(number, cost_max, "max", cost, most)                                                         \
    F(wide, cost_squares, "squares", cost, sum)                                                    \
    F(number, self_sum, "self", cost, sum)                                                         \
    F(number, induced_thread, "induced-thread", cells, sum)                                        \
    F(number, induced_external, "induced-external", cells, sum)
/* Sampled reports before version 6 have the fields of RECORD_POINT_TAIL, all other reports have the
 * field of RECORD_POINT_AGAIN. */
#define RECORD_POINT_TAIL(F)                                                                       \
    F(number, thread_again, "again", cells, sum)                                                   \
    F(number, weight, "weight", calls, sum)
#define RECORD_POINT_AGAIN(F) F(extra, thread_again, "again", cells, sum)

#define RECORD_FILE(F) F(text, path, "path", path, key)

#define RECORD_INLINED(F)                                                                          \
    F(place, call, "location", place, key)                                                         \
    F(text, name, "name", symbol, key)

#define RECORD_EDGE(F) RECORD_EDGE_KEY(F) RECORD_EDGE_COUNTS(F)
#define RECORD_EDGE_KEY(F)                                                                         \
    F(index, caller, "caller", routines, key)                                                      \
    F(index, callee, "callee", routines, key)                                                      \
    F(place, place, "location", place, key)
#define RECORD_EDGE_COUNTS(F)                                                                      \
    F(number, calls, "calls", calls, sum)                                                          \
    F(number, cost, "cost", cost, sum)                                                             \
    F(number, input, "input", cells, sum)

/* The fields that all lines of a record `lines` share. Two fields follow for each line: the
 * distance from the previous line, and the cost. RECORD_EACH does not list the record `lines`,
 * because its number of fields varies. */
#define RECORD_LINES(F)                                                                            \
    F(index, routine, "routine", routines, key)                                                    \
    F(optional, place.inlined, "inlined", inlined, key)                                            \
    F(optional, place.file, "file", files, key)

#define RECORD_CONTEXTS(F)                                                                         \
    F(text, kind, "kind", word, key)                                                               \
    F(text, phi, "phi", share, no)                                                                 \
    F(text, epsilon, "epsilon", share, no)                                                         \
    F(text, weight, "weight", word, key)                                                           \
    F(text, recursion, "recursion", word, key)

#define RECORD_TREE(F)                                                                             \
    F(index, thread, "thread", threads, key)                                                       \
    F(number, total, "total", weight, sum)                                                         \
    F(number, count, "contexts", contexts, no)

#define RECORD_CONTEXT(F)                                                                          \
    F(optional, caller, "caller", contexts, key)                                                   \
    F(index, routine, "routine", routines, key)                                                    \
    F(number, calls, "calls", calls, sum)                                                          \
    F(number, cost_total, "cost", cost, sum)                                                       \
    F(number, cost_self, "self", cost, sum)                                                        \
    F(number, error, "error", weight, sum)

/* Files of calling contexts. */

#define RECORD_BUILD(F)                                                                            \
    F(text, path, "path", path, key)                                                               \
    F(digits, build_id, "build-id", id, key)

#define RECORD_CALL_TREE(F)                                                                        \
    F(index, thread, "thread", threads, key)                                                       \
    F(number, total, "total", weight, sum)                                                         \
    F(number, calls, "calls", calls, sum)                                                          \
    F(number, count, "nodes", contexts, no)                                                        \
    F(number, deepest, "deepest", contexts, most)

#define RECORD_CALL_CONTEXT(F)                                                                     \
    F(optional, parent, "parent", contexts, key)                                                   \
    F(optional, routine, "routine", routines, key)                                                 \
    F(optional, site_object, "site-object", objects, key)                                          \
    F(hex, site_offset, "site-offset", address, key)                                               \
    F(number, count, "count", weight, sum)                                                         \
    F(number, error, "error", weight, sum)                                                         \
    F(index, monitored, "monitored", flags, most)

/* Records of reports of analyses; rows described by struct analysis_rows (analyses/analysis.h)
 * follow these records. */

#define RECORD_EVENT_ROUTINE(F)                                                                    \
    F(index, object, "object", objects, key)                                                       \
    F(hex, offset, "offset", address, key)                                                         \
    F(text, symbol, "name", symbol, key)

/* ---------------------------------------------------------------- the format's records */

#define RECORD_NO_FIELDS(F)

/* All records of a body, as R(what, tag, id or not, fields, tail, oldest version that has the
 * record). */
#define RECORD_EACH(R)                                                                             \
    R(object, "object", true, RECORD_OBJECT, RECORD_OBJECT_TAIL, 1)                                \
    R(routine, "routine", true, RECORD_ROUTINE, RECORD_NO_FIELDS, 1)                               \
    R(profile, "profile", false, RECORD_PROFILE, RECORD_PROFILE_TAIL, 1)                           \
    R(trms, "trms", false, RECORD_POINT, RECORD_POINT_TAIL, 1)                                     \
    R(rms, "rms", false, RECORD_POINT, RECORD_POINT_TAIL, 1)                                       \
    R(file, "file", true, RECORD_FILE, RECORD_NO_FIELDS, 3)                                        \
    R(inlined, "inlined", true, RECORD_INLINED, RECORD_NO_FIELDS, 3)                               \
    R(edge, "edge", false, RECORD_EDGE, RECORD_NO_FIELDS, 3)                                       \
    R(contexts, "contexts", false, RECORD_CONTEXTS, RECORD_NO_FIELDS, 2)                           \
    R(tree, "tree", false, RECORD_TREE, RECORD_NO_FIELDS, 2)                                       \
    R(context, "context", true, RECORD_CONTEXT, RECORD_NO_FIELDS, 2)

/* Body records of files of calling contexts. */
#define RECORD_EACH_CALL(R)                                                                        \
    R(build, "object", true, RECORD_BUILD, RECORD_NO_FIELDS, 1)                                    \
    R(call_routine, "routine", true, RECORD_ROUTINE, RECORD_NO_FIELDS, 1)                          \
    R(call_tree, "tree", false, RECORD_CALL_TREE, RECORD_NO_FIELDS, 1)                             \
    R(call_context, "context", true, RECORD_CALL_CONTEXT, RECORD_NO_FIELDS, 1)

/* Body records of reports of analyses. */
#define RECORD_EACH_EVENT(R)                                                                       \
    R(event_object, "object", true, RECORD_BUILD, RECORD_NO_FIELDS, 1)                             \
    R(event_routine, "routine", true, RECORD_EVENT_ROUTINE, RECORD_NO_FIELDS, 1)

/* ---------------------------------------------------------------- structs */

struct record_bytes {
    const uint8_t *at;
    size_t n;
};

#define RECORD_TYPE_number   uint64_t
#define RECORD_TYPE_extra    uint64_t
#define RECORD_TYPE_hex      uint64_t
#define RECORD_TYPE_index    uint32_t
#define RECORD_TYPE_optional uint32_t
#define RECORD_TYPE_text     const char *
#define RECORD_TYPE_digits   struct record_bytes
#define RECORD_TYPE_words    const char *const * /* ends with NULL */
#define RECORD_TYPE_list     RECORD_TYPE_words

/* struct record_profile { RECORD_PROFILE(RECORD_MEMBER) }; */
#define RECORD_MEMBER(kind, member, name, of, sum) RECORD_TYPE_##kind member;

/* Members of a head: struct head { RECORD_HEAD(RECORD_HEAD_MEMBERS) }. Lines of the kind `own` have
 * no members in this struct. */
#define RECORD_HEAD_MEMBERS(how, what, tag, FIELDS, when) RECORD_HEAD_MEMBERS_##how(FIELDS)
#define RECORD_HEAD_MEMBERS_plain(FIELDS)                 FIELDS(RECORD_MEMBER)
#define RECORD_HEAD_MEMBERS_checked                       RECORD_HEAD_MEMBERS_plain
#define RECORD_HEAD_MEMBERS_own(FIELDS)

/* ---------------------------------------------------------------- sums */

/* Adds the second record to the first, member by member: RECORD_ADD(RECORD_EDGE, to, from). */
#define RECORD_SUM_number u64_add
#define RECORD_SUM_extra  u64_add
#define RECORD_ADD_key(kind, member)
#define RECORD_ADD_no(kind, member)
#define RECORD_ADD_sum(kind, member) to_->member = RECORD_SUM_##kind(to_->member, from_->member);
#define RECORD_ADD_least(kind, member)                                                             \
    to_->member = from_->member < to_->member ? from_->member : to_->member;
#define RECORD_ADD_most(kind, member)                                                              \
    to_->member = from_->member > to_->member ? from_->member : to_->member;
#define RECORD_ADD_FIELD(kind, member, name, of, sum) RECORD_ADD_##sum(kind, member)

#define RECORD_ADD(FIELDS, to, from)                                                               \
    do {                                                                                           \
        __typeof__(*(to)) *const to_ = (to);                                                       \
        const __typeof__(*(from)) *const from_ = (from);                                           \
        FIELDS(RECORD_ADD_FIELD)                                                                   \
    } while (0)

#define RECORD_COPY_FIELD(kind, member, name, of, sum) to_->member = from_->member;
#define RECORD_COPY(FIELDS, to, from)                                                              \
    do {                                                                                           \
        __typeof__(*(to)) *const to_ = (to);                                                       \
        const __typeof__(*(from)) *const from_ = (from);                                           \
        FIELDS(RECORD_COPY_FIELD)                                                                  \
    } while (0)

#define RECORD_CLEAR_FIELD(kind, member, name, of, sum) of_->member = 0;
#define RECORD_CLEAR(FIELDS, record)                                                               \
    do {                                                                                           \
        __typeof__(*(record)) *const of_ = (record);                                               \
        FIELDS(RECORD_CLEAR_FIELD)                                                                 \
    } while (0)

/* ---------------------------------------------------------------- writing */

APROF_INLINE void record_put_extra(struct record_writer *w, uint64_t number)
{
    if (number)
        record_put_number(w, number);
}

APROF_INLINE void record_put_optional(struct record_writer *w, uint32_t index)
{
    if (index == RECORD_NONE)
        record_put_text(w, NULL);
    else
        record_put_number(w, index);
}

/* The functions that write a field of each kind. */
#define RECORD_PUT_number           record_put_number
#define RECORD_PUT_extra            record_put_extra
#define RECORD_PUT_wide             record_put_wide /* redefined in lib/records/record_types.h */
#define RECORD_PUT_hex              record_put_hex
#define RECORD_PUT_text             record_put_text
#define RECORD_PUT_index            record_put_number
#define RECORD_PUT_optional         record_put_optional
#define RECORD_PUT_digits(w, bytes) record_put_hex_bytes(w, (bytes).at, (bytes).n)
#define RECORD_PUT_words            record_put_words
#define RECORD_PUT_list             RECORD_PUT_words
#define RECORD_PUT_place(w, place)                                                                 \
    (record_put_optional(w, (place).inlined), record_put_optional(w, (place).file),                \
     record_put_number(w, (place).line))

#define RECORD_PUT_FIELD(kind, member, name, of, sum) RECORD_PUT_##kind(to_, of_->member);

/* Writes only the fields, for a record that continues after these fields. */
#define RECORD_PUT_FIELDS(w, FIELDS, record)                                                       \
    do {                                                                                           \
        struct record_writer *const to_ = (w);                                                     \
        const __typeof__(*(record)) *const of_ = (record);                                         \
        (void)to_, (void)of_;                                                                      \
        FIELDS(RECORD_PUT_FIELD)                                                                   \
    } while (0)

#define RECORD_PUT(w, tag, FIELDS, record)                                                         \
    do {                                                                                           \
        record_put_raw(w, tag);                                                                    \
        RECORD_PUT_FIELDS(w, FIELDS, record);                                                      \
        record_end(w);                                                                             \
    } while (0)

#define RECORD_PUT_NUMBERED(w, tag, id, FIELDS, record)                                            \
    do {                                                                                           \
        record_put_raw(w, tag);                                                                    \
        record_put_number(w, id);                                                                  \
        RECORD_PUT_FIELDS(w, FIELDS, record);                                                      \
        record_end(w);                                                                             \
    } while (0)

/* Writes all lines of the head that follow the first line. The functions put_WHAT() receive
 * `self`. */
#define RECORD_PUT_HEAD(w, HEAD, record, self)                                                     \
    do {                                                                                           \
        struct record_writer *const head_to_ = (w);                                                \
        const __typeof__(*(record)) *const head_ = (record);                                       \
        __typeof__(self) const head_self_ = (self);                                                \
        (void)head_self_;                                                                          \
        HEAD(RECORD_PUT_HEAD_LINE)                                                                 \
    } while (0)
#define RECORD_PUT_HEAD_LINE(how, what, tag, FIELDS, when)                                         \
    RECORD_PUT_HEAD_##how(what, tag, FIELDS, when)
#define RECORD_PUT_HEAD_plain(what, tag, FIELDS, when)                                             \
    RECORD_IF_##when(head_->what) RECORD_PUT(head_to_, tag, FIELDS, head_);
#define RECORD_PUT_HEAD_checked                      RECORD_PUT_HEAD_plain
#define RECORD_PUT_HEAD_own(what, tag, FIELDS, when) put_##what(head_self_);
#define RECORD_IF_always(value)
#define RECORD_IF_maybe(value) if (value)

#endif
