# Compares a report with expectations: awk -f measured.awk EXPECTATIONS REPORT; prints what is wrong.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One expectation per line, words KEY=VALUE, KEY>=VALUE or KEY<=VALUE. Some keys choose, the others
# are compared.
#
#   choose    routine      symbol name, - for none
#             object, file last part of the path
#             offset, thread
#             metric       default trms, if the report has it
#             input        one point of the table; without it, all points are summed up
#   compare   calls, cost_sum, cost_min, cost_max, cost_sumsq, self, induced_thread,
#             induced_external, points (their number), input_min, input_max
#             trms, rms    the whole table as INPUTxCALLS,... (FROM..TOxCALLS for a row of inputs)
#             cost_total, cost_self, line: of the routine
#             instances    number of routines chosen (1 unless said)
#
#   absent=PATTERN        no routine with such a name has activations (* matches anything)
#   end=REASON            how the run ended (`end=signal_11`: _ stands for a blank)
#   total cost=N activations=N reads=N induced_thread=N induced_external=N
#
# Example:  routine=f calls=1 trms=100x1 rms=1x1 induced_thread=99 cost_max<=500
#
# In all cases, the report must be complete and consistent: sums of points must equal their profile, and sums
# of lines and edges must agree with the routine.

BEGIN {
    FS = "\t"
    split("calls cost_sum cost_min cost_max cost_sumsq self induced_thread induced_external", \
          column, " ")
}

function complain(text)
{
    print text
}

NR == FNR {
    if ($0 != "")
        wanted[++n_wanted] = $0
    next
}

{
    n_lines++
    last = $1
}

$1 == "metrics" { first_metric = /trms/ ? "trms" : $2; next }
$1 == "object" { object_path[$2] = $3; next }
$1 == "end" { ended = $2; next }
$1 == "totals" {
    total["cost"] = $2; total["activations"] = $3; total["reads"] = $4
    total["induced_thread"] = $5; total["induced_external"] = $6
    next
}
$1 == "routine" {
    if ($2 != n_routines + 0)
        complain("routine ids are not dense at line " FNR)
    n_routines++
    object[$2] = base(object_path[$3]); offset[$2] = $4; name[$2] = $6
    file[$2] = base($7); line[$2] = $8
    next
}
$1 == "profile" {
    check_profile()
    n_profiles++
    p_routine[n_profiles] = $2; p_thread[n_profiles] = $3
    p_calls[n_profiles] = $4; p_total[n_profiles] = $5; p_self[n_profiles] = $6
    called[$2] += $4
    cost_of[$2] += $5
    self_of[$2] += $6
    sum_self += $6
    sum_calls["trms"] = sum_calls["rms"] = 0
    previous["trms"] = previous["rms"] = -1
    next
}
$1 == "trms" || $1 == "rms" {
    seen[$1] = 1
    n_points++
    q_profile[n_points] = n_profiles; q_metric[n_points] = $1; q_input[n_points] = $2
    for (i = 1; i <= 8; i++)
        q[n_points, i] = $(i + 2)
    if ($2 + 0 <= previous[$1])
        complain("points of routine " name[p_routine[n_profiles]] " are not in order")
    if ($5 * $3 > $4 || $6 * $3 < $4 || $8 + 0 > $4 + 0)
        complain("sum, min, max and self cost disagree at line " FNR ": " $0)
    previous[$1] = $2 + 0
    sum_calls[$1] += $3
    next
}
$1 == "lines" {
    has_lines = 1
    for (i = 6; i <= NF; i += 2)
        lines_of[$2] += $i
    next
}
$1 == "edge" {
    edge_calls[$3] += $7
    edge_cost[$3] += $8
    next
}
$1 == "complete" {
    if ($2 != FNR - 1)
        complain("the last line counts " $2 " lines instead of " FNR - 1)
}

