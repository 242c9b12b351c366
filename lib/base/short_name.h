/* Names of routines and files that fit into a line or a picture.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_SHORT_NAME_H
#define LIB_BASE_SHORT_NAME_H

#include <stddef.h>

#define SHORT_NAME_LEAST 16

/* Shortens the name to at most `most` bytes (at least SHORT_NAME_LEAST). The least informative
 * parts are shortened first: the standard library's defaults and the return type, then argument
 * types, template arguments, outer scopes, and the middle. Short names are for terminals, pages,
 * pictures and sentences; files for other programs contain whole names.
 *
 *     void std::vector<int, std::allocator<int> >::_M_insert<int>(int&&)
 *     std::vector<int>::_M_insert<int>(int&&)
 *     std::vector<int>::_M_insert<int>(...)
 *     std::vector<...>::_M_insert<...>(...)
 *     ..._M_insert<...>(...)
 *     ..._M_...>(...)
 *
 * The caller frees the short name. */
char *short_name(const char *name, size_t most);

#define SHORT_NAME_SENTENCE 80 /* maximum bytes of a name in sentences and tables of any width */

/* "app.c" of "/src/app.c"; a path that ends in a slash stays whole. */
const char *short_path(const char *path);

#endif
