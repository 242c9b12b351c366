/* Reports calls of Python functions to the Valgrind tool, for CPython 3.8 to 3.11.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The extension module `_aprof` needs no headers of Python. CPython calls a replaceable function to
 * evaluate each call of a Python function (PEP 523). It also calls this function for each step of a
 * generator or a coroutine. The hook replaces this function, reports which Python function begins,
 * and jumps to the interpreter. So the activation ends whenever and however the interpreter
 * returns.
 *
 *     caller's frame:  call hook(frame)      slot: where the return address lies
 *     hook:            SCRIPT_BEGIN number, slot
 *                      jmp  _PyEval_EvalFrameDefault
 *
 * The tool counts neither cost nor accesses of this object file. At a Python function's first call,
 * functions of CPython look up its name; the request PAUSE keeps the tool from counting these
 * look-ups.
 *
 * The code objects of called functions are keys of a hash table. CPython reports when a code object
 * is freed. The global interpreter lock protects all data of this module.
 *
 * Known limits: functions of subinterpreters are not reported.
 */
#include "aprof/test.h"

#include <stddef.h>
#include <stdint.h>

typedef void object;
typedef object *evaluate_function(void *thread, void *frame, int throws);
typedef object *evaluate_function_38(void *frame, int throws);

/* Functions of CPython. The declarations with WEAK are for functions that only some releases of
 * CPython export. */
#define WEAK __attribute__((weak))
extern evaluate_function _PyEval_EvalFrameDefault;
extern object *PyModule_Create2(void *definition, int version);
extern object *PyObject_GetAttrString(object *from, const char *name);
extern object *PyObject_CallObject(object *function, object *arguments);
extern object *PyLong_FromLong(long value);
extern long PyLong_AsLong(object *number);
extern const char *PyUnicode_AsUTF8(object *text);
extern void Py_DecRef(object *o);
extern void PyErr_Clear(void);
extern void *PyMem_RawCalloc(size_t n, size_t bytes);
extern void PyMem_RawFree(void *memory);
extern long _PyEval_RequestCodeExtraIndex(void (*freed)(void *));
extern int _PyCode_SetExtra(object *code, long index, void *extra);
WEAK extern void _PyInterpreterState_SetEvalFrameFunc(void *interpreter, evaluate_function *f);
WEAK extern void *PyInterpreterState_Get(void);
WEAK extern void *PyInterpreterState_Head(void);

/* ---------------------------------------------------------------- names */

/* A code object, and the tool's number for its function. */
struct entry {
    object *code; /* NULL: the slot is free; GONE: the slot was in use */
    uintptr_t number;
};

#define GONE ((object *)1)

static struct {
    struct entry **slots; /* hash table, open addressing; entries never move */
    size_t n_slots, n_used;
    long extra; /* index of the data that CPython keeps with a code object for this module */
} table;

static size_t slot_of(object *code)
{
    size_t at = ((uintptr_t)code >> 4) * 0x9e3779b97f4a7c15u >> 20;
    while (table.slots[at & (table.n_slots - 1)] &&
           table.slots[at & (table.n_slots - 1)]->code != code)
        at++;
    return at & (table.n_slots - 1);
}

/* Doubles the number of slots. Returns false if there is no memory. */
static int table_grow(void)
{
    struct entry **old = table.slots;
    size_t n_old = table.n_slots, n_new = n_old ? 2 * n_old : 1024;
    struct entry **slots = PyMem_RawCalloc(n_new, sizeof *slots);
    if (!slots)
        return 0;
    table.slots = slots;
    table.n_slots = n_new;
    table.n_used = 0;
    for (size_t i = 0; i < n_old; i++) {
        if (!old[i])
            continue;
        if (old[i]->code == GONE) {
            PyMem_RawFree(old[i]);
            continue;
        }
        table.slots[slot_of(old[i]->code)] = old[i];
        table.n_used++;
    }
    PyMem_RawFree(old);
    return 1;
}

