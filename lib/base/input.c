/* Reads the bytes of a file, and decompresses them; see input.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A buffer is filled with raw bytes from a descriptor or from memory; a decoder (plain, gzip or
 * zstd) converts them to the requested bytes. Compressed files may consist of several members.
 */
#include "aprof-config.h"

#include "lib/base/input.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_LIBZ
#include <zlib.h>
#endif
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#define RAW_BYTES (1 << 16)
#define MEGABYTE  1000000

struct input {
    char *name;
    int descriptor; /* -1: memory */
    const unsigned char *memory;
    size_t memory_left;
    unsigned char raw[RAW_BYTES];
    size_t raw_at, raw_end;
    bool raw_ended;
    struct progress progress; /* progress of reading a regular file, in MB */
    size_t fetched;           /* number of raw bytes read so far */
    long (*decode)(struct input *, unsigned char *to, size_t bytes, struct failure *why);
#ifdef HAVE_LIBZ
    z_stream gzip;
#endif
#ifdef HAVE_LIBZSTD
    ZSTD_DStream *zstd;
#endif
    bool member_open; /* whether the end of a compressed member is still to be read */
};

/* Raw bytes ------------------------------------------------------------------------------------ */

/* Reads until `to` is full or the input ends, because a pipe may deliver its first bytes one by
 * one. */
static long raw_fetch(struct input *in, unsigned char *to, size_t bytes)
{
    size_t filled = 0;
    while (in->descriptor >= 0 && filled < bytes) {
        long got = read(in->descriptor, to + filled, bytes - filled);
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == 0)
            return (long)filled;
        filled += got < 0 ? 0 : (size_t)got;
    }
    if (in->descriptor >= 0)
        return (long)filled;
    filled = bytes < in->memory_left ? bytes : in->memory_left;
    if (filled)
        memcpy(to, in->memory, filled);
    in->memory += filled;
    in->memory_left -= filled;
    return (long)filled;
}

/* Fills an empty buffer, unless the input has ended. */
static bool raw_fill(struct input *in, struct failure *why)
{
    if (in->raw_at < in->raw_end || in->raw_ended)
        return true;
    long got = raw_fetch(in, in->raw, sizeof in->raw);
    if (got < 0)
        return failure_set(why, "%s: %s", in->name, strerror(errno));
    in->raw_at = 0;
    in->raw_end = (size_t)got;
    in->raw_ended = got == 0;
    in->fetched += (size_t)got;
    if (in->progress.total)
        progress_step(&in->progress, in->fetched / MEGABYTE);
    return true;
}

/* Decoders: each returns some bytes, 0 at the end, -1 on failure ------------------------------- */

static long decode_plain(struct input *in, unsigned char *to, size_t bytes, struct failure *why)
{
    if (!raw_fill(in, why))
        return -1;
    size_t left = in->raw_end - in->raw_at;
    size_t got = bytes < left ? bytes : left;
    memcpy(to, in->raw + in->raw_at, got);
    in->raw_at += got;
    return (long)got;
}

#if defined HAVE_LIBZ || defined HAVE_LIBZSTD
/* It is an error if the raw bytes end inside a compressed member. */
static long compressed_end(struct input *in, struct failure *why)
{
    if (!in->member_open)
        return 0;
    failure_set(why, "%s: truncated: the compressed data end too early", in->name);
    return -1;
}
#endif

#ifdef HAVE_LIBZ
static long decode_gzip(struct input *in, unsigned char *to, size_t bytes, struct failure *why)
{
    in->gzip.next_out = to;
    in->gzip.avail_out = (unsigned)(bytes < RAW_BYTES ? bytes : RAW_BYTES);
    unsigned asked = in->gzip.avail_out;
    while (in->gzip.avail_out == asked) {
        if (!raw_fill(in, why))
            return -1;
        if (in->raw_at == in->raw_end)
            return compressed_end(in, why);
        in->gzip.next_in = in->raw + in->raw_at;
        in->gzip.avail_in = (unsigned)(in->raw_end - in->raw_at);
        in->member_open = true;
        int state = inflate(&in->gzip, Z_NO_FLUSH);
        in->raw_at = in->raw_end - in->gzip.avail_in;
        if (state == Z_STREAM_END) {
            in->member_open = false;
            inflateReset(&in->gzip);
        } else if (state != Z_OK && state != Z_BUF_ERROR) {
            failure_set(why, "%s: corrupted: the gzip data are damaged", in->name);
            return -1;
        }
    }
    return (long)(asked - in->gzip.avail_out);
}
#endif

