! SHAPE: `cancellation point`
! CANCELLED: 0
! ENV: OMP_CANCELLATION=true
! ENV: OMP_CANCELLATION=false
include "coverage.inc"
  !$omp parallel
  !$omp do schedule(static,4)
  do i = 1, n
    call tell(0, i - 1, n)
    !$omp cancellation point do
    if (i == 23) then
      !$omp cancel do
    end if
  end do
  !$omp end parallel
end subroutine
