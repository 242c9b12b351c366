/* Calls code that may use vector registers, and preserves these registers (vectors.c).
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_BASE_VECTORS_H
#define NATIVE_BASE_VECTORS_H

#if defined(__x86_64__)
/* Calls the function, and preserves all vector registers. */
__attribute__((visibility("hidden"))) void *native_with_vectors(void *(*function)(void *),
                                                                void *argument);
#else
/* On arm64, programs call the runtime's functions like other functions, and save the registers
 * whose values they still need. */
static inline void *native_with_vectors(void *(*function)(void *), void *argument)
{
    return function(argument);
}
#endif

#endif
