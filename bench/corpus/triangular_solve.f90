! triangular_solve - the inverse of a lower triangular matrix, a triangular system for each of its columns.
!
!   triangular_solve [REPETITIONS [ORDER]]
!
! The solution for a later column begins with more zeros, and what is left to solve is a smaller triangle.
program triangular_solve
  implicit none
  integer :: repetitions, order, repetition, i, j
  real(8), allocatable :: lower(:, :), inverse(:, :)
  real(8) :: checksum

  repetitions = 200
  order = 320
  call read_arguments(repetitions, order, 5000, 'triangular_solve [REPETITIONS [ORDER]], at most 5000')
  allocate (lower(order, order), inverse(order, order))
  lower = 0
  do j = 1, order
    do i = j, order
      lower(i, j) = 1d0/(i + j)
    end do
    lower(j, j) = 2 + 1d0/j
  end do
  checksum = 0
  do repetition = 1, repetitions
    call invert(lower, inverse, order)
    do j = 1, order
      checksum = checksum + inverse(order, j)*j
    end do
    lower(order, 1) = lower(order, 1) + 0.01d0
  end do
  write (*, '(es24.17)') checksum

contains

  subroutine invert(lower, inverse, order)
    integer, intent(in) :: order
    real(8), intent(in) :: lower(order, order)
    real(8), intent(out) :: inverse(order, order)
    integer :: column, k, i
    !$omp parallel do schedule(static) private(k, i) ! ADVISE
    do column = 1, order
      do i = 1, order
        inverse(i, column) = 0
      end do
      inverse(column, column) = 1
      do k = column, order
        inverse(k, column) = inverse(k, column)/lower(k, k)
        do i = k + 1, order
          inverse(i, column) = inverse(i, column) - inverse(k, column)*lower(i, k)
        end do
      end do
    end do
  end subroutine

  include 'program.inc'
end program
