#!/bin/sh
# Tests `aprof run`: Valgrind's command line, exit statuses, and missing programs.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

# A stand-in for valgrind prints its arguments.
mkdir bin lib
cat >bin/valgrind <<'SCRIPT'
#!/bin/sh
echo "lib=$VALGRIND_LIB"
for argument; do echo "<$argument>"; done
exit 42
SCRIPT
chmod +x bin/valgrind
PATH=$scratch/bin:$PATH
APROF_VALGRIND_LIB=$scratch/lib
export APROF_VALGRIND_LIB

defaults='<--error-exitcode=125><--trace-children=yes><--wrapper-cost=1000000>'
run 42 aprof run --metrics=trms,rms --cost=instr -- /bin/echo --flag 'two words' --
same "$(tr -d '\n' <out)" \
    "lib=$scratch/lib<--tool=aprof><--fair-sched=try>$defaults<--metrics=trms,rms><--cost=instr></bin/echo><--flag><two words><-->" \
    'command line'
run 42 aprof run -q echo -- x
same "$(tr -d '\n' <out)" \
    "lib=$scratch/lib<--tool=aprof><--fair-sched=try>$defaults<-q><echo><--><x>" 'command line without --'

for words in '-o a.aprof' '--output a.aprof' '--output=a.aprof'; do
    # shellcheck disable=SC2086 # words
    run 42 aprof run -q $words echo -o x
    same "$(tr -d '\n' <out)" \
        "lib=$scratch/lib<--tool=aprof><--fair-sched=try>$defaults<-q><--aprof-out-file=a.aprof><echo><-o><x>" "$words"
done

# Run-time systems that can name the functions of scripts get the options for it.
for program in python python3 python3.12 node erl; do
    printf '#!/bin/sh\n' >bin/$program
    chmod +x bin/$program
done
cat >bin/valgrind <<'SCRIPT'
#!/bin/sh
echo "<$PYTHONPERFSUPPORT|$NODE_OPTIONS|$ERL_FLAGS>"
for argument; do echo "<$argument>"; done | sed '1,/wrapper-cost/d'
SCRIPT
map='--perf-basic-prof --interpreted-frames-native-stack'
for program in python python3 python3.12 "$scratch/bin/python3"; do
    run 0 aprof run "$program" book.py
    same "$(tr -d '\n' <out)" "<1||><$program><book.py>" "$program"
    expect_error "aprof: run: sets PYTHONPERFSUPPORT so that script functions have names; to avoid this, add --no-runtime-support"
done
run 0 aprof run node book.js
same "$(tr -d '\n' <out)" "<|$map|><node><--no-opt><--always-sparkplug><--no-lazy-feedback-allocation><book.js>" node
NODE_OPTIONS=--no-warnings run 0 aprof run -q node book.js
same "$(tr -d '\n' <out)" "<|--no-warnings $map|><-q><node><--no-opt><--always-sparkplug><--no-lazy-feedback-allocation><book.js>" "the user's options"
same "$(cat err)" '' 'quiet'
run 0 aprof run -q erl -noshell
same "$(tr -d '\n' <out)" '<||+JPperf true><-q><erl><-noshell>' erl
# Hooks are files of the tool. LUA_INIT is code, or a file.
for program in lua5.4 perl ruby; do
    printf '#!/bin/sh\n' >bin/$program
    chmod +x bin/$program
done
cat >bin/valgrind <<'SCRIPT'
#!/bin/sh
printf "%s\n" "<$LUA_INIT|$PERL5OPT|$RUBYOPT>" | sed "s,$VALGRIND_LIB,TOOL,"
SCRIPT
hook="do local start, why = package.loadlib([[TOOL/lua/_aprof.so]], 'aprof_start') if start then start(_VERSION) else\
 io.stderr:write('aprof: run: this Lua cannot report functions of scripts: ', why, '\\n') end end"
run 0 aprof run lua5.4 book.lua
same "$(cat out)" "<$hook||>" lua
expect_error 'aprof: run: sets LUA_INIT so that script functions have names; to avoid this, add --no-runtime-support'
LUA_INIT='x = 1' run 0 aprof run lua5.4 book.lua
same "$(cat out)" "<$hook x = 1||>" "the user's code"
LUA_INIT=@init.lua run 0 aprof run lua5.4 book.lua
same "$(cat out)" "<$hook dofile([[init.lua]])||>" "the user's file"
PERL5OPT=-w run 0 aprof run perl book.pl
same "$(cat out)" '<|-w -ITOOL/perl -MAprof|>' perl
run 0 aprof run ruby book.rb
same "$(cat out)" '<||-rTOOL/ruby/aprof_hook.rb>' ruby
run 0 aprof run --runtime=show ruby book.rb
same "$(cat out)" '<||>' 'a hook needs folding'
cat >bin/valgrind <<'SCRIPT'
#!/bin/sh
echo "<$PYTHONPERFSUPPORT|$NODE_OPTIONS|$ERL_FLAGS>"
for argument; do echo "<$argument>"; done | sed '1,/wrapper-cost/d'
SCRIPT
run 0 aprof run --no-runtime-support node book.js
same "$(tr -d '\n' <out)" '<||><node><book.js>' 'no support'
run 0 aprof run /bin/echo python3
same "$(tr -d '\n' <out)" '<||></bin/echo><python3>' 'another program'

run 2 aprof run
expect_error 'run: no program to run'
run 2 aprof run -o
expect_error 'run: no program to run'
run 2 aprof run -o a.aprof
expect_error 'run: no program to run'
run 2 aprof run -q --
expect_error 'run: no program to run'
run 127 aprof run -- ./missing
expect_error './missing: No such file or directory'
run 127 aprof run -- no-such-program-anywhere
expect_error 'no-such-program-anywhere: No such file or directory'
: >not-executable
run 126 aprof run -- ./not-executable
expect_error './not-executable: Permission denied'
mkdir empty
aprof=$(command -v aprof)
PATH=$scratch/empty run 127 "$aprof" run -- /bin/echo
expect_error 'valgrind: No such file or directory; install it'

finish
