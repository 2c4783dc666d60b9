! SHAPE: `integer(2)` and `integer(1)` variables
! INSTRUMENTED: 2
include "coverage.inc"
  integer(2) :: k
  integer(1) :: l
  !$omp parallel do schedule(static,3)
  do k = 1_2, int(n, 2)
    call step(0, int(k) - 1, n, int(k))
  end do
  !$omp parallel do
  do l = 1_1, int(n, 1)
    call step(1, int(l) - 1, n, int(l))
  end do
end subroutine
