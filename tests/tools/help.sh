#!/bin/sh
# Tests that help texts, man pages and completion have equal commands and options, and that the pages have no warnings.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers

tab=$(printf '\t')

# Prints every command, including sub-commands, one per line.
commands_below()
{
    for word in $(sed -n "s/^$1$tab\([a-z]*\)$tab\$/\1/p" list); do
        echo "${1:+$1 }$word"
        commands_below "${1:+$1 }$word"
    done
}

# Checks that this page explains the option.
explained()
{
    grep -q "^\.It .*Fl -$2\([ =]\|$\)" "$1"
}

run 0 aprof --list-commands
cp out list
commands_below '' >commands
test "$(wc -l <commands)" -gt 20 || fail 'the commands of commands are missing'
while read -r command; do
    page=$source/docs/aprof-${command%% *}.1
    # shellcheck disable=SC2086 # words of a command
    run 0 aprof help $command
    cp out help
    # shellcheck disable=SC2086
    run 0 aprof $command --help
    cmp out help || fail "$command: --help and help differ"
    test -z "$(sed -n '/^.\{81\}/p' help)" || fail "$command: a line of the help is too long"
    sed -n "s/^$command$tab--\([a-z-]*\)=*$tab.*/\1/p" list >options
    while read -r option; do
        grep -q "^  .*--$option\([= ]\|$\)" help || fail "--$option of $command is not in its help"
        explained "$page" "$option" || fail "aprof-${command%% *}(1): --$option is missing"
    done <options
    case $command in
    *' '*)
        grep -q "^\.Ss .*${command#* }" "$page" || fail "aprof-${command%% *}(1) has no ${command#* }"
        continue
        ;;
    esac
    grep -q "Xr aprof-$command 1" "$source/docs/aprof.1" || fail "aprof(1) does not name $command"
    test -s "$page" || fail "$command: no man page"
done <commands
ls "$source"/docs/aprof-*.1 >pages
while read -r page; do
    name=${page##*/aprof-}
    test "$name" = cc.1 || grep -qx "${name%.1}" commands || fail "$page is about no command"
done <pages

# Prints bash's completions after the words, on one line.
complete_line()
{
    bash -c 'compopt() { :; }
        . "$0"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=1000
        _aprof
        echo "${COMPREPLY[*]}"' "$source/scripts/aprof.bash-completion" "$@"
}

if command -v bash >/dev/null; then
    for command in $(grep -v ' ' commands); do
        case " $(complete_line aprof '') " in
        *" $command "*) ;;
        *) fail "$command is not completed" ;;
        esac
    done
    same "$(complete_line aprof help eve)" events 'commands behind help'
    same "$(complete_line aprof contexts fl)" flamegraph 'commands of commands'
    same "$(complete_line aprof report --so)" '--sort=' 'an option'
    same "$(complete_line aprof report --sort = gr)" growth 'a value'
    same "$(complete_line aprof report --format '')" 'text tsv csv json dot' 'values of any kind'
    same "$(complete_line aprof contexts report --format '')" 'text tsv csv json' 'values of an inner command'
    touch some.aprof.out other
    same "$(complete_line aprof merge -o x '')" some.aprof.out 'reports'
    mkdir routines && cd routines
    cp "$data/code.aprof" book.aprof
    touch -d '-1 hour' book.aprof
    cp "$data/growth.aprof" aprof.out.7
    same "$(complete_line aprof merge -o x '')" 'aprof.out.7 book.aprof' 'reports of both names'
    same "$(complete_line aprof report heap)" heap_sort 'a routine of the newest report'
    same "$(complete_line aprof report book.aprof Book::f)" find 'a routine of the named report, after the last colon'
    same "$(complete_line aprof annotate book.aprof comp)" compare 'a routine to annotate'
    same "$(complete_line aprof plot bubble)" bubble_sort 'a routine to plot'
    same "$(complete_line aprof plot heap_sort book)" book.aprof 'the report of a plot'
    same "$(complete_line aprof export --routine = heap)" heap_sort 'a routine as a value'
    cd ..
    if command -v valgrind >/dev/null && aprof run -q --help true >/dev/null 2>&1; then
        same "$(complete_line aprof run --cost = '')" 'bb instr' "values of the tool's options"
    fi
