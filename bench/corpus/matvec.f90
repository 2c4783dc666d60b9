! matvec - a full matrix times a vector, again and again: the power method.
!
!   matvec [REPETITIONS [ORDER]]
program matvec
  implicit none
  integer :: repetitions, order, repetition, i, j
  real(8), allocatable :: rows(:, :), x(:), y(:)
  real(8) :: largest

  repetitions = 200
  order = 1000
  call read_arguments(repetitions, order, 20000, 'matvec [REPETITIONS [ORDER]], at most 20000')
  ! A row of the matrix is a column here, so that it stands in one piece.
  allocate (rows(order, order), x(order), y(order))
  do j = 1, order
    do i = 1, order
      rows(i, j) = 1d0/(1 + mod(i*7 + j*3, 64))
    end do
    x(j) = 1
  end do
  do repetition = 1, repetitions
    call multiply(rows, x, y, order)
    largest = 0
    do i = 1, order
      largest = max(largest, y(i))
    end do
    do i = 1, order
      x(i) = y(i)/largest
    end do
  end do
  largest = 0
  do i = 1, order
    largest = largest + x(i)
  end do
  write (*, '(es24.17)') largest

contains

  subroutine multiply(rows, x, y, order)
    integer, intent(in) :: order
    real(8), intent(in) :: rows(order, order), x(order)
    real(8), intent(out) :: y(order)
    integer :: row, i
    real(8) :: sum
    !$omp parallel do private(i, sum) ! ADVISE
    do row = 1, order
      sum = 0
      do i = 1, order
        sum = sum + rows(i, row)*x(i)
      end do
      y(row) = sum
    end do
  end subroutine

  include 'program.inc'
end program
