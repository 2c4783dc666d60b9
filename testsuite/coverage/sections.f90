! SHAPE: `sections`
! INSTRUMENTED: 0
! UNJUDGED: all
! ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
! THREADS-VARY: yes
include "coverage.inc"
  !$omp parallel sections
  !$omp section
  call mark(0, 0, n)
  !$omp section
  call mark(0, 1, n)
  !$omp section
  call mark(0, 2, n)
  !$omp end parallel sections
end subroutine
