/* Streams: data read from a stream are external input; writing to a stream reads memory.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A stream's system calls are inside the C library and cannot be interposed, but the stream's
 * buffer is visible. The buffer's unread data are between read_ptr and read_end. If a call reads
 * more than these data, the buffer was refilled during the call.
 *
 *     buffer of 8 bytes, 3 of them left; fgets takes 6
 *     ->  3 bytes are read; the kernel writes the buffer again; 3 bytes of it are read;
 *         the program's memory is written
 *
 * The input counts for the routine that calls fgets, as under Valgrind. Data that the kernel wrote
 * directly to the program's memory (fread of many bytes) are input of the routine that reads them.
 * Output calls count the memory that they read, except strings passed to printf.
 */
#define _GNU_SOURCE
#include "native/base/syscalls.h"
#include "native/trms/interpose/interpose_calls.h"

#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

/* ---------------------------------------------------------------- input */

struct waiting {
    const char *from, *end; /* range of the unread data in the stream's buffer */
    long position;          /* position of the file, if it may be needed (before_scan) */
};

static struct waiting before(const FILE *stream)
{
    return (struct waiting){stream->_IO_read_ptr, stream->_IO_read_end, -1};
}

static bool has_file(const FILE *stream)
{
    return stream->_fileno >= 0;
}

static size_t buffer_bytes(const FILE *stream)
{
    return (size_t)(stream->_IO_buf_end - stream->_IO_buf_base);
}

static void fill(const FILE *stream, const void *at, size_t bytes)
{
    if (has_file(stream))
        watch_kernel_write((uintptr_t)at, bytes);
}

/* Records that the buffer was filled, perhaps several times, with `bytes` bytes in all. */
static void pass(const FILE *stream, size_t bytes)
{
    size_t room = buffer_bytes(stream);
    while (bytes && room) {
        size_t once = interpose_smaller(room, bytes);
        fill(stream, stream->_IO_buf_base, once);
        interpose_reads(stream->_IO_buf_base, once);
        bytes -= once;
    }
}

/* Records `bytes` bytes that the stream has delivered; if the target is NULL, the bytes did not go
 * to memory (getc). The bytes come first from the old buffer, then from refilled buffers or direct
 * kernel writes to the program, and finally from the current buffer. If the missing part of a block
 * is at least as large as the stream's buffer, the C library reads directly into the program's
 * memory. `wanted` is the size of the requested block; it is 0 for calls that do not request a
 * block. Bytes that were read directly count as written by the kernel, but not as read by the
 * library. */
static void took(const FILE *stream, struct waiting then, size_t bytes, const char *to,
                 size_t wanted)
{
    size_t old = interpose_smaller((size_t)(then.end - then.from), bytes), new = bytes - old;
    const char *base = stream->_IO_read_base;
    size_t last = interpose_smaller((size_t)(stream->_IO_read_ptr - base), new),
           middle = new - last;
    bool is_direct = has_file(stream) && wanted >= old + buffer_bytes(stream);
    interpose_reads(then.from, old);
    if (middle && to && is_direct)
        fill(stream, to + old, middle);
    else if (middle)
        pass(stream, middle);
    if (new) {
        fill(stream, base, (size_t)(stream->_IO_read_end - base));
        interpose_reads(stream->_IO_read_ptr - last, last);
    }
    if (!to)
        return;
    if (!is_direct) {
        interpose_writes(to, bytes);
        return;
    }
    interpose_writes(to, old);
    interpose_writes(to + old + middle, last);
}

/* Requests bytes instead of elements, so that the result includes a last, partial element. Like the
 * C library, multiplies the size by the number of elements. */
#define BLOCK_INPUT(name, parameters, arguments, arguments_in_bytes)                               \
    INTERPOSE(size_t, name, parameters)                                                            \
    {                                                                                              \
        struct waiting then = before(stream);                                                      \
        size_t wanted;                                                                             \
        if (__builtin_mul_overflow(size, n, &wanted) || !wanted)                                   \
            return REAL(name) arguments;                                                           \
        size_t bytes = REAL(name) arguments_in_bytes;                                              \
        if (interpose_counts(CALLER))                                                              \
            took(stream, then, bytes, to, wanted);                                                 \
        return bytes / size;                                                                       \
    }

