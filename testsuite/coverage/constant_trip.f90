! SHAPE: constant bounds
! USER: 0
include "coverage.inc"
  !$omp parallel do schedule(static,10)
  do i = 1, 100
    call step(0, i - 1, 100, i)
  end do
end subroutine
