! SHAPE: `parallel do simd` over `integer(2)`, of which flang keeps a second, linear variable
! INSTRUMENTED: 2
include "coverage.inc"
  integer(2) :: k
  !$omp parallel do simd schedule(static,10)
  do k = 1_2, int(n, 2)
    call step(0, int(k) - 1, n, int(k))
  end do
  !$omp parallel do simd
  do k = 1_2, int(n, 2)
    call step(1, int(k) - 1, n, int(k))
  end do
end subroutine
