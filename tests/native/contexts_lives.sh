# What each of contexts_lives.c must report, whatever sees its calls; sourced by the tests that ask.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154

# report_of BINARY FILE: paths and counts, in one order; the constructor and the destructor left out.
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
    ends 0 exec exec
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
