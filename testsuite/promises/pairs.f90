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
