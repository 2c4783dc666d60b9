! SHAPE: `parallel do simd` over `integer(2)`, of which flang keeps a second, linear variable
! INSTRUMENTED: 2
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer(2) :: k
  include "coverage.inc"
  !$omp parallel do simd schedule(static,10)
  do k = 1_2, int(n, 2)
    call step(0, int(k) - 1, n, int(k))
  end do
  !$omp parallel do simd
  do k = 1_2, int(n, 2)
    call step(1, int(k) - 1, n, int(k))
  end do
end subroutine
