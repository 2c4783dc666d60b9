! SHAPE: `lastprivate` and `firstprivate`
! INSTRUMENTED: 1
! BY-THREAD: yes
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  integer :: x, y
  include "coverage.inc"
  x = 0
  y = 7
  !$omp parallel do schedule(static,10) lastprivate(x) firstprivate(y)
  do i = 1, n
    call step(0, i - 1, n, y)
    x = i
    y = y + 1
  end do
end subroutine
