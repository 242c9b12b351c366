/* Walks the real stack by call frame information, like the unwinder for exceptions, but faster.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For a return address pc, the compiler's tables (.eh_frame, System V ABI and DWARF 5, section 6.4)
 * define how to compute the caller's stack pointer. The profiler needs only a small part of the
 * tables:
 *
 *     CFA  =  rsp + n,  rbp + n,  or  *(rbp + n)  (a realigned stack)
 *     rbp  =  as it is,  *(CFA + m),  or  *(rbp + m)
 *     the return address lies at CFA - 8
 *
 * The rule for a pc never changes, so each rule is computed once and kept in a direct-mapped table
 * of the thread. This code allocates only the table of rules, and takes no lock. libgcc's unwinder
 * is not used, because a hook may interrupt it.
 *
 * Limits: a walk ends as broken at code without tables. It also ends at hand-written assembly that
 * computes the CFA from a register other than rsp and rbp.
 */
#include "native/contexts/runtime.h"

#include "native/base/vectors.h"
#include "native/base/modules.h"
#include "ground/host.h"

#include <elf.h>

#define RULES         512 /* a typical program fills a page and a half with rules */
#define LARGEST_FRAME ((uintptr_t)1 << 30)

enum cfa_kind { CFA_NONE, CFA_RSP, CFA_RBP, CFA_AT_RBP, CFA_SIGNAL, CFA_END };
enum rbp_kind { RBP_SAME, RBP_AT_CFA, RBP_AT_RBP };

struct contexts_rule {
    uintptr_t pc;      /* 0: empty */
    uintptr_t routine; /* instrumented routine that contains pc; 0: none */
    int32_t cfa_offset, rbp_offset;
    uint8_t cfa, rbp;
};

/* ---------------------------------------------------------------- reading tables */

static uint64_t read_uleb(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static int64_t read_sleb(const uint8_t **at)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *(*at)++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && byte & 0x40)
        value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
}

static uint64_t read_fixed(const uint8_t **at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)(*at)[i] << 8 * i;
    *at += bytes;
    return value;
}

/* Reads a pointer as .eh_frame encodes it (LSB, section 10.5), in the forms that assemblers
 * produce. */
static uintptr_t read_pointer(const uint8_t **at, uint8_t encoding)
{
    uintptr_t base = (encoding & 0x70) == 0x10 ? (uintptr_t)*at : 0;
    switch (encoding & 0x0f) {
    case 0x02:
        return base + (uintptr_t)read_fixed(at, 2);
    case 0x03:
        return base + (uintptr_t)read_fixed(at, 4);
    case 0x0a:
        return base + (uintptr_t)(int16_t)read_fixed(at, 2);
    case 0x0b:
        return base + (uintptr_t)(int64_t)(int32_t)read_fixed(at, 4);
    default:
        return base + (uintptr_t)read_fixed(at, 8);
    }
}

/* ---------------------------------------------------------------- finding the description */

/* Finds the object of an address. The table of objects may lack a recently loaded object.
 * Refreshing the table is expensive, so it is done only after failed searches number 1, 2, 4, 8 and
 * so on. */
static void *find_module(void *address)
{
    static uint32_t failures;
    const struct native_module *module = native_modules_find((uintptr_t)address);
    if (!module) {
        uint32_t n = __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
        if ((n & (n - 1)) == 0) {
            native_modules_refresh();
            module = native_modules_find((uintptr_t)address);
        }
    }
    return (void *)module;
}

/* Returns .eh_frame_hdr of the object that contains `pc`, or NULL. The object's headers are in
 * memory. */
static const uint8_t *find_index(uintptr_t pc)
{
    const struct native_module *module = native_with_vectors(find_module, (void *)pc);
    if (!module || !module->loaded)
        return NULL;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)module->start;
    if (*(const uint32_t *)header->e_ident != 0x464c457f)
        return NULL;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(module->start + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_GNU_EH_FRAME)
            return (const uint8_t *)(module->bias + segment[i].p_vaddr);
    return NULL;
}

/* Returns the description (FDE) that the sorted index finds for `pc`. The described code may end
 * before `pc`. */
