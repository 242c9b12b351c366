/* Counts words of a generated text in a hash table: hashing, comparing and growing.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bench/native/by_hand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 12

struct entry {
    char word[WORD_BYTES];
    unsigned count;
};

static struct entry *table;
static unsigned size = 64, used;
static unsigned seed = 3;

__attribute__((noinline)) static unsigned next_random(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 10;
}

/* Short words are common, as in texts. */
static void make_word(char *word)
{
    unsigned length = 1 + next_random() % 3 + (next_random() % 4 == 0) * 2, i;
    for (i = 0; i < length; i++)
        word[i] = (char)('a' + next_random() % 9);
    word[i] = 0;
}

__attribute__((noinline)) static unsigned hash(const char *word)
{
    unsigned h = 2166136261u;
    while (*word)
        h = (h ^ (unsigned char)*word++) * 16777619u;
    return h;
}

__attribute__((noinline)) static int same(const char *a, const char *b)
{
    PATH;
    while (*a && TURN(*a == *b))
        a++, b++;
    PATH_END(1);
    return *a == *b;
}

static struct entry *find(const char *word)
{
    unsigned at = hash(word) & (size - 1);
    PATH;
    while (TURN(table[at].count) && !TURN(same(table[at].word, word))) {
        at = (at + 1) & (size - 1);
        PATH_END(2);
    }
    PATH_END(3);
    return &table[at];
}

static void grow(void)
{
    struct entry *old = table;
    unsigned n = size;
    size *= 2;
    table = calloc(size, sizeof *table);
    if (!table)
        exit(1);
    for (unsigned i = 0; i < n; i++)
        if (old[i].count)
            *find(old[i].word) = old[i];
    free(old);
}

static void count(const char *word)
{
    struct entry *entry = find(word);
    PATH;
    if (TURN(!entry->count)) {
        strcpy(entry->word, word);
        used++;
    }
    entry->count++;
    if (TURN(used * 2 > size))
        grow();
    PATH_END(4);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000000;
    char word[WORD_BYTES];
    unsigned most = 0;
    table = calloc(size, sizeof *table);
    if (!table)
        return 1;
    for (int i = 0; i < n; i++) {
        make_word(word);
        count(word);
    }
    for (unsigned i = 0; i < size; i++)
        most = table[i].count > most ? table[i].count : most;
    printf("%u %u\n", used, most);
    return 0;
}
