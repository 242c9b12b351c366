/* The only writer of files of records: fields, escapes, line ends and the checksum.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record is a line: a tag, and fields with a TAB before each. aprof-out(5) describes the escapes,
 * which distinguish text from the end of a field, the end of a record and "no text".
 *
 *     struct record_writer w;
 *     record_writer_start(&w, (struct record_sink){write_bytes, file});
 *     record_put_raw(&w, "object");            object
 *     record_put_number(&w, 0);                object<TAB>0
 *     record_put_text(&w, "a\tb");             object<TAB>0<TAB>a\tb
 *     record_end(&w);
 *     record_writer_finish(&w);                complete<TAB>1<TAB>0bba3d7a7a2dfb45
 *
 * The writer allocates no memory and calls only its sink, so it can run in a signal handler. Each
 * byte costs one step of the checksum and one store; the sink is called once per
 * RECORD_BUFFER_BYTES.
 */
#ifndef GROUND_RECORD_WRITER_H
#define GROUND_RECORD_WRITER_H

#include "ground/wide.h"

#define RECORD_BUFFER_BYTES 8192

/* The checksum of all bytes is FNV-1a with 64 bits; its initial value is RECORD_HASH_START. */
#define RECORD_HASH_START 0xcbf29ce484222325u

APROF_INLINE uint64_t record_hash_byte(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * 0x100000001b3u;
}

APROF_INLINE uint64_t record_hash(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    while (n--)
        hash = record_hash_byte(hash, *at++);
    return hash;
}

/* Receives the bytes in order. The sink must remember whether any of its writes failed. */
struct record_sink {
    void (*write)(void *context, const char *bytes, size_t n);
    void *context;
};

struct record_writer {
    struct record_sink sink;
    uint64_t checksum; /* checksum of all bytes so far */
    uint64_t lines;
    size_t n; /* number of bytes that the sink has not received yet */
    char buffer[RECORD_BUFFER_BYTES];
};

void record_writer_start(struct record_writer *w, struct record_sink sink);

/* Writes the line `complete`, and passes all buffered bytes to the sink. */
void record_writer_finish(struct record_writer *w);

/* Writes text unchanged: a tag or a field that needs no escapes, with its TAB. */
void record_put_raw(struct record_writer *w, const char *text);

/* Writes a TAB, and then one field. */
void record_put_text(struct record_writer *w, const char *text); /* writes "-" for NULL and "" */
void record_put_number(struct record_writer *w, uint64_t number);
void record_put_wide(struct record_writer *w, struct wide number);
void record_put_hex(struct record_writer *w, uint64_t number); /* for example 0x1139 */
/* writes "-" if the number of bytes is 0 */
void record_put_hex_bytes(struct record_writer *w, const uint8_t *bytes, size_t n);
void record_put_words(struct record_writer *w, const char *const *words); /* end with NULL */
void record_end(struct record_writer *w);

/* Whole records. */
void record_put_line(struct record_writer *w, const char *tag, const char *text);
void record_put_first(struct record_writer *w, const char *tag, uint64_t version);

#endif
