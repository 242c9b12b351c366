#!/bin/sh
# Tests Fortran programs with the compiled-in profiler, whose input sizes were derived by hand.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The two names of the compiler give equal results at all levels of optimisation and with OpenMP.
. "${0%/*}/../lib.sh"

need gfortran

# Arguments are passed by reference: total reads n and 2 cells for each number; depth reads only its n,
# because the caller wrote the arguments of the calls below.
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

check_program()
{
    APROF=out=report run 0 ./program
    expect fine
    measured report 'routine=__work_MOD_depth trms=1x35' \
        'routine=__work_MOD_total trms=21x1,41x1,61x1,81x1,101x1,121x1,141x1,161x1,181x1,201x1'
}

for level in -O0 -O1 -O2 -O3; do
    begin "aprof-fc $level"
    aprof-fc $level -g -fno-inline -J modules -o program work.f90 main.F90 ||
        fail 'does not compile'
    check_program
done

begin 'objects of their own, with OpenMP'
APROF_CC_COMPILER=gfortran
export APROF_CC_COMPILER
aprof-cc -O2 -g -fno-inline -fopenmp -Jmodules -c work.f90
aprof-cc -O2 -g -fno-inline -fopenmp -Jmodules -c main.F90
aprof-cc -fopenmp -o program work.o main.o
OMP_NUM_THREADS=2
export OMP_NUM_THREADS
check_program
finish
