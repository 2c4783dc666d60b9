! SHAPE: `do concurrent` with two indices
! FLAGS: -fdo-concurrent-to-openmp=host
include "coverage.inc"
  integer :: j
  do concurrent (j = 1:n, i = 1:1)
    if (i == 1) call step(0, j - 1, n, j)
  end do
end subroutine
