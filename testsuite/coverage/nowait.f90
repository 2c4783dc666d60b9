! SHAPE: `nowait`, then another loop
! INSTRUMENTED: 2
include "coverage.inc"
  !$omp parallel
  !$omp do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end do nowait
  !$omp do schedule(static,10)
  do i = 1, n
    call step(1, i - 1, n, i)
  end do
  !$omp end do
  !$omp end parallel
end subroutine
