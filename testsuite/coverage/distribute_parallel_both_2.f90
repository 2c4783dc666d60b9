! SHAPE: `distribute parallel do dist_schedule(static) schedule(static,10)`
! BEGUN-TWICE: yes
! DISTRIBUTE: 0
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
include "coverage.inc"
  !$omp teams num_teams(2)
  !$omp distribute parallel do dist_schedule(static) schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
