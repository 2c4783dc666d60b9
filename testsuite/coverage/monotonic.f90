! SHAPE: `schedule(monotonic:static,4)`
! USER: 0
include "coverage.inc"
  !$omp parallel do schedule(monotonic:static,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
