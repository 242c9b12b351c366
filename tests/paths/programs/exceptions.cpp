// Exceptions: shared landing pads, rethrowing, destructors on the way, static objects.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{
int alive;

struct Guard {
    int id;
    explicit Guard(int i) : id(i)
    {
        alive++;
    }
    ~Guard()
    {
        alive--;
    }
};

__attribute__((noinline)) int risky(int n)
{
    Guard guard(n);
    if (n % 7 == 3)
        throw std::runtime_error("seven");
    if (n % 11 == 5)
        throw n;
    return n * 2;
}

__attribute__((noinline)) int nested(int n)
{
    Guard a(1);
    int sum = risky(n);
    Guard b(2);
    sum += risky(n + 1);
    for (int i = 0; i < n % 3; i++) {
        Guard c(i);
        sum += risky(n + i);
    }
    return sum;
}

__attribute__((noinline)) int guarded(int n)
{
    try {
        return nested(n);
    } catch (const std::runtime_error &error) {
        return error.what()[0];
    } catch (int value) {
        if (value % 2)
            throw;
        return value;
    }
}

std::map<std::string, int> counts; // constructed before main
} // namespace

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50;
    long sum = 0;
    std::vector<int> values;
    for (int i = 0; i < n; i++) {
        try {
            values.push_back(guarded(i));
            counts[std::to_string(i % 13)] += values.back();
        } catch (int value) {
            sum -= value;
        }
    }
    for (const auto &entry : counts)
        sum += entry.second * (long)entry.first.size();
    printf("%ld %d\n", sum, alive);
    return 0;
}
