/* Positions of streams: a seek may fill the buffer with external input of the stream's reader.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * During a seek, the C library already reads the block around the new position. So a read after the
 * seek finds its data in the buffer. Example: fseek to the end of a file of 400 bytes reads the
 * whole file, and rewind stays in the buffer. A seek inside the buffer changes neither the buffer's
 * end nor the position of the file.
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose_calls.h"

#include <stdio.h>

struct filled {
    const char *base, *end;
    off64_t file_position;
};

static struct filled filled_part(const FILE *stream)
{
    return (struct filled){stream->_IO_read_base, stream->_IO_read_end, stream->_offset};
}

static void moved(const FILE *stream, struct filled then)
{
    struct filled now = filled_part(stream);
    bool same =
        now.base == then.base && now.end == then.end && now.file_position == then.file_position;
    int error = errno;
    if (!same && stream->_fileno >= 0 && now.end > now.base)
        watch_kernel_write((uintptr_t)now.base, (size_t)(now.end - now.base));
    errno = error;
}

#define MOVES(name, parameters, arguments)                                                         \
    INTERPOSE(int, name, parameters)                                                               \
    {                                                                                              \
        struct filled then = filled_part(stream);                                                  \
        int result = REAL(name) arguments;                                                         \
        moved(stream, then);                                                                       \
        return result;                                                                             \
    }

MOVES(fseek, (FILE * stream, long by, int from), (stream, by, from))
MOVES(fseeko, (FILE * stream, off_t by, int from), (stream, by, from))
MOVES(fseeko64, (FILE * stream, off64_t by, int from), (stream, by, from))
MOVES(fsetpos, (FILE * stream, const fpos_t *to), (stream, to))
MOVES(fsetpos64, (FILE * stream, const fpos64_t *to), (stream, to))

INTERPOSE(void, rewind, (FILE * stream))
{
    struct filled then = filled_part(stream);
    REAL(rewind)(stream);
    moved(stream, then);
}
