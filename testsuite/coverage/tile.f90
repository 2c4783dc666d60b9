! SHAPE: around `tile`
! CANNOT-22: it crashes
! FLAGS: -fopenmp-version=51
include "coverage.inc"
  !$omp parallel do schedule(static,2)
  !$omp tile sizes(8)
  do i = 1, n
    if (mod(i, 8) == 1) call step(0, (i - 1) / 8, (n + 7) / 8, i)
  end do
end subroutine
