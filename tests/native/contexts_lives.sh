# The expected reports of each life in contexts_lives.c, for all front ends; sourced by tests.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154

# report_of BINARY FILE: prints paths and counts in one order, without the constructor and the destructor.
report_of()
{
    nm "$1" | awk -f "$here/contexts_paths.awk" - "$2" | grep -v '^before\|after ' | sort
}

# life STATUS END ARGUMENT... <paths: one process, with one file.
life()
{
    cat >wanted_paths
    rm -f aprof.contexts.*
    wanted_status=$1 wanted_end=$2
    shift 2
    run "$wanted_status" timeout 60 "$binary" "$@"
    same "$(echo aprof.contexts.* | wc -w)" 1 "$*: files"
    report_of "$binary" aprof.contexts.* >got
    cmp -s got wanted_paths || { fail "$binary $*"; diff got wanted_paths | head -20; }
    same "$(awk -F '\t' '$1 == "end" { print $2 }' aprof.contexts.*)" "$wanted_end" "$*: end"
    ! grep '^aprof' err || fail "$*: a message"
}

lives()
{
    life 0 exit longjmp <<END
main 1
main;run_longjmp 1
main;run_longjmp;jump 100000
main;run_longjmp;jump;jump 100000
main;run_longjmp;jump;jump;jump 100000
main;run_longjmp;leaf 1
END
    life 0 exit doubles <<END
main 1
main;run_doubles 1
main;run_doubles;printed 1000
main;run_doubles;sum8 1000
END
    life 0 exit threads <<END
main 1
main;run_threads 1
main;run_threads;run_one 500
thread_leaf 500
thread_leaf;twig 500
thread_leaf;twig;leaf 1000
END
    life 0 exit ends <<END
main 1
main;run_thread_ends 1
main;run_thread_ends;run_one 2
thread_exits 1
thread_exits;twig 1
thread_exits;twig;leaf 2
thread_waits 1
thread_waits;twig 1
thread_waits;twig;leaf 2
END
    for stack in signals signal-stack; do
        life 0 exit $stack <<END
main 1
main;run_signals 1
main;run_signals;handler 100
main;run_signals;handler;twig 100
main;run_signals;handler;twig;leaf 200
main;run_signals;leaf 200
END
    done
    life 0 exit main-exits <<END
ends_main 1
ends_main;twig 1
ends_main;twig;leaf 2
main 1
main;run_main_exits 1
END
    life 0 exit vfork <<END
main 1
main;run_vfork 1
main;run_vfork;twig 1
main;run_vfork;twig;leaf 2
END
    ends 4 _exit _exit
    ends 134 'signal 6' abort
    ends 139 'signal 11' segv
    is_emulated || ends 0 exec exec
}

ends()
{
    life "$1" "$2" end "$3" <<END
main 1
main;run_end 1
main;run_end;twig 1
main;run_end;twig;leaf 2
END
}

# With ./lives, and in ./liblives.so.
lives_elsewhere()
{
    begin "the library's routines have no names in the program's table"
    life 0 exit library ./liblives.so <<END
main 1
main;run_library 1
main;run_library;? 3
main;run_library;?;? 6
main;run_library;?;?;leaf 6
END

    begin 'a callback is called by what called the library'
    rm -f aprof.contexts.*
    run 0 ./lives callbacks
    same "$(report_of lives aprof.contexts.* | sed 's/ [0-9]*$//')" "main
main;run_callbacks
main;run_callbacks;compare
main;run_callbacks;compare;leaf" callbacks

    begin 'handlers that jump away leave everything else whole'
    rm -f aprof.contexts.*
    run 0 timeout 60 ./lives alarms
    same "$(report_of lives aprof.contexts.* | sed 's/ [0-9]*$//' | grep -v jumping)" "main
main;run_alarms
main;run_alarms;twig
main;run_alarms;twig;leaf" alarms

    begin 'each process reports what it has done itself'
    rm -f aprof.contexts.*
    run 0 ./lives fork
    same "$(cat aprof.contexts.* | grep -c '^complete')" 2 fork
    same "$(for file in aprof.contexts.*; do report_of lives "$file"; done | sort)" "main 1
main;run_fork 1
main;run_fork;leaf 1
main;run_fork;twig 1
main;run_fork;twig;leaf 2" fork
}

# The cases of ./throws, which was compiled before.
exceptions()
{
    binary=./throws
    APROF_CONTEXTS=mode=cct,sites=no
    life 0 exit <<END
main 1
main;catcher 1000
main;catcher;leaf 2000
main;catcher;thrower 1000
main;catcher;thrower;leaf 1000
main;catcher;thrower;thrower 1000
main;catcher;thrower;thrower;leaf 1000
main;catcher;thrower;thrower;thrower 1000
main;catcher;thrower;thrower;thrower;leaf 1000
END
}

doubling()
{
    rm -f aprof.contexts.*
    APROF_CONTEXTS=phi=1e-3,$1 run 0 ./lives doubling
    mv aprof.contexts.* "$2"
}

# Recursion from two places. With call sites, one context becomes 2^16 contexts. Without call sites, the
# default, counts keep their bounds: none of the 19 contexts loses a call.
recursion_from_two_places()
{
    begin 'recursion from two places keeps the promise of each count'
    awk 'BEGIN {
        print "main 1"; print path = "main;run_doubling", 1
        for (level = 0; level <= 16; level++)
            print path = path ";doubling", 2 ^ level
        }' | sort >wanted_paths
    doubling '' hot
    report_of ./lives hot >got
    cmp -s got wanted_paths || { fail 'recursion from two places'; diff got wanted_paths | head -5; }
    # If requested, call sites are in the report, and the bounds apply to each call site.
    doubling sites=yes hot
    doubling mode=cct,sites=yes all
    run 0 aprof contexts compare --phi=1e-3 --max-missed=0 --max-error=20 all hot
    run 0 aprof contexts report --phi=1e-3 --sites --format=tsv hot
    mv out apart
    run 0 aprof contexts report --phi=1e-3 --format=tsv hot
    cmp -s out apart || fail 'hot contexts with call sites were added up'
    # The header has the dropped counts: these, and the kept counts without their errors, add up to all
    # counts.
    run 0 aprof contexts report hot
    same "$(awk '$1 == "rare:" { print $4 }' out)" "$(awk -F '\t' '
        $1 == "tree" { total = $3 } $1 == "context" && $9 { kept += $7 - $8 } END { print total - kept }' hot)" rare
}

one_tree()
{
    begin 'one tree of all threads'
    APROF_CONTEXTS=mode=hcct,threads=merged
    binary=./lives
    rm -f aprof.contexts.*
    run 0 ./lives ends
    same "$(awk -F '\t' '$1 == "tree" { print $2, $3, $4 }' aprof.contexts.*)" "0 14 14" merged
}

# The time is between 0.01 and five seconds, of which the program sleeps a third of a second.
time_is_counted()
{
    rm -f aprof.contexts.*
    run 0 ./lives time
    same "$(awk -F '\t' '$1 == "tree" { print ($3 > 10000000 && $3 < 5000000000) }' aprof.contexts.*)" 1 time
}
