! SHAPE: `reduction`
include "coverage.inc"
  integer :: s
  s = 0
  !$omp parallel do schedule(static,10) reduction(+:s)
  do i = 1, n
    call step(0, i - 1, n, i)
    s = s + i
  end do
end subroutine
