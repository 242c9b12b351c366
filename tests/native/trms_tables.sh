#!/bin/sh
# Tests that a plugin of gcc makes constant tables input like other memory.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need gcc
test -f "$build/tools/aprof-gcc-tables.so" || skip 'built without the headers of gcc plugins'

cat >tables.c <<'END'
static const int table[400] = {1, 2, 3};
extern const short others[2][100];
const short others[2][100] = {{4}, {5}};
static const struct pair {
    int key, value;
} pairs[50] = {{6, 7}};

#ifdef __cplusplus
#define KEPT extern "C" __attribute__((noinline))
#else
#define KEPT __attribute__((noinline))
#endif
KEPT int sum_table(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += table[i];
    return sum;
}
KEPT int sum_others(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += others[i & 1][i / 2];
    return sum;
}
KEPT int find_pair(int key)
{
    for (int i = 49; i >= 0; i--)
        if (pairs[i].key == key)
            return pairs[i].value;
    return 0;
}
/* What is known when it is compiled is not read. */
KEPT int first(void)
{
    __asm__ volatile("");
    return table[0] + pairs[0].value;
}
int main(int n, char **words)
{
    (void)words;
    return sum_table(400 * n) == 6 && sum_others(200 * n) == 9 && find_pair(6 * n) == 7 && first() == 8 ? 0 : 1;
}
END
cp tables.c tables.cpp

begin 'what a routine reads in a constant table is its input'
for source_file in tables.c tables.cpp; do
    for level in -O0 -O2; do
        build gcc "$level" program $source_file
        way="$last $source_file"
        APROF=out=report run 0 ./program
        last=$way
        measured report 'routine=sum_table trms=400x1' 'routine=sum_others trms=100x1' \
            'routine=find_pair trms=51x1'
        test $level = -O0 || measured report 'routine=first trms=0x1'
        same "$(nm program | grep -c ' [rR] .*\(table\|others\|pairs\)$')" 3 "$last: read-only tables"
    done
done

begin 'of another release of gcc the plugin is not asked'
cat >gcc-other <<'END'
#!/bin/sh
case $* in
-dumpfullversion) echo 1.2.3 ;;
*-fplugin=*) exit 3 ;;
*) exec gcc "$@" ;;
esac
END
chmod +x gcc-other
build ./gcc-other -O1 program tables.c
APROF=out=report run 0 ./program
measured report 'routine=sum_table trms=0x1'

finish
