! SHAPE: lower bounds and steps: constant, known at run time, below zero
! INSTRUMENTED: 3
! USER: 0 1
include "coverage.inc"
  integer :: low, by
  low = -n
  by = mod(n, 4) + 1
  !$omp parallel do schedule(static,4)
  do i = low, low + by * n - 1, by
    call step(0, (i - low) / by, n, i)
  end do
  !$omp parallel do
  do i = -5, n - 6
    call step(1, i + 5, n, i)
  end do
  !$omp parallel do schedule(static,4)
  do i = 100, 99 + 3 * n, 3
    call step(2, (i - 100) / 3, n, i)
  end do
end subroutine
