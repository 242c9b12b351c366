#!/bin/sh
# Tests `aprof serve` with a real server under load: the page is updated, and survives the end of the server.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make soak-serve`; SOAK_SECONDS chooses the seconds of load [60]. Debian's redis-server runs under the Valgrind tool
# and writes a report every two seconds. redis-benchmark sends requests over a socket in the scratch folder, while
# Chromium shows the page of `aprof serve`. The number of requests before the load ends, the updates and the size of the
# page, and the resident size of `aprof serve` are printed.
. "${0%/*}/../lib.sh"
. "$source/tests/web/browser.sh"

seconds=${SOAK_SECONDS:-60}
need redis-server 'redis-server is not installed'
need redis-benchmark 'redis-tools are not installed'
test -x "$launcher" || skip 'the Valgrind tool has not been built'
has_page || skip 'aprof was built without the page (no node, npm or network)'
has_serve || skip 'aprof was built without libmicrohttpd'

socket=$scratch/socket

ask()
{
    redis-cli -s "$socket" "$@" 2>/dev/null
}

load()
{
    while test ! -e stop; do
        redis-benchmark -s "$socket" -q -n 500 -c 10 -r 1000 -d 100 -t ping,set,get,incr,sadd,lpush,lrange_100 >>asked 2>&1 ||
            return 0
    done
}

begin "the page of a server under load for $seconds seconds"
"$launcher" -q --tool=aprof --dump-every=2 --aprof-out-file=redis.aprof redis-server --port 0 --unixsocket "$socket" --save '' \
    --daemonize no --dir "$scratch" >server.out 2>&1 </dev/null &
server=$!
for _ in $(seq 300); do
    test "$(ask ping)" != PONG || break
    sleep 1
done
load &
client=$!
for _ in $(seq 300); do
    test ! -s redis.aprof || break
    sleep 0.2
done
test -s redis.aprof || fail "no report after 60 seconds: $(cat server.out)"
in_browser ../soak/serve.mjs "$server" "$seconds"
touch stop
wait $client || :
ask shutdown nosave || :
wait $server || :
finish
