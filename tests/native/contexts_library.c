/* An instrumented library that calls back.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
void library_work(void (*call)(void));

__attribute__((noinline)) static void library_inner(void (*call)(void))
{
    call();
    __asm__ volatile("" ::: "memory");
}

void library_work(void (*call)(void))
{
    library_inner(call);
    library_inner(call);
    __asm__ volatile("" ::: "memory");
}
