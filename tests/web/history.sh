#!/bin/sh
# The site of `aprof history html` in a real browser: 20 commits with a planted regression.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# commits.awk describes the commits. With SCREENSHOTS set to a folder, pictures of the site are left there.
. "${0%/*}/../lib.sh"
. "$here/browser.sh"

has_page || skip 'aprof was built without the page (no node, npm or network)'
run 0 aprof history add --label=one "$data/basic.aprof" --database=trial.db
test -s trial.db || skip 'aprof was built without SQLite'

begin 'a site without reports has one file'
run 0 aprof history html --database=trial.db -o one
expect_error 'history html: open one/index.html in a browser'
same "$(ls one)" index.html 'files'
run 1 aprof history html --database=missing
expect_error 'missing: no such history; create it with `aprof history add`'
run 1 aprof history html --database=trial.db --workload=nothing
run 1 aprof history html --database=trial.db -o missing/site
expect_error 'missing/site: cannot be created: No such file or directory'

begin 'names, labels and workloads cannot leave the script element'
altered "$data/basic.aprof" 's/_ZN4list3addEii/<\/script><b id="hole">/' >hostile.aprof
run 0 aprof history add --database=bad.db --label='</script><b id="hole">' --workload='<!--<script>' hostile.aprof
run 0 aprof history html --database=bad.db -o bad
! grep -q -e '<b id="hole">' -e '<!--<script>' bad/index.html || fail 'a name ends the script element'

begin 'labels cannot name files outside of the folder of reports'
mkdir kept inner
cp "$data/basic.aprof" secret.aprof
cp "$data/basic.aprof" inner/secret.aprof
for label in ../secret inner/secret .. .hidden; do
    run 0 aprof history add --database=paths.db --workload=w --label="$label" "$data/basic.aprof"
done
cp "$data/basic.aprof" kept/.hidden.aprof
run 0 aprof history html --database=paths.db --reports=kept -o paths
same "$(ls paths)" index.html 'files'
run 0 aprof history html --database=paths.db --reports=. -o paths
same "$(ls paths)" index.html 'files'

begin 'a report that cannot be read is named, and its commit has only a table'
echo garbage >kept/one.aprof
run 0 aprof history html --database=trial.db --reports=kept -o one
grep -q '^aprof: history html: no page is written for the commit: kept/one.aprof' err || fail 'it is not named'
same "$(ls one)" index.html 'files'

begin 'work is limited in proportion to the database'
if command -v sqlite3 >/dev/null; then
    run 0 aprof history add --database=sparse.db --workload=w --label=first "$data/basic.aprof"
    sqlite3 sparse.db "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO run SELECT i, 'c' || i, 'w', 0, 'trms', 'bb', 1000 FROM n;
        WITH RECURSIVE n(i) AS (SELECT 100002 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
        INSERT INTO routine SELECT i, 'r' || i, '', 'o', 'f' FROM n;
        INSERT INTO measured SELECT id - 100000, id, 1, 1000, 1000, '' FROM routine WHERE id > 100000"
    run 0 aprof history html --database=sparse.db -o sparse
    run 0 aprof history add --database=long.db --workload=w --label=first "$data/basic.aprof"
    sqlite3 long.db "UPDATE routine SET name = hex(zeroblob(200000)) WHERE id = 1"
    run 1 aprof history html --database=long.db -o long
    expect_error 'history: contains a text of more than'
fi

begin 'the site of 20 commits'
mkdir reports
sed '$d' "$data/growth.aprof" >growth
for n in $(seq 20); do
    label=$(printf 'c%02d' "$n")
    awk -v n="$n" -f "$source/tests/web/commits.awk" growth growth | seal >"reports/$label.aprof"
    run 0 aprof history add --workload=growth --label="$label" "reports/$label.aprof"
done
rm reports/c05.aprof
run 0 aprof history html --reports=reports -o site
same "$(ls site | grep -c '^commit-')" 19 'pages of commits'
run 0 aprof history html --threshold=50 -o coarse
in_browser history.mjs
finish
