! SHAPE: `target parallel do`, on the host
include "coverage.inc"
  !$omp target parallel do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
