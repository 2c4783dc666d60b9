! SHAPE: negative step, constant and known at run time
! INSTRUMENTED: 2
! USER: 0 1
include "coverage.inc"
  integer :: by
  by = -1 - mod(n, 3)
  !$omp parallel do schedule(static,10)
  do i = 3 * n, 1, -3
    call step(0, n - i / 3, n, i)
  end do
  !$omp parallel do schedule(static,10)
  do i = 0, (n - 1) * by, by
    call step(1, i / by, n, i)
  end do
end subroutine
