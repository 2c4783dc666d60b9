! lu - a matrix becomes a lower times an upper triangle: a panel of columns at a time, then the columns behind it.
!
!   lu [REPETITIONS [ORDER]]
!
! What is behind becomes less from panel to panel, but its columns cost the same.
program lu
  implicit none
  integer, parameter :: panel = 40
  integer :: repetitions, order, repetition, i, j, k, from
  real(8), allocatable :: matrix(:, :), whole(:, :)
  real(8) :: checksum

  repetitions = 20
  order = 480
  call read_arguments(repetitions, order, 10000, 'lu [REPETITIONS [ORDER]], at most 10000')
  allocate (matrix(order, order), whole(order, order))
  do j = 1, order
    do i = 1, order
      whole(i, j) = 1d0/(1 + mod(i*11 + j*5, 97))
    end do
    whole(j, j) = order
  end do
  checksum = 0
  do repetition = 1, repetitions
    matrix = whole
    do from = 1, order, panel
      do k = from, min(from + panel - 1, order)
        do i = k + 1, order
          matrix(i, k) = matrix(i, k)/matrix(k, k)
        end do
        do j = k + 1, min(from + panel - 1, order)
          do i = k + 1, order
            matrix(i, j) = matrix(i, j) - matrix(i, k)*matrix(k, j)
          end do
        end do
      end do
      call update(matrix, order, from, min(from + panel - 1, order))
    end do
    do j = 1, order
      checksum = checksum + matrix(j, j)
    end do
    i = 1 + mod(repetition, order)
    whole(i, 1) = whole(i, 1) + 1
  end do
  write (*, '(es24.17)') checksum

contains

  subroutine update(matrix, order, from, to)
    integer, intent(in) :: order, from, to
    real(8), intent(inout) :: matrix(order, order)
    integer :: column, k, i
    !$omp parallel do schedule(static) private(k, i) ! ADVISE
    do column = to + 1, order
      do k = from, to
        do i = k + 1, order
          matrix(i, column) = matrix(i, column) - matrix(i, k)*matrix(k, column)
        end do
      end do
    end do
  end subroutine

  include 'program.inc'
end program
