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
