! SHAPE: `linear`
include "coverage.inc"
  integer :: x
  x = 5
  !$omp parallel do schedule(static,10) linear(x:2)
  do i = 1, n
    call step(0, i - 1, n, i)
    x = x + 2
  end do
end subroutine
