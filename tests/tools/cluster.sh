#!/bin/sh
# Tests reports of an MPI program's ranks: distinguished by rank and host, and added up to one result.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The program reads 1000 ints of a message in `digest`, once per rank: therefore the sum of the four reports
# has a routine `digest` with 4 calls of input size 1000. The second half adds these reports as a tree with
# GNU parallel; the bytes of the result must be equal.
. "${0%/*}/../lib.sh"
need mpicc
need mpirun
test -x "$build/.in_place/aprof-amd64-linux" || skip 'the Valgrind tool is not built'

cat >program.c <<'C'
#include <mpi.h>
static int message[1000];
int volatile sink;

__attribute__((noinline)) void digest(const int *words)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += words[i];
    sink = sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Bcast(message, 1000, MPI_INT, 0, MPI_COMM_WORLD);
    digest(message);
    MPI_Finalize();
    return 0;
}
C
run 0 mpicc -O1 -g -fno-tree-vectorize -o program program.c

# A container offers fewer slots than ranks, and its only user is root.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
export OMPI_MCA_btl_vader_single_copy_mechanism
run 0 mpirun --oversubscribe -n 4 aprof run -q --aprof-out-file=rank.%p -- ./program

for rank in 0 1 2 3; do
    grep -q "^process	[0-9]*	host=[^	]*	rank=$rank\$" rank.* || fail "no report of rank $rank"
done
run 0 aprof merge -o sum rank.*
run 0 aprof export --format=csv --routine=digest sum
grep -q '^merged:4,0,digest,.*,trms,1000,4,' out || fail "digest: $(cat out)"

if command -v parallel >/dev/null 2>&1; then
    # shellcheck disable=SC2016
    parallel --will-cite -n 2 'aprof merge -o pair.{#} {}' ::: rank.* && aprof merge -o tree pair.*
    cmp sum tree || fail 'added as a tree'
fi
finish
