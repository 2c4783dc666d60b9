! SHAPE: `do concurrent`, mapped to OpenMP
! FLAGS: -fdo-concurrent-to-openmp=host
include "coverage.inc"
  do concurrent (i = 1:n)
    call step(0, i - 1, n, i)
  end do
end subroutine
