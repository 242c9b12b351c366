/* The runtime of an instrumented program: the counters' file, hash tables, threads, forks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The instrumenter emits two objects: the counters, page-aligned, and their identity. Before any
 * code of the program runs, the file that APROF_PATHS_COUNTERS names is mapped over the counters.
 * If the variable is not set, the counts are discarded. Each process of a run (children, programs
 * that start themselves) takes the first free name of PREFIX.1, PREFIX.2, ...
 *
 * All symbols are hidden except pthread_create, which a dynamic program must share with its
 * libraries.
 */
#define _GNU_SOURCE
#include "paths/counters.h"

#include "paths/runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN   __attribute__((visibility("hidden")))
#define NOINLINE __attribute__((noinline))

#define LOCK_NAP_US 10
/* number of sleeps before a waiting thread checks whether the owner still exists */
#define LOCK_ROUNDS 1000

/* The instrumenter defines these variables. */
extern HIDDEN uint64_t aprof_paths_counters[];
extern HIDDEN const struct counters_identity aprof_paths_identity;

/* Distance from the first lane to this thread's lane. Instrumented code adds it to the address of
 * each counter. */
HIDDEN __thread int64_t aprof_paths_lane_shift;

static __thread struct counters_lane *own_lane;
static __thread struct counters_entry *own_table;

static struct runtime {
    char prefix[PATH_MAX]; /* prefix of the file's name; empty: there is no file */
    int file;
    int lock; /* thread that holds the lock of file_bytes and free_lanes, or 0 */
    uint64_t file_bytes;
    struct counters_header *header;
    struct counters_lane *first_lane, *last_lane;
    struct free_lane *free_lanes;
    pthread_key_t lane_key;
} runtime = {.file = -1};

/* ---------------------------------------------------------------- Hot path */

static NOINLINE void table_grow(void);

/* Counts one path of a procedure, given by its number or hash. */
HIDDEN void aprof_paths_count(uint32_t procedure, uint64_t value)
{
    struct counters_lane *lane = own_lane;
    if (__builtin_expect(!lane || 2 * lane->used >= lane->capacity, 0)) {
        table_grow();
        if (!(lane = own_lane) || !own_table)
            return; /* there is no file of counters */
    }
    uint64_t mask = lane->capacity - 1, at = counters_hash(procedure, value) & mask;
    struct counters_entry *entry = &own_table[at];
    while (entry->procedure != procedure + 1u || entry->value != value) {
        if (!entry->procedure) {
            entry->value = value;
            entry->procedure = procedure + 1u;
            lane->used++;
            break;
        }
        at = (at + 1) & mask;
        entry = &own_table[at];
    }
    entry->count++;
}

/* Begins the next interval when a path starts and the current interval is over. `place` identifies
 * the position in the program at which the path starts. */
HIDDEN NOINLINE void aprof_paths_next_interval(uint64_t place)
{
    const struct counters_identity *copy = &aprof_paths_identity;
    uint64_t number = aprof_paths_counters[SLICE_INTERVALS]++;
    aprof_paths_counters[SLICE_LEFT] = copy->interval - 1;
    aprof_paths_counters[SLICE_RECORDING] = number % copy->copies + 1 == copy->copy;
    aprof_paths_counters[SLICE_SIGNATURE] =
        counters_hash(aprof_paths_counters[SLICE_SIGNATURE], place);
}

/* ---------------------------------------------------------------- The file */

static void say(const char *what, const char *why)
{
    char text[512];
    int length = snprintf(text, sizeof text, "aprof: %s: %s\n", what, why);
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0)
        return;
}

static void fail(const char *what)
{
    say(what, strerror(errno));
    _exit(1);
}

static uint64_t round_to_page(uint64_t bytes)
{
    return (bytes + COUNTERS_PAGE_BYTES - 1) & ~(uint64_t)(COUNTERS_PAGE_BYTES - 1);
}

static uint64_t counter_bytes(void)
{
    return round_to_page(aprof_paths_identity.slots * sizeof(uint64_t));
}

