# The case study of the paper on trms, Figures 4 to 9: a database server and its clients.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by evaluate.sh. The server is Debian's mariadbd (or $EVALUATE_MARIADBD), as an ordinary user, with a
# folder and a socket of its own; root becomes `nobody` for it. Its own executable has the names of functions
# that plugins may call, which are those of the server, but not of InnoDB.

mariadbd=${EVALUATE_MARIADBD:-/usr/sbin/mariadbd}

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

# with_database COMMAND...: in $database, a folder with an empty database. Sockets have short names, so it is in /tmp.
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

# serve WORK COMMAND...: does the work while the server runs, which the command starts.
serve()
{
    do_work=$1
    shift
    # What Valgrind lacks: io_uring, and an address space of 8 TiB for the buffer pool.
    as_user env HOME="$database" TMPDIR="$database" APROF_SCRIPTS="$APROF_SCRIPTS" "$@" \
        "$mariadbd" --no-defaults --datadir="$database/data" --socket="$database/socket" \
        --pid-file="$database/pid" --skip-networking --performance-schema=OFF \
        --read-buffer-size=8192 --key-buffer-size=1M --innodb-use-native-aio=OFF \
        --innodb-buffer-pool-size=8M --innodb-buffer-pool-size-max=8M --innodb-log-file-size=4M \
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

# Scans of growing tables: MyISAM reads rows through the read buffer.
sizes="50 100 150 200 300 400 500 600 800 1000 1250 1500 1750 2000 2500 3000 3500 4000 4500 5000 6000 7000 8000
    9000 10000 11000 12000 13000 14000 16000"

make_tables()
{
    echo 'create database e;' | client
    for rows in $sizes; do
        echo "create table t$rows (id int not null, a int not null, c char(16) not null) engine=MyISAM;
            insert into t$rows select seq, seq * 7 % 1000, concat('row ', seq) from seq_1_to_$rows;"
    done | client e
}

scan_tables()
{
    for rows in $sizes; do
        echo "select * from t$rows;" | client e >rows
        [ "$(wc -l <rows)" -eq $((rows + 1)) ] || return 1
    done
}

make_and_scan()
{
    serve make_tables && serve_profiled scan_tables
}

scan()
{
    with_database make_and_scan
    facts server.aprof mysql_select mysql_select
    totals server.aprof mariadb-scan
    keep_routine server.aprof _Z12mysql_select mysql_select
    crowd "$results/$part/mysql_select.aprof" mysql_select
    curves server.aprof mariadb-scan
}

slap_clients()
{
    mariadb-slap --no-defaults -S "$database/socket" -u root --concurrency="$clients" --number-of-queries=1000 \
        --auto-generate-sql --auto-generate-sql-load-type=mixed --engine=innodb
}

# slap CLIENTS
slap()
{
    clients=$1
    with_database serve_profiled slap_clients
    facts server.aprof mysql_select mysql_select
    facts server.aprof Protocol::net_send_eof Protocol::net_send_eof
    totals server.aprof "mariadb-slap-$1"
    keep_routine server.aprof _ZN8Protocol12net_send_eof "net_send_eof-$1"
    curves server.aprof "mariadb-slap-$1"
}

if has "$mariadbd" mariadb-install-db mariadb mariadb-slap setpriv; then
    cell scan scan
    cell slap-10 slap 10
    cell slap-50 slap 50
fi
