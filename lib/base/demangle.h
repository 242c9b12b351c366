/* Symbol names as written in source code: C++ and Rust, without symbol versions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_DEMANGLE_H
#define LIB_BASE_DEMANGLE_H

/* The full name with parameters; if the symbol is not mangled, the symbol itself. The caller frees
 * the name. */
char *demangle_full(const char *symbol);

/* The name without its parameter list (`ns::f<int>` for `ns::f<int>(char)`), and without the suffix
 * of compiler-made copies (`f` for `f.constprop.0`). The caller frees the name. */
char *demangle_short(const char *symbol);

/* The symbol, still mangled, without the suffix of compiler-made copies: `find` for
 * `find.part.1.cold`. The caller frees the text. */
char *demangle_whole(const char *symbol);

#endif
