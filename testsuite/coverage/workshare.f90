! SHAPE: `workshare`
! UNOBSERVED: yes
! THREADS-VARY: yes
include "coverage.inc"
  integer :: a(n)
  !$omp parallel
  !$omp workshare
  a = n
  !$omp end workshare
  !$omp end parallel
  if (n > 0) call mark(0, 0, sum(a))
end subroutine
