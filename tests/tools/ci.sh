#!/bin/sh
# The commands of docs/ci.md do what they say there.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

# A stand-in for Valgrind leaves the report that $profile names.
mkdir bin
cat >bin/valgrind <<'SCRIPT'
#!/bin/sh
for argument; do
    case $argument in
    --aprof-out-file=*) cp "$profile" "${argument#*=}" ;;
    esac
done
SCRIPT
printf '#!/bin/sh\n' >app
chmod +x bin/valgrind app
PATH=$scratch/bin:$PATH
APROF_VALGRIND_LIB=$scratch
GITHUB_STEP_SUMMARY=$scratch/summary.md
export APROF_VALGRIND_LIB GITHUB_STEP_SUMMARY profile
cp "$data/growth.aprof" base.aprof
sed -n '/^# pattern/,/^```/p' "$source/docs/ci.md" | grep -v '```' >bounds.txt
sed -n 's/^        run: //p; s/^    - \(aprof .*\)/\1/p' "$source/docs/ci.md" >commands
same "$(wc -l <commands)" 6 'commands in docs/ci.md'

# job STATUS...: one status per command.
job()
{
    while read -r command; do
        run "$1" sh -c "$command"
        shift
    done <commands
}

profile=$data/growth.aprof
job 0 0 0 0 0 0
profile=$data/growth-changed.aprof
job 0 1 0 0 0 1
grep -q '| FAILED | ' summary.md || fail 'the summary does not show what is worse'
test -s gate.sarif || fail 'no SARIF'
grep -q '<failure ' gate.xml || fail 'no failure for JUnit'

finish
