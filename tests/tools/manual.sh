#!/bin/sh
# The examples of the man pages work as printed.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers

begin 'the report in aprof-out(5) is one, checksum included'
sed -n '/^aprof	1/,/^complete/p' "$source/docs/aprof-out.5" >example
run 0 aprof export example
expect '1234,0,work,/usr/bin/app,/src/lists.c,7,,trms,20,1,80,80,80,6400,80,2,4'

# The commands of the other pages run on a report that has their routines; `aprof run` is stubbed.
mkdir bin
cat >bin/valgrind <<'END'
#!/bin/sh
for word; do
    case $word in --aprof-out-file=*/run-*) cp aprof.out.1234 "${word#*=}" ;; esac
done
echo profiled
END
printf '#!/bin/sh\n' >app
chmod +x bin/valgrind app
PATH=$scratch/bin:$PATH
APROF_VALGRIND_LIB=$scratch
export APROF_VALGRIND_LIB
sed -e '$d' -e 's/_ZN4list3addEii/parse/; s/	work	\(.*lists.c\)/	insert	\1/' "$data/basic.aprof" |
    seal >aprof.out.1234
cp aprof.out.1234 base.aprof
cp aprof.out.1234 new.aprof
cp "$data/basic.contexts" base.contexts
cp "$data/basic.contexts" new.contexts
echo 'parse n' >bounds.txt
for size in small middle large; do cp aprof.out.1234 "$size.aprof"; done
for page in aprof aprof-run aprof-report aprof-export aprof-plot aprof-merge aprof-diff aprof-check aprof-scale aprof-html \
    aprof-flamegraph aprof-annotate; do
    sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ //p' "$source/docs/$page.1" >commands
    test -s commands || fail "$page(1) has no examples"
    while read -r command; do
        case $command in
        *--by=context*) cp "$data/contexts.aprof" contexts.aprof ;;
        *annotate*) cp "$data/code.aprof" aprof.out.1234 ;;
        *html*) has_page || continue ;;
        *plot*) command -v gnuplot >/dev/null || continue ;;
        esac
        run 0 sh -c "$command"
    done <commands
done

finish
