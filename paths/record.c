/* Text files of records: fields separated by TABs, a version in the first line, a checksum last.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/record.h"

#include "lib/base/output.h"
#include "lib/records/record_reader.h"
#include "lib/records/record_stream.h"

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
    record_put_first(&out->records, kind, version);
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

void record_output_words(struct record_output *out, const char *tag, char *const *words)
{
    record_put_raw(&out->records, tag);
    record_put_words(&out->records, (const char *const *)words);
    record_end(&out->records);
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

/* Stores the texts of the record; the first line has the kind and the version of the file. */
static void take_line(struct record_reader *reader)
{
    struct record_file *file = reader->to;
    if (reader->line_number == 1)
        return;
    for (size_t i = 0; i < reader->fields.count; i++) {
        const char *text;
        if (!field_string(reader, i, "field", &text))
            return;
        vector_push(&file->texts, text);
    }
    vector_push(&file->ends, file->texts.count);
}

static bool collect(struct record_file *file, struct input *input, const char *kind,
                    unsigned version, struct failure *why)
{
    char *noun = memory_format("a file of the kind `%s'", kind);
    const struct record_format format = {
        .magic = kind, .noun = noun, .newest = version, .parse = take_line};
    struct record_reader reader;
    bool fine = record_reader_run(&reader, input, &format, file, &file->strings, why);
    file->checksum = reader.hash;
    if (fine && reader.version != version)
        fine = failure_set(why, "%s: version %" PRIu64 " of `%s'; this aprof reads version %u",
                           file->path, reader.version, kind, version);
    free(noun);
    return fine;
}

bool record_open(struct record_file *file, const char *path, const char *kind, unsigned version,
                 struct failure *why)
{
    *file = (struct record_file){.path = path, .line = 1};
    struct input *input = input_open(path, why);
    bool fine = input && collect(file, input, kind, version, why);
    if (!fine)
        record_close(file);
    return fine;
}

bool record_next(struct record_file *file)
{
    size_t record = file->line - 1;
    if (record == file->ends.count)
        return false;
    size_t first = record ? file->ends.at[record - 1] : 0;
    file->fields = (struct record_fields){file->texts.at + first, file->ends.at[record] - first};
    file->line++;
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
    return !number_parse(text, strlen(text), number) && *number <= most;
}

bool record_fail(const struct record_file *file, const char *what, struct failure *why)
{
    return failure_set(why, "%s:%zu: %s", file->path, file->line, what);
}

void record_close(struct record_file *file)
{
    vector_free(&file->texts);
    vector_free(&file->ends);
    arena_free(&file->strings);
    *file = (struct record_file){0};
}
