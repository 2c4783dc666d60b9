! SHAPE: `workshare`
! INSTRUMENTED: 1
! UNOBSERVED: yes
! THREADS-VARY: yes
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  integer :: a(n)
  include "coverage.inc"
  !$omp parallel
  !$omp workshare
  a = n
  !$omp end workshare
  !$omp end parallel
  if (n > 0) call mark(0, 0, sum(a))
end subroutine
