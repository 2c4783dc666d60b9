include "coverage.inc"
!--- cancel.f90
! SHAPE: `cancel do`, with and without a chunk
! INSTRUMENTED: 2
! CANCELLED: 0 1
! ENV: OMP_CANCELLATION=true
! ENV: OMP_CANCELLATION=false
  !$omp parallel
  !$omp do schedule(static,10)
  do i = 1, n
    call tell(0, i - 1, n)
    if (i == 23) then
      !$omp cancel do
    end if
  end do
  !$omp do
  do i = 1, n
    call tell(1, i - 1, n)
    if (i == 23) then
      !$omp cancel do
    end if
  end do
  !$omp end parallel
end subroutine
!--- cancellation_point.f90
! SHAPE: `cancellation point`
! CANCELLED: 0
! ENV: OMP_CANCELLATION=true
! ENV: OMP_CANCELLATION=false
  !$omp parallel
  !$omp do schedule(static,4)
  do i = 1, n
    call tell(0, i - 1, n)
    !$omp cancellation point do
    if (i == 23) then
      !$omp cancel do
    end if
  end do
  !$omp end parallel
end subroutine
!--- dealt.f90
! SHAPE: guided, auto, dynamic with a step, `collapse(2)`
! INSTRUMENTED: 4
! DEALT: 0 1 2 3
! FROM-1: 0 1 2 3
! USER: 0 1 2
! THREADS-VARY: yes
! VARIANT: -O0
! VARIANT: -O0 -g
! VARIANT: -O3 -g
  integer :: j
  integer(8) :: k
  !$omp parallel
  !$omp do schedule(guided,2)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp do schedule(auto)
  do k = -5_8, n - 6_8
    call step(1_8, k + 5_8, int(n, 8), k)
  end do
  !$omp end do nowait
  !$omp do schedule(dynamic,3)
  do i = 3 * n, 1, -3
    call step(2, n - i / 3, n, i)
  end do
  !$omp do collapse(2) schedule(dynamic,4)
  do i = 1, n
    do j = 1, 3
      call step(3, (i - 1) * 3 + j - 1, n * 3, i * 100 + j)
    end do
  end do
  !$omp end parallel
end subroutine
!--- distribute.f90
! SHAPE: `teams distribute`
! DISTRIBUTE: 0
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
  !$omp teams num_teams(3)
  !$omp distribute
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
!--- distribute_chunked.f90
! SHAPE: `distribute dist_schedule(static,4)`
! DISTRIBUTE: 0
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
  !$omp teams num_teams(2)
  !$omp distribute dist_schedule(static,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
!--- distribute_parallel.f90
! SHAPE: `distribute parallel do`
! DIES: an assertion of LLVM 23's runtime fails
! DIES-22: no
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
  !$omp teams num_teams(2)
  !$omp distribute parallel do
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
!--- distribute_parallel_both.f90
! SHAPE: `distribute parallel do dist_schedule(static,1024) schedule(static,64)`
! BEGUN-TWICE: yes
! DISTRIBUTE: 0
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
  !$omp teams num_teams(2)
  !$omp distribute parallel do dist_schedule(static,1024) schedule(static,64)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
!--- distribute_parallel_both_2.f90
! SHAPE: `distribute parallel do dist_schedule(static) schedule(static,10)`
! BEGUN-TWICE: yes
! DISTRIBUTE: 0
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
  !$omp teams num_teams(2)
  !$omp distribute parallel do dist_schedule(static) schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
!--- distribute_parallel_chunked.f90
! SHAPE: `distribute parallel do schedule(static,10)`
! WRONG: every team runs every iteration
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
  !$omp teams num_teams(2)
  !$omp distribute parallel do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
!--- distribute_parallel_dist.f90
! SHAPE: `distribute parallel do dist_schedule(static,16)`
! BEGUN-TWICE: yes
! DISTRIBUTE: 0
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
  !$omp teams num_teams(2)
  !$omp distribute parallel do dist_schedule(static,16)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
!--- dynamic.f90
! SHAPE: `schedule(dynamic,4)`
! DEALT: 0
! FROM-1: 0
! THREADS-VARY: yes
  !$omp parallel do schedule(dynamic,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- loop.f90
! SHAPE: `loop` in a parallel region
  !$omp parallel
  !$omp loop
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end parallel
end subroutine
!--- monotonic.f90
! SHAPE: `schedule(monotonic:static,4)`
! USER: 0
  !$omp parallel do schedule(monotonic:static,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- nested.f90
! SHAPE: a static loop in the body of another
! INSTRUMENTED: 2
  integer :: j
  !$omp parallel do schedule(static,3) private(j)
  do i = 1, n
    call step(0, i - 1, n, i)
    if (mod(i, 19) == 0) then
      !$omp parallel do schedule(static,2)
      do j = 1, 5
        call tell(1, j - 1, 5)
      end do
    end if
  end do
end subroutine
!--- nonmonotonic.f90
! SHAPE: `schedule(nonmonotonic:static,4)`
! CANNOT: it takes the modifier with dynamic and guided only
  !$omp parallel do schedule(nonmonotonic:static,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- ordered.f90
! SHAPE: `ordered`: the runtime deals the chunks
! DEALT: 0
! MONOTONIC: 0
! FROM-1: 0
  !$omp parallel do ordered schedule(static,4)
  do i = 1, n
    !$omp ordered
    call step(0, i - 1, n, i)
    !$omp end ordered
  end do
end subroutine
!--- orphaned.f90
! SHAPE: orphaned `do`
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
!--- parallel_loop.f90
! SHAPE: `parallel loop`
! CANNOT-22: it does not know the combined directive
  !$omp parallel loop
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- proposed_distribute_parallel.f90
! SHAPE: `distribute parallel do`, with an end call of its own
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
! PROPOSED: @__kmpc_for_static_fini => @__kmpc_dist_for_static_fini
  !$omp teams num_teams(2)
  !$omp distribute parallel do
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end teams
end subroutine
!--- runtime.f90
! SHAPE: `schedule(runtime)`
! DEALT: 0
! FROM-1: 0
! THREADS-VARY: yes
  !$omp parallel do schedule(runtime)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- sections.f90
! SHAPE: `sections`
! INSTRUMENTED: 0
! UNJUDGED: all
! ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
! THREADS-VARY: yes
  !$omp parallel sections
  !$omp section
  call mark(0, 0, n)
  !$omp section
  call mark(0, 1, n)
  !$omp section
  call mark(0, 2, n)
  !$omp end parallel sections
end subroutine
!--- sections_one.f90
! SHAPE: `sections` with a single section
! INSTRUMENTED: 0
! UNJUDGED: all
! ALONE: a sections construct that the compiler did not mark as one, or of an unknown form
! THREADS-VARY: yes
  !$omp parallel
  !$omp sections
  call mark(0, 0, n)
  !$omp end sections
  !$omp end parallel
end subroutine
!--- target.f90
! SHAPE: `target teams distribute parallel do`, on the host
! DIES: an assertion of LLVM 23's runtime fails
! DIES-22: no
! ENV: KMP_TEAMS_THREAD_LIMIT=12
! THREADS-VARY: yes
  !$omp target teams distribute parallel do num_teams(2)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- target_parallel.f90
! SHAPE: `target parallel do`, on the host
  !$omp target parallel do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- workshare.f90
! SHAPE: `workshare`
! UNOBSERVED: yes
! THREADS-VARY: yes
  integer :: a(n)
  !$omp parallel
  !$omp workshare
  a = n
  !$omp end workshare
  !$omp end parallel
  if (n > 0) call mark(0, 0, sum(a))
end subroutine
