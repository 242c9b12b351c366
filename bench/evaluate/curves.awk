# Computes the values of Figures 9, 15, 16, 18 and 19 for a report, at some shares of its routines.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -v name=NAME -f curves.awk TRMS.tsv RMS.tsv         (`aprof report --top=0 --format=tsv`)
#
# Out, separated by TABs:
#     curve NAME PERCENT RICHNESS VOLUME THREAD EXTERNAL INDUCED-EXTERNAL INDUCED-THREAD
# PERCENT of the routines have at least the RICHNESS, (sizes by trms - sizes by rms) / sizes by rms; the VOLUME,
# percent of the input that rms does not see; THREAD and EXTERNAL percent of their induced input. The last two are
# the percent of its input that came from outside and from threads of the routine that is at this place in the
# order of both together. `aprof plot` draws the same from whole reports. And:
#     origin NAME THREADS OUTSIDE                number of routines whose induced input is mostly from there
BEGIN {
    FS = OFS = "\t"
}

FNR == 1 {
    file++
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}

{ key = $at["object"] FS $at["file"] FS $at["line"] FS $at["routine"] }

file == 1 {
    n++
    key = key FS (++same[key])
    sizes[key] = $at["points"]
    input[key] = $at["input"]
    thread[key] = $at["thread_induced_share"]
    outside[key] = $at["external_share"]
    next
}

{
    key = key FS (++again[key])
    m++
    richness[m] = $at["points"] > 0 ? (sizes[key] - $at["points"]) / $at["points"] : 0
    volume[m] = input[key] > $at["input"] ? 100 * (1 - $at["input"] / input[key]) : 0
    induced = thread[key] + outside[key]
    by_thread[m] = induced > 0 ? 100 * thread[key] / induced : 0
    by_outside[m] = induced > 0 ? 100 * outside[key] / induced : 0
    mostly[thread[key] > outside[key] ? "threads" : induced > 0 ? "outside" : "nowhere"]++
    both[m] = induced
    place[m] = key
}

# Sorts the values in descending order; `along` is reordered with the values.
function heap_sort(v, along, n,    i, t) {
    for (i = int(n / 2); i >= 1; i--)
        heap_sink(v, along, i, n)
    for (i = n; i > 1; i--) {
        t = v[1]; v[1] = v[i]; v[i] = t
        t = along[1]; along[1] = along[i]; along[i] = t
        heap_sink(v, along, 1, i - 1)
    }
}

function heap_sink(v, along, i, n,    child, t) {
    while ((child = 2 * i) <= n) {
        if (child < n && v[child + 1] < v[child])
            child++
        if (v[i] <= v[child])
            return
        t = v[i]; v[i] = v[child]; v[child] = t
        t = along[i]; along[i] = along[child]; along[child] = t
        i = child
    }
}

END {
    if (m == 0 || m != n) {
        print "curves: the two tables do not have the same routines" >"/dev/stderr"
        exit 1
    }
    print "origin", name, mostly["threads"] + 0, mostly["outside"] + 0
    heap_sort(richness, unused, m)
    heap_sort(volume, unused, m)
    heap_sort(by_thread, unused, m)
    heap_sort(by_outside, unused, m)
    heap_sort(both, place, m)
    steps = split("0 0.1 0.2 0.5 1 2 3 4 5 6 8 10 12 15 20 25 30 40 50 60 70 80 90 100", share, " ")
    for (i = 1; i <= steps; i++) {
        k = 1 + int(share[i] * m / 100)
        k = k > m ? m : k
        printf "curve\t%s\t%s\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\n", name, share[i], richness[k], volume[k],
            by_thread[k], by_outside[k], outside[place[k]], thread[place[k]]
    }
}
