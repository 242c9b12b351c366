/* The bytes of a report: fields, escapes, line ends, the checksum; and the sort of its records.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ground/record_writer.h"

#define FNV_BASIS 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

void report_lines_start(struct report_lines *w, const struct report_sink *sink)
{
    w->sink = sink;
    w->checksum = FNV_BASIS;
}

/* ---------------------------------------------------------------- bytes */

void report_flush(struct report_lines *w)
{
    w->sink->write(w->sink->context, w->buffer, w->n);
    w->n = 0;
}

void report_put_byte(struct report_lines *w, char byte)
{
    w->checksum = (w->checksum ^ (uint8_t)byte) * FNV_PRIME;
    w->lines += byte == '\n';
    w->buffer[w->n++] = byte;
    if (w->n == REPORT_BUFFER_BYTES)
        report_flush(w);
}

void report_put_raw(struct report_lines *w, const char *text)
{
    while (*text)
        report_put_byte(w, *text++);
}

static void put_escaped(struct report_lines *w, uint8_t byte)
{
    static const char hex[] = "0123456789abcdef";
    report_put_byte(w, '\\');
    if (byte == '\\' || byte == '\t' || byte == '\n') {
        report_put_byte(w, byte == '\\' ? '\\' : byte == '\t' ? 't' : 'n');
        return;
    }
    report_put_byte(w, 'x');
    report_put_byte(w, hex[byte >> 4]);
    report_put_byte(w, hex[byte & 15]);
}

/* One field, after the TAB that parts it from the one before. NULL and "" are written as "-". */
void report_put_text(struct report_lines *w, const char *text)
{
    report_put_byte(w, '\t');
    if (!text || !*text) {
        report_put_byte(w, '-');
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
            report_put_byte(w, *text);
    }
}

void report_put_wide(struct report_lines *w, struct wide number)
{
    char digits[WIDE_DIGITS];
    report_put_byte(w, '\t');
    report_put_raw(w, wide_format(number, digits));
}

void report_put_number(struct report_lines *w, uint64_t number)
{
    char digits[20];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    report_put_byte(w, '\t');
    while (n)
        report_put_byte(w, digits[--n]);
}

void report_put_hex(struct report_lines *w, uint64_t number, int digits)
{
    for (int i = digits - 1; i >= 0; i--)
        report_put_byte(w, "0123456789abcdef"[number >> 4 * i & 15]);
}

void report_put_address(struct report_lines *w, uint64_t address)
{
    int digits = 1;
    while (digits < 16 && address >> 4 * digits)
        digits++;
    report_put_raw(w, "\t0x");
    report_put_hex(w, address, digits);
}

void report_end_line(struct report_lines *w)
{
    report_put_byte(w, '\n');
}

void report_put_line(struct report_lines *w, const char *tag, const char *text)
{
    report_put_raw(w, tag);
    report_put_text(w, text);
    report_end_line(w);
}

void report_put_list(struct report_lines *w, const char *tag, const char *const *words)
{
    report_put_raw(w, tag);
    for (; *words; words++)
        report_put_text(w, *words);
    report_end_line(w);
}

/* ---------------------------------------------------------------- order */

/* Bottom-up merge sort of n elements; `spare` has room for as many. Returns the one that is sorted.
 */
char *report_sort(char *elements, char *spare, size_t n, size_t size,
                  int (*compare)(const void *, const void *))
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            size_t middle = begin + width < n ? begin + width : n;
            size_t end = begin + 2 * width < n ? begin + 2 * width : n;
            size_t a = begin, b = middle;
            for (size_t at = begin; at < end; at++) {
                bool left = b == end ||
                            (a < middle && compare(elements + a * size, elements + b * size) <= 0);
                memcpy(spare + at * size, elements + (left ? a++ : b++) * size, size);
            }
        }
        char *swap = elements;
        elements = spare;
        spare = swap;
    }
    return elements;
}
