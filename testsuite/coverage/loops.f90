include "coverage.inc"
!--- collapse_2.f90
! SHAPE: `collapse(2)`, with and without a chunk
! INSTRUMENTED: 2
  integer :: j
  !$omp parallel do schedule(static,10) collapse(2)
  do j = 1, n
    do i = 1, 5
      call step(0, (j - 1) * 5 + i - 1, n * 5, j)
    end do
  end do
  !$omp parallel do collapse(2)
  do j = 1, n
    do i = 9, 1, -2
      call step(1, (j - 1) * 5 + (9 - i) / 2, n * 5, j)
    end do
  end do
end subroutine
!--- constant_trip.f90
! SHAPE: constant bounds
! USER: 0
  !$omp parallel do schedule(static,10)
  do i = 1, 100
    call step(0, i - 1, 100, i)
  end do
end subroutine
!--- control_flow.f90
! SHAPE: `cycle`, `select case` and an inner loop in the body
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
!--- do_concurrent.f90
! SHAPE: `do concurrent`, mapped to OpenMP
! FLAGS: -fdo-concurrent-to-openmp=host
  do concurrent (i = 1:n)
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- do_concurrent_2.f90
! SHAPE: `do concurrent` with two indices
! FLAGS: -fdo-concurrent-to-openmp=host
  integer :: j
  do concurrent (j = 1:n, i = 1:1)
    if (i == 1) call step(0, j - 1, n, j)
  end do
end subroutine
!--- do_simd.f90
! SHAPE: `parallel do simd`, with and without a chunk
! INSTRUMENTED: 2
  !$omp parallel do simd schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp parallel do simd
  do i = 1, n
    call step(1, i - 1, n, i)
  end do
end subroutine
!--- do_simd_2.f90
! SHAPE: `parallel do simd` over `integer(2)`, of which flang keeps a second, linear variable
! INSTRUMENTED: 2
  integer(2) :: k
  !$omp parallel do simd schedule(static,10)
  do k = 1_2, int(n, 2)
    call step(0, int(k) - 1, n, int(k))
  end do
  !$omp parallel do simd
  do k = 1_2, int(n, 2)
    call step(1, int(k) - 1, n, int(k))
  end do
end subroutine
!--- flags.f90
! SHAPE: `do`, with and without a chunk, and of `integer(8)`
! INSTRUMENTED: 3
! VARIANT: -O0
! VARIANT: -O0 -g
! VARIANT: -O3 -g
! VARIANT: -fPIC
! VARIANT: -flto=thin -fuse-ld=lld
! VARIANT: -flto=full -fuse-ld=lld
  integer(8) :: k, m
  m = n
  !$omp parallel do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp parallel do
  do i = n, 1, -1
    call step(1, n - i, n, i)
  end do
  !$omp parallel do schedule(static,4)
  do k = 1, m
    call step(2_8, k - 1, m, k)
  end do
end subroutine
!--- integer_2.f90
! SHAPE: `integer(2)` and `integer(1)` variables
! INSTRUMENTED: 2
  integer(2) :: k
  integer(1) :: l
  !$omp parallel do schedule(static,3)
  do k = 1_2, int(n, 2)
    call step(0, int(k) - 1, n, int(k))
  end do
  !$omp parallel do
  do l = 1_1, int(n, 1)
    call step(1, int(l) - 1, n, int(l))
  end do
end subroutine
!--- integer_8.f90
! SHAPE: `integer(8)` variable, with and without a chunk
! INSTRUMENTED: 2
! USER: 0 1
  integer(8) :: k, m
  m = n
  !$omp parallel do schedule(static,10)
  do k = 1, m
    call step(0_8, k - 1, m, k)
  end do
  !$omp parallel do
  do k = 1, m
    call step(1_8, k - 1, m, k)
  end do
end subroutine
!--- lastprivate.f90
! SHAPE: `lastprivate` and `firstprivate`
! BY-THREAD: yes
  integer :: x, y
  x = 0
  y = 7
  !$omp parallel do schedule(static,10) lastprivate(x) firstprivate(y)
  do i = 1, n
    call step(0, i - 1, n, y)
    x = i
    y = y + 1
  end do
end subroutine
!--- linear.f90
! SHAPE: `linear`
  integer :: x
  x = 5
  !$omp parallel do schedule(static,10) linear(x:2)
  do i = 1, n
    call step(0, i - 1, n, i)
    x = x + 2
  end do
