! SHAPE: `parallel do schedule(static,1)`
! USER: 0
include "coverage.inc"
  !$omp parallel do schedule(static,1)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
