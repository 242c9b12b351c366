/* Client requests and monitor commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_CLIENT_REQUESTS_H
#define APROF_CLIENT_REQUESTS_H

/* Registers with Valgrind's core. `dump` writes what was measured so far to the next part. */
void client_requests_register(void (*dump)(void));

#endif
