# Compares predictions with results, from the lines that tenfold.sh keeps.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -f judge.awk RAW.tsv
#
# For each program: the rank of the most expensive routine at 10 N in the list by self cost at N and in the
# list of scale; how many of the first five routines are among the actual five; how many actually cost less
# than 1 %. Risers: routines whose share of self cost grows by a quarter and a percentage point; predicted,
# actual, correct. Costs: routines that actually cost half a percent; the typical error is exp(mean |ln
# ratio|). Calls: claims about the cost of a call at ten times its input.

BEGIN { FS = "\t" }

$2 != program { finish(); program = $2; half = $1; programs[half]++ }

{
    k++
    now[k] = $5
    later[k] = $7
    predicted[k] = $8
    share_now[k] = $4
    share_later[k] = $6
    rises = $12 == "yes"
    true_riser = $6 >= 1.25 * $4 && $6 >= $4 + 1
    add("said", rises)
    add("true", true_riser)
    add("right", rises && true_riser)
    add("unseen", true_riser && $5 < 1) # the routine's code did not run at N
}

$6 >= 0.5 {
    error = $8 > 0 ? abs(log($8 / $7)) : log(10)
    add("costs", 1)
    add("error", error)
    add("near", error <= log(1.25))
    add("wild", error > log(3))
    add("held", $9 <= $7 && $7 <= $10)
    if ($9 > 0)
        add("width", log($10 / $9) / 2)
    kept = abs($11 - $6)
    add("points_off", kept)
    if ($8 > 0 && $7 > 0) {
        add(group($13) "_costs", 1)
        add(group($13) "_held", $9 <= $7 && $7 <= $10)
        add(group($13) "_width", log($10 / $9) / 2)
    }
}

# Groups routines by the growth of the self cost over the three runs, as in scale.
function group(growth)
{
    if (growth == "begun")
        return "above"
    sub(/^n\^/, "", growth)
    if (growth == "1" && $13 == "1")
        return "below" # "1": constant
    return growth < 0.95 ? "below" : growth > 1.05 ? "above" : "near"
}

# $18 is the measured cost divided by the predicted cost; the interval is relative to the curve.
$18 != "" {
    error = abs(log($18))
    add("calls", 1)
    add("calls_error", error)
    add("calls_near", error <= log(1.25))
    add("calls_wild", error > log(3))
    add("calls_held", $18 * $15 <= $17 && $18 * $15 >= $16)
}

END {
    finish()
    print ""
    head("half")
    total("known")
    total("chosen")
    total("judged")
    add_up("both", "chosen", "judged")
    total("even")
    total("odd")
    add_up("second", "even", "odd")
    for (i = 1; i <= 7; i++)
        in_words(sorted[i])
}

function abs(x) { return x < 0 ? -x : x }

function add(what, number) { sum[program, what] += number }

# Finds and marks the k largest entries of `list`.
function first_five(list, places,  i, j, best)
{
    for (j in taken)
        delete taken[j]
    for (i = 1; i <= 5; i++) {
        best = 0
        for (j = 1; j <= k; j++)
            if (!(j in taken) && (!best || list[j] > list[best]))
                best = j
        taken[best]
        places[i] = best
    }
}

function place_of(list, wanted,  j, place)
{
    place = 1
    for (j = 1; j <= k; j++)
        place += list[j] > list[wanted]
    return place
}

function judge_order(what, list,  mine, i, j)
{
    first_five(list, mine)
    add(what "_place", place_of(list, truth[1]))
    add(what "_first", mine[1] == truth[1])
    add(what "_tied", later[mine[1]] >= 0.9 * later[truth[1]])
    for (i = 1; i <= 5; i++) {
        add(what "_bogus", share_later[mine[i]] < 1)
        for (j = 1; j <= 5; j++)
            add(what "_five", mine[i] == truth[j])
    }
}

