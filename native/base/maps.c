/* Reads /proc/self/maps.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/base/maps.h"

#include "native/base/syscalls.h"

#include <fcntl.h>

static int next_byte(struct native_maps *maps)
{
    if (maps->at == maps->n) {
        long got = native_syscall(SYS_read, maps->fd, maps->buffer, sizeof maps->buffer);
        if (got <= 0)
            return -1;
        maps->n = (size_t)got;
        maps->at = 0;
    }
    return (uint8_t)maps->buffer[maps->at++];
}

static bool next_line(struct native_maps *maps)
{
    size_t n = 0;
    int byte = next_byte(maps);
    if (byte < 0)
        return false;
    for (; byte >= 0 && byte != '\n'; byte = next_byte(maps))
        if (n + 1 < sizeof maps->line)
            maps->line[n++] = (char)byte;
    maps->line[n] = 0;
    return true;
}

static uintptr_t read_hex(const char **text)
{
    uintptr_t value = 0;
    for (;; (*text)++) {
        char c = **text;
        if (c >= '0' && c <= '9')
            value = value << 4 | (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uintptr_t)(c - 'a' + 10);
        else
            return value;
    }
}

/* Parses a line such as "7f10-7f20 r-xp 00001000 08:01 1234   /usr/lib/x.so". */
static struct native_mapping parse(const char *line)
{
    struct native_mapping mapping = {0};
    mapping.start = read_hex(&line);
    line += *line == '-';
    mapping.end = read_hex(&line);
    line += *line == ' ';
    mapping.readable = line[0] == 'r';
    mapping.executable = line[0] && line[1] && line[2] == 'x';
    for (unsigned fields = 0; fields < 4;
         fields++) { /* skips permissions, offset, device and inode */
        while (*line && *line != ' ')
            line++;
        while (*line == ' ')
            line++;
    }
    mapping.path = line;
    return mapping;
}

bool native_maps_open(struct native_maps *maps)
{
    maps->fd = (int)native_open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    maps->n = maps->at = 0;
    return maps->fd >= 0;
}

bool native_maps_next(struct native_maps *maps, struct native_mapping *mapping)
{
    if (!next_line(maps))
        return false;
    *mapping = parse(maps->line);
    return true;
}

void native_maps_close(struct native_maps *maps)
{
    native_syscall(SYS_close, maps->fd);
}
