/* Names of routines and files that fit into a line or a picture.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_SHORT_NAME_H
#define LIB_BASE_SHORT_NAME_H

#include <stddef.h>

/* The name in at most `most` bytes (at least 16). The least important parts are dropped first: the
 * types of arguments, then those of templates, then the middle.
 *
 *     std::vector<int>::push_back(int const&)
 *     std::vector<int>::push_back(...)
 *     std::vector<...>::push_back(...)
 *     std::vector...sh_back(...)
 *
 * The caller frees it. */
char *short_name(const char *name, size_t most);

#define SHORT_NAME_TOLD 80 /* in a sentence */

/* "app.c" of "/src/app.c"; a path that ends in a slash stays whole. */
const char *short_path(const char *path);

#endif
