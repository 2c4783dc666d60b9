! SHAPE: `schedule(dynamic,4)`
! DEALT: 0
! FROM-1: 0
! THREADS-VARY: yes
include "coverage.inc"
  !$omp parallel do schedule(dynamic,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
