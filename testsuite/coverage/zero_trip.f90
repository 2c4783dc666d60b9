! SHAPE: loops that never run
! INSTRUMENTED: 2
! NOTHING-RUNS: yes
include "coverage.inc"
  !$omp parallel do schedule(static,4)
  do i = n + 1, n
    call step(0, 0, 0, i)
  end do
  !$omp parallel do
  do i = 1, n + 2, -1
    call step(1, 0, 0, i)
  end do
end subroutine
