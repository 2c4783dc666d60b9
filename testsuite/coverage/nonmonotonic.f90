! SHAPE: `schedule(nonmonotonic:static,4)`
! CANNOT: it takes the modifier with dynamic and guided only
include "coverage.inc"
  !$omp parallel do schedule(nonmonotonic:static,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