BLOCK_INPUT(fread, (void *to, size_t size, size_t n, FILE *stream), (to, size, n, stream),
            (to, 1, wanted, stream))
BLOCK_INPUT(fread_unlocked, (void *to, size_t size, size_t n, FILE *stream), (to, size, n, stream),
            (to, 1, wanted, stream))
BLOCK_INPUT(__fread_chk, (void *to, size_t room, size_t size, size_t n, FILE *stream),
            (to, room, size, n, stream), (to, room, 1, wanted, stream))
BLOCK_INPUT(__fread_unlocked_chk, (void *to, size_t room, size_t size, size_t n, FILE *stream),
            (to, room, size, n, stream), (to, room, 1, wanted, stream))

/* The zero byte at the end of a line does not come from the stream. */
static void took_line(const FILE *stream, struct waiting then, const char *to, size_t bytes)
{
    took(stream, then, bytes, to, 0);
    interpose_writes(to + bytes, 1);
}

#define LINE_INPUT(name, parameters, arguments)                                                    \
    INTERPOSE(char *, name, parameters)                                                            \
    {                                                                                              \
        struct waiting then = before(stream);                                                      \
        char *result = REAL(name) arguments;                                                       \
        if (result && interpose_counts(CALLER))                                                    \
            took_line(stream, then, to, interpose_string_bytes(to) - 1);                           \
        return result;                                                                             \
    }

LINE_INPUT(fgets, (char *to, int n, FILE *stream), (to, n, stream))
LINE_INPUT(fgets_unlocked, (char *to, int n, FILE *stream), (to, n, stream))
LINE_INPUT(__fgets_chk, (char *to, size_t room, int n, FILE *stream), (to, room, n, stream))
LINE_INPUT(__fgets_unlocked_chk, (char *to, size_t room, int n, FILE *stream),
           (to, room, n, stream))

#define GROWING_INPUT(name, parameters, arguments)                                                 \
    INTERPOSE(ssize_t, name, parameters)                                                           \
    {                                                                                              \
        struct waiting then = before(stream);                                                      \
        ssize_t result = REAL(name) arguments;                                                     \
        if (result > 0 && interpose_counts(CALLER))                                                \
            took_line(stream, then, *line, (size_t)result);                                        \
        return result;                                                                             \
    }

GROWING_INPUT(getline, (char **line, size_t *room, FILE *stream), (line, room, stream))
GROWING_INPUT(getdelim, (char **line, size_t *room, int end, FILE *stream),
              (line, room, end, stream))
GROWING_INPUT(__getdelim, (char **line, size_t *room, int end, FILE *stream),
              (line, room, end, stream))

#define CHARACTER_INPUT(name)                                                                      \
    INTERPOSE(int, name, (FILE * stream))                                                          \
    {                                                                                              \
        struct waiting then = before(stream);                                                      \
        int result = REAL(name)(stream);                                                           \
        if (result != EOF && interpose_counts(CALLER))                                             \
            took(stream, then, 1, NULL, 0);                                                        \
        return result;                                                                             \
    }

CHARACTER_INPUT(fgetc)
CHARACTER_INPUT(getc)
CHARACTER_INPUT(_IO_getc)
CHARACTER_INPUT(fgetc_unlocked)
CHARACTER_INPUT(getc_unlocked)
CHARACTER_INPUT(__uflow) /* inline code of getc_unlocked calls this function */

INTERPOSE(int, getchar, (void))
{
    struct waiting then = before(stdin);
    int result = REAL(getchar)();
    if (result != EOF && interpose_counts(CALLER))
        took(stdin, then, 1, NULL, 0);
    return result;
}

INTERPOSE(int, getchar_unlocked, (void))
{
    struct waiting then = before(stdin);
    int result = REAL(getchar_unlocked)();
    if (result != EOF && interpose_counts(CALLER))
        took(stdin, then, 1, NULL, 0);
    return result;
}

/* ---------------------------------------------------------------- formatted input */

/* Returns the position up to which the kernel has read the file; negative if the file has no
 * positions. */
static long file_position(const FILE *stream)
{
    return has_file(stream) ? native_syscall(SYS_lseek, stream->_fileno, 0, SEEK_CUR) : -1;
}

/* Call this function before a library function that reads from the stream without returning the
 * number of bytes. */
static struct waiting before_scan(const FILE *stream)
{
    struct waiting then = before(stream);
    then.position = then.from == then.end ? file_position(stream) : -1;
    return then;
}

