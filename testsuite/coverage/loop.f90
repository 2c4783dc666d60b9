! SHAPE: `loop` in a parallel region
include "coverage.inc"
  !$omp parallel
  !$omp loop
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end parallel
end subroutine
