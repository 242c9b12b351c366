#!/bin/sh
# Tests a server under load: the profiler's memory does not grow after warm-up, and the report is complete.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make soak-server`, an hour of it; SOAK_SECONDS chooses. Debian's redis-server runs under the Valgrind tool,
# with constant requests of redis-benchmark for a fixed set of keys. Its resident size is read sixty times. In
# the second half, the size never exceeds the maximum of the first half by more than a hundredth and 2 MB.
. "${0%/*}/../lib.sh"

seconds=${SOAK_SECONDS:-3600}
need redis-server 'redis-server is not installed'
need redis-benchmark 'redis-tools are not installed'
test -x "$launcher" || { skip 'the Valgrind tool has not been built'; finish; }

socket=$scratch/socket

ask()
{
    redis-cli -s "$socket" "$@" 2>/dev/null
}

# Also prints the number of requests.
load()
{
    while test ! -e stop; do
        redis-benchmark -s "$socket" -q -n 2000 -c 20 -r 1000 -d 100 -t ping,set,get,incr,sadd,hset,mset >>asked 2>&1 ||
            return 0
    done
}

begin "a server under load for $seconds seconds: memory flat after warm-up"
"$launcher" -q --tool=aprof --aprof-out-file=report redis-server --port 0 --unixsocket "$socket" --save '' \
    --daemonize no --dir "$scratch" >server.out 2>&1 </dev/null &
server=$!
for _ in $(seq 300); do
    test "$(ask ping)" != PONG || break
    sleep 1
done
load &
client=$!
for i in $(seq 60); do
    sleep "$(awk -v s="$seconds" 'BEGIN { print s / 60 }')"
    awk -v i="$i" '/^VmRSS/ { print i, $2 }' "/proc/$server/status" >>sizes
done
touch stop
wait $client
requests=$(ask info stats | tr -d '\r' | sed -n 's/^total_commands_processed://p')
ask shutdown nosave || :
status=0
wait $server || status=$?
same $status 0 'status of the server'
awk '$1 <= 30 && $2 > first { first = $2 }
     $1 > 30 && $2 > second { second = $2 }
     END {
         printf "    %d kB in the first half, %d kB in the second\n", first, second
         exit NR < 60 || second > first * 1.01 + 2048
     }' sizes || fail 'its memory grows, or it has ended'
echo "    $requests requests"
run 0 aprof report report
expect 'command: redis-server'
finish
