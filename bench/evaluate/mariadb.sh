# Functions for a database server in an evaluation: a folder with an empty database, the server, its profile.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034
#
# Sourced by parts. The server $mariadbd, with the additional $server_options, runs as an ordinary user, with
# its own folder and socket; root starts the server as `nobody`. The client tools are Debian's.

mariadbd=/usr/sbin/mariadbd
server_options=

as_user()
{
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
    else
        "$@"
    fi
}

client()
{
    mariadb --no-defaults -S "$database/socket" -u root "$@"
}

# with_database COMMAND...: in $database, a folder with an empty database. The folder is in /tmp, because the
# names of sockets must be short.
with_database()
{
    database=$(mktemp -d /tmp/aprof-evaluate.XXXXXX)
    [ "$(id -u)" != 0 ] || chown nobody:nogroup "$database"
    as_user env HOME="$database" mariadb-install-db --no-defaults --datadir="$database/data" \
        --auth-root-authentication-method=normal --skip-test-db >install.log 2>&1
    set +e
    (set -e && "$@")
    status=$?
    set -e
    rm -rf "$database"
    return $status
}

# serve WORK COMMAND...: does the work while the server runs. The command starts the server.
serve()
{
    do_work=$1
    shift
    # Disables features that Valgrind lacks: io_uring, and an address space of 8 TiB for the buffer pool.
    # shellcheck disable=SC2086
    as_user env HOME="$database" TMPDIR="$database" APROF_SCRIPTS="$APROF_SCRIPTS" "$@" \
        "$mariadbd" --no-defaults --datadir="$database/data" --socket="$database/socket" \
        --pid-file="$database/pid" --skip-networking --loose-performance-schema=OFF \
        --read-buffer-size=8192 --key-buffer-size=1M --innodb-use-native-aio=OFF \
        --innodb-buffer-pool-size=8M --innodb-buffer-pool-size-max=8M --innodb-log-file-size=4M $server_options \
        >server.log 2>&1 &
    server=$!
    if server_answers && $do_work >&2; then
        mariadb-admin --no-defaults -S "$database/socket" -u root shutdown
    else
        kill "$server" 2>/dev/null || :
    fi
    wait "$server"
}

# serve_profiled WORK: the report is server.aprof.
serve_profiled()
{
    serve "$1" "$build/tools/aprof" run --metrics=trms,rms --log-file="$database/log" \
        --aprof-out-file="$database/server.aprof" --
    cp "$database/server.aprof" .
}

server_answers()
{
    left=240
    until mariadb-admin --no-defaults -S "$database/socket" -u root ping >/dev/null 2>&1; do
        left=$((left - 1))
        [ $left -gt 0 ] && kill -0 "$server" 2>/dev/null || return 1
        sleep 1
    done
}
