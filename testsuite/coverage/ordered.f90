! SHAPE: `ordered`: the runtime deals the chunks
! DEALT: 0
! MONOTONIC: 0
! FROM-1: 0
include "coverage.inc"
  !$omp parallel do ordered schedule(static,4)
  do i = 1, n
    !$omp ordered
    call step(0, i - 1, n, i)
    !$omp end ordered
  end do
end subroutine
