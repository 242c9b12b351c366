/* Reads reports and writes them again: the bytes must be equal.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     test_round_trip REPORT...
 */
#include "lib/report/report_reader.h"
#include "lib/report/report_writer.h"

#include <stdio.h>
#include <string.h>

static bool same_bytes(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "rb");
    bool same = file != NULL;
    for (size_t i = 0; same && i < count; i++)
        same = getc(file) == (unsigned char)bytes[i];
    same = same && getc(file) == EOF;
    if (file)
        fclose(file);
    return same;
}

static int round_trip(const char *path)
{
    struct report report;
    struct failure why;
    char *bytes = NULL;
    size_t count = 0;
    if (!report_read_file(&report, path, &why))
        return message_failure(&why);
    FILE *memory = open_memstream(&bytes, &count);
    report_write(&report, memory);
    fclose(memory);
    report_free(&report);
    bool same = same_bytes(path, bytes, count);
    free(bytes);
    if (!same)
        message_error("%s: reading and writing changes it", path);
    return !same;
}

int main(int argc, char **argv)
{
    int status = argc < 2;
    for (int i = 1; i < argc; i++)
        status |= round_trip(argv[i]);
    return status;
}
