# Prints the body of a large report for the tests of the page; `seal` completes it.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -v routines=5000 -v sizes=40 -v factor=1 -f generate.awk | seal > report
#
# Routine i has `sizes` points, and costs that grow by class i mod 6: 1, log n, n, n log n, n^1.5, n^2.
# Every 20th routine calls twice per size, once for a tenth of the cost. `factor` multiplies costs.
function grow(class, n)
{
    if (class == 0) return 50
    if (class == 1) return 20 * log(n) / log(2)
    if (class == 2) return 4 * n
    if (class == 3) return n * log(n) / log(2)
    if (class == 4) return n * sqrt(n)
    return n * n / 4
}

function integer(x) { return sprintf("%.0f", x) }

BEGIN {
    OFS = "\t"
    if (!factor) factor = 1
    print "aprof", 1; print "creator", "aprof test"; print "tool", "valgrind 3.19.0"; print "arch", "amd64"
    print "command", "./generated", "--large"; print "process", 4711; print "options", "--metrics=trms"
    print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"; print "end", "exit"
    print "totals", integer(routines * sizes * 100000), routines * sizes, routines * sizes * 100, 1000, 2000
    print "object", 0, "/usr/bin/generated"; print "object", 1, "/usr/lib/libgenerated.so.1"
    for (i = 0; i < routines; i++) {
        object = i >= routines / 2
        print "routine", i, object, sprintf("0x%x", 4096 + 64 * i), 64, "routine_" i, "/src/file_" int(i / 50) ".c", 1 + i % 50
    }
    for (i = 0; i < routines; i++) {
        total = calls = 0
        for (k = 1; k <= sizes; k++) {
            n = 10 * k + i % 7
            cost = int(grow(i % 6, n) * factor * (1 + 0.05 * sin(i + 3 * k))) + 1
            twice = i % 20 == 19
            low = twice ? int(cost / 10) + 1 : cost
            sum = twice ? cost + low : cost
            squares = twice ? cost * cost + low * low : cost * cost
            line[k] = "trms\t" n "\t" 1 + twice "\t" integer(sum) "\t" integer(low) "\t" integer(cost) "\t" integer(squares) "\t" integer(int(sum / 2)) "\t0\t" (i % 9 == 0 ? 3 : 0)
            total += sum; calls += 1 + twice
        }
        print "profile", i, 0, calls, integer(total), integer(int(total / 2))
        for (k = 1; k <= sizes; k++)
            print line[k]
    }
}
