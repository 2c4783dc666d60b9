! SHAPE: orphaned `do`
include "coverage.inc"
  !$omp parallel
  call orphan(n)
  !$omp end parallel
end subroutine

subroutine orphan(n)
  integer :: n, i
  interface
    subroutine step_4(loop, index, trip, value) bind(c)
      integer(4), value :: loop, index, trip, value
    end subroutine
  end interface
  !$omp do schedule(static,10)
  do i = 1, n
    call step_4(0, i - 1, n, i)
  end do
end subroutine
