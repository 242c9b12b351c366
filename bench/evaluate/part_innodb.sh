# Figure 6 of the paper on trms: the pages that a database server writes from its buffers.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC1091,SC2034,SC2030,SC2031
#
# Sourced by evaluate.sh. Debian's mariadbd has no names of InnoDB's functions. Therefore the server is built
# once from Debian's source package, without most plugins. The build has about 730 steps of ninja, which
# continue after an interruption. Alternatively, $EVALUATE_MARIADBD names a server of this release that has
# the names.

# shellcheck source=bench/evaluate/mariadb.sh
. "$here/mariadb.sh"

left_out="ROCKSDB MROONGA SPIDER CONNECT COLUMNSTORE OQGRAPH SPHINX S3 TOKUDB PERFSCHEMA FEEDBACK ARCHIVE BLACKHOLE
    FEDERATED FEDERATEDX SEQUENCE TYPE_INET TYPE_UUID THREAD_POOL_INFO USER_VARIABLES AUTH_GSSAPI
    CRACKLIB_PASSWORD_CHECK"

# This part runs in a subshell, because debian_source.sh sets $work.
build_server() (
    work=$work/sources
    mkdir -p "$work"
    # shellcheck source=bench/debian_source.sh
    . "$here/../debian_source.sh"
    debian_source mariadb
    cd "$work"
    # shellcheck disable=SC2046,SC2086
    [ -e mariadb-build/build.ninja ] || cmake -S mariadb -B mariadb-build -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE='-O2 -DNDEBUG' -DCMAKE_CXX_FLAGS_RELEASE='-O2 -DNDEBUG' $(printf -- '-DPLUGIN_%s=NO ' $left_out) \
        -DWITH_SSL=system -DWITH_ZLIB=system -DWITH_PCRE=system -DWITH_WSREP=OFF -DWITH_SYSTEMD=no \
        -DWITH_UNIT_TESTS=OFF -DWITHOUT_DYNAMIC_PLUGINS=ON -DDISABLE_SHARED=ON
    ninja -C mariadb-build mariadbd
)

# Two rows fill a page, so that the first N rows are in N / 2 pages.
table_rows=400
updates="2 4 6 8 10 14 20 26 32 40 50 60 70 80 90 100 110 120 130 140 150 160 170 180 190 200 220 240 260 280 300
    320 340 360 380 400"

make_table()
{
    {
        echo "create database e; use e;
            create table t (id int primary key, a int not null, c varchar(7500) not null) engine=InnoDB;"
        awk -v rows=$table_rows 'BEGIN {
            for (i = 1; i <= rows; i++)
                printf "insert into t values (%d, %d, repeat(char(97 + %d mod 26), 7500));\n", i, i * 7 % 1000, i
        }'
    } | client
}

# Changes an increasing number of pages, and writes these pages by `flush tables ... for export`.
change_and_write()
{
    for rows in $updates; do
        echo "update t set a = a + 1 where id <= $rows; flush tables t for export; unlock tables;" | client e
    done
    echo 'select sum(a) from t;' | client e
}

make_and_change()
{
    serve make_table && serve_profiled change_and_write
}

growing()
{
    "$mariadbd" --version | sed 's/.*  Ver /# server: /; s/ for .*//'
    with_database make_and_change
    facts server.aprof buf_dblwr_t::flush_buffered_writes_completed flush_buffered_writes_completed
    facts server.aprof buf_flush_LRU buf_flush_LRU
    facts server.aprof buf_flush_page_cleaner buf_flush_page_cleaner
    keep_routine server.aprof _ZN11buf_dblwr_t31flush_buffered_writes_completed flush_buffered_writes
}

mariadbd=$work/sources/mariadb-build/sql/mariadbd
server_options=--lc-messages-dir=$work/sources/mariadb-build/sql/share
if [ -n "${EVALUATE_MARIADBD:-}" ]; then
    mariadbd=$EVALUATE_MARIADBD
    server_options=--lc-messages-dir=$(dirname "$mariadbd")/share
fi
if has cmake ninja mariadb-install-db mariadb mariadb-admin setpriv; then
    [ -x "$mariadbd" ] || build_server >"$work/mariadb.log" 2>&1
    cell growing growing
fi
