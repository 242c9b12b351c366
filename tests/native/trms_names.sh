#!/bin/sh
# Routines of compiled programs get files and lines from the debug data of their objects.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The objects are read together with the report; the debug data of another build are not used.
. "${0%/*}/../lib.sh"

grep -q 'define HAVE_LIBDW 1' "$build/aprof-config.h" || skip 'built without libdw'
need objcopy

cat >program.cc <<'END'
struct list {
    list(int first);
    int sum() const;
    list *next = nullptr;
    int first;
};

list::list(int n) : first(n)
{
}

int list::sum() const
{
    return first + (next ? next->sum() : 0);
}

#include "add.h"

int main()
{
    list *all = nullptr;
    for (int i = 0; i < 9; i++) {
        list *added = new list(i);
        added->next = all;
        all = added;
    }
    return add(all->sum(), 1) != 37;
}
END
mkdir include
printf '\n\nint add(int a, int b)\n{\n    return a + b;\n}\n' >include/add.h

# place ROUTINE: base name of its file, and its line, or `? 0`.
place()
{
    aprof report --format=tsv report | awk -F '\t' -v wanted="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["routine"] == wanted {
            file = $at["file"]
            sub(/.*\//, "", file)
            print (file == "" ? "?" : file), $at["line"]
        }'
}

need_compilers
for compiler in $compilers; do
    begin $compiler
    use_compiler $compiler
    aprof-c++ -O0 -g -Iinclude -o program program.cc
    APROF=out=report run 0 ./program
    last=$compiler
    same "$(grep -c '^routine.*	-	0$' report)" "$(grep -c '^routine' report)" 'routines without file'
    same "$(place 'list::sum() const')" 'program.cc 13' 'a member function'
    case $(place 'list::list(int)') in
    'program.cc '[89]) ;;
    *) fail "$compiler: a constructor: $(place 'list::list(int)')" ;;
    esac
    same "$(place 'add(int, int)')" 'add.h 4' 'a function in a header'
    run 0 aprof export --format=csv --routine=main report
    expect 'program.cc,20'
    if has_page; then
        run 0 aprof html --output=page.html report
        check 'the page has no file' grep -q 'program\.cc' page.html
    fi

    # Debug data in a file of their own.
    objcopy --only-keep-debug program program.debug
    objcopy --strip-debug --add-gnu-debuglink=program.debug program
    same "$(place 'list::sum() const')" 'program.cc 13' 'debug data apart'
    rm program.debug
    same "$(place 'list::sum() const')" '? 0' 'no debug data'

    # Another build has other addresses: no lines are better than wrong lines.
    cp program.cc kept.cc
    sed 's/^int list::sum/int before(int n) { return n ? before(n - 1) + n : 0; }\n&/' kept.cc >program.cc
    aprof-c++ -O0 -g -Iinclude -o program program.cc
    same "$(place 'list::sum() const') $(place main)" '? 0 ? 0' 'another build'
    mv kept.cc program.cc
    rm program
    same "$(place main)" '? 0' 'no object'
    run 0 aprof report report
    test ! -s err || fail "$compiler: $(cat err)"
done
finish
