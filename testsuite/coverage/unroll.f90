! SHAPE: around `unroll partial`: an iteration is an unrolled group
! CANNOT: not yet implemented
! FLAGS: -fopenmp-version=51
include "coverage.inc"
  !$omp parallel do schedule(static,2)
  !$omp unroll partial(4)
  do i = 1, n
    if (mod(i, 4) == 1) call step(0, (i - 1) / 4, (n + 3) / 4, i)
  end do
end subroutine
