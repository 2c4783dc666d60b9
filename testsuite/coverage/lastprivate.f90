! SHAPE: `lastprivate` and `firstprivate`
! BY-THREAD: yes
include "coverage.inc"
  integer :: x, y
  x = 0
  y = 7
  !$omp parallel do schedule(static,10) lastprivate(x) firstprivate(y)
  do i = 1, n
    call step(0, i - 1, n, y)
    x = i
    y = y + 1
  end do
end subroutine
