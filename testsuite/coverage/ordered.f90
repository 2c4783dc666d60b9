! SHAPE: `ordered`: the runtime deals the chunks
! INSTRUMENTED: 1
! DEALT: 0
! MONOTONIC: 0
! FROM-1: 0
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  include "coverage.inc"
  !$omp parallel do ordered schedule(static,4)
  do i = 1, n
    !$omp ordered
    call step(0, i - 1, n, i)
    !$omp end ordered
  end do
end subroutine
