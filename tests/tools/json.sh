#!/bin/sh
# The schemas of JSON output: every command that writes JSON, for every kind of report, with stored reports.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The output of `aprof test` and of path profiles is validated in test.sh and in tests/paths/report.sh, which make reports.
. "${0%/*}/../lib.sh"
python3 -c 'import jsonschema' 2>/dev/null || skip 'python3-jsonschema is not installed'

# json NAME STATUS COMMAND...: writes NAME.json.
json()
{
    name=$1 status=$2
    shift 2
    run "$status" aprof "$@" --format=json
    mv out "$name.json"
}

begin 'reports of input sizes: routines, threads, contexts, objects, samples'
json report 0 report "$data/growth.aprof"
json routine 0 report --routine=main "$data/code.aprof"
json threads 0 report --threads "$data/threads.aprof"
json contexts-of-points 0 report --by=context "$data/contexts.aprof"
json objects 0 report --by=object "$data/basic.aprof"
json sample 0 report "$data/sample.aprof"
json none 0 report "$data/none.aprof"
json wide 0 report "$data/wide.aprof"
json strange-name 0 report "$data/basic.aprof"
python3 - report.json <<'END' || fail 'values of the first row'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert rows and all(isinstance(row["calls"], int) and isinstance(row["self_share"], float) for row in rows)
assert any(row["call_at_10x"] for row in rows) and any(row["call_at_10x"] is None for row in rows)
END
run 0 aprof report --format=tsv "$data/growth.aprof"
same "$(head -n 1 out | tr '\t' '\n')" "$(python3 -c 'import json
print(*json.load(open("report.json"))["rows"][0], sep="\n")')" 'columns of TSV and members of JSON'

begin 'calling contexts and events'
json tree 0 report "$data/basic.contexts"
json chains 0 contexts report --tree "$data/basic.contexts"
json callers 0 report --inverted "$data/basic.contexts"
if test -f "$build/libaprof_events.a"; then
    for kind in cache callgraph calltree methods paths; do
        json "report-$kind" 0 report "$data/$kind.events"
        json "export-$kind" 0 export "$data/$kind.events"
    done
fi

begin 'export: both metrics, several reports'
json export 0 export "$data/basic.aprof" "$data/wide.aprof"
python3 -c 'import json
reports = json.load(open("export.json"))["reports"]
assert len(reports) == 2 and {"trms", "rms"} <= set(reports[0]["routines"][0])' || fail 'metrics'

begin 'gate: a base, bounds, causes'
printf '%s\n' 'main n' 'nobody n' 'work calls 1' >bounds
json gate 1 gate --base="$data/code.aprof" "$data/code-changed.aprof"
json bounds 1 gate --bounds=bounds "$data/basic.aprof"
json gate-contexts 0 gate --base="$data/basic.contexts" "$data/basic.contexts"
sed '/^complete/d; s/\t300\t0\t1$/\t330\t0\t1/; s/\t581\t581\t/\t611\t611\t/' "$data/basic.contexts" | seal >more.contexts
json compare-contexts 0 diff "$data/basic.contexts" more.contexts
json rise-contexts 1 gate --base="$data/basic.contexts" --threshold=5 more.contexts
if test -f "$build/libaprof_events.a"; then
    json compare-events 0 diff "$data/methods.events" "$data/methods.events"
    json gate-events 0 gate --base="$data/methods.events" "$data/methods.events"
fi
python3 - <<'END' || fail 'findings'
import json
gate, bounds, kept, rises = (json.load(open(name)) for name in (
    "gate.json", "bounds.json", "gate-contexts.json", "rise-contexts.json"))
assert not gate["passed"] and gate["base"].endswith("code.aprof")
assert any(f["rule"] == "worse-routine" and f.get("line") and f["details"] for f in gate["findings"])
assert "base" not in bounds and {f["rule"] for f in bounds["findings"]} == {"broken-bound", "bound-without-routine"}
assert kept["passed"] and [f["level"] for f in kept["findings"]] == ["passed"] and "metric" not in kept
compare = json.load(open("compare-contexts.json"))
assert [(d["reference"], d["new"]) for d in compare["differences"]] == [(300, 330)] and compare["metrics"][0]["common_nodes"] > 0
assert [(f["rule"], f["level"], f["subject"]) for f in rises["findings"]] == [("risen-count", "failed", "list::add(int, int)")]
END

begin 'scale, diff, history'
json scale 0 scale --sizes=1000,2000,4000 "$data/run-1000.aprof" "$data/run-2000.aprof" "$data/run-4000.aprof"
json two-runs 0 scale --sizes=1000,2000 "$data/run-1000.aprof" "$data/run-2000.aprof"
json diff 1 diff "$data/code.aprof" "$data/code-changed.aprof"
json diff-growth 1 diff --all "$data/growth.aprof" "$data/growth-changed.aprof"
json diff-contexts 0 diff --all "$data/contexts.aprof" "$data/contexts.aprof"
run 0 aprof history add --label=one "$data/code.aprof"
run 0 aprof history add --label=two "$data/code-changed.aprof"
json runs 0 history show
json compare 0 history show compare

begin 'all outputs follow their schemas'
run 0 python3 "$source/tests/tools/validate.py" "$source/docs/schemas" ./*.json

begin 'a missing member, a wrong type and an undescribed member are found'
python3 -c 'import json
def damaged(name, change):
    gate = json.load(open("gate.json"))
    change(gate)
    json.dump(gate, open(name, "w"))
damaged("missing", lambda gate: gate["findings"][0].pop("rule"))
damaged("wrong", lambda gate: gate.update(passed=1))
damaged("other", lambda gate: gate.update(other=1))'
run 1 python3 "$source/tests/tools/validate.py" "$source/docs/schemas" missing wrong other
expect 'missing: $.findings[0]'
expect 'wrong: $.passed'
expect 'other: $: Additional'

begin 'each schema is installed, and is validated by a test'
for schema in "$source"/docs/schemas/*.json; do
    name=$(basename "$schema" .json)
    grep -q "docs/schemas/$name.json" "$source/docs/local.mk" || fail "$name is not installed"
    case $name in
    aprof-paths-* | aprof-test-*) continue ;;
    aprof-events-*) test -f "$build/libaprof_events.a" || continue ;;
    esac
    grep -q "\"schema\": \"$name\"" ./*.json || fail "no output of $name"
done
finish
