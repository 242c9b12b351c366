# One commit of a history, made from tests/tools/data/growth.aprof without its last line, given twice.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     awk -v n=7 -f commits.awk growth growth | seal >c07.aprof
#
# heap_sort costs 30 % more from commit 8 on: the planted regression. find_cached costs 2 % more with
# each commit. set_flag exists from commit 3 on, and not in commit 17. From commit 15 on, checksum
# grows with the square of its input.
BEGIN { FS = OFS = "\t" }

function cost(routine, was)
{
    if (routine == 2 && n >= 8)
        return int(was * 1.3)
    if (routine == 4)
        return int(was * (1 + 0.02 * (n - 1)))
    if (routine == 3 && n >= 15)
        return was * 4
    return was
}

FNR == 1 { pass++ }
pass == 1 && $1 == "profile" { change += cost($2, $6) - $6 }
pass == 1 { next }
$1 == "totals" { $2 += change }
$1 == "profile" {
    routine = $2
    $5 = routine == 0 ? $5 + change : cost(routine, $5)
    $6 = cost(routine, $6)
}
routine == 6 && (n < 3 || n == 17) && $1 ~ /^(profile|trms|rms)$/ { next }
$1 ~ /^(trms|rms)$/ && routine == 3 && n >= 15 {
    for (i = 4; i <= 8; i++)
        $i = sprintf("%.0f", $i * (i == 7 ? $2 * $2 : $2))
}
{ print }
