# Figures 9 and 15 to 19 of the paper on trms: induced input of third-party programs, and of kernels with four threads.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2094
#
# Sourced by evaluate.sh. The generated inputs are equal on all machines.

kernels="sparse_lu alignment molecular_dynamics multigrid kdtree smith_waterman tree_sort"

profiled()
{
    aprof run --metrics=trms,rms --log-file=log --aprof-out-file=program.aprof -- "$@"
}

# A picture of random grey pixels, SIDE by SIDE.
picture()
{
    printf 'P5 %d %d 255\n' "$1" "$1"
    "$generate" text 20000 | head -c "$(($1 * $1))"
}

# A small size of a kernel, which takes about a second under aprof.
small_size()
{
    case $1 in
    sparse_lu) echo 12 ;;
    alignment) echo 40 ;;
    molecular_dynamics) echo 6 ;;
    multigrid) echo 5 ;;
    kdtree) echo 60 ;;
    smith_waterman) echo 6 ;;
    tree_sort) echo 40 ;;
    esac
}

kernel() { profiled "$build/bench/programs/$1" "$(small_size "$1")" 4; }

sqlite3_script() { "$generate" sql 3000 >script.sql && profiled sqlite3 :memory: '.read script.sql'; }
sqlite3_file() { "$generate" sql 1000 >script.sql && profiled sqlite3 file.db '.read script.sql'; }
pigz() { "$generate" text 30000 >text && profiled pigz -p 4 -b 32 -c text; }
zstd() { "$generate" text 60000 >text && profiled zstd -q -T4 -B262144 -c text; }
xz() { "$generate" text 8000 >text && profiled xz -T 4 --block-size=64KiB -2 -c text; }
sort() { "$generate" text 60000 >text && profiled sort --parallel=4 -S 1M -k 3 text; }
convert() { picture 512 >in.pgm && MAGICK_THREAD_LIMIT=4 profiled convert-im6.q16 in.pgm -gaussian-blur 0x2 -resize 150% -rotate 7 out.png; }
x264() { picture 512 >frames && profiled x264 --quiet --threads 4 --demuxer raw --input-res 128x96 -o out.h264 frames; }
python3() { profiled /usr/bin/python3 -S -E "$here/../tenfold/words.py" 8000; }
perl() { "$generate" text 4000 >text && profiled perl "$here/../programs/words.pl" text; }

redis()
{
    profiled redis-server --port 0 --unixsocket "$PWD/redis" --save '' --appendonly no >server.log 2>&1 &
    server=$!
    left=60
    until redis-cli -s "$PWD/redis" ping >/dev/null 2>&1; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 1
    done
    redis-benchmark -s "$PWD/redis" -q -n 3000 -c 20 -t set,get,lpush,lrange_100,sadd,zadd >benchmark.log
    redis-cli -s "$PWD/redis" shutdown nosave || :
    wait $server
}

# program NAME COMMAND...: the cell of a program.
program()
{
    name=$1
    shift
    "$@" >output 2>messages
    totals program.aprof "$name"
    curves program.aprof "$name"
}

for name in $kernels; do
    cell "$name" program "$name" kernel "$name"
done
! has convert-im6.q16 || cell imagemagick program imagemagick convert
! has pigz || cell pigz program pigz pigz
! has zstd || cell zstd program zstd zstd
! has xz || cell xz program xz xz
! has x264 || cell x264 program x264 x264
cell sort program sort sort
! has sqlite3 || cell sqlite3-memory program sqlite3-memory sqlite3_script
! has sqlite3 || cell sqlite3-file program sqlite3-file sqlite3_file
! has python3 || cell python3 program python3 python3
! has perl || cell perl program perl perl
! has redis-server redis-benchmark redis-cli || cell redis program redis redis