static bool lock_take(int from)
{
    int own = (int)syscall(SYS_gettid);
    /* The acquire order pairs with the release order in unlock(). */
    return __atomic_compare_exchange_n(&runtime.lock, &from, own, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* Takes the lock if the thread that holds the lock is dead, for example killed by a seccomp filter.
 */
static bool lock_take_from_dead(void)
{
    int owner = __atomic_load_n(&runtime.lock, __ATOMIC_RELAXED);
    return owner && syscall(SYS_tgkill, getpid(), owner, 0) != 0 && errno == ESRCH &&
           lock_take(owner);
}

/* Takes the lock. Signals are blocked while a lane or a table changes. So no signal handler of this
 * thread waits for the lock or finds a partial table. */
static void lock(sigset_t *signals)
{
    sigset_t all;
    int error = errno;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, signals);
    for (unsigned round = 1; !lock_take(0); round++) {
        if (round % LOCK_ROUNDS == 0 && lock_take_from_dead())
            break;
        usleep(LOCK_NAP_US);
    }
    errno = error;
}

static void unlock(void)
{
    __atomic_store_n(&runtime.lock, 0, __ATOMIC_RELEASE);
}

static void restore(const sigset_t *signals)
{
    pthread_sigmask(SIG_SETMASK, signals, NULL);
}

/* Extends the file by whole pages; returns the offset of the new pages. */
static uint64_t file_extend(uint64_t bytes)
{
    uint64_t at = runtime.file_bytes;
    runtime.file_bytes += round_to_page(bytes);
    if (ftruncate(runtime.file, (off_t)runtime.file_bytes) != 0)
        fail("the counters' file");
    return at;
}

static void *file_map(void *address, uint64_t at, uint64_t bytes, int flags)
{
    void *mapped =
        mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, runtime.file, (off_t)at);
    if (mapped == MAP_FAILED)
        fail("the counters' file");
    return mapped;
}

/* Maps a part of the file at a distance from the program's own mappings. Otherwise, the runtime's
 * tables would change the addresses of these mappings. The address is only a hint; in a smaller
 * address space, the kernel chooses another address. */
static void *file_map_apart(uint64_t at, uint64_t bytes)
{
    const uintptr_t far_away = (uintptr_t)1 << 44;
    return file_map((void *)(far_away + at), at, bytes, 0);
}

/* Creates the file with the first name that no other process of this run has taken. */
static int file_create(void)
{
    char path[PATH_MAX + 16];
    for (int number = 1; number < 1000000; number++) {
        snprintf(path, sizeof path, "%s.%d", runtime.prefix, number);
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST) {
            /* The descriptor gets a high number, because programs expect the lowest numbers. */
            int high = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 512);
            if (high >= 0)
                close(file);
            return high >= 0 ? high : file;
        }
    }
    return -1;
}

/* Copies the counters to the file, because constructors may already have counted paths. Pages that
 * contain only zeroes are omitted. */
static void file_keep_counted(uint64_t at)
{
    static const char empty[COUNTERS_PAGE_BYTES];
    const char *page = (const char *)aprof_paths_counters, *end = page + counter_bytes();
    for (; page < end; page += sizeof empty, at += sizeof empty)
        if (memcmp(page, empty, sizeof empty) != 0 &&
            pwrite(runtime.file, page, sizeof empty, (off_t)at) != (ssize_t)sizeof empty)
            fail("the counters' file");
}

/* Opens a file with an empty first lane for this thread, and maps the counters to this lane. */
static void file_start(bool keep_counted)
{
    runtime.file_bytes = 0;
    if ((runtime.file = file_create()) < 0)
        fail(runtime.prefix);
    file_extend(COUNTERS_PAGE_BYTES);
    uint64_t lane = file_extend(COUNTERS_PAGE_BYTES + counter_bytes());
    runtime.header = file_map_apart(0, COUNTERS_PAGE_BYTES);
    runtime.first_lane = runtime.last_lane = file_map_apart(lane, COUNTERS_PAGE_BYTES);
    runtime.header->identity = aprof_paths_identity;
    runtime.header->first_lane = lane;
    if (keep_counted)
        file_keep_counted(lane + COUNTERS_PAGE_BYTES);
    file_map(aprof_paths_counters, lane + COUNTERS_PAGE_BYTES, counter_bytes(), MAP_FIXED);
    own_lane = runtime.first_lane;
    own_table = NULL;
    aprof_paths_lane_shift = 0;
}

/* ---------------------------------------------------------------- Hash tables */

static void table_insert(struct counters_entry *table, uint64_t mask,
                         const struct counters_entry *entry)
{
    uint64_t at = counters_hash(entry->procedure - 1, entry->value) & mask;
    while (table[at].procedure)
        at = (at + 1) & mask;
    table[at] = *entry;
}

/* Enlarges the table. The old table stays valid in the file until the new table is complete. */
static NOINLINE void table_grow(void)
{
    struct counters_lane *lane = own_lane;
    if (!lane)
        return;
    sigset_t signals;
    lock(&signals);
    uint64_t capacity = lane->capacity ? 2 * lane->capacity : 1024;
    uint64_t at = file_extend(capacity * sizeof(struct counters_entry));
    unlock();
    struct counters_entry *table = file_map_apart(at, capacity * sizeof *table);
    for (uint64_t i = 0; i < lane->capacity; i++)
        if (own_table[i].procedure)
            table_insert(table, capacity - 1, &own_table[i]);
    if (own_table)
        munmap(own_table, lane->capacity * sizeof *own_table);
    own_table = table;
    lane->table = at;
    lane->capacity = capacity;
    restore(&signals);
}

