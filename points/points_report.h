/* Writes a report in the format of aprof-out(5). All profilers use this writer.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_POINTS_REPORT_H
#define POINTS_POINTS_REPORT_H

#include "ground/record_schema.h"
#include "points/charges.h"
#include "points/edges.h"
#include "points/profile.h"

/* The origin of a routine's code. The strings belong to the front end and outlive the call of the
 * writer. */
struct routine_info {
    const char *object; /* path; NULL: the code is outside all objects */
    uint64_t offset;    /* link-time address of the routine's first instruction in the object */
    uint64_t size;      /* size in bytes; 0: not known */
    const char *name;   /* name from the symbol table, or NULL */
    const char *file;   /* source file, or NULL */
    uint32_t line;      /* line of the source file; 0: not known */
    /* build id of the object if its debug data were not read, or "" if the object has no build id;
     * NULL if the debug data were read */
    const char *unread_id;
};

#define CODE_UNKNOWN (~(uint32_t)0)

/* A line of a source file, and the inlined function that contains the line, if any. */
struct source_place {
    uint32_t inlined; /* index into source_map.inlined; CODE_UNKNOWN: the routine's own code */
    uint32_t file;    /* index into source_map.files; CODE_UNKNOWN: not known */
    /* number of the line; if the file is not known, an address in the object; 0: not known */
    uint32_t line;
};

struct source_inlined {
    struct source_place call; /* the `inlined` of each element is the index of an earlier element */
    const char *name;
};

/* A front end's data about its spans of code. All data outlive the call of the writer. */
struct source_map {
    const char *const *files;
    const struct source_inlined *inlined;
    uint32_t n_files, n_inlined;

    /* Sets *places to the source places of a span; each place has an equal part of the span's cost.
     * Returns the number of places, at least 1. */
    uint32_t (*places)(uint32_t span, const struct source_place **places);

    /* Returns the source place of the call that ends a span. */
    struct source_place (*site)(uint32_t span);
};

/* The content of the first records of a report (its head), and functions that return the content of
 * other records. The record schema lists the members of the head. Examples: creator ("aprof
 * 0.1.0"), tool ("valgrind 3.19.0"), cost_unit ("bb"), end_reason ("exit", "signal 11", "dump 1").
 * The lists command, process and options end with NULL. `size` is the size that the user declared
 * for the run; 0: not declared. */
struct report_info {
    RECORD_HEAD(RECORD_HEAD_MEMBERS)
    void (*describe)(const struct routine *routine, struct routine_info *info);
    /* Some code gets its name only after it has run. For such code, identify() returns the named
     * routine, to which profile_unify has moved the measurements. The pointer is NULL if all code
     * has its name from the start. */
    struct routine *(*identify)(struct routine *routine);
    /* source places; NULL if neither edges nor charges are measured */
    const struct source_map *code;
};

struct process_contexts;

/* The content of a report's body, from any profiler. */
struct measurements {
    /* profiles by thread number, or only [0] if threads are merged */
    const struct profile *by_thread;
    uint32_t n_threads;
    unsigned metrics; /* metrics for which the profiles have tables: a mask of 1 << enum metric */
    uint8_t resolution_log2;
    bool separate_threads;
    /* initial sampling period: with period n, one of n activations is recorded; 0 or 1: all
     * activations are recorded */
    uint32_t sampled;
    uint64_t cost, activations, reads, induced_thread, induced_external; /* totals of the run */
    const struct process_contexts *contexts; /* NULL: contexts were not measured */
    const struct edge_table *edges;          /* NULL: edges were not measured */
    const struct charge_table *charges;      /* NULL: charges were not measured */
};

/* Writes a whole report of these measurements with a started writer. */
void points_report_write(const struct measurements *measured, const struct report_info *info,
                         struct record_writer *to);

#endif
