/* A library that is opened and closed: one routine calls another.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
void library_work(int times);

static volatile int sum;

__attribute__((noinline)) static void inner(int i)
{
    sum += i;
}

void library_work(int times)
{
    for (int i = 0; i < times; i++)
        inner(i);
}
