! SHAPE: `parallel do schedule(static)`
include "coverage.inc"
  !$omp parallel do schedule(static)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