static void code_freed(void *extra)
{
    if (extra)
        ((struct entry *)extra)->code = GONE;
}

/* Appends the text, without the characters for which there is no space before `end`. */
static char *append(char *to, const char *end, const char *text)
{
    while (text && *text && to < end)
        *to++ = *text++;
    *to = 0;
    return to;
}

static char *append_attribute(char *to, const char *end, object *code, const char *name)
{
    object *value = PyObject_GetAttrString(code, name);
    if (!value) {
        PyErr_Clear();
        return to;
    }
    to = append(to, end, PyUnicode_AsUTF8(value));
    Py_DecRef(value);
    return to;
}

static long line_of(object *code)
{
    object *value = PyObject_GetAttrString(code, "co_firstlineno");
    long line = value ? PyLong_AsLong(value) : 0;
    if (value)
        Py_DecRef(value);
    return line > 0 ? line : 0;
}

/* Returns the number of a function. The function's name is as in a perf map of CPython 3.12:
 * "py::Book.insert:/srv/book.py". */
static uintptr_t number_of(object *code)
{
    char name[1000], *end = name + sizeof name - 1, *at = append(name, end, "py::"), *begin = at;
    at = append_attribute(at, end, code, "co_qualname");
    if (at == begin)
        at = append_attribute(at, end, code, "co_name");
    at = append(at, end, ":");
    append_attribute(at, end, code, "co_filename");
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, APROF_REQUEST_SCRIPT_NAME, name, line_of(code), 0, 0,
                                           0);
}

static __attribute__((noinline)) uintptr_t number_of_new(object *code)
{
    struct entry *entry;
    VALGRIND_DO_CLIENT_REQUEST_STMT(APROF_REQUEST_PAUSE, 0, 0, 0, 0, 0);
    if (2 * table.n_used >= table.n_slots && !table_grow())
        return 0;
    entry = PyMem_RawCalloc(1, sizeof *entry);
    if (!entry)
        return 0;
    entry->number = number_of(code);
    entry->code = code;
    if (_PyCode_SetExtra(code, table.extra, entry) != 0) {
        PyErr_Clear();
        /* CPython has not stored the entry, so CPython will not report when the code object is
         * freed */
        entry->code = GONE;
    }
    table.slots[slot_of(code)] = entry;
    table.n_used++;
    return entry->number;
}

/* ---------------------------------------------------------------- calls */

static size_t code_word;                 /* position of the code object in a frame */
static evaluate_function_38 *default_38; /* in CPython 3.8: address of _PyEval_EvalFrameDefault */

/* Reports that the interpreter was called with this slot to evaluate the frame. */
static __attribute__((noinline)) void report(void *frame, char *slot)
{
    object *code = ((object **)frame)[code_word];
    const struct entry *entry = table.n_slots ? table.slots[slot_of(code)] : NULL;
    uintptr_t number = entry ? entry->number : number_of_new(code);
    VALGRIND_DO_CLIENT_REQUEST_STMT(APROF_REQUEST_SCRIPT_BEGIN, number, slot, 0, 0, 0);
}

#define SLOT ((char *)__builtin_dwarf_cfa() - sizeof(void *))

static object *evaluate(void *thread, void *frame, int throws)
{
    report(frame, SLOT);
    return _PyEval_EvalFrameDefault(thread, frame, throws);
}

static object *evaluate_38(void *frame, int throws)
{
    report(frame, SLOT);
    return default_38(frame, throws);
}

/* ---------------------------------------------------------------- the start */

#define WORDS_OF_FRAME 16
/* number of words at the beginning of the interpreter's state, all before its array
 * `co_extra_freefuncs` */
#define WORDS_OF_INTERPRETER 256

static object *probe_code;

/* Finds the position of the code object in a frame. `frame` belongs to a call of the function whose
 * code object is `probe_code`. */