/* Returns how many bytes a call has read from the file, without the bytes that are still in the
 * buffer. The result differs from 0 only at the end of the file, where the library empties the
 * buffer. */
static size_t taken_at_end(const FILE *stream, struct waiting then)
{
    if (then.position < 0 || !feof_unlocked((FILE *)stream) ||
        stream->_IO_read_end != stream->_IO_read_base)
        return 0;
    long now = file_position(stream);
    return now > then.position ? (size_t)(now - then.position) : 0;
}

/* Records the data that a scan has read. The change of the stream's buffer shows their number,
 * which the scanning function does not return. */
static void scanned(const FILE *stream, struct waiting then)
{
    const char *now = stream->_IO_read_ptr, *base = stream->_IO_read_base;
    size_t last = taken_at_end(stream, then);
    if (!last && stream->_IO_read_end == then.end && now >= then.from)
        interpose_reads(then.from, (size_t)(now - then.from));
    else
        took(stream, then, (size_t)(then.end - then.from) + (last ? last : (size_t)(now - base)),
             NULL, 0);
}

INTERPOSE(int, getw, (FILE * stream))
{
    struct waiting then = before_scan(stream);
    int result = REAL(getw)(stream);
    if (interpose_counts(CALLER))
        scanned(stream, then);
    return result;
}

static size_t text_bytes(const void *text, size_t character)
{
    const wchar_t *wide = text;
    size_t n = 0;
    if (character == 1)
        return interpose_string_bytes(text);
    while (wide[n])
        n++;
    return (n + 1) * sizeof *wide;
}

/* Returns the current position in the wide buffer. The C library converts the whole buffer when the
 * first wide character is taken. The struct of the wide buffer begins with the address up to which
 * characters were read. */
static const wchar_t *wide_place(const FILE *stream)
{
    return stream->_wide_data ? *(const wchar_t *const *)stream->_wide_data : NULL;
}

/* Call this function before a wide function. wide[0], which wide_place reads, is the current
 * position in the wide buffer; wide[1] is the end of the converted characters. */
static struct waiting before_wide(const FILE *stream)
{
    const wchar_t *const *wide = (const wchar_t *const *)stream->_wide_data;
    return wide && wide[0] < wide[1] ? before(stream) : before_scan(stream);
}

/* Records the data that a wide function has read. A refill leaves the addresses of the byte buffer
 * unchanged; it is recognised by the position in the wide buffer, which starts again. */
static void converted(const FILE *stream, struct waiting then, const wchar_t *wide)
{
    const char *base = stream->_IO_read_base;
    if (then.from != then.end || !wide || wide_place(stream) > wide || taken_at_end(stream, then)) {
        scanned(stream, then);
        return;
    }
    fill(stream, base, (size_t)(stream->_IO_read_end - base));
    interpose_reads(base, (size_t)(stream->_IO_read_ptr - base));
}

#define WIDE_INPUT(name)                                                                           \
    INTERPOSE(wint_t, name, (FILE * stream))                                                       \
    {                                                                                              \
        struct waiting then = before_wide(stream);                                                 \
        const wchar_t *wide = wide_place(stream);                                                  \
        wint_t result = REAL(name)(stream);                                                        \
        if (interpose_counts(CALLER))                                                              \
            converted(stream, then, wide);                                                         \
        return result;                                                                             \
    }

WIDE_INPUT(fgetwc)
WIDE_INPUT(getwc)
WIDE_INPUT(fgetwc_unlocked)
WIDE_INPUT(getwc_unlocked)

#define WIDE_STANDARD_INPUT(name)                                                                  \
    INTERPOSE(wint_t, name, (void))                                                                \
    {                                                                                              \
        struct waiting then = before_wide(stdin);                                                  \
        const wchar_t *wide = wide_place(stdin);                                                   \
        wint_t result = REAL(name)();                                                              \
        if (interpose_counts(CALLER))                                                              \
            converted(stdin, then, wide);                                                          \
        return result;                                                                             \
    }

WIDE_STANDARD_INPUT(getwchar)
WIDE_STANDARD_INPUT(getwchar_unlocked)

