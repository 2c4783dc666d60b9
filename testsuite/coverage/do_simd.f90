! SHAPE: `parallel do simd`, with and without a chunk
! INSTRUMENTED: 2
include "coverage.inc"
  !$omp parallel do simd schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp parallel do simd
  do i = 1, n
    call step(1, i - 1, n, i)
  end do
end subroutine
