! SHAPE: `do`, with and without a chunk, and of `integer(8)`
! INSTRUMENTED: 3
! VARIANT: -O0
! VARIANT: -O0 -g
! VARIANT: -O3 -g
! VARIANT: -fPIC
! VARIANT: -flto=thin -fuse-ld=lld
! VARIANT: -flto=full -fuse-ld=lld
include "coverage.inc"
  integer(8) :: k, m
  m = n
  !$omp parallel do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp parallel do
  do i = n, 1, -1
    call step(1, n - i, n, i)
  end do
  !$omp parallel do schedule(static,4)
  do k = 1, m
    call step(2_8, k - 1, m, k)
  end do
end subroutine
