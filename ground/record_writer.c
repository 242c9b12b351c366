/* The only writer of files of records: fields, escapes, line ends and the checksum.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ground/record_writer.h"

static const char hex_digits[] = "0123456789abcdef";

/* ---------------------------------------------------------------- bytes */

static void flush(struct record_writer *w)
{
    w->sink.write(w->sink.context, w->buffer, w->n);
    w->n = 0;
}

/* Hot path: all output passes through this function. The buffer always has space for a byte. */
static void put_byte(struct record_writer *w, char byte)
{
    w->checksum = record_hash_byte(w->checksum, (uint8_t)byte);
    w->lines += byte == '\n';
    w->buffer[w->n++] = byte;
    if (UNLIKELY(w->n == RECORD_BUFFER_BYTES))
        flush(w);
}

void record_put_raw(struct record_writer *w, const char *text)
{
    while (*text)
        put_byte(w, *text++);
}

static void put_hex_byte(struct record_writer *w, uint8_t byte)
{
    put_byte(w, hex_digits[byte >> 4]);
    put_byte(w, hex_digits[byte & 15]);
}

static void put_hex_digits(struct record_writer *w, uint64_t number, int digits)
{
    while (digits-- > 0)
        put_byte(w, hex_digits[number >> 4 * digits & 15]);
}

/* ---------------------------------------------------------------- fields */

static void put_escaped(struct record_writer *w, uint8_t byte)
{
    put_byte(w, '\\');
    if (byte == '\\' || byte == '\t' || byte == '\n') {
        put_byte(w, byte == '\\' ? '\\' : byte == '\t' ? 't' : 'n');
        return;
    }
    put_byte(w, 'x');
    put_hex_byte(w, byte);
}

/* "-" means "no text", so a text that is a minus sign must be escaped. */
void record_put_text(struct record_writer *w, const char *text)
{
    put_byte(w, '\t');
    if (!text || !*text) {
        put_byte(w, '-');
        return;
    }
    if (text[0] == '-' && !text[1]) {
        put_escaped(w, '-');
        return;
    }
    for (; *text; text++) {
        uint8_t byte = (uint8_t)*text;
        if (byte < 0x20 || byte == 0x7f || byte == '\\')
            put_escaped(w, byte);
        else
            put_byte(w, *text);
    }
}

void record_put_number(struct record_writer *w, uint64_t number)
{
    char digits[20];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    put_byte(w, '\t');
    while (n)
        put_byte(w, digits[--n]);
}

void record_put_wide(struct record_writer *w, struct wide number)
{
    char digits[WIDE_DIGITS];
    put_byte(w, '\t');
    record_put_raw(w, wide_format(number, digits));
}

void record_put_hex(struct record_writer *w, uint64_t number)
{
    int digits = 1;
    while (digits < 16 && number >> 4 * digits)
        digits++;
    record_put_raw(w, "\t0x");
    put_hex_digits(w, number, digits);
}

void record_put_hex_bytes(struct record_writer *w, const uint8_t *bytes, size_t n)
{
    put_byte(w, '\t');
    if (!n)
        put_byte(w, '-');
    for (size_t i = 0; i < n; i++)
        put_hex_byte(w, bytes[i]);
}

void record_put_words(struct record_writer *w, const char *const *words)
{
    for (; *words; words++)
        record_put_text(w, *words);
}

/* ---------------------------------------------------------------- records */

void record_end(struct record_writer *w)
{
    put_byte(w, '\n');
}

void record_put_line(struct record_writer *w, const char *tag, const char *text)
{
    record_put_raw(w, tag);
    record_put_text(w, text);
    record_end(w);
}

void record_put_first(struct record_writer *w, const char *tag, uint64_t version)
{
    record_put_raw(w, tag);
    record_put_number(w, version);
    record_end(w);
}

/* ---------------------------------------------------------------- files */

void record_writer_start(struct record_writer *w, struct record_sink sink)
{
    w->sink = sink;
    w->checksum = RECORD_HASH_START;
    w->lines = w->n = 0;
}

void record_writer_finish(struct record_writer *w)
{
    uint64_t lines = w->lines, checksum = w->checksum;
    record_put_raw(w, "complete");
    record_put_number(w, lines);
    put_byte(w, '\t');
    put_hex_digits(w, checksum, 16);
    record_end(w);
    flush(w);
}
