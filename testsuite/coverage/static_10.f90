! SHAPE: `do schedule(static,10)`
! USER: 0
include "coverage.inc"
  !$omp parallel
  !$omp do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end parallel
end subroutine
