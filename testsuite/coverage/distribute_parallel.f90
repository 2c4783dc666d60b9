! SHAPE: `distribute parallel do`
! DIES: an assertion of LLVM 23's runtime fails
! DIES-22: no
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
include "coverage.inc"
  !$omp teams num_teams(2)
  !$omp distribute parallel do
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
