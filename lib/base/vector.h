/* Growable arrays of any type.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     VECTOR(int) numbers = {0};
 *     vector_push(&numbers, 7);
 *     for (size_t i = 0; i < numbers.count; i++) use(numbers.at[i]);
 *     vector_free(&numbers);
 */
#ifndef LIB_BASE_VECTOR_H
#define LIB_BASE_VECTOR_H

#include "lib/base/memory.h"

#include <stdlib.h>

#define VECTOR(type)                                                                               \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, room;                                                                        \
    }

#define vector_reserve(v, wanted)                                                                  \
    do {                                                                                           \
        if ((v)->room < (wanted)) {                                                                \
            size_t room_ = (v)->room ? (v)->room * 2 : 8;                                          \
            (v)->room = room_ < (wanted) ? (wanted) : room_;                                       \
            (v)->at = memory_resize((v)->at, (v)->room, sizeof *(v)->at);                          \
        }                                                                                          \
    } while (0)

#define vector_push(v, item)                                                                       \
    do {                                                                                           \
        vector_reserve((v), (v)->count + 1);                                                       \
        (v)->at[(v)->count++] = (item);                                                            \
    } while (0)

#define vector_free(v)                                                                             \
    do {                                                                                           \
        free((v)->at);                                                                             \
        (v)->at = NULL;                                                                            \
        (v)->count = (v)->room = 0;                                                                \
    } while (0)

typedef VECTOR(const char *) string_list;

#endif
