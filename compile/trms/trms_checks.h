/* Inline checks: code that records an access only if the access changes the state of its cells.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * trms_pass.c finds the accesses, and trms_checks.c builds the code.
 */
#ifndef COMPILE_TRMS_TRMS_CHECKS_H
#define COMPILE_TRMS_TRMS_CHECKS_H

#include "compile/ir/inst.h"

#include <llvm-c/Target.h>

struct measuring {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef word, half, byte, pointer, nothing;
    LLVMValueRef ctx; /* thread-local variable with the execution context */
    bool in_two_versions;
    bool on_arm64;
};

/* The execution context and its fields; NULL means that a field is not loaded yet. */
struct loaded {
    LLVMValueRef ctx, direct_shadow, mask, floor, stamp;
};

/* The kinds of checks that follow, which determine the fields to load. */
struct loads {
    bool reads, writes;
};

/* The part of a check that is compiled into the routine. The time of code generation grows more
 * than linearly with a routine's number of blocks. */
enum checks_form {
    CHECKS_WHOLE, /* first reads are counted in inline code */
    CHECKS_SHORT, /* only the comparison is inline; a call does everything else */
    CHECKS_CALLS  /* each access calls the runtime */
};

/* The state of one routine while it is rewritten. */
struct measured {
    const struct measuring *to;
    LLVMValueRef function;
    LLVMValueRef blocks;   /* variable that counts executed blocks (trms_cost.c) */
    bool has_blocks;       /* false: the counting variable is known to be zero */
    enum checks_form form; /* form of checks in the current block */
    bool is_in_loop;       /* whether the current block is in a loop */
    struct loaded loaded;  /* fields loaded in the current region without calls */
};

/* An access, described by its address, size and alignment. */
struct checked {
    LLVMValueRef pointer;
    uint64_t bytes;
    unsigned alignment;
};

/* ---------------------------------------------------------------- Regions without calls */

LLVMValueRef checks_exec_context_variable(const struct measuring *to);

/* Returns the execution context at the builder's position. */
LLVMValueRef checks_exec_context(struct measured *routine);

/* At the builder's position, loads the fields that `loads` lists, except the fields that are
 * already loaded in this region. */
void checks_load(struct measured *routine, struct loads loads);

/* Begins a new region after code that may have changed the execution context or its time. */
void checks_forget(struct measured *routine);

/* ---------------------------------------------------------------- Accesses, in front of `next` */

void checks_build_read(struct measured *routine, const struct checked *access, LLVMValueRef next);
void checks_build_write(struct measured *routine, const struct checked *access, LLVMValueRef next);

/* The shadow words of an access's cells (trms_words.c). */
struct checked_words {
    LLVMValueRef first; /* pointer to the first word */
    /* At run time, this value is not 0 if the access is misaligned although the compiler assumes
     * alignment. NULL if the access cannot be misaligned, or if misalignment has no effect. */
    LLVMValueRef misaligned;
    LLVMValueRef base; /* base address of the access */
    int64_t offset;    /* distance of the access from `base` */
};
struct checked_words checks_build_words(struct measured *routine, const struct checked *access);

/* Returns a pointer to the word of the cell at this address. */
LLVMValueRef checks_build_word(struct measured *routine, LLVMValueRef address);

/* Returns whether the compiler assumes that the access begins at the start of a cell, or assumes
 * that the whole access is in one cell. */
bool checks_is_aligned(const struct checked *access);

/* Returns the base of a pointer, and sets `offset` to the constant distance of the pointer from the
 * base. */
LLVMValueRef checks_find_base(const struct measuring *to, LLVMValueRef pointer, int64_t *offset);

/* Returns by how many bytes a pointer moves if this index of a getelementptr grows by one. Sets
 * `type` to the type that the index selects. An index that selects a struct member has no unit. */
uint64_t checks_unit_of(const struct measuring *to, LLVMTypeRef *type, LLVMValueRef index,
                        bool is_first);

/* Replaces loads of 8 bytes by loads of 4 bytes if only 4 bytes are used (trms_narrow.c). */
void checks_narrow(const struct measuring *to, LLVMValueRef function);

/* checks_mark_known marks the accesses of a routine that need no check (trms_known.c). checks_mark
 * marks an access, checks_is_marked tests the mark, and checks_is_known tests and removes the
 * mark. */
void checks_mark_known(const struct measuring *to, LLVMValueRef function);
void checks_mark(const struct measuring *to, LLVMValueRef access);
bool checks_is_marked(const struct measuring *to, LLVMValueRef access);
bool checks_is_known(const struct measuring *to, LLVMValueRef access);

/* Builds the call that must precede synchronisation; begins a new region. */
void checks_build_sync(struct measured *routine, LLVMValueRef next);

/* Builds the address of an access as an argument of checks_build_call. */
LLVMValueRef checks_start(const struct measuring *to, const struct checked *access,
                          LLVMValueRef next);
void checks_build_call(const struct measuring *to, const char *name, const struct checked *access,
                       LLVMValueRef address);

/* At the builder's position, builds a call of a function that records the accesses to ranges. */
enum { CHECKS_ROW_ARGUMENTS = 4 };
void checks_build_row(const struct measuring *to, const char *name, LLVMValueRef *arguments);

/* ---------------------------------------------------------------- Cost (trms_cost.c) */

/* cost_start creates the variable that counts executed blocks, and must be called before the
 * routine is rewritten. After the rewriting, cost_end initialises the variable. cost_count counts
 * one block; `comes_again` is true if the block may repeat without a call in between.
 * cost_count_many counts several blocks. cost_give adds the count to the activation; it must be
 * called wherever later code may read the activation's cost. */
void cost_start(struct measured *routine);
void cost_end(struct measured *routine);
void cost_count(struct measured *routine, LLVMValueRef first, bool comes_again);
void cost_count_many(struct measured *routine, LLVMValueRef first, LLVMValueRef times);
void cost_give(struct measured *routine, LLVMValueRef next);

/* ---------------------------------------------------------------- Pieces */

LLVMValueRef checks_number(const struct measuring *to, uint64_t value);
LLVMValueRef checks_place(const struct measuring *to, LLVMValueRef base, uint64_t offset,
                          LLVMTypeRef type);

/* Builds a call of a function that gets the address of the routine's return address. */
void checks_build_about_slot(const struct measuring *to, const char *name);

/* Builds a call of the function that makes the sampling decision; `sampling` is the routine's
 * sampling state or NULL. The result of the call is 0 if the activation is not measured. */
LLVMValueRef checks_build_choice(const struct measuring *to, LLVMValueRef sampling);

/* Splits the block; the new block begins with `next`. The old block has no terminator yet; the
 * builder is positioned at its end. */
LLVMBasicBlockRef checks_cut_before(const struct measuring *to, LLVMValueRef next);

/* Adds a block at the end of the routine, outside the hot path. */
LLVMBasicBlockRef checks_rare_block(const struct measured *routine);

#endif
