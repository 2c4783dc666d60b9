! SHAPE: `distribute parallel do`, with an end call of its own
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
! PROPOSED: @__kmpc_for_static_fini => @__kmpc_dist_for_static_fini
include "coverage.inc"
  !$omp teams num_teams(2)
  !$omp distribute parallel do
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
