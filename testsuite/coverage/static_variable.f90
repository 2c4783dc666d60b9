! SHAPE: a chunk size known at run time
! INSTRUMENTED: 1
! USER: 0
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  integer :: c
  include "coverage.inc"
  c = mod(n, 7) + 1
  !$omp parallel do schedule(static,c)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
