/* Library of reload.c: 4 cells.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress.h"

ROUTINE int plug_a(const int *from)
{
    return from[0] + from[1] + from[2] + from[3];
}
