! SHAPE: `ordered`: the runtime deals the chunks
! INSTRUMENTED: 0
! LEFT-ALONE: 0
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  include "coverage.inc"
  !$omp parallel do ordered schedule(static,4)
  do i = 0, n - 1
    !$omp ordered
    call step(0, i, n, i)
    !$omp end ordered
  end do
end subroutine
