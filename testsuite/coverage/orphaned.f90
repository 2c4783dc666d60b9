! SHAPE: orphaned `do`
! INSTRUMENTED: 1
subroutine loops(n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer :: i
  include "coverage.inc"
  !$omp parallel
  call orphan(n)
  !$omp end parallel
end subroutine

subroutine orphan(n)
  implicit none
  integer :: n, i
  include "coverage.inc"
  !$omp do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
