/* The memory accesses of a superblock: their addresses, and as few events for them as are exact.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * superblock.c calls this in the order of the statements; nothing here calls back.
 */
#ifndef APROF_ACCESSES_H
#define APROF_ACCESSES_H

#include "aprof/superblock.h"

/* The temporary is assigned `value`. */
void location_define(struct superblock *sb, IRTemp temp, const IRExpr *value);

/* The address that an atom holds, as base + offset. */
struct location location_of(const struct superblock *sb, const IRExpr *atom);

ULong const_value(const IRConst *constant);

/* Adds an event to the current segment, without searching for one to join. */
struct access_event *access_new(struct superblock *sb, Int statement, enum access_kind kind,
                                IRExpr *address, Int size);

/* Adds an access whose address is known before `statement`; `guard` is NULL or an atom. The access
 * becomes an event or part of one. The access is omitted if it can change no input size. */
void access_add(struct superblock *sb, Int statement, enum access_kind kind, IRExpr *address,
                Int size, IRExpr *guard);

/* After the last access: joins reads and writes of the same bytes. */
void access_join_modifies(struct superblock *sb);

#endif
