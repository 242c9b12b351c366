# Joins predictions about a program at N with results at 10 N, one line per routine; see tenfold.sh.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -v half=H -v program=P -f join.awk NOW.tsv LATER.tsv SCALE.tsv LATER.csv
# NOW and LATER are tables of `aprof report --format=tsv`, SCALE one of `aprof scale`, and the CSV has the points
# of LATER. Routines that have one name and object count as one routine.

BEGIN { FS = OFS = "\t" }

FNR == 1 {
    if (++file < 4) {
        for (i = 1; i <= NF; i++)
            column[$i] = i
    } else {
        take_csv()
        for (i = 1; i <= fields; i++)
            column[field[i]] = i
    }
    next
}

# Splits the line into `field`; quoted text may contain commas.
function take_csv(  parts, quoted, text, i)
{
    quoted = split($0, parts, "\"")
    for (i = 1; i <= quoted; i++) {
        if (i % 2 == 0)
            gsub(/,/, "\001", parts[i])
        text = text parts[i]
    }
    fields = split(text, field, ",")
    gsub(/\001/, ",", field[3])
}

function name_of(path)
{
    sub(/.*\//, "", path)
    return path
}

function key_of(object, routine)
{
    return name_of(object) ":" routine
}

file < 4 { key = key_of($column["object"], $column["routine"]) }

file == 1 {
    if (!(key in now))
        order[++count] = key
    now[key] += $column["self_cost"]
    total_now += $column["self_cost"]
    # Of several routines, the most expensive routine is used.
    if ($column["self_cost"] >= said_cost[key] + 0) {
        said_cost[key] = $column["self_cost"]
        said[key] = $column["average_growth"]
        times[key] = $column["call_at_10x"]
        times_low[key] = $column["call_at_10x_low"]
        times_high[key] = $column["call_at_10x_high"]
        n_from[key] = $column["claim_from"]
        cost_from[key] = $column["claim_cost"]
    }
}

file == 2 {
    if (!(key in now) && !(key in later))
        order[++count] = key
    later[key] += $column["self_cost"]
    total_later += $column["self_cost"]
}

file == 3 {
    predicted[key] += $column["own_cost_at_10x"]
    low[key] += $column["own_cost_at_10x_low"]
    high[key] += $column["own_cost_at_10x_high"]
    share[key] += $column["share_at_10x"]
    rises[key] = $column["rises"]
    growth[key] = $column["growth"]
}

# Computes the error of the curve at a point of 10 N that is larger than the curve's sizes, up to ten times
# the largest.
file == 4 {
    take_csv()
    key = key_of(field[column["object"]], field[column["routine"]])
    n = field[column["input_size"]]
    if (times[key] == "" || field[column["metric"]] != "trms" || n <= n_from[key] || n > 10 * n_from[key])
        next
    exponent = log(times[key]) / log(10)
    curve = cost_from[key] * exp(exponent * log(n / n_from[key]))
    off[key] += field[column["cost_sum"]] / curve
    calls[key] += field[column["calls"]]
}

END {
    for (i = 1; i <= count; i++) {
        key = order[i]
        if (now[key] < 0.001 * total_now && later[key] < 0.001 * total_later)
            continue
        truth = calls[key] ? off[key] / calls[key] : ""
        print half, program, key, share_of(now[key], total_now), now[key] + 0, share_of(later[key], total_later),
            later[key] + 0, predicted[key] + 0, low[key] + 0, high[key] + 0, share[key] + 0, rises[key], growth[key],
            said[key], times[key], times_low[key], times_high[key], truth
    }
}

function share_of(part, whole)
{
    return sprintf("%.4f", whole > 0 ? 100 * part / whole : 0)
}
