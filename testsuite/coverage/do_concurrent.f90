! SHAPE: `do concurrent`, mapped to OpenMP
! INSTRUMENTED: 1
! FLAGS: -fdo-concurrent-to-openmp=host
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  include "coverage.inc"
  do concurrent (i = 1:n)
    call step(0, i - 1, n, i)
  end do
end subroutine
