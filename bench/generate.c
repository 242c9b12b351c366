/* Writes the input files of the benchmarks, with equal bytes on all machines.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: generate text LINES      lines of lower-case words, the short ones frequent
 *        generate sql ROWS        a script for sqlite3: a table, two indexes, joins and updates
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_PER_LINE = 10, VOCABULARY = 5000, GROUPS = 100 };

static uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Word k of the vocabulary: the digits of k in base 26, after a few letters that are a hash of
 * k. */
static void word_print(uint32_t k)
{
    uint64_t hash = k * 2654435761u;

    for (uint32_t rest = k + 1; rest > 0; rest /= 26)
        putchar((int)('a' + rest % 26));
    for (uint32_t n = k % 7; n > 0; n--)
        putchar((int)('a' + random_next(&hash) % 26));
}

static void text_print(long lines)
{
    uint64_t state = 1;

    for (long i = 0; i < lines; i++) {
        for (int j = 0; j < WORDS_PER_LINE; j++) {
            uint32_t a = random_next(&state) % VOCABULARY;
            uint32_t b = random_next(&state) % VOCABULARY;

            if (j > 0)
                putchar(' ');
            word_print(a < b ? a : b); /* low numbers are more frequent */
        }
        putchar('\n');
    }
}

static void rows_print(long rows)
{
    uint64_t state = 2;

    printf("BEGIN;\n");
    for (long i = 0; i < rows; i++) {
        printf("INSERT INTO item VALUES(%ld, %u, %u, '", i, random_next(&state) % GROUPS,
               random_next(&state) % 1000000);
        word_print(random_next(&state) % VOCABULARY);
        printf("');\n");
    }
    printf("COMMIT;\n");
}

/* Queries over tables of many sizes, so that each routine of the library sees many input sizes. */
static void queries_print(long rows)
{
    for (long n = 16; n <= rows; n += n / 4) {
        printf(
            "SELECT %ld, count(*), sum(price) FROM item WHERE id < %ld AND name LIKE '%%ab%%';\n",
            n, n);
        printf("SELECT name, price FROM item WHERE id < %ld ORDER BY price, name LIMIT 3;\n", n);
        printf("SELECT kind, count(DISTINCT name) FROM item WHERE id < %ld GROUP BY kind "
               "ORDER BY 2 DESC, 1 LIMIT 2;\n",
               n);
        printf("SELECT count(*) FROM item a JOIN item b ON a.price = b.price + 1 "
               "WHERE a.id < %ld;\n",
               n);
    }
    printf("UPDATE item SET price = price + 1 WHERE kind < %d;\n", GROUPS / 4);
    printf("DELETE FROM item WHERE kind >= %d;\n", GROUPS / 2);
    printf("SELECT count(*), sum(price), max(name) FROM item;\n");
}

static void sql_print(long rows)
{
    printf("CREATE TABLE item(id INTEGER PRIMARY KEY, kind INTEGER, price INTEGER, name TEXT);\n");
    printf("CREATE INDEX by_price ON item(price);\n");
    rows_print(rows);
    printf("CREATE INDEX by_name ON item(name);\n");
    queries_print(rows);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    long n = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    bool text = argc == 3 && strcmp(argv[1], "text") == 0;

    if (argc != 3 || *end != '\0' || n < 1 || (!text && strcmp(argv[1], "sql") != 0)) {
        fprintf(stderr, "usage: generate text LINES | generate sql ROWS\n");
        return 2;
    }
    if (text)
        text_print(n);
    else
        sql_print(n);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("generate");
        return 1;
    }
    return 0;
}
