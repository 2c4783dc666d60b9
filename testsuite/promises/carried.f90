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
