! SHAPE: `schedule(monotonic:static,4)`
! INSTRUMENTED: 1
! USER: 0
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  include "coverage.inc"
  !$omp parallel do schedule(monotonic:static,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
