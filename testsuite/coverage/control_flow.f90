! SHAPE: `cycle`, `select case` and an inner loop in the body
include "coverage.inc"
  integer :: j, v
  !$omp parallel do schedule(static,3) private(j, v)
  do i = 1, n
    v = i
    select case (mod(i, 4))
    case (0)
      v = 7
    case (1)
      do j = 1, i
        if (j > 5) exit
        v = v + mod(v, j + 1)
      end do
    case default
      call step(0, i - 1, n, 1)
      cycle
    end select
    call step(0, i - 1, n, v)
  end do
end subroutine
