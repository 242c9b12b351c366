#!/bin/sh
# Fortran programs with the profiler compiled in, by both names of the compiler: input sizes worked
# out by hand, the same at all levels of optimisation and with OpenMP.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154,SC2034
. "${0%/*}/../lib.sh"

need gfortran

# Arguments come by reference: total reads n and 2 cells for each number, depth its n alone, for the
# caller wrote those of the calls below it.
mkdir modules
cat >work.f90 <<'END'
module work
  implicit none
contains
  recursive integer function depth(n) result(d)
    integer, intent(in) :: n
    d = 0
    if (n > 0) d = depth(n - 1) + 1
  end function
  real(8) function total(a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    integer :: i
    total = 0
    do i = 1, n
      total = total + a(i)
    end do
  end function
end module
END
cat >main.F90 <<'END'
program main
  use work
  implicit none
  real(8) :: a(100)
  integer :: i, turns
  a = 1
  do i = 10, 100, 10
    if (total(a, i) /= i) stop 1
  end do
  if (depth(20) /= 20) stop 2
  turns = 0
  !$omp parallel do reduction(+:turns)
  do i = 1, 4
    turns = turns + depth(i)
  end do
  if (turns /= 10) stop 3
  print '(a)', 'fine'
end program
END

# points ROUTINE: input:calls by trms.
points()
{
    aprof export --format=csv --routine="__work_MOD_$1" report |
        awk -F , '$8 == "trms" { print $9 ":" $10 }' | sort -n | tr '\n' ' '
}

# check WHAT
check()
{
    APROF=out=report run 0 ./program
    last=$1
    expect fine
    same "$(points total)" '21:1 41:1 61:1 81:1 101:1 121:1 141:1 161:1 181:1 201:1 ' "$1: total"
    same "$(points depth)" '1:35 ' "$1: depth"
}

for level in -O0 -O1 -O2 -O3; do
    aprof-fc $level -g -fno-inline -J modules -o program work.f90 main.F90 ||
        fail "aprof-fc $level: does not compile"
    check "aprof-fc $level"
done
APROF_CC_COMPILER=gfortran
export APROF_CC_COMPILER
aprof-cc -O2 -g -fno-inline -fopenmp -Jmodules -c work.f90
aprof-cc -O2 -g -fno-inline -fopenmp -Jmodules -c main.F90
aprof-cc -fopenmp -o program work.o main.o
OMP_NUM_THREADS=2
export OMP_NUM_THREADS
check OpenMP
finish
