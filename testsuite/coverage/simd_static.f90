! SHAPE: `do simd schedule(simd:static)`
include "coverage.inc"
  !$omp parallel do simd schedule(simd:static)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
