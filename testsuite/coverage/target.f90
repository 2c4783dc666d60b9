! SHAPE: `target teams distribute parallel do`, on the host
! DIES: an assertion of LLVM 23's runtime fails
! DIES-22: no
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
include "coverage.inc"
  !$omp target teams distribute parallel do num_teams(2)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
