! SHAPE: `parallel do`
! USER: 0
include "coverage.inc"
  !$omp parallel do
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
