/* Reads source lines of code that a program generates at run time from its jitdump.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Some run-time systems, for example Erlang's, append records to a file called jitdump, in a binary
 * format of Linux perf:
 *
 *     header: magic, version, size, ...    40 bytes or more; the third word is the size
 *     record: id, size, time, payload      two words and a double word; `size` includes them
 *
 * A record with id 2 lists the lines of the code that the next record with id 0 describes:
 *
 *     id 2: address of the code, number of lines, then for each line: address, line, column, file
 *     id 0: pid, tid, virtual address, address of the code, size of the code, index, name, code
 *
 * A line applies up to the address of the next line, and the last line up to the end of the code.
 * Line 0 means that the line is unknown. The file is untrusted: a record with id 2 that contradicts
 * this description is ignored. For example, Node 20 writes damaged file names. Names of code come
 * from the perf map.
 */
#ifndef APROF_JIT_DUMP_H
#define APROF_JIT_DUMP_H

#include "aprof/perf_map.h"

#define JIT_DUMP_RECORD_MAX 65536 /* longer records are skipped */

/* If all bytes of this structure are zero, it has read nothing. */
struct jit_dump {
    /* for each range of addresses: the source line in `entry`, and its file in `name` */
    struct perf_map lines;
    struct perf_code last; /* the last line in the latest record with id 2; the code of this line
                            * has no known end yet */
    bool is_open;          /* whether the header was read */
    bool is_invalid;       /* whether the file is not a jitdump, or is from another kind of
                            * machine */
};

/* Reads the whole records at the beginning of `bytes`, and returns the number of bytes to skip. If
 * the result is 0, more bytes are needed. `n` is at most JIT_DUMP_RECORD_MAX. */
size_t jit_dump_add(struct jit_dump *dump, const unsigned char *bytes, size_t n);

/* Returns the source file of the code at `address`, and stores the code's line in `*line`. Returns
 * NULL if the file is not known. The file's name lives as long as the dump. */
const char *jit_dump_line(const struct jit_dump *dump, uintptr_t address, uint32_t *line);

void jit_dump_free(struct jit_dump *dump);

#endif
