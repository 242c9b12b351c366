/* Memory for hooks: the functions of ground/host.h, without use of vector registers.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All functions that hooks call use the functions of this file instead of the functions of the host
 * and the C library (contexts_hooks_cppflags in Makefile.am). The copying functions use the
 * processor's string instructions.
 */
#undef host_map
#undef host_unmap
#undef host_alloc
#undef host_free
#undef memcpy
#undef memset
#undef memmove
#undef native_enter_slowly
#include "native/contexts/runtime.h"

#include "native/base/vectors.h"
#include "ground/host.h"

NATIVE_HIDDEN void *contexts_host_map(const char *site, size_t bytes);
NATIVE_HIDDEN void contexts_host_unmap(void *pages, size_t bytes);
NATIVE_HIDDEN void *contexts_host_alloc(const char *site, size_t bytes);
NATIVE_HIDDEN void contexts_host_free(void *block);
NATIVE_HIDDEN bool contexts_enter_slowly(struct native_thread *self);
NATIVE_HIDDEN void *contexts_memcpy(void *to, const void *from, size_t bytes);
NATIVE_HIDDEN void *contexts_memset(void *at, int byte, size_t bytes);
NATIVE_HIDDEN void *contexts_memmove(void *to, const void *from, size_t bytes);

struct memory_request {
    const char *site;
    void *pages;
    size_t bytes;
};

static void *map(void *argument)
{
    struct memory_request *request = argument;
    return host_map(request->site, request->bytes);
}

static void *unmap(void *argument)
{
    struct memory_request *request = argument;
    host_unmap(request->pages, request->bytes);
    return NULL;
}

static void *allocate(void *argument)
{
    struct memory_request *request = argument;
    return host_alloc(request->site, request->bytes);
}

static void *release(void *argument)
{
    host_free(argument);
    return NULL;
}

void *contexts_host_map(const char *site, size_t bytes)
{
    struct memory_request request = {site, NULL, bytes};
    return native_with_vectors(map, &request);
}

void contexts_host_unmap(void *pages, size_t bytes)
{
    struct memory_request request = {NULL, pages, bytes};
    native_with_vectors(unmap, &request);
}

void *contexts_host_alloc(const char *site, size_t bytes)
{
    struct memory_request request = {site, NULL, bytes};
    return native_with_vectors(allocate, &request);
}

void contexts_host_free(void *block)
{
    native_with_vectors(release, block);
}

static void *enter(void *argument)
{
    return native_enter_slowly(argument) ? argument : NULL;
}

bool contexts_enter_slowly(struct native_thread *self)
{
    return native_with_vectors(enter, self) != NULL;
}

void *contexts_memcpy(void *to, const void *from, size_t bytes)
{
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
    return to;
}

void *contexts_memset(void *start, int byte, size_t bytes)
{
    void *at = start;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(byte) : "memory");
    return start;
}

void *contexts_memmove(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes)
        return contexts_memcpy(to, from, bytes);
    for (size_t i = bytes; i; i--) {
        ((volatile char *)to)[i - 1] = ((const char *)from)[i - 1];
    }
    return to;
}