/* ---------------------------------------------------------------- Threads */

/* A lane of an ended thread. Its counters stay, and the next thread with this lane adds to them. */
struct free_lane {
    struct free_lane *next;
    struct counters_lane *lane;
    struct counters_entry *table;
    /* number of rounds in which the key's destructor has run; in the last round, the destructor
     * frees the lane */
    int rounds;
};

static struct counters_lane *lane_add(void)
{
    uint64_t at = file_extend(COUNTERS_PAGE_BYTES + counter_bytes());
    struct counters_lane *lane = file_map_apart(at, COUNTERS_PAGE_BYTES + counter_bytes());
    runtime.last_lane->next = at;
    runtime.last_lane = lane;
    return lane;
}

static void lane_take(void)
{
    sigset_t signals;
    lock(&signals);
    struct free_lane *taken = runtime.free_lanes;
    if (taken) {
        runtime.free_lanes = taken->next;
    } else {
        if (!(taken = calloc(1, sizeof *taken)))
            fail("a thread's counters");
        taken->lane = lane_add();
    }
    unlock();
    own_lane = taken->lane;
    own_table = taken->table;
    aprof_paths_lane_shift =
        (char *)taken->lane + COUNTERS_PAGE_BYTES - (char *)aprof_paths_counters;
    taken->rounds = 0;
    pthread_setspecific(runtime.lane_key, taken);
    restore(&signals);
}

/* Releases the lane in the last round of destructors, because destructors of other keys may still
 * run code that counts. */
static void lane_release(void *value)
{
    struct free_lane *lane = value;
    sigset_t signals;
    if (++lane->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(runtime.lane_key, lane);
        return;
    }
    lock(&signals);
    lane->table = own_table;
    lane->next = runtime.free_lanes;
    runtime.free_lanes = lane;
    unlock();
    restore(&signals);
}

struct start {
    void *(*routine)(void *);
    void *argument;
};

static void *thread_main(void *value)
{
    struct start start = *(struct start *)value;
    free(value);
    if (runtime.file >= 0)
        lane_take();
    return start.routine(start.argument);
}

static void refuse_threads(void)
{
    uint32_t flags = aprof_paths_identity.flags;
    if (runtime.header)
        runtime.header->state = COUNTERS_THREADS_REFUSED;
    say("paths", flags & (COUNTERS_PARTIAL | COUNTERS_SLICED)
                     ? "this program starts a thread, and copies of a threaded program do not take "
                       "the same paths; plan it with --policy=sbl"
                     : "this program starts a thread; plan it again with --threads");
    _exit(1);
}

HIDDEN int aprof_paths_start_thread(pthread_creator *create, pthread_t *thread,
                                    const pthread_attr_t *attributes, void *(*routine)(void *),
                                    void *argument)
{
    uint32_t flags = aprof_paths_identity.flags;
    if (!(flags & COUNTERS_LANES))
        refuse_threads();
    struct start *start = malloc(sizeof *start);
    if (!start)
        return EAGAIN;
    *start = (struct start){routine, argument};
    int error = create(thread, attributes, thread_main, start);
    if (error)
        free(start);
    return error;
}

/* ---------------------------------------------------------------- Start, fork */

/* Resets the counters to 0 in a forked child. */
static void restart_in_child(void)
{
    if (runtime.file < 0)
        return;
    close(runtime.file);
    runtime.lock = 0;
    runtime.free_lanes = NULL;
    file_start(false);
}

/* Finds a variable in the environment. The C library's getenv() works only later, after its
 * initialisation. */
static const char *find_variable(char **environment, const char *name)
{
    size_t length = strlen(name);
    for (; *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

/* Makes the heap begin at the next round address. Copies of a program differ in size, and the heap
 * usually begins directly after the program. So a program that depends on addresses would otherwise
 * behave differently in each copy. */
static void align_heap(void)
{
    const uintptr_t round = (uintptr_t)64 << 20;
    uintptr_t now = (uintptr_t)sbrk(0);
    if (now != (uintptr_t)-1 && brk((void *)((now + round - 1) / round * round)) != 0)
        /* a limit forbids this alignment of the heap; the program also works without alignment */
        return;
}

static void start(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    const char *prefix = find_variable(environment, "APROF_PATHS_COUNTERS");
    if (!prefix || !*prefix || strlen(prefix) >= sizeof runtime.prefix)
        return;
    strcpy(runtime.prefix, prefix);
    align_heap();
    file_start(true);
    pthread_key_create(&runtime.lane_key, lane_release);
    pthread_atfork(NULL, NULL, restart_in_child);
}

/* The program's constructors already count paths, so this function runs before all constructors. */
__attribute__((section(".preinit_array"), used)) static void (*const start_first)(int, char **,
                                                                                  char **) = start;