function base(path)
{
    sub(/.*\//, "", path)
    return path
}

# For each metric, the calls of a profile must be the sum of the calls of its points.
function check_profile(  metric)
{
    if (n_profiles == 0)
        return
    for (metric in seen)
        if (sum_calls[metric] != p_calls[n_profiles])
            complain("routine " name[p_routine[n_profiles]] ": " p_calls[n_profiles] \
                     " calls, but its " metric " points have " sum_calls[metric])
}

# The cost of a routine's lines is its self cost, except for cost in no profile or in an activation that began
# before the report. The edges have only some of the routine's calls.
function check_code(  r)
{
    if (has_lines && sum_self == total["cost"])
        for (r in self_of)
            if (plain(lines_of[r]) != plain(self_of[r]))
                complain("routine " name[r] ": self cost " self_of[r] ", but that of its lines is " \
                         plain(lines_of[r]))
    for (r in edge_calls)
        if (edge_calls[r] > called[r] || edge_cost[r] > cost_of[r])
            complain("routine " name[r] ": called " edge_calls[r] " times at a cost of " \
                     edge_cost[r] " by its edges, " called[r] " at " cost_of[r] " by its profile")
}

function glob_matches(text, pattern)
{
    gsub(/[].[^$\\+?(){}|]/, "\\\\&", pattern)
    gsub(/\*/, ".*", pattern)
    return text ~ ("^" pattern "$")
}

function plain(number)
{
    return sprintf("%.0f", number)
}

# Expands "1..3x2,7x1" to a list with each input.
function expand(table,  parts, n, i, at, times, ends, result, k)
{
    if (table == "-")
        return ""
    n = split(table, parts, ",")
    result = ""
    for (i = 1; i <= n; i++) {
        at = index(parts[i], "x")
        times = substr(parts[i], at + 1)
        if (split(substr(parts[i], 1, at - 1), ends, /\.\./) == 1)
            ends[2] = ends[1]
        for (k = ends[1] + 0; k <= ends[2] + 0; k++)
            result = result "," k "x" times
    }
    return substr(result, 2)
}

function chosen(profile,  r)
{
    r = p_routine[profile]
    if ("routine" in want && name[r] != want["routine"]) return 0
    if ("object" in want && object[r] != want["object"]) return 0
    if ("file" in want && file[r] != want["file"]) return 0
    if ("offset" in want && offset[r] != want["offset"]) return 0
    if ("thread" in want && p_thread[profile] != want["thread"]) return 0
    return 1
}

# The table of a metric over the chosen profiles, in order of input.
function collect_table(metric,  i, n, inputs, times, a, b, t, result)
{
    n = 0
    for (i = 1; i <= n_points; i++) {
        if (q_metric[i] != metric || !is_chosen[q_profile[i]])
            continue
        if (!(q_input[i] in times))
            inputs[++n] = q_input[i]
        times[q_input[i]] += q[i, 1]
    }
    for (a = 2; a <= n; a++)
        for (b = a; b > 1 && inputs[b] + 0 < inputs[b - 1] + 0; b--) {
            t = inputs[b]; inputs[b] = inputs[b - 1]; inputs[b - 1] = t
        }
    result = ""
    for (a = 1; a <= n; a++)
        result = result "," inputs[a] "x" times[inputs[a]]
    return substr(result, 2)
}

# Stores all comparable values in have[].
function measure(  i, k, metric, r, routines)
{
    split("", have)
    split("", routines)
    have["instances"] = have["points"] = 0
    for (i = 1; i <= n_profiles; i++) {
        is_chosen[i] = chosen(i)
        if (!is_chosen[i])
            continue
        r = p_routine[i]
        if (!(r in routines))
            have["instances"]++
        routines[r] = 1
        have["line"] = line[r]
        have["cost_total"] += p_total[i]
        have["cost_self"] += p_self[i]
    }
    metric = ("metric" in want) ? want["metric"] : first_metric
    for (i = 1; i <= n_points; i++) {
        if (q_metric[i] != metric || !is_chosen[q_profile[i]])
            continue
        if ("input" in want && q_input[i] != want["input"])
            continue
        have["points"]++
        if (have["points"] == 1 || q_input[i] + 0 < have["input_min"])
            have["input_min"] = q_input[i] + 0
        if (have["points"] == 1 || q_input[i] + 0 > have["input_max"])
            have["input_max"] = q_input[i] + 0
        for (k = 1; k <= 8; k++)
            add_column(column[k], q[i, k])
    }
    have["trms"] = collect_table("trms")
    have["rms"] = collect_table("rms")
}

function add_column(key, number)
{
    if (key == "cost_min" && key in have)
        have[key] = number + 0 < have[key] + 0 ? number : have[key]
    else if (key == "cost_max" && key in have)
        have[key] = number + 0 > have[key] + 0 ? number : have[key]
    else
        have[key] = plain(have[key] + number)
}

function compare(expectation, key, relation, number,  is)
{
    is = have[key]
    if (key == "trms" || key == "rms") {
        if (is != expand(number))
            complain(expectation ": " key " is " (is == "" ? "empty" : is))
        return
    }
    if (relation == "=" && plain(is) == plain(number)) return
    if (relation == ">=" && is + 0 >= number + 0) return
    if (relation == "<=" && is + 0 <= number + 0) return
    complain(expectation ": " key " is " plain(is))
}

function check_words(expectation,  words, n, i, at, key, relation, value)
{
    n = split(expectation, words, " ")
    split("", want)
    for (i = 1; i <= n; i++)
        if (match(words[i], /^(routine|object|file|offset|thread|metric|input)=/))
            want[substr(words[i], 1, RLENGTH - 1)] = substr(words[i], RLENGTH + 1)
    measure()
    if (have["instances"] != 1 && expectation !~ /instances/) {
        complain(expectation ": chosen are " have["instances"] " routines")
        return
    }
    if ("input" in want && have["points"] == 0)
        complain(expectation ": there is no such point")
    for (i = 1; i <= n; i++) {
        if (!match(words[i], /[<>]?=/))
            continue
        key = substr(words[i], 1, RSTART - 1)
        relation = substr(words[i], RSTART, RLENGTH)
        value = substr(words[i], RSTART + RLENGTH)
        if (!(key in want))
            compare(expectation, key, relation, value)
    }
}

function check_total(expectation,  words, n, i, at)
{
    n = split(expectation, words, " ")
    split("", have)
    for (i in total)
        have[i] = total[i]
    for (i = 2; i <= n; i++)
        if (match(words[i], /[<>]?=/))
            compare(expectation, substr(words[i], 1, RSTART - 1), substr(words[i], RSTART, RLENGTH),
                    substr(words[i], RSTART + RLENGTH))
}

function check_absent(expectation,  pattern, r)
{
    pattern = substr(expectation, 8)
    for (r in called)
        if (called[r] > 0 && glob_matches(name[r], pattern))
            complain(expectation ": " name[r] " has " called[r] " calls")
}

function check_end(expectation,  reason)
{
    reason = substr(expectation, 5)
    gsub(/_/, " ", reason)
    if (ended != reason)
        complain(expectation ": it is '" ended "'")
}

END {
    check_profile()
    check_code()
    if (last != "complete")
        complain("the report ends with '" last "', not with 'complete'")
    for (w = 1; w <= n_wanted; w++) {
        if (wanted[w] ~ /^absent=/)
            check_absent(wanted[w])
        else if (wanted[w] ~ /^end=/)
            check_end(wanted[w])
        else if (wanted[w] ~ /^total /)
            check_total(wanted[w])
        else
            check_words(wanted[w])
    }
}
