# Compares the points of hot calling contexts with the points of the same contexts in a run that kept all contexts.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -F '\t' -v label=LABEL -v phi=PHI -v exact=FILE -v hot=FILE -f points_compare.awk FULL HOT
#
# Prints one line:
#
#     points LABEL CALLS CONTEXTS KEPT HOT MISSED WRONG WHOLE SIZES SIZES-FOUND CALLS-% COST-% ERROR-% SEVERAL
#
# CONTEXTS: of the full tree; KEPT: contexts with points in the hot report. HOT: contexts with at least phi of all
# calls in the full tree; MISSED: those that the hot report lacks. WRONG: violations of the guarantees. A violation is
# a count outside [recorded, recorded + error], an error above epsilon, points with more calls or cost than in the
# full tree, or other points although the error is 0. WHOLE: hot contexts with all their points. SIZES: input sizes
# of hot contexts in the full tree; SIZES-FOUND: those of the hot report. CALLS-%, COST-%: the parts of the calls and
# of the self cost of hot contexts that their points cover. ERROR-%: mean excess of the count (recorded + error) over
# the true count. SEVERAL: hot contexts with points at several input sizes.
#
# The files `exact` and `hot` become reports without contexts and without their last line. In these reports, each hot
# context is a routine with the context's points.

function key_of(context,    at, key)
{
    for (at = context; at != "-"; at = caller[at])
        key = key " " routine[at]
    return key
}

# Finishes a context when all its points have been read.
function finish()
{
    if (context == "")
        return
    if (reading == 1 && calls >= least) {
        n_hot += is_hot = calls >= threshold
        number[key_of(context)] = ++n_near
        near_calls[n_near] = calls; near_total[n_near] = total; near_self[n_near] = self
        near_is_hot[n_near] = is_hot
        near_sizes[n_near] = n_sizes
        for (i = 1; i <= n_sizes; i++) {
            split(size[i], field, " ")
            exact_calls[n_near, field[2]] = field[3]
            exact_cost[n_near, field[2]] = field[4]
        }
        if (is_hot)
            put(exact, n_near)
    }
    if (reading == 2) {
        kept += calls > 0
        if (calls + error >= threshold)
            compare_hot(key_of(context))
    }
    context = ""
}

function compare_hot(key,    at, true_calls, i, field, same)
{
    if (!(key in number)) {
        wrong++ # the context has fewer than (phi - epsilon) of all calls
        return
    }
    at = number[key]
    true_calls = near_calls[at]
    wrong += calls > true_calls || calls + error < true_calls || error > epsilon * all
    same = n_sizes == near_sizes[at]
    for (i = 1; i <= n_sizes; i++) {
        split(size[i], field, " ")
        wrong += field[3] > exact_calls[at, field[2]] + 0 || field[4] > exact_cost[at, field[2]] + 0
        same = same && field[3] == exact_calls[at, field[2]] && field[4] == exact_cost[at, field[2]]
    }
    wrong += !error && !same
    if (!near_is_hot[at])
        return
    found++
    whole += same
    several += n_sizes > 1
    sizes += near_sizes[at]; sizes_found += n_sizes
    covered += calls; true_sum += true_calls
    self_covered += self; self_sum += near_self[at]
    error_sum += (calls + error - true_calls) / true_calls
    put(hot, at)
}

function put(file, at,    i, n)
{
    n = n_put[file]++
    definition[file, n] = sprintf("0\t0x%x\t16\tcontext_%d\t-\t0", 4096 + 16 * at, at)
    profile[file, n] = sprintf("0\t%.0f\t%.0f\t%.0f", calls, total, self)
    n_points[file, n] = n_sizes
    for (i = 1; i <= n_sizes; i++)
        point[file, n, i] = size_line[i]
}

function write_report(file,    i, k)
{
    printf "aprof\t1\ncreator\taprof\ntool\tcompare\narch\tamd64\ncommand\thot\nprocess\t1\noptions\n" >file
    printf "metrics\ttrms\nresolution\t4\ncost\tbb\nthreads\tmerged\nend\texit\n" >file
    printf "totals\t%.0f\t%.0f\t0\t0\t0\nobject\t0\thot\n", total_cost, all >file
    for (i = 0; i < n_put[file]; i++)
        print "routine\t" i "\t" definition[file, i] >file
    for (i = 0; i < n_put[file]; i++) {
        print "profile\t" i "\t" profile[file, i] >file
        for (k = 1; k <= n_points[file, i]; k++)
            print point[file, i, k] >file
    }
    close(file)
}

BEGIN { n_put[exact] = n_put[hot] = 0 }
FNR == 1 { finish(); reading++; total_cost = 0 }
$1 == "totals" { total_cost = $2 }
$1 == "routine" {
    same_routine = $4 SUBSEP $6
    if (!(same_routine in routines))
        routines[same_routine] = ++n_routines
    name[$2] = routines[same_routine]
}
$1 == "contexts" && reading == 2 { epsilon = $4 }
$1 == "tree" {
    if (reading == 1) {
        all = $3
        threshold = int(phi * all)
        least = int((phi - phi / 5) * all) # of a reported context
        contexts = $4
    }
    trees[reading]++
}
$1 == "context" {
    finish()
    context = $2; caller[$2] = $3; routine[$2] = name[$4]
    calls = $5; total = $6; self = $7; error = $8
    n_sizes = 0
}
$1 == "trms" && context != "" && (reading == 2 || calls >= least) {
    size[++n_sizes] = $1 " " $2 " " $3 " " $4
    size_line[n_sizes] = $0
}
END {
    finish()
    if (trees[1] != 1 || trees[2] != 1 || !epsilon)
        exit 1
    write_report(exact)
    write_report(hot)
    printf "points\t%s\t%.0f\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f\t%.4f\t%d\n", label, all, contexts, kept, n_hot, n_hot - found,
        wrong, whole, sizes, sizes_found, true_sum ? 100 * covered / true_sum : 100,
        self_sum ? 100 * self_covered / self_sum : 100, found ? 100 * error_sum / found : 0, several
}
