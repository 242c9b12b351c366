# A performance fault of a public program, from the first command to the fix: docs/story.md.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2030,SC2031,SC2164,SC1091,SC2016
#
# Sourced by evaluate.sh. The program is cmark of Debian 12, built twice with debug information: unchanged and
# with cmark.patch. Each cell is a command and its output.

# This part runs in a subshell, because debian_source.sh sets $work.
build_cmark() (
    work=$work/sources
    mkdir -p "$work"
    . "$here/../debian_source.sh"
    debian_source cmark
    cd "$story"
    rm -rf fixed-source
    cp -R "$work/cmark" fixed-source
    patch -d fixed-source -p1 <"$here/cmark.patch"
    cp -R "$work/cmark/test" test
    for build in slow fixed; do
        cmake -S "$([ $build = fixed ] && echo fixed-source || echo "$work/cmark")" -B $build-build \
            -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMARK_SHARED=OFF -DCMARK_TESTS=OFF
        make -C $build-build cmark_exe
        mkdir -p $build
        cp $build-build/src/cmark $build/cmark
    done
)

# For each number, writes a paragraph with that many pictures without text.
pictures()
{
    awk -v numbers="$*" 'BEGIN {
        n = split(numbers, number, " ")
        for (p = 1; p <= n; p++) {
            for (i = 0; i < number[p]; i++)
                printf "![[]()"
            print "\n"
        }
    }'
}

make_inputs()
{
    for n in 1000 2000 4000 5000 10000 20000; do
        pictures $n >"pictures.$n.md"
    done
    # shellcheck disable=SC2046
    pictures $(seq 50 50 2000) >paragraphs.md
}

# step NAME COMMAND: makes a cell of the command, as a shell shows it, and the command's output.
step()
{
    cell "$1" shown "$2"
}

shown()
{
    printf '%s\n' "$1" | sed '1s/^/$ /; 2,$s/^/> /'
    (cd "$story" && COLUMNS=110 TIMEFORMAT='%U s' bash -c "$1" 2>&1 | sed "s|$work/sources/||")
}

kept()
{
    (
        cd "$story"
        aprof run --metrics=trms,rms --aprof-out-file="$1.aprof" -- "$1/cmark" paragraphs.md >/dev/null 2>&1
    )
    keep_routine "$story/$1.aprof" cmark_parse_inlines "$1"
    facts "$story/$1.aprof" cmark_parse_inlines "$1"
}

story=$work/story/files
mkdir -p "$story"
if has cmake make patch; then
    [ -x "$story/fixed/cmark" ] || build_cmark >"$work/story.log" 2>&1
    [ -e "$story/paragraphs.md" ] || (cd "$story" && make_inputs)
    step 1-slow 'for n in 5000 10000 20000; do time slow/cmark pictures.$n.md >slow.$n.html; done'
    step 2-runs 'for n in 1000 2000 4000; do
    aprof run -q --size=$n --aprof-out-file=slow.$n.aprof -- slow/cmark pictures.$n.md >/dev/null 2>&1
done
aprof scale --top=6 slow.1000.aprof slow.2000.aprof slow.4000.aprof'
    step 3-routine 'aprof report --width=110 slow.4000.aprof cmark_parse_inlines | sed -n "/^inlined into/,\$p" | head -n 16'
    step 4-lines 'aprof annotate --context=2 slow.4000.aprof handle_close_bracket | sed -n "/ 1217 /,/ 1231 /p"'
    step 5-fixed 'for n in 5000 10000 20000; do time fixed/cmark pictures.$n.md | cmp - slow.$n.html; done'
    step 6-scale 'for n in 1000 2000 4000; do
    aprof run -q --size=$n --aprof-out-file=fixed.$n.aprof -- fixed/cmark pictures.$n.md >/dev/null 2>&1
done
aprof scale --top=6 fixed.1000.aprof fixed.2000.aprof fixed.4000.aprof'
    step 7-diff 'aprof diff slow.4000.aprof fixed.4000.aprof'
    step 8-tests 'python3 test/spec_tests.py --spec test/spec.txt --program fixed/cmark | tail -n 1'
    cell slow kept slow
    cell fixed kept fixed
fi
