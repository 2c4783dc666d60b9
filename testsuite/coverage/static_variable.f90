! SHAPE: a chunk size known at run time
! USER: 0
include "coverage.inc"
  integer :: c
  c = mod(n, 7) + 1
  !$omp parallel do schedule(static,c)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
