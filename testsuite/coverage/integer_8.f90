! SHAPE: `integer(8)` variable, with and without a chunk
! INSTRUMENTED: 2
! USER: 0 1
include "coverage.inc"
  integer(8) :: k, m
  m = n
  !$omp parallel do schedule(static,10)
  do k = 1, m
    call step(0_8, k - 1, m, k)
  end do
  !$omp parallel do
  do k = 1, m
    call step(1_8, k - 1, m, k)
  end do
end subroutine
