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
/* On arm64, the program saves the registers whose values it still needs, as for any other call. */
static inline void *native_with_vectors(void *(*function)(void *), void *argument)
{
    return function(argument);
}
#endif

#endif
