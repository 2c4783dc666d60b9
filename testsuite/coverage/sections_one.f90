! SHAPE: `sections` with a single section
! INSTRUMENTED: 0
! UNJUDGED: all
! ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
! THREADS-VARY: yes
include "coverage.inc"
  !$omp parallel
  !$omp sections
  call mark(0, 0, n)
  !$omp end sections
  !$omp end parallel
end subroutine
