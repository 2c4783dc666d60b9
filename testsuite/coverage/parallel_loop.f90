! SHAPE: `parallel loop`
! CANNOT-22: it does not know the combined directive
include "coverage.inc"
  !$omp parallel loop
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
