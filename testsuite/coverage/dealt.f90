! SHAPE: guided, auto, dynamic with a step, `collapse(2)`
! INSTRUMENTED: 4
! DEALT: 0 1 2 3
! FROM-1: 0 1 2 3
! USER: 0 1 2
! THREADS-VARY: yes
! VARIANT: -O0
! VARIANT: -O0 -g
! VARIANT: -O3 -g
include "coverage.inc"
  integer :: j
  integer(8) :: k
  !$omp parallel
  !$omp do schedule(guided,2)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp do schedule(auto)
  do k = -5_8, n - 6_8
    call step(1_8, k + 5_8, int(n, 8), k)
  end do
  !$omp end do nowait
  !$omp do schedule(dynamic,3)
  do i = 3 * n, 1, -3
    call step(2, n - i / 3, n, i)
  end do
  !$omp do collapse(2) schedule(dynamic,4)
  do i = 1, n
    do j = 1, 3
      call step(3, (i - 1) * 3 + j - 1, n * 3, i * 100 + j)
    end do
  end do
  !$omp end parallel
end subroutine