fi

# The files of other shells give equal completions; zsh has its own functions only inside its line editor.
if command -v fish >/dev/null; then
    fish_line()
    {
        fish -N -c "source $source/scripts/aprof.fish; complete -C '$1'" 2>err | cut -f1 | paste -sd ' ' -
    }
    same "$(fish_line 'aprof help eve')" events 'fish: commands behind help'
    same "$(fish_line 'aprof contexts fl')" flamegraph 'fish: commands of commands'
    same "$(fish_line 'aprof report --so')" '--sort=' 'fish: an option'
    same "$(fish_line 'aprof report --sort=gr')" '--sort=growth' 'fish: a value'
    same "$(fish_line 'aprof merge -o x ')" some.aprof.out 'fish: reports'
    cd routines
    same "$(fish_line 'aprof merge -o x ')" 'aprof.out.7 book.aprof' 'fish: reports of both names'
    same "$(fish_line 'aprof report book.aprof Book::f')" Book::find 'fish: a routine of the named report'
    same "$(fish_line 'aprof plot bubble')" bubble_sort 'fish: a routine to plot'
    same "$(fish_line 'aprof export --routine=heap')" '--routine=heap_sort' 'fish: a routine as a value'
    cd ..
fi
if command -v zsh >/dev/null; then
    zsh_line()
    {
        zsh -f -c 'compset() { PREFIX=${PREFIX#*=} }
            compadd() {
                while [[ $1 == -* ]] { case $1 in (-a) set -- ${(P)2};; (-S) shift 2;; (--) shift; break;; (*) shift;; esac }
                (( $# )) && print -rl -- ${(M)@:#$PREFIX*}
            }
            words=("${@:2}") CURRENT=$(($# - 1)) PREFIX=${@[-1]}
            complete_aprof() { source $1 }
            complete_aprof $1' zsh "$source/scripts/aprof.zsh-completion" "$@" 2>err | sed '/^$/d' | paste -sd ' ' -
    }
    same "$(zsh_line aprof help eve)" events 'zsh: commands behind help'
    same "$(zsh_line aprof contexts fl)" flamegraph 'zsh: commands of commands'
    same "$(zsh_line aprof report --so)" '--sort=' 'zsh: an option'
    same "$(zsh_line aprof report --sort=gr)" growth 'zsh: a value'
    same "$(zsh_line aprof merge -o x '')" some.aprof.out 'zsh: reports'
    cd routines
    same "$(zsh_line aprof merge -o x '')" 'aprof.out.7 book.aprof' 'zsh: reports of both names'
    same "$(zsh_line aprof report book.aprof Book::f)" Book::find 'zsh: a routine of the named report'
    same "$(zsh_line aprof plot bubble)" bubble_sort 'zsh: a routine to plot'
    same "$(zsh_line aprof export --routine=heap)" heap_sort 'zsh: a routine as a value'
    cd ..
fi

begin 'beginnings of options will do when they fit one option alone; letters may stand together'
run 0 aprof report --so=calls --threads "$data/threads.aprof"
cp out long
run 0 aprof report -tscalls "$data/threads.aprof"
cmp out long || fail 'letters in one word mean something else'
run 2 aprof report --f=x "$data/basic.aprof"
expect_error 'ambiguous option --f=x'
run 2 aprof report --min=x "$data/basic.aprof"
expect_error 'no value is allowed in --min=x'
run 2 aprof paths merge x
expect_error 'paths merge: unexpected argument x'
run 2 aprof nothing
expect_error "nothing: unknown command; see 'aprof help'"
run 0 aprof help --help
expect 'usage: aprof COMMAND'
run 0 aprof help report --help
expect 'usage: aprof report'
if test -w /dev/full; then
    status=0
    aprof help >/dev/full 2>err || status=$?
    same "$status" 1 'status with a full disk'
    expect_error '(standard output): cannot write: No space left on device'
fi

if command -v mandoc >/dev/null; then
    for page in "$source"/docs/*.[1-8]; do
        status=0
        mandoc -T lint -W warning "$page" >complaints || status=$?
        test "$status" = 0 || fail "a page is not clean: $(head -n 1 complaints)"
    done
fi

finish