#ifdef HAVE_LIBZSTD
static long decode_zstd(struct input *in, unsigned char *to, size_t bytes, struct failure *why)
{
    ZSTD_outBuffer out = {to, bytes, 0};
    while (out.pos == 0) {
        if (!raw_fill(in, why))
            return -1;
        if (in->raw_at == in->raw_end)
            return compressed_end(in, why);
        ZSTD_inBuffer from = {in->raw, in->raw_end, in->raw_at};
        size_t hint = ZSTD_decompressStream(in->zstd, &out, &from);
        in->raw_at = from.pos;
        if (ZSTD_isError(hint)) {
            failure_set(why, "%s: corrupted: the zstd data are damaged", in->name);
            return -1;
        }
        in->member_open = hint != 0;
    }
    return (long)out.pos;
}
#endif

/* Opening -------------------------------------------------------------------------------------- */

static const unsigned char gzip_magic[] = {0x1f, 0x8b};
static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};

static bool starts_with(const struct input *in, const unsigned char *magic, size_t bytes)
{
    return in->raw_end >= bytes && memcmp(in->raw, magic, bytes) == 0;
}

/* Chooses the decoder by the first bytes of the input. */
static bool choose_decoder(struct input *in, struct failure *why)
{
    in->decode = decode_plain;
    if (!raw_fill(in, why))
        return false;
    if (starts_with(in, gzip_magic, sizeof gzip_magic)) {
#ifdef HAVE_LIBZ
        in->decode = decode_gzip;
        if (inflateInit2(&in->gzip, 15 + 16) != Z_OK)
            return failure_set(why, "%s: gzip: out of memory", in->name);
#else
        return failure_set(
            why, "%s: gzip data: this aprof was built without zlib; unpack the file first",
            in->name);
#endif
    } else if (starts_with(in, zstd_magic, sizeof zstd_magic)) {
#ifdef HAVE_LIBZSTD
        in->decode = decode_zstd;
        in->zstd = ZSTD_createDStream();
        if (!in->zstd)
            return failure_set(why, "%s: zstd: out of memory", in->name);
#else
        return failure_set(
            why, "%s: zstd data: this aprof was built without zstd; unpack the file first",
            in->name);
#endif
    }
    return true;
}

static struct input *input_new(const char *name, int descriptor)
{
    struct input *in = memory_get_zeroed(1, sizeof *in);
    in->name = memory_copy_string(name);
    in->descriptor = descriptor;
    return in;
}

struct input *input_open(const char *path, struct failure *why)
{
    bool standard = strcmp(path, "-") == 0;
    int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status = {0};
    if (descriptor < 0) {
        failure_set(why, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(descriptor);
        failure_set(why, "%s: is a directory", path);
        return NULL;
    }
    struct input *in = input_new(standard ? "(standard input)" : path, descriptor);
    in->progress =
        progress_start("MB read", S_ISREG(status.st_mode) ? (size_t)status.st_size / MEGABYTE : 0);
    return in;
}

struct input *input_open_memory(const void *bytes, size_t count, const char *name)
{
    struct input *in = input_new(name, -1);
    in->memory = bytes;
    in->memory_left = count;
    return in;
}

long input_read(struct input *in, void *to, size_t bytes, struct failure *why)
{
    size_t filled = 0;
    if (!in->decode && !choose_decoder(in, why))
        return -1;
    while (filled < bytes) {
        long got = in->decode(in, (unsigned char *)to + filled, bytes - filled, why);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        filled += (size_t)got;
    }
    return (long)filled;
}

const char *input_name(const struct input *in)
{
    return in->name;
}

void input_close(struct input *in)
{
    if (!in)
        return;
#ifdef HAVE_LIBZ
    if (in->decode == decode_gzip)
        inflateEnd(&in->gzip);
#endif
#ifdef HAVE_LIBZSTD
    ZSTD_freeDStream(in->zstd);
#endif
    progress_end(&in->progress);
    if (in->descriptor > STDIN_FILENO)
        close(in->descriptor);
    free(in->name);
    free(in);
}