end subroutine
!--- negative.f90
! SHAPE: negative step, constant and known at run time
! INSTRUMENTED: 2
! USER: 0 1
  integer :: by
  by = -1 - mod(n, 3)
  !$omp parallel do schedule(static,10)
  do i = 3 * n, 1, -3
    call step(0, n - i / 3, n, i)
  end do
  !$omp parallel do schedule(static,10)
  do i = 0, (n - 1) * by, by
    call step(1, i / by, n, i)
  end do
end subroutine
!--- nowait.f90
! SHAPE: `nowait`, then another loop
! INSTRUMENTED: 2
  !$omp parallel
  !$omp do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end do nowait
  !$omp do schedule(static,10)
  do i = 1, n
    call step(1, i - 1, n, i)
  end do
  !$omp end do
  !$omp end parallel
end subroutine
!--- reduction.f90
! SHAPE: `reduction`
  integer :: s
  s = 0
  !$omp parallel do schedule(static,10) reduction(+:s)
  do i = 1, n
    call step(0, i - 1, n, i)
    s = s + i
  end do
end subroutine
!--- simd_static.f90
! SHAPE: `do simd schedule(simd:static)`
  !$omp parallel do simd schedule(simd:static)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- simd_static_chunked.f90
! SHAPE: `do simd schedule(simd:static,4)`
  !$omp parallel do simd schedule(simd:static,4)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- static.f90
! SHAPE: `parallel do`
! USER: 0
  !$omp parallel do
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- static_1.f90
! SHAPE: `parallel do schedule(static,1)`
! USER: 0
  !$omp parallel do schedule(static,1)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- static_10.f90
! SHAPE: `do schedule(static,10)`
! USER: 0
  !$omp parallel
  !$omp do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp end parallel
end subroutine
!--- static_clause.f90
! SHAPE: `parallel do schedule(static)`
  !$omp parallel do schedule(static)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- static_variable.f90
! SHAPE: a chunk size known at run time
! USER: 0
  integer :: c
  c = mod(n, 7) + 1
  !$omp parallel do schedule(static,c)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
end subroutine
!--- steps.f90
! SHAPE: lower bounds and steps: constant, known at run time, below zero
! INSTRUMENTED: 3
! USER: 0 1
  integer :: low, by
  low = -n
  by = mod(n, 4) + 1
  !$omp parallel do schedule(static,4)
  do i = low, low + by * n - 1, by
    call step(0, (i - low) / by, n, i)
  end do
  !$omp parallel do
  do i = -5, n - 6
    call step(1, i + 5, n, i)
  end do
  !$omp parallel do schedule(static,4)
  do i = 100, 99 + 3 * n, 3
    call step(2, (i - 100) / 3, n, i)
  end do
end subroutine
!--- three_loops.f90
! SHAPE: static, static and dynamic loop in one region
! INSTRUMENTED: 3
! DEALT: 2
! FROM-1: 2
! THREADS-VARY: yes
  !$omp parallel
  !$omp do schedule(static,10)
  do i = 1, n
    call step(0, i - 1, n, i)
  end do
  !$omp do schedule(static)
  do i = 1, n
    call step(1, i - 1, n, i)
  end do
  !$omp do schedule(dynamic)
  do i = 1, n
    call step(2, i - 1, n, i)
  end do
  !$omp end parallel
end subroutine
!--- tile.f90
! SHAPE: around `tile`
! CANNOT-22: it crashes
! FLAGS: -fopenmp-version=51
  !$omp parallel do schedule(static,2)
  !$omp tile sizes(8)
  do i = 1, n
    if (mod(i, 8) == 1) call step(0, (i - 1) / 8, (n + 7) / 8, i)
  end do
end subroutine
!--- unroll.f90
! SHAPE: around `unroll partial`: an iteration is an unrolled group
! CANNOT: not yet implemented
! FLAGS: -fopenmp-version=51
  !$omp parallel do schedule(static,2)
  !$omp unroll partial(4)
  do i = 1, n
    if (mod(i, 4) == 1) call step(0, (i - 1) / 4, (n + 3) / 4, i)
  end do
end subroutine
!--- zero_trip.f90
! SHAPE: loops that never run
! INSTRUMENTED: 2
! NOTHING-RUNS: yes
  !$omp parallel do schedule(static,4)
  do i = n + 1, n
    call step(0, 0, 0, i)
  end do
  !$omp parallel do
  do i = 1, n + 2, -1
    call step(1, 0, 0, i)
  end do
end subroutine
