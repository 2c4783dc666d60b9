! SHAPE: `reduction`
! INSTRUMENTED: 1
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  integer :: s
  include "coverage.inc"
  s = 0
  !$omp parallel do schedule(static,10) reduction(+:s)
  do i = 1, n
    call step(0, i - 1, n, i)
    s = s + i
  end do
end subroutine
