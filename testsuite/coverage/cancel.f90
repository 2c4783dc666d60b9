! SHAPE: `cancel do`, with and without a chunk
! INSTRUMENTED: 2
! CANCELLED: 0 1
! ENV: OMP_CANCELLATION=true
! ENV: OMP_CANCELLATION=false
include "coverage.inc"
  !$omp parallel
  !$omp do schedule(static,10)
  do i = 1, n
    call tell(0, i - 1, n)
    if (i == 23) then
      !$omp cancel do
    end if
  end do
  !$omp do
  do i = 1, n
    call tell(1, i - 1, n)
    if (i == 23) then
      !$omp cancel do
    end if
  end do
  !$omp end parallel
end subroutine
