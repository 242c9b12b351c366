/* Library of reload.c: 6 cells.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress.h"

ROUTINE int plug_b(const int *from)
{
    return from[0] + from[1] + from[2] + from[3] + from[4] + from[5];
}
