/* Numbers that the environment may set, such as the seed of random tests.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_SETTING_H
#define TESTS_SETTING_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t setting(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

#endif
