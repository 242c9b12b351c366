/* Exceptions through several activations, and calls after these exceptions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define NOINLINE __attribute__((noinline, noclone))

extern "C" NOINLINE void leaf(void)
{
    __asm__ volatile("" ::: "memory");
}

struct guard {
    ~guard()
    {
        leaf();
    }
};

extern "C" NOINLINE void thrower(int depth)
{
    guard cleaned;
    if (depth == 0)
        throw 7;
    thrower(depth - 1);
    __asm__ volatile("" ::: "memory");
}

extern "C" NOINLINE void catcher(void)
{
    try {
        thrower(2);
    } catch (int) {
        leaf();
    }
    leaf();
    __asm__ volatile("" ::: "memory");
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        catcher();
    return 0;
}
