! SHAPE: `do simd schedule(simd:static,4)`
include "coverage.inc"
  !$omp parallel do simd schedule(simd:static,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
