! SHAPE: `linear`
! INSTRUMENTED: 1
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  integer :: x
  include "coverage.inc"
  x = 5
  !$omp parallel do schedule(static,10) linear(x:2)
  do i = 1, n
    call step(0, i - 1, n, i)
    x = x + 2
  end do
end subroutine
