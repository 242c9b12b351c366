/* Writes a report in the format of aprof-out(5). All profilers use this writer.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_POINTS_REPORT_H
#define POINTS_POINTS_REPORT_H

#include "ground/record_schema.h"
#include "points/charges.h"
#include "points/edges.h"
#include "points/profile.h"

/* Origins of a routine's code. Strings belong to the front end and outlive the call. */
struct routine_info {
    const char *object;    /* path, or NULL: code outside all objects */
    uint64_t offset;       /* its first address in the object file's numbering */
    uint64_t size;         /* bytes, 0 = not known */
    const char *name;      /* from the symbol table, or NULL */
    const char *file;      /* source, or NULL */
    uint32_t line;         /* 0 = not known */
    const char *unread_id; /* NULL, or the build id of an object whose debug data were not read;
                              "": the object has none */
};

#define CODE_UNKNOWN (~(uint32_t)0)

/* A line of a file, with the inlined function that it is part of, if any. */
struct source_place {
    uint32_t inlined; /* index into the list of source_map; CODE_UNKNOWN: the routine's own code */
    uint32_t file;    /* likewise; CODE_UNKNOWN: unknown */
    uint32_t line;    /* if the file is not known, an address in the object; 0 = not known */
};

struct source_inlined {
    struct source_place call; /* `inlined`: an earlier one */
    const char *name;
};

/* A front end's data about its spans of code. Everything outlives the call. */
struct source_map {
    const char *const *files;
    const struct source_inlined *inlined;
    uint32_t n_files, n_inlined;

    /* Sets *places to the places over which the cost of a span is spread evenly; returns their
     * number, at least 1. */
    uint32_t (*places)(uint32_t span, const struct source_place **places);

    /* The place of a span's last instruction, which is a call. */
    struct source_place (*site)(uint32_t span);
};

/* The content of the head, and how to find the rest. The schema names the head's members: creator
 * ("aprof 0.1.0"), tool ("valgrind 3.19.0"), arch; command, process and options, which end with
 * NULL; size (of the run, as its user declared it; 0: not declared), cost_unit ("bb"), end_reason
 * ("exit", "signal 11", "dump 1"). */
struct report_info {
    RECORD_HEAD(RECORD_HEAD_MEMBERS)
    void (*describe)(const struct routine *routine, struct routine_info *info);
    /* Some code gets its name only after it has run. For the routine of code that was named late,
     * returns the named routine, to which profile_unify has moved the measurements. NULL: there are
     * none. */
    struct routine *(*identify)(struct routine *routine);
    const struct source_map *code; /* NULL if neither edges nor charges are measured */
};

struct process_contexts;

/* The content of the body, from any profiler. */
struct measurements {
    const struct profile *by_thread; /* by thread number, or [0] alone if threads are merged */
    uint32_t n_threads;
    unsigned metrics; /* mask of 1 << enum metric: the tables that the profiles have */
    uint8_t resolution_log2;
    bool separate_threads;
    uint32_t sampled; /* the initial sampling period: one of this many activations is recorded; 0 or
                       * 1: all */
    uint64_t cost, activations, reads, induced_thread, induced_external; /* totals of the run */
    const struct process_contexts *contexts;                             /* NULL: none were kept */
    const struct edge_table *edges;                                      /* NULL: none were kept */
    const struct charge_table *charges;                                  /* NULL: none were kept */
};

/* Writes a whole report of these measurements to a started writer. */
void points_report_write(const struct measurements *measured, const struct report_info *info,
                         struct record_writer *to);

#endif
