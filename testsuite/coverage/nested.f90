! SHAPE: a static loop in the body of another
! INSTRUMENTED: 2
include "coverage.inc"
  integer :: j
  !$omp parallel do schedule(static,3) private(j)
  do i = 1, n
    call step(0, i - 1, n, i)
    if (mod(i, 19) == 0) then
      !$omp parallel do schedule(static,2)
      do j = 1, 5
        call tell(1, j - 1, 5)
      end do
    end if
  end do
end subroutine