function finish()
{
    if (!program)
        return
    first_five(later, truth)
    judge_order("own", now)
    judge_order("scale", predicted)
    if (!headed++) {
        print "place: of the true leader; five: of the true first five in the first five; bogus: below 1 % in truth; risers:"
        print "said, true, right; typical: error of self cost at 10 N; near: within 1.25; wild: 3 x off; held: in the interval.\n"
        head("program")
    }
    line(program, program, sum[program, "own_place"], sum[program, "scale_place"])
    for (name in names)
        sum[half, name] += sum[program, name]
    k = 0
}

BEGIN {
    split("known chosen judged both even odd second", sorted, " ")
    split("own_first own_tied own_place own_five own_bogus scale_first scale_tied scale_place scale_five scale_bogus said true right unseen costs error near wild held width calls calls_error calls_near calls_wild calls_held near_costs near_held near_width above_costs above_held above_width below_costs below_held below_width", list, " ")
    for (i in list)
        names[list[i]]
}

function head(what)
{
    printf "%-20s| self cost at N     | scale             | risers         | self cost at 10 N, scale            | one call at 10 n, report\n", what
    printf "%-20s| place five bogus  | place five bogus  | said true right| typical near%% wild%% held%% width     | k typical near%% wild%% held%%\n", ""
}

function percent(part, whole) { return whole ? sprintf("%d", 100 * part / whole + 0.5) : "-" }

function typical(sum, count) { return count ? sprintf("%.2f", exp(sum / count)) : "-" }

function line(label, key, own, scale)
{
    printf "%-20s| %5s %4d %5d  | %5s %4d %5d  | %4d %4d %5d| %7s %5s %5s %5s %5s     | %d %7s %5s %5s %5s\n", label, own,
        sum[key, "own_five"], sum[key, "own_bogus"], scale, sum[key, "scale_five"], sum[key, "scale_bogus"],
        sum[key, "said"], sum[key, "true"], sum[key, "right"], typical(sum[key, "error"], sum[key, "costs"]),
        percent(sum[key, "near"], sum[key, "costs"]), percent(sum[key, "wild"], sum[key, "costs"]),
        percent(sum[key, "held"], sum[key, "costs"]), typical(sum[key, "width"], sum[key, "costs"]),
        sum[key, "calls"], typical(sum[key, "calls_error"], sum[key, "calls"]),
        percent(sum[key, "calls_near"], sum[key, "calls"]), percent(sum[key, "calls_wild"], sum[key, "calls"]),
        percent(sum[key, "calls_held"], sum[key, "calls"])
}

# The programs of two halves together, so that less depends on the division of programs.
function add_up(sum_of, one, other,  name)
{
    if (!programs[one] || !programs[other])
        return
    for (name in names)
        sum[sum_of, name] = sum[one, name] + sum[other, name]
    programs[sum_of] = programs[one] + programs[other]
    total(sum_of)
}

function in_words(half)
{
    if (programs[half])
        printf "%s: scale leads with the true leader in %s%%, with one within a tenth of it in %s%%; finds %s%% of what rises, " \
            "%s%% of what ran at N; %s%% of what is said to rise does\n", half,
            percent(sum[half, "scale_first"], programs[half]), percent(sum[half, "scale_tied"], programs[half]),
            percent(sum[half, "right"], sum[half, "true"]), percent(sum[half, "right"], sum[half, "true"] - sum[half, "unseen"]),
            percent(sum[half, "right"], sum[half, "said"])
    if (programs[half])
        printf "%s: intervals of self cost: %s; %s; %s\n", half, interval_words(half, "near"), interval_words(half, "above"),
            interval_words(half, "below")
}

function interval_words(half, kind)
{
    return sprintf("%s n^1: %s%% of %d hold, %s x wide", kind, percent(sum[half, kind "_held"], sum[half, kind "_costs"]),
        sum[half, kind "_costs"], typical(sum[half, kind "_width"], sum[half, kind "_costs"]))
}

# Replaces ranks by the number of programs whose leader has rank one.
function total(half)
{
    if (programs[half])
        line(half " (" programs[half] " programs)", half, sum[half, "own_first"] + 0 " 1st", sum[half, "scale_first"] + 0 " 1st")
}