#define WIDE_LINE_INPUT(name, parameters, arguments)                                               \
    INTERPOSE(wchar_t *, name, parameters)                                                         \
    {                                                                                              \
        struct waiting then = before_wide(stream);                                                 \
        const wchar_t *wide = wide_place(stream);                                                  \
        wchar_t *result = REAL(name) arguments;                                                    \
        if (!interpose_counts(CALLER))                                                             \
            return result;                                                                         \
        converted(stream, then, wide);                                                             \
        if (result)                                                                                \
            interpose_writes((const char *)to, text_bytes(to, sizeof *to));                        \
        return result;                                                                             \
    }

WIDE_LINE_INPUT(fgetws, (wchar_t * to, int n, FILE *stream), (to, n, stream))
WIDE_LINE_INPUT(fgetws_unlocked, (wchar_t * to, int n, FILE *stream), (to, n, stream))
WIDE_LINE_INPUT(__fgetws_chk, (wchar_t * to, size_t room, int n, FILE *stream),
                (to, room, n, stream))
WIDE_LINE_INPUT(__fgetws_unlocked_chk, (wchar_t * to, size_t room, int n, FILE *stream),
                (to, room, n, stream))

/* The length modifiers of a conversion, as the number of bytes of an integer or of a float. */
struct widths {
    size_t integer, floating, character;
};

static const char *widths_of(const char *format, struct widths *widths)
{
    *widths = (struct widths){sizeof(int), sizeof(float), 1};
    for (;; format++) {
        switch (*format) {
        case 'h':
            widths->integer /= 2;
            break;
        case 'l':
            *widths = (struct widths){sizeof(long), sizeof(double), sizeof(wchar_t)};
            break;
        case 'j':
        case 'z':
        case 't':
        case 'q':
            widths->integer = sizeof(long);
            break;
        case 'L':
            *widths = (struct widths){sizeof(long), sizeof(long double), 1};
            break;
        default:
            return format;
        }
    }
}

static const char *behind_set(const char *format)
{
    format += *format == '^';
    format += *format == ']';
    while (*format && *format != ']')
        format++;
    return format;
}

/* Returns the number of bytes that a conversion has stored; `field` is the width in the format, or
 * 0. */
static size_t stored_bytes(char conversion, const void *to, struct widths widths, size_t field)
{
    switch (conversion) {
    case 's':
    case 'S':
    case '[':
        return text_bytes(to, widths.character);
    case 'c':
    case 'C':
        return (field ? field : 1) * widths.character;
    case 'p':
        return sizeof(void *);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        return widths.floating;
    default:
        return widths.integer;
    }
}

/* Records the first `n` stored values, not counting values of %n. A format that names its arguments
 * by number is skipped. */
static void stored(const char *format, va_list list, int n)
{
    while (*format) {
        if (*format++ != '%' || *format == '%') {
            format += format[-1] == '%';
            continue;
        }
        struct widths widths;
        size_t field = 0;
        bool is_void = *format == '*', allocates = false;
        format += is_void;
        for (; *format >= '0' && *format <= '9'; format++)
            field = field * 10 + (size_t)(*format - '0');
        if (*format == '$')
            return;
        allocates = *format == 'm';
        format = widths_of(format + allocates, &widths);
        char conversion = *format;
        if (!conversion || (!is_void && conversion != 'n' && n-- <= 0))
            return;
        format = conversion == '[' ? behind_set(format + 1) : format;
        format += *format != 0;
        if (is_void)
            continue;
        void *to = va_arg(list, void *);
        if (allocates) {
            interpose_writes(to, sizeof(void *));
            to = *(void **)to;
        }
        interpose_writes(to, stored_bytes(conversion, to, widths, field));
    }
}

#define WITH_LIST(last, ...)                                                                       \
    va_list list;                                                                                  \
    va_start(list, last);                                                                          \
    __VA_ARGS__;                                                                                   \
    va_end(list)

/* Defines both variants of a function that scans a stream. */
#define SCANS(name, vname, first, stream, call)                                                    \
    INTERPOSE(int, vname, (first const char *format, va_list list))                                \
    {                                                                                              \
        struct waiting then = before_scan(stream);                                                 \
        va_list copy;                                                                              \
        va_copy(copy, list);                                                                       \
        int result = REAL(vname) call;                                                             \
        if (interpose_counts(CALLER)) {                                                            \
            scanned(stream, then);                                                                 \
            stored(format, copy, result);                                                          \
        }                                                                                          \
        va_end(copy);                                                                              \
        return result;                                                                             \
    }                                                                                              \
    INTERPOSE(int, name, (first const char *format, ...))                                          \
    {                                                                                              \
        struct waiting then = before_scan(stream);                                                 \
        int result;                                                                                \
        WITH_LIST(format, result = REAL(vname) call);                                              \
        if (interpose_counts(CALLER)) {                                                            \
            scanned(stream, then);                                                                 \
            WITH_LIST(format, stored(format, list, result));                                       \
        }                                                                                          \
        return result;                                                                             \
    }

