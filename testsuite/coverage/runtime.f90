! SHAPE: `schedule(runtime)`
! DEALT: 0
! FROM-1: 0
! THREADS-VARY: yes
include "coverage.inc"
  !$omp parallel do schedule(runtime)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
