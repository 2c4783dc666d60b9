! SHAPE: `do concurrent` with two indices, mapped to OpenMP
! INSTRUMENTED: 1
! FLAGS: -fdo-concurrent-to-openmp=host
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  integer :: j
  include "coverage.inc"
  do concurrent (j = 1:n, i = 1:5)
    call step(0, (j - 1) * 5 + i - 1, n * 5, j)
  end do
end subroutine
