/* Small programs of known growth, each with a fault that is not visible in a small run.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: known FAULT N     prints a checksum
 *
 * Each program makes N records, hashes their names and sorts their keys, in time n or n log n. In
 * addition, it has one fault that grows faster:
 *
 *     slots      each record looks for a free slot from the first one on: n calls of n/32 steps
 *     buckets    a table of 256 lists that never grows: n calls of n/512 steps
 *     append     every 16th record is appended to a list, which is walked to its end each time
 *     insertion  the keys are sorted by insertion, once a run: one call of n^2/4 steps
 *     pairs      all pairs of an eighth of the records are compared: one call of n^2/128 steps
 *     resort     the names seen so far are sorted again after every 64th record
 *     copy       the text so far is copied for each line that is added
 *     none       no fault: no routine's share rises
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

struct record {
    struct record *next;
    uint32_t key, hash;
    char name[12];
};

static struct record *records;
static long count;
static uint64_t checksum;

static uint32_t random_next(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* ---------------------------------------------------------------- Routines without faults */

static NOINLINE void make_name(struct record *r)
{
    uint32_t left = r->key;
    for (int i = 0; i < 11; i++, left = left / 7 + 12345)
        r->name[i] = (char)('a' + left % 26);
    r->name[11] = 0;
}

static NOINLINE uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

static NOINLINE void parse_record(struct record *r)
{
    r->key = random_next();
    make_name(r);
    r->hash = hash_name(r->name);
    for (int round = 0; round < 8; round++)
        checksum += hash_name(r->name + round % 4);
}

static NOINLINE void merge(uint32_t *to, const uint32_t *from, long middle, long end)
{
    long a = 0, b = middle;
    for (long i = 0; i < end; i++)
        to[i] = b >= end || (a < middle && from[a] <= from[b]) ? from[a++] : from[b++];
}

static NOINLINE void merge_sort(uint32_t *keys, uint32_t *room, long n)
{
    if (n < 2)
        return;
    merge_sort(keys, room, n / 2);
    merge_sort(keys + n / 2, room, n - n / 2);
    memcpy(room, keys, (size_t)n * sizeof *keys);
    merge(keys, room, n / 2, n);
}

static uint32_t *copy_keys(long n)
{
    uint32_t *keys = malloc(((size_t)n + 1) * 2 * sizeof *keys);
    if (!keys)
        exit(1);
    for (long i = 0; i < n; i++)
        keys[i] = records[i].key;
    return keys;
}

/* ---------------------------------------------------------------- Faults */

static NOINLINE long find_slot(unsigned char *used, long slots)
{
    long i = 0;
    while (i < slots && used[i])
        i++;
    return i;
}

static void fault_slots(void)
{
    long slots = count / 16 + 1;
    unsigned char *used = calloc((size_t)slots + 1, 1);
    for (long i = 0; i < count; i++) {
        long slot = find_slot(used, slots);
        checksum += (uint64_t)slot;
        used[slot] = 1;
        if (i % 16 != 0)
            used[slot] = 0;
    }
    free(used);
}

static NOINLINE struct record *lookup(struct record *const *buckets, const struct record *r)
{
    struct record *at = buckets[r->hash % 256];
    while (at && at->hash != r->hash)
        at = at->next;
    return at;
}

static void fault_buckets(void)
{
    struct record *buckets[256] = {NULL};
    for (long i = 0; i < count; i++) {
        struct record *r = &records[i];
        checksum += lookup(buckets, r) != NULL;
        r->next = buckets[r->hash % 256];
        buckets[r->hash % 256] = r;
    }
}

static NOINLINE void append(struct record **list, struct record *r)
{
    while (*list)
        list = &(*list)->next;
    r->next = NULL;
    *list = r;
}

static void fault_append(void)
{
    struct record *list = NULL;
    for (long i = 0; i < count; i += 16)
        append(&list, &records[i]);
}

static NOINLINE void insertion_sort(uint32_t *keys, long n)
{
    for (long i = 1; i < n; i++) {
        uint32_t key = keys[i];
        long k = i;
        for (; k > 0 && keys[k - 1] > key; k--)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

static void fault_insertion(void)
{
    uint32_t *keys = copy_keys(count / 16);
    insertion_sort(keys, count / 16);
    checksum += keys[count / 32];
    free(keys);
}

static NOINLINE void close_pairs(long n)
{
    for (long i = 0; i < n; i++) {
        for (long k = i + 1; k < n; k++)
            checksum += (records[i].key ^ records[k].key) < 4096;
    }
}

static void fault_pairs(void)
{
    close_pairs(count / 16);
}

static int by_key(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void fault_resort(void)
{
    for (long i = 64; i < count; i += 256) {
        uint32_t *keys = copy_keys(i / 4);
        qsort(keys, (size_t)i / 4, sizeof *keys, by_key);
        checksum += keys[i / 8];
        free(keys);
    }
}

static NOINLINE char *joined(const char *text, size_t bytes, const char *line)
{
    char *both = malloc(bytes + 12);
    if (!both)
        exit(1);
    for (size_t i = 0; i < bytes; i++)
        both[i] = text[i];
    memcpy(both + bytes, line, 12);
    return both;
}

static void fault_copy(void)
{
    char *text = calloc(1, 1);
    size_t bytes = 0;
    for (long i = 0; i < count; i += 64, bytes += 11) {
        char *longer = joined(text, bytes, records[i].name);
        free(text);
        text = longer;
    }
    checksum += (unsigned char)text[bytes / 2];
    free(text);
}

static void fault_none(void)
{
}

static const struct {
    const char *name;
    void (*run)(void);
} faults[] = {{"slots", fault_slots}, {"buckets", fault_buckets},     {"append", fault_append},
              {"copy", fault_copy},   {"insertion", fault_insertion}, {"pairs", fault_pairs},
              {"none", fault_none},   {"resort", fault_resort}};

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    count = atol(argv[2]);
    records = calloc((size_t)count + 1, sizeof *records);
    for (long i = 0; i < count; i++)
        parse_record(&records[i]);
    uint32_t *keys = copy_keys(count);
    merge_sort(keys, keys + count, count);
    checksum += keys[count / 2];
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (strcmp(argv[1], faults[i].name) == 0)
            faults[i].run();
    }
    printf("%llu\n", (unsigned long long)checksum);
    free(keys);
    free(records);
    return 0;
}
