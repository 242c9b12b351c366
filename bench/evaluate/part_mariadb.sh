# The case study of the paper on trms, Figures 4 to 9: a database server and its clients.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by evaluate.sh. The server is Debian's mariadbd. Its executable has the names of functions that
# plugins may call: functions of the server, but not of InnoDB. part_innodb.sh builds a server with names of
# InnoDB's functions.

# shellcheck source=bench/evaluate/mariadb.sh
. "$here/mariadb.sh"

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
