! SHAPE: static, static and dynamic loop in one region
! INSTRUMENTED: 3
! DEALT: 2
! FROM-1: 2
! THREADS-VARY: yes
include "coverage.inc"
  !$omp parallel
  !$omp do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp do schedule(static)
  do i = 1, n
    call step(1, i - 1, n, i)
  end do
  !$omp do schedule(dynamic)
  do i = 1, n
    call step(2, i - 1, n, i)
  end do
  !$omp end parallel
end subroutine
