/* Client requests and monitor commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_CLIENT_REQUESTS_H
#define APROF_CLIENT_REQUESTS_H

/* Registers with Valgrind's core. The monitor command `dump` writes the measurements so far to the
 * next part of the report. */
void client_requests_register(void (*dump)(void));

#endif
