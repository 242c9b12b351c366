/* Finds the memory accesses of a superblock, and records them with as few events as possible.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * superblock.c calls these functions in the order of the statements.
 */
#ifndef APROF_ACCESSES_H
#define APROF_ACCESSES_H

#include "aprof/superblock.h"

/* Records that the temporary is assigned `value`. */
void location_define(struct superblock *sb, IRTemp temp, const IRExpr *value);

/* Returns the address that an atom holds, as base + offset. */
struct location location_of(const struct superblock *sb, const IRExpr *atom);

ULong const_value(const IRConst *constant);

/* Adds an event to the current segment without trying to merge it. */
struct access_event *access_new(struct superblock *sb, Int statement, enum access_kind kind,
                                IRExpr *address, Int size);

/* Adds an access with an address that is known before `statement`; `guard` is NULL or an atom. The
 * access becomes an event, or is merged into another event. The access is omitted if it can change
 * no input size. */
void access_add(struct superblock *sb, Int statement, enum access_kind kind, IRExpr *address,
                Int size, IRExpr *guard);

/* Merges reads and writes of the same bytes; must be called after the last access. */
void access_join_modifies(struct superblock *sb);

#endif