#define STREAM FILE *stream,
SCANS(fscanf, vfscanf, STREAM, stream, (stream, format, list))
SCANS(__isoc99_fscanf, __isoc99_vfscanf, STREAM, stream, (stream, format, list))
SCANS(scanf, vscanf, , stdin, (format, list))
SCANS(__isoc99_scanf, __isoc99_vscanf, , stdin, (format, list))
#if __GLIBC_PREREQ(2, 38)
SCANS(__isoc23_fscanf, __isoc23_vfscanf, STREAM, stream, (stream, format, list))
SCANS(__isoc23_scanf, __isoc23_vscanf, , stdin, (format, list))
#endif

/* Stores of functions with wide formats are not recorded, because formats are parsed as bytes. */
#define SCANS_WIDE(name, vname, first, stream, call)                                               \
    INTERPOSE(int, vname, (first const wchar_t *format, va_list list))                             \
    {                                                                                              \
        struct waiting then = before_wide(stream);                                                 \
        const wchar_t *wide = wide_place(stream);                                                  \
        int result = REAL(vname) call;                                                             \
        if (interpose_counts(CALLER))                                                              \
            converted(stream, then, wide);                                                         \
        return result;                                                                             \
    }                                                                                              \
    INTERPOSE(int, name, (first const wchar_t *format, ...))                                       \
    {                                                                                              \
        struct waiting then = before_wide(stream);                                                 \
        const wchar_t *wide = wide_place(stream);                                                  \
        int result;                                                                                \
        WITH_LIST(format, result = REAL(vname) call);                                              \
        if (interpose_counts(CALLER))                                                              \
            converted(stream, then, wide);                                                         \
        return result;                                                                             \
    }

SCANS_WIDE(fwscanf, vfwscanf, STREAM, stream, (stream, format, list))
SCANS_WIDE(__isoc99_fwscanf, __isoc99_vfwscanf, STREAM, stream, (stream, format, list))
SCANS_WIDE(wscanf, vwscanf, , stdin, (format, list))
SCANS_WIDE(__isoc99_wscanf, __isoc99_vwscanf, , stdin, (format, list))
#if __GLIBC_PREREQ(2, 38)
SCANS_WIDE(__isoc23_fwscanf, __isoc23_vfwscanf, STREAM, stream, (stream, format, list))
SCANS_WIDE(__isoc23_wscanf, __isoc23_vwscanf, , stdin, (format, list))
#endif

/* The number of bytes read from a string is not returned, so the whole string counts. */
#define SCANS_STRING(name, vname)                                                                  \
    INTERPOSE(int, vname, (const char *text, const char *format, va_list list))                    \
    {                                                                                              \
        va_list copy;                                                                              \
        va_copy(copy, list);                                                                       \
        int result = REAL(vname)(text, format, list);                                              \
        if (interpose_counts(CALLER)) {                                                            \
            interpose_reads(text, interpose_string_bytes(text));                                   \
            stored(format, copy, result);                                                          \
        }                                                                                          \
        va_end(copy);                                                                              \
        return result;                                                                             \
    }                                                                                              \
    INTERPOSE(int, name, (const char *text, const char *format, ...))                              \
    {                                                                                              \
        int result;                                                                                \
        WITH_LIST(format, result = REAL(vname)(text, format, list));                               \
        if (interpose_counts(CALLER)) {                                                            \
            interpose_reads(text, interpose_string_bytes(text));                                   \
            WITH_LIST(format, stored(format, list, result));                                       \
        }                                                                                          \
        return result;                                                                             \
    }

SCANS_STRING(sscanf, vsscanf)
SCANS_STRING(__isoc99_sscanf, __isoc99_vsscanf)
#if __GLIBC_PREREQ(2, 38)
SCANS_STRING(__isoc23_sscanf, __isoc23_vsscanf)
#endif