static void probe(void *frame)
{
    for (size_t i = 0; i < WORDS_OF_FRAME && !code_word; i++) {
        if (((object **)frame)[i] == probe_code)
            code_word = i;
    }
}

static object *evaluate_probe(void *thread, void *frame, int throws)
{
    probe(frame);
    return _PyEval_EvalFrameDefault(thread, frame, throws);
}

static object *evaluate_probe_38(void *frame, int throws)
{
    probe(frame);
    return default_38(frame, throws);
}

/* CPython 3.8 has no function that replaces the pointer in the interpreter's state. */
static int replace_38(void *old, void *new)
{
    void **state = PyInterpreterState_Head ? PyInterpreterState_Head() : NULL;
    for (size_t i = 0; state && i < WORDS_OF_INTERPRETER; i++) {
        if (state[i] == old) {
            state[i] = new;
            return 1;
        }
    }
    return 0;
}

static int replace(evaluate_function *f)
{
    if (!_PyInterpreterState_SetEvalFrameFunc || !PyInterpreterState_Get)
        return 0;
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), f);
    return 1;
}

/* start(function) starts the reporting of calls, and calls `function` once. start returns 0 if
 * CPython's data are not laid out as this module expects. start does nothing without the Valgrind
 * tool. */
static object *start(object *self, object *function)
{
    object *result;
    int is_38;
    (void)self;
    if (!VALGRIND_DO_CLIENT_REQUEST_EXPR(0, APROF_REQUEST_SCRIPT_NAME, "py::start:", 0, 0, 0, 0))
        return PyLong_FromLong(1);
    default_38 = (evaluate_function_38 *)(void *)_PyEval_EvalFrameDefault;
    is_38 = !replace(evaluate_probe);
    if (is_38 && !replace_38((void *)default_38, (void *)evaluate_probe_38))
        return PyLong_FromLong(0);
    probe_code = PyObject_GetAttrString(function, "__code__");
    result = PyObject_CallObject(function, NULL);
    if (probe_code)
        Py_DecRef(probe_code);
    if (!result)
        return NULL;
    Py_DecRef(result);
    table.extra = _PyEval_RequestCodeExtraIndex(code_freed);
    if (is_38)
        replace_38((void *)evaluate_probe_38, code_word ? (void *)evaluate_38 : (void *)default_38);
    else
        replace(code_word ? evaluate : _PyEval_EvalFrameDefault);
    return PyLong_FromLong(code_word != 0);
}

/* ---------------------------------------------------------------- test cases */

/* aprof/test.h refers to `main`, which Python does not export; so the reference is weak */
__asm__(".weak main");

/* begin(name) begins a region of this name. The plugin of pytest calls this function. */
static object *begin(object *self, object *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    (void)self;
    if (!text)
        return NULL;
    aprof_test_begin(text);
    return PyLong_FromLong(0);
}

/* end(None) ends the region that began last. */
static object *end(object *self, object *unused)
{
    (void)self;
    (void)unused;
    aprof_test_end();
    return PyLong_FromLong(0);
}

/* Declarations of CPython's stable interface for extension modules. */
struct method {
    const char *name;
    object *(*function)(object *, object *);
    int flags;
    const char *help;
};

struct module {
    intptr_t count;
    void *type, *init;
    intptr_t index;
    void *copy;
    const char *name, *help;
    intptr_t size;
    struct method *methods;
    void *others[4];
};

#define ONE_ARGUMENT 8
#define STABLE_API   3

__attribute__((visibility("default"))) object *PyInit__aprof(void);
object *PyInit__aprof(void)
{
    static struct method methods[] = {{"start", start, ONE_ARGUMENT, NULL},
                                      {"begin", begin, ONE_ARGUMENT, NULL},
                                      {"end", end, ONE_ARGUMENT, NULL},
                                      {NULL, NULL, 0, NULL}};
    static struct module module = {.count = 1, .name = "_aprof", .size = -1, .methods = methods};
    return PyModule_Create2(&module, STABLE_API);
}
