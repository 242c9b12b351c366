/* Functions by which a test controls the host of the engine in test programs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_HOST_TEST_H
#define TESTS_HOST_TEST_H

#include <setjmp.h>
#include <stddef.h>

/* The number of allocated and unreleased bytes of `site`; of all sites if `site` is NULL. */
size_t host_test_live_bytes(const char *site);

/* Prints every site that still owns bytes to stderr; returns their sum. */
size_t host_test_report_live(void);

/* Releases all live memory, as the end of the process does. */
void host_test_release_all(void);

/* The `nth` request for memory from now on (1: the next one) jumps to `where` with value 1, as if
 * the host ended the process. 0 disables the jump. */
void host_test_fail_at(unsigned long nth, jmp_buf *where);

/* A panic jumps to `where` with value 1 and leaves its message in host_test_panic_message, instead
 * of aborting. NULL restores the abort. */
void host_test_catch_panic(jmp_buf *where);
extern const char *host_test_panic_message;

#endif
