! SHAPE: `parallel do schedule(static)`
! INSTRUMENTED: 1
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  include "coverage.inc"
  !$omp parallel do schedule(static)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