/* ---------------------------------------------------------------- output */

#define BLOCK_OUTPUT(name)                                                                         \
    INTERPOSE(size_t, name, (const void *from, size_t size, size_t n, FILE *stream))               \
    {                                                                                              \
        size_t result = REAL(name)(from, size, n, stream);                                         \
        if (interpose_counts(CALLER))                                                              \
            interpose_reads(from, result *size);                                                   \
        return result;                                                                             \
    }

BLOCK_OUTPUT(fwrite)
BLOCK_OUTPUT(fwrite_unlocked)

#define LINE_OUTPUT(name, parameters, arguments)                                                   \
    INTERPOSE(int, name, parameters)                                                               \
    {                                                                                              \
        int result = REAL(name) arguments;                                                         \
        if (interpose_counts(CALLER))                                                              \
            interpose_reads(text, interpose_string_bytes(text));                                   \
        return result;                                                                             \
    }

LINE_OUTPUT(puts, (const char *text), (text))
LINE_OUTPUT(fputs, (const char *text, FILE *stream), (text, stream))
LINE_OUTPUT(fputs_unlocked, (const char *text, FILE *stream), (text, stream))

/* ---------------------------------------------------------------- formatted text in memory */

/* Records printed text. `length` is the length of the whole text; at most `room` bytes have been
 * written, including the terminating null byte. */
static void printed(uintptr_t caller, const char *to, int length, size_t room)
{
    if (length >= 0 && room && interpose_counts(caller))
        interpose_writes(to, interpose_smaller((size_t)length + 1, room));
}

#define PRINTS(name, vname, parameters, vparameters, arguments, room)                              \
    INTERPOSE(int, vname, vparameters)                                                             \
    {                                                                                              \
        int result = REAL(vname) arguments;                                                        \
        printed(CALLER, to, result, room);                                                         \
        return result;                                                                             \
    }                                                                                              \
    INTERPOSE(int, name, parameters)                                                               \
    {                                                                                              \
        int result;                                                                                \
        WITH_LIST(format, result = REAL(vname) arguments);                                         \
        printed(CALLER, to, result, room);                                                         \
        return result;                                                                             \
    }

PRINTS(sprintf, vsprintf, (char *to, const char *format, ...),
       (char *to, const char *format, va_list list), (to, format, list), SIZE_MAX)
PRINTS(snprintf, vsnprintf, (char *to, size_t n, const char *format, ...),
       (char *to, size_t n, const char *format, va_list list), (to, n, format, list), n)
PRINTS(__sprintf_chk, __vsprintf_chk, (char *to, int flags, size_t space, const char *format, ...),
       (char *to, int flags, size_t space, const char *format, va_list list),
       (to, flags, space, format, list), SIZE_MAX)
PRINTS(__snprintf_chk, __vsnprintf_chk,
       (char *to, size_t n, int flags, size_t space, const char *format, ...),
       (char *to, size_t n, int flags, size_t space, const char *format, va_list list),
       (to, n, flags, space, format, list), n)

#define PRINTS_ANEW(name, vname, parameters, vparameters, arguments)                               \
    INTERPOSE(int, vname, vparameters)                                                             \
    {                                                                                              \
        int result = REAL(vname) arguments;                                                        \
        if (result >= 0)                                                                           \
            printed(CALLER, *place, result, SIZE_MAX);                                             \
        return result;                                                                             \
    }                                                                                              \
    INTERPOSE(int, name, parameters)                                                               \
    {                                                                                              \
        int result;                                                                                \
        WITH_LIST(format, result = REAL(vname) arguments);                                         \
        if (result >= 0)                                                                           \
            printed(CALLER, *place, result, SIZE_MAX);                                             \
        return result;                                                                             \
    }

PRINTS_ANEW(asprintf, vasprintf, (char **place, const char *format, ...),
            (char **place, const char *format, va_list list), (place, format, list))
PRINTS_ANEW(__asprintf_chk, __vasprintf_chk, (char **place, int flags, const char *format, ...),
            (char **place, int flags, const char *format, va_list list),
            (place, flags, format, list))

/* ---------------------------------------------------------------- for the runtime itself */

NATIVE_HIDDEN int interpose_plain_getc(FILE *stream);

int interpose_plain_getc(FILE *stream)
{
    return REAL(getc)(stream);
}
