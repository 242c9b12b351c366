/* Recognises Go programs without symbols; the Valgrind tool cannot follow their moved stacks.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_GO_PROGRAM_H
#define TOOLS_GO_PROGRAM_H

#include <stdbool.h>

/* Returns whether the file is a 64-bit ELF program that Go's linker wrote without a symbol table.
 * Returns false if the file cannot be read. */
bool go_program_lacks_symbols(const char *path);

#endif