static const uint8_t *find_description(uintptr_t pc)
{
    const uint8_t *index = find_index(pc);
    if (!index || index[0] != 1 || index[2] != 0x03 || index[3] != 0x3b)
        return NULL;
    const uint8_t *at = index + 4;
    read_pointer(&at, index[1]);
    uint32_t n = (uint32_t)read_fixed(&at, 4), low = 0, high = n;
    const int32_t *table = (const int32_t *)at;
    int64_t offset = (int64_t)(pc - (uintptr_t)index);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table[2 * middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? index + table[2 * low - 1] : NULL;
}

/* The contents of a CIE and an FDE. */
struct description {
    uintptr_t start, end; /* of the code */
    const uint8_t *initial, *initial_end;
    const uint8_t *program, *program_end;
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding;
    bool has_data, is_signal;
};

static bool parse_common(const uint8_t *at, struct description *d)
{
    uint32_t length = (uint32_t)read_fixed(&at, 4);
    d->initial_end = at + length;
    at += 4;
    uint8_t version = *at++;
    const char *augmentation = (const char *)at;
    while (*at++)
        ;
    d->code_align = read_uleb(&at);
    d->data_align = read_sleb(&at);
    uint64_t return_register = version == 1 ? *at++ : read_uleb(&at);
    if (length == 0xffffffff || return_register != 16)
        return false;
    d->has_data = *augmentation == 'z';
    const uint8_t *data_end = at;
    if (d->has_data) {
        uint64_t bytes = read_uleb(&at);
        data_end = at + bytes;
        augmentation++;
    }
    for (; *augmentation; augmentation++)
        if (*augmentation == 'R')
            d->encoding = *at++;
        else if (*augmentation == 'P') {
            uint8_t encoding = *at++;
            read_pointer(&at, encoding);
        } else if (*augmentation == 'L')
            at++;
        else if (*augmentation == 'S')
            d->is_signal = true;
        else
            return false;
    d->initial = data_end;
    return true;
}

static bool parse_description(const uint8_t *at, struct description *d)
{
    *d = (struct description){0};
    uint32_t length = (uint32_t)read_fixed(&at, 4);
    d->program_end = at + length;
    const uint8_t *id = at;
    uint32_t back = (uint32_t)read_fixed(&at, 4);
    if (length == 0 || length == 0xffffffff || back == 0 || !parse_common(id - back, d))
        return false;
    d->start = read_pointer(&at, d->encoding);
    d->end = d->start + read_pointer(&at, d->encoding & 0x0f);
    if (d->has_data) {
        uint64_t bytes = read_uleb(&at);
        at += bytes;
    }
    d->program = at;
    return true;
}

/* ---------------------------------------------------------------- the rows' program */

#define REGISTER_RBP 6
#define REGISTER_RSP 7
#define REGISTER_RA  16

/* The parts of one row of the unwind table that this code needs. */
struct row {
    uint64_t cfa_register;
    int64_t cfa_offset;
    bool cfa_at;    /* CFA = *(cfa_register + cfa_offset) */
    bool no_caller; /* whether the return address is undefined */
    bool unusual;   /* whether the description has rules that this code does not support */
    uint8_t rbp;
    int64_t rbp_offset;
};

struct machine {
    const struct description *d;
    uintptr_t location, pc;
    struct row row, first; /* `first`: the row that results from the instructions of the CIE */
    struct row saved[8];
    unsigned n_saved;
};

/* Records that a register is saved at CFA + offset. */
static void set_offset(struct row *row, uint64_t number, int64_t offset)
{
    if (number == REGISTER_RBP) {
        row->rbp = RBP_AT_CFA;
        row->rbp_offset = offset;
    } else if (number == REGISTER_RA && offset != -8) {
        row->unusual = true;
    }
}

static void set_same(struct machine *m, uint64_t number)
{
    if (number == REGISTER_RBP) {
        m->row.rbp = m->first.rbp;
        m->row.rbp_offset = m->first.rbp_offset;
    }
}

/* Handles the expression CFA = *(rbp + n): DW_OP_breg6 n, DW_OP_deref. */
static void set_cfa_expression(struct row *row, const uint8_t *at, uint64_t bytes)
{
    const uint8_t *end = at + bytes;
    row->cfa_register = 0;
    if (bytes >= 3 && *at++ == 0x76) {
        row->cfa_offset = read_sleb(&at);
        if (at + 1 == end && *at == 0x06) {
            row->cfa_register = REGISTER_RBP;
            row->cfa_at = true;
        }
    }
}

/* Records that a register is saved at the address that an expression gives: DW_OP_breg6 n. */
static void set_expression(struct row *row, uint64_t number, const uint8_t *at, uint64_t bytes)
{
    const uint8_t *end = at + bytes;
    if (number == REGISTER_RA)
        row->unusual = true;
    if (number != REGISTER_RBP)
        return;
    if (bytes >= 2 && *at++ == 0x76) {
        row->rbp_offset = read_sleb(&at);
        row->rbp = RBP_AT_RBP;
    }
    row->unusual |= at != end;
}

static void step_expression(struct row *row, uint8_t code, const uint8_t **at)
{
    uint64_t number = code == 0x0f ? 0 : read_uleb(at);
    uint64_t bytes = read_uleb(at);
    if (code == 0x0f)
        set_cfa_expression(row, *at, bytes);
    else if (code == 0x10)
        set_expression(row, number, *at, bytes);
    else
        row->unusual |= number == REGISTER_RBP || number == REGISTER_RA;
    *at += bytes;
}

static void define_cfa(struct row *row, uint64_t number, int64_t offset)
{
    row->cfa_register = number;
    row->cfa_offset = offset;
    row->cfa_at = false;
}

/* Executes a call frame instruction whose code byte contains no operand. Returns false if the
 * instruction is unknown. */
static bool step_extended(struct machine *m, uint8_t code, const uint8_t **at)
{
    struct row *row = &m->row;
    uint64_t number;
    switch (code) {
    case 0x00: /* nop */
        return true;
    case 0x01: /* set_loc */
        m->location = read_pointer(at, m->d->encoding);
        return true;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        m->location += read_fixed(at, 1u << (code - 2)) * m->d->code_align;
        return true;
    case 0x05: /* offset_extended */
        number = read_uleb(at);
        set_offset(row, number, (int64_t)read_uleb(at) * m->d->data_align);
        return true;
    case 0x11: /* offset_extended_sf */
        number = read_uleb(at);
        set_offset(row, number, read_sleb(at) * m->d->data_align);
        return true;
    case 0x06: /* restore_extended */
        set_same(m, read_uleb(at));
        return true;
    case 0x07: /* undefined */
        row->no_caller |= read_uleb(at) == REGISTER_RA;
        return true;
    case 0x08: /* same_value */
        if (read_uleb(at) == REGISTER_RBP)
            row->rbp = RBP_SAME;
        return true;
    case 0x09: /* register */
        number = read_uleb(at);
        read_uleb(at);
        row->unusual |= number == REGISTER_RBP || number == REGISTER_RA;
        return true;
    case 0x0a: /* remember_state */
        if (m->n_saved == 8)
            return false;
        m->saved[m->n_saved++] = *row;
        return true;
    case 0x0b: /* restore_state */
        if (m->n_saved == 0)
            return false;
        *row = m->saved[--m->n_saved];
        return true;
    case 0x0c: /* def_cfa */
        number = read_uleb(at);
        define_cfa(row, number, (int64_t)read_uleb(at));
        return true;
    case 0x12: /* def_cfa_sf */
        number = read_uleb(at);
        define_cfa(row, number, read_sleb(at) * m->d->data_align);
        return true;
    case 0x0d: /* def_cfa_register */
        row->cfa_register = read_uleb(at);
        return true;
    case 0x0e: /* def_cfa_offset */
        row->cfa_offset = (int64_t)read_uleb(at);
        return true;
    case 0x13: /* def_cfa_offset_sf */
        row->cfa_offset = read_sleb(at) * m->d->data_align;
        return true;
    case 0x0f: /* def_cfa_expression, expression, val_expression */
    case 0x10:
    case 0x16:
        step_expression(row, code, at);
        return true;
    case 0x2e: /* GNU_args_size */
        read_uleb(at);
        return true;
    default:
        return false;
    }
}

/* Runs instructions until the row of m->pc is complete. */
static bool run_program(struct machine *m, const uint8_t *at, const uint8_t *end)
{
    while (at < end && m->location <= m->pc) {
        uint8_t code = *at++, operand = code & 0x3f;
        switch (code >> 6) {
        case 1:
            m->location += operand * m->d->code_align;
            break;
        case 2:
            set_offset(&m->row, operand, (int64_t)read_uleb(&at) * m->d->data_align);
            break;
        case 3:
            set_same(m, operand);
            break;
        default:
            if (!step_extended(m, code, &at))
                return false;
        }
    }
    return true;
}

static void rule_from_row(const struct row *row, struct contexts_rule *rule)
{
    rule->cfa_offset = (int32_t)row->cfa_offset;
    rule->rbp = row->rbp;
    rule->rbp_offset = (int32_t)row->rbp_offset;
    if (row->no_caller)
        rule->cfa = CFA_END;
    else if (row->unusual)
        rule->cfa = CFA_NONE;
    else if (row->cfa_register == REGISTER_RSP && !row->cfa_at)
        rule->cfa = CFA_RSP;
    else if (row->cfa_register == REGISTER_RBP)
        rule->cfa = row->cfa_at ? CFA_AT_RBP : CFA_RBP;
}

/* Returns the instrumented routine that starts at `start`. Routines with hooks of
 * -finstrument-functions are recognised by their modules, which have called these hooks. */
static uintptr_t routine_at(uintptr_t start)
{
    uintptr_t entry = contexts_patch_entry_at(start);
    if (!entry && __atomic_load_n(&contexts_functions_seen, __ATOMIC_RELAXED) &&
        contexts_has_functions(start))
        entry = start;
    return entry;
}

/* `pc` is the exact address of an instruction, such as the next instruction of an interrupted
 * routine, and not a return address. */
static void make_rule(uintptr_t pc, struct contexts_rule *rule)
{
    struct description d;
    const uint8_t *description = find_description(pc);
    if (!description || !parse_description(description, &d) || pc < d.start || pc >= d.end)
        return;
    rule->routine = routine_at(d.start);
    if (d.is_signal) {
        rule->cfa = CFA_SIGNAL;
        return;
    }
    struct machine m = {.d = &d, .location = d.start, .pc = pc};
    if (!run_program(&m, d.initial, d.initial_end))
        return;
    m.first = m.row;
    if (run_program(&m, d.program, d.program_end))
        rule_from_row(&m.row, rule);
}

/* ---------------------------------------------------------------- walking */

/* Returns the rule for the return address `pc`, which is the rule of the call instruction before
 * `pc`. */
static const struct contexts_rule *rule_of(struct contexts_thread *t, uintptr_t pc)
{
    if (UNLIKELY(!t->rules))
        t->rules = host_map("aprof.contexts.rules", RULES * sizeof(struct contexts_rule));
    struct contexts_rule *rule = &t->rules[pc * 0x9e3779b97f4a7c15u >> 55];
    if (LIKELY(rule->pc == pc))
        return rule;
    *rule = (struct contexts_rule){.pc = pc};
    make_rule(pc - 1, rule);
    /* The description of a signal handler's return trampoline begins one byte before the
     * trampoline. */
    if (rule->cfa == CFA_NONE && !rule->routine)
        make_rule(pc, rule);
    return rule;
}

uintptr_t contexts_routine_of(struct contexts_thread *t, uintptr_t pc)
{
    return rule_of(t, pc)->routine;
}

void contexts_unwind_free(struct contexts_thread *t)
{
    if (t->rules)
        host_unmap(t->rules, RULES * sizeof(struct contexts_rule));
}

static uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

/* Applies a rule to get the caller's registers. Returns false if the result is invalid. */
static bool apply(const struct contexts_rule *rule, uintptr_t rsp, struct contexts_place *place)
{
    uintptr_t rbp = place->frame_pointer, cfa = rsp + (uintptr_t)(intptr_t)rule->cfa_offset;
    if (rule->cfa != CFA_RSP) {
        cfa = rbp + (uintptr_t)(intptr_t)rule->cfa_offset;
        if (rbp < rsp - 8 || rbp - rsp > LARGEST_FRAME || rbp % 8)
            return false;
        if (rule->cfa == CFA_AT_RBP)
            cfa = word_at(cfa);
    }
    if (cfa % 8 || cfa < rsp || cfa - rsp > LARGEST_FRAME)
        return false;
    if (rule->rbp == RBP_AT_CFA)
        place->frame_pointer = word_at(cfa + (uintptr_t)(intptr_t)rule->rbp_offset);
    else if (rule->rbp == RBP_AT_RBP)
        place->frame_pointer = word_at(rbp + (uintptr_t)(intptr_t)rule->rbp_offset);
    place->slot = cfa - 8;
    place->routine = rule->routine;
    return true;
}

/* Moves from a signal handler's return trampoline to the interrupted routine. The kernel's frame is
 * above the trampoline's slot (struct ucontext: registers from byte 40 on; rbp is the eleventh
 * register). */
static enum contexts_step leave_handler(uintptr_t rsp, struct contexts_place *place)
{
    uintptr_t rbp = word_at(rsp + 40 + 8 * 10), interrupted = word_at(rsp + 40 + 8 * 15);
    uintptr_t pc = word_at(rsp + 40 + 8 * 16);
    struct contexts_place caller = {0, rbp, 0, 0, place->jumped};
    struct contexts_rule exact = {.pc = pc};
    make_rule(pc, &exact);
    if (exact.cfa < CFA_RSP || exact.cfa > CFA_AT_RBP || !apply(&exact, interrupted, &caller))
        return STEP_BROKEN;
    if (caller.slot < place->slot || caller.slot - place->slot > LARGEST_FRAME)
        caller.jumped = 1;
    *place = caller;
    return STEP_CALLER;
}

enum contexts_step contexts_unwind(struct contexts_thread *t, struct contexts_place *place)
{
    uintptr_t pc = word_at(place->slot), rsp = place->slot + 8;
    if (!pc)
        return STEP_END;
    const struct contexts_rule *rule = rule_of(t, pc);
    if (rule->cfa == CFA_END)
        return STEP_END;
    if (rule->cfa == CFA_NONE)
        return STEP_BROKEN;
    if (rule->cfa == CFA_SIGNAL)
        return leave_handler(rsp, place);
    struct contexts_place caller = *place;
    caller.in_hook = 0;
    if (!apply(rule, rsp, &caller))
        return STEP_BROKEN;
    *place = caller;
    return STEP_CALLER;
}
