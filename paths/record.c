/* Text files of records: TAB-separated fields, a version line first, a proof of completeness last.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/record.h"

#include "lib/output.h"
#include "lib/record_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- Writing */

void record_output_start(struct record_output *out, const char *kind, unsigned version)
{
    *out = (struct record_output){0};
    out->stream = open_memstream(&out->text, &out->text_bytes);
    if (!out->stream)
        abort();
    record_writer_start_stream(&out->records, out->stream);
    record_put_raw(&out->records, kind);
    record_put_number(&out->records, version);
    record_end(&out->records);
}

static void put_signed(struct record_writer *w, int64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "\t%" PRId64, number);
    record_put_raw(w, digits);
}

void record_output_put(struct record_output *out, const char *tag, const char *format, ...)
{
    struct record_writer *w = &out->records;
    va_list list;
    va_start(list, format);
    record_put_raw(w, tag);
    for (const char *f = format; *f; f++) {
        if (*f == 's')
            record_put_text(w, va_arg(list, const char *));
        else if (*f == 'u')
            record_put_number(w, va_arg(list, uint64_t));
        else
            put_signed(w, va_arg(list, int64_t));
    }
    record_end(w);
    va_end(list);
}

bool record_output_finish(struct record_output *out, const char *path, struct failure *why)
{
    struct output output;
    record_writer_finish(&out->records);
    bool fine = fclose(out->stream) == 0;
    if (!fine) {
        failure_set(why, "%s: out of memory", path);
    } else if ((fine = output_open(&output, path, why))) {
        fwrite(out->text, 1, out->text_bytes, output.stream);
        fine = output_close(&output, why);
    }
    free(out->text);
    return fine;
}

void record_output_discard(struct record_output *out)
{
    fclose(out->stream);
    free(out->text);
}

/* ---------------------------------------------------------------- Reading */

static bool read_all(struct record_file *file, struct failure *why)
{
    FILE *from = fopen(file->path, "rb");
    if (!from)
        return failure_set(why, "%s: %s", file->path, strerror(errno));
    size_t room = 0, count = 0, got;
    do {
        room = room ? 2 * room : 65536;
        file->text = memory_resize(file->text, room + 1, 1);
        got = fread(file->text + count, 1, room - count, from);
        count += got;
    } while (count == room);
    bool fine = !ferror(from);
    int error = errno;
    fclose(from);
    file->text[count] = 0;
    file->at = file->text;
    file->end = file->text + count;
    return fine || failure_set(why, "%s: %s", file->path, strerror(error));
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* In place; an escape is never shorter than what it stands for. */
static bool unescape(char *text)
{
    if (strcmp(text, "-") == 0) {
        *text = 0;
        return true;
    }
    char *to = text;
    for (char *c = text; *c; c++) {
        if (*c != '\\') {
            *to++ = *c;
            continue;
        }
        c++;
        if (*c == '\\' || *c == 't' || *c == 'n') {
            *to++ = *c == 't' ? '\t' : *c == 'n' ? '\n' : '\\';
        } else if (*c == 'x' && hex_digit(c[1]) >= 0 && hex_digit(c[2]) >= 0) {
            *to++ = (char)(hex_digit(c[1]) * 16 + hex_digit(c[2]));
            c += 2;
        } else {
            return false;
        }
    }
    *to = 0;
    return true;
}

bool record_fail(const struct record_file *file, const char *what, struct failure *why)
{
    return failure_set(why, "%s: line %lu: %s", file->path, file->line, what);
}

static unsigned long lines_of(const char *text, size_t bytes)
{
    unsigned long lines = 0;
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return lines;
}

/* The last line must be the closing one, and true. It is cut off. */
static bool check_closing(struct record_file *file, struct failure *why)
{
    char *last = file->end;
    if (last == file->text || last[-1] != '\n')
        return failure_set(why, "%s: the end of the file is missing", file->path);
    for (last--; last > file->text && last[-1] != '\n';)
        last--;
    size_t bytes = (size_t)(last - file->text);
    char expected[64];
    file->checksum = record_hash(RECORD_HASH_START, file->text, bytes);
    snprintf(expected, sizeof expected, "complete\t%lu\t%016" PRIx64 "\n",
             lines_of(file->text, bytes), file->checksum);
    if (strncmp(last, "complete\t", 9) != 0)
        return failure_set(why, "%s: the end of the file is missing", file->path);
    if (strcmp(last, expected) != 0)
        return failure_set(why, "%s: damaged: its contents do not match its checksum", file->path);
    file->end = last;
    *last = 0;
    return true;
}

static bool check_kind(struct record_file *file, const char *kind, unsigned version,
                       struct failure *why)
{
    size_t bytes = strlen(kind);
    if (strncmp(file->text, kind, bytes) != 0 || file->text[bytes] != '\t')
        return failure_set(why, "%s: not a file of the kind `%s'", file->path, kind);
    char *end;
    unsigned long found = strtoul(file->text + bytes + 1, &end, 10);
    if (*end != '\n')
        return failure_set(why, "%s: not a file of the kind `%s'", file->path, kind);
    if (found != version)
        return failure_set(why, "%s: version %lu of `%s'; this aprof reads version %u", file->path,
                           found, kind, version);
    return true;
}

bool record_open(struct record_file *file, const char *path, const char *kind, unsigned version,
                 struct failure *why)
{
    *file = (struct record_file){.path = path};
    if (!read_all(file, why) || !check_kind(file, kind, version, why) ||
        !check_closing(file, why)) {
        record_close(file);
        return false;
    }
    file->at = strchr(file->text, '\n') + 1;
    file->line = 1;
    return true;
}

bool record_next(struct record_file *file)
{
    file->fields.count = 0;
    if (file->at >= file->end)
        return false;
    char *line_end = strchr(file->at, '\n');
    *line_end = 0;
    file->line++;
    for (char *field = file->at; field;) {
        char *tab = strchr(field, '\t');
        if (tab)
            *tab = 0;
        if (!unescape(field))
            field = (char *)"?"; /* no record has this tag, and it is no number */
        vector_push(&file->fields, field);
        field = tab ? tab + 1 : NULL;
    }
    file->at = line_end + 1;
    return true;
}

bool record_is(const struct record_file *file, const char *tag, size_t count, bool more)
{
    size_t found = file->fields.count - 1;
    return strcmp(file->fields.at[0], tag) == 0 && (more ? found >= count : found == count);
}

bool record_number(const struct record_file *file, size_t n, uint64_t most, uint64_t *number)
{
    if (n + 1 >= file->fields.count)
        return false;
    const char *text = file->fields.at[n + 1];
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > (UINT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
    }
    *number = value;
    return value <= most;
}

void record_close(struct record_file *file)
{
    free(file->text);
    vector_free(&file->fields);
    *file = (struct record_file){0};
}
