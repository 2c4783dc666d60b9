!--- carried.f90
! What an iteration leaves for its thread's next one, in Fortran, which passes variables by reference.

subroutine passes_values(n, a, b)
  integer(4) :: n, i
  real(8) :: a(n), b(n)
  real(8), external :: f
  !$omp parallel do schedule(static) ! free
  do i = 1, n
    a(i) = f(b(i))
  end do
end subroutine

subroutine passes_expressions(n, a)
  integer(4) :: n, i
  real(8) :: a(n)
  real(8), external :: g
  !$omp parallel do schedule(static) ! free
  do i = 1, n
    a(i) = g(i) + g(2 * i)
  end do
end subroutine

subroutine passes_a_private_variable(n, a)
  integer(4) :: n, i
  real(8) :: a(n), acc
  !$omp parallel do schedule(static) private(acc) ! bound own_memory
  do i = 1, n
    call step(acc, i)
    a(i) = acc
  end do
end subroutine

subroutine passes_what_it_wrote(n, a)
  integer(4) :: n, i
  real(8) :: a(n), acc
  !$omp parallel do schedule(static) private(acc) ! free
  do i = 1, n
    acc = i
    call step(acc, i)
    a(i) = acc
  end do
end subroutine

subroutine passes_a_seed(n, a)
  integer(4) :: n, i, seed
  real(8) :: a(n)
  seed = 1
  !$omp parallel do schedule(static) firstprivate(seed) ! bound own_memory
  do i = 1, n
    call next(seed, a(i))
  end do
end subroutine

subroutine contains_a_procedure(n, a)
  integer(4) :: n, i
  real(8) :: a(n), acc
  acc = 0
  !$omp parallel do schedule(static) firstprivate(acc) ! bound own_memory
  do i = 1, n
    call add(acc)
    a(i) = acc
  end do
contains
  subroutine add(value)
    real(8) :: value
    value = 2 * value + 1
  end subroutine
end subroutine

subroutine sums(n, a, total)
  integer(4) :: n, i
  real(8) :: a(n), total
  real(8), external :: f
  total = 0
  !$omp parallel do schedule(static) reduction(+: total) ! free
  do i = 1, n
    total = total + f(a(i))
  end do
end subroutine
!--- filled.f90
! Arrays of a thread's own that each iteration fills before it reads them, and near misses, in Fortran.

subroutine fills_all(n, a)
  integer(4) :: n, i, j
  real(8) :: a(n), w(64)
  !$omp parallel do schedule(static) private(w, j) ! free
  do i = 1, n
    do j = 1, 64
      w(j) = i + j
    end do
    a(i) = w(1 + mod(i, 64))
  end do
end subroutine

subroutine fills_all_but_one(n, a)
  integer(4) :: n, i, j
  real(8) :: a(n), w(64)
  !$omp parallel do schedule(static) private(w, j) ! bound own_memory
  do i = 1, n
    do j = 2, 64
      w(j) = i + j
    end do
    a(i) = w(1 + mod(i, 64))
  end do
end subroutine

subroutine goes_back(n, a)
  integer(4) :: n, i, j
  real(8) :: a(n), w(0:64)
  !$omp parallel do schedule(static) private(w, j) ! free
  do i = 1, n
    w(0) = i
    do j = 1, 64
      w(j) = w(j - 1)*2 + j
    end do
    a(i) = w(64)
  end do
end subroutine

subroutine goes_back_too_far(n, a)
  integer(4) :: n, i, j
  real(8) :: a(n), w(0:64)
  !$omp parallel do schedule(static) private(w, j) ! bound own_memory
  do i = 1, n
    do j = 1, 64
      w(j) = w(j - 1)*2 + j
    end do
    w(0) = i
    a(i) = w(64)
  end do
end subroutine

subroutine fills_some(n, m, a)
  integer(4) :: n, m, i, j
  real(8) :: a(n), w(64), s
  !$omp parallel do schedule(static) private(w, j, s) firstprivate(m) ! free
  do i = 1, n
    do j = 1, m
      w(j) = i + j
    end do
    s = 0
    do j = 1, m
      s = s + w(j)
    end do
    a(i) = s
  end do
end subroutine

subroutine fills_one_less(n, m, a)
  integer(4) :: n, m, i, j
  real(8) :: a(n), w(64), s
  !$omp parallel do schedule(static) private(w, j, s) firstprivate(m) ! bound own_memory
  do i = 1, n
    do j = 1, m - 1
      w(j) = i + j
    end do
    s = 0
    do j = 1, m
      s = s + w(j)
    end do
    a(i) = s
  end do
end subroutine

subroutine fills_a_table(n, a)
  integer(4) :: n, i, j, k
  real(8) :: a(n), w(8, 8)
  !$omp parallel do schedule(static) private(w, j, k) ! free
  do i = 1, n
    do k = 1, 8
      do j = 1, 8
        w(j, k) = i + j*k
      end do
    end do
    a(i) = w(1 + mod(i, 8), 1 + mod(i/8, 8))
  end do
end subroutine

subroutine leaves_it_early(n, a)
  integer(4) :: n, i, j
  real(8) :: a(n), w(64)
  !$omp parallel do schedule(static) private(w, j) ! bound own_memory
  do i = 1, n
    do j = 1, 64
      w(j) = i + j
      if (a(j) > 0) exit
    end do
    a(i) = w(1 + mod(i, 64))
  end do
end subroutine
!--- pairs.f90
! What other loops may rely on, in Fortran.
subroutine pair(n, a, b)
  integer(4) :: n, i
  real(8) :: a(n), b(n)
  !$omp parallel private(i)
  !$omp do schedule(static) ! mapped 2
  do i = 1, n
    a(i) = i
  end do
  !$omp end do nowait
  !$omp do schedule(static) ! mapped 2
  do i = 1, n
    b(i) = a(i)
  end do
  !$omp end do
  !$omp end parallel
end subroutine

subroutine no_pair(n, a, b)
  integer(4) :: n, i
  real(8) :: a(n), b(n)
  !$omp parallel private(i)
  !$omp do schedule(static) ! free
  do i = 1, n
    a(i) = i
  end do
  !$omp end do
  !$omp do schedule(static) ! free
  do i = 1, n
    b(i) = a(i)
  end do
  !$omp end do
  !$omp end parallel
end subroutine

subroutine behind(n, a, b)
  integer(4) :: n, i
  real(8) :: a(n), b(n)
  !$omp parallel private(i)
  !$omp do schedule(static) ! bound nowait
  do i = 1, n
    a(i) = i
  end do
  !$omp end do nowait
  !$omp critical
  b(1) = a(1)
  !$omp end critical
  !$omp end parallel
end subroutine

subroutine calls(n, a, b)
  integer(4) :: n, i
  real(8) :: a(n), b(n)
  external :: unknown
  !$omp parallel private(i)
  !$omp do schedule(static) ! bound call
  do i = 1, n
    a(i) = i
  end do
  !$omp end do
  call unknown()
  !$omp do schedule(static) ! bound call
  do i = 1, n
    b(i) = a(i)
  end do
  !$omp end do
  !$omp end parallel
end subroutine

subroutine private_arrays(n, a)
  integer(4) :: n, i
  real(8) :: a(n), own(64)
  !$omp parallel do schedule(static) private(own) ! free
  do i = 1, n
    own(1) = i
    a(i) = own(1)
  end do
end subroutine
