! SHAPE: `schedule(dynamic,4)`
! INSTRUMENTED: 0
! LEFT-ALONE: 0
! THREADS-VARY: yes
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  include "coverage.inc"
  !$omp parallel do schedule(dynamic,4)
  do i = 0, n - 1
    call step(0, i, n, i)
  end do
end subroutine
