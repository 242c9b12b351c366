# Completion of `aprof` for fish: commands, options, their values, and reports.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# As for bash, `aprof --list-commands` is asked, and Valgrind's help for what stands behind `aprof run`.

# "COMMAND<TAB>WORD<TAB>VALUES" for each command and option.
function __aprof_lines
    aprof --list-commands
    if test "$argv[1]" = run
        aprof run -q --help true 2>/dev/null | string match -r -- '^    --[a-z-]*=\S*' |
            string replace -r -- '^    (--[a-z-]*=)(<.*)?(\S*)$' 'run\t$1\t$3' | string replace -a '|' ' '
    end
end

function __aprof_complete
    set -l words (commandline -opc)[2..]
    set -l current (commandline -ct)
    set -l lines (__aprof_lines $words)
    set -l command
    set -l operands
    set -l report
    for word in $words
        if contains -- (string join -- \t "$command" $word '') $lines
            set command (string join ' ' $command $word)
        else if test "$word" != help && not string match -q -- '-*' $word
            set -a operands $word
            test -z "$report" -a -f "$word" && set report $word
        end
    end
    if string match -q -- '--routine=*' $current
        printf '%s\n' --routine=(aprof --list-routines $report 2>/dev/null)
        return
    end
    set -l found
    for line in $lines
        set -l fields (string split \t -- $line)
        test "$fields[1]" = "$command" || continue
        if not string match -q -- '--*=*' $current
            set -a found $fields[2]
        else if string match -q -- "$fields[2]*" $current
            printf '%s\n' $fields[2](string split -n ' ' -- "$fields[3]")
        end
    end
    string match -q -- '--*=*' $current && return
    if string match -q -- '-*' $current || string match -qr '^[a-z]' -- "$found[1]"
        printf '%s\n' $found --help
        test -z "$command" && not contains help $words && printf '%s\n' help --version
    else if test "$command" = run
        __fish_complete_command
        __fish_complete_path $current
    else
        # report and annotate take a report and a routine; plot takes a routine and a report.
        if test "$command" = plot -a (count $operands) -eq 0
            aprof --list-routines 2>/dev/null
            return
        else if contains "$command" report annotate && test -n "$report$current"
            aprof --list-routines $report 2>/dev/null
            test -n "$report" && return
        end
        set -l reports *aprof.* *.aprof
        test (count $reports) -gt 0 && printf '%s\n' $reports || __fish_complete_path $current
    end
end

complete -c aprof -f -a '(__aprof_complete)'
