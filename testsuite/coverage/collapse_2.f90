! SHAPE: `collapse(2)`, with and without a chunk
! INSTRUMENTED: 2
include "coverage.inc"
  integer :: j
  !$omp parallel do schedule(static,10) collapse(2)
  do j = 1, n
    do i = 1, 5
      call step(0, (j - 1) * 5 + i - 1, n * 5, j)
    end do
  end do
  !$omp parallel do collapse(2)
  do j = 1, n
    do i = 9, 1, -2
      call step(1, (j - 1) * 5 + (9 - i) / 2, n * 5, j)
    end do
  end do
end subroutine
