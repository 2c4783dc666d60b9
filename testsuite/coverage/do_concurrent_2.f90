! SHAPE: `do concurrent` with two indices
! INSTRUMENTED: 1
! FLAGS: -fdo-concurrent-to-openmp=host
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  integer :: j
  include "coverage.inc"
  do concurrent (j = 1:n, i = 1:1)
    if (i == 1) call step(0, j - 1, n, j)
  end do
end subroutine
