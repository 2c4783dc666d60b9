! boundary - rows of a grid, of which each sixteenth has a wall with a flux that takes long.
!
!   boundary [REPETITIONS [ROWS]]
!
! Each thread's own block has as many of these rows as the others'. Chunks of a few rows, dealt in turns, would give all of
! them to one thread.
program boundary
  implicit none
  integer, parameter :: columns = 200
  integer :: repetitions, rows, repetition, i, j
  real(8), allocatable :: grid(:, :), next(:, :)
  real(8) :: checksum

  repetitions = 200
  rows = 4096
  call read_arguments(repetitions, rows, 100000, 'boundary [REPETITIONS [ROWS]], at most 100000')
  allocate (grid(columns, rows), next(columns, rows))
  do j = 1, rows
    do i = 1, columns
      grid(i, j) = 1 + mod(i + j, 10)*0.1d0
    end do
  end do
  do repetition = 1, repetitions
    call step(grid, next, rows)
    grid = next
  end do
  checksum = 0
  do j = 1, rows
    do i = 1, columns
      checksum = checksum + grid(i, j)
    end do
  end do
  write (*, '(es24.17)') checksum

contains

  subroutine step(grid, next, rows)
    integer, intent(in) :: rows
    real(8), intent(in) :: grid(columns, rows)
    real(8), intent(out) :: next(columns, rows)
    integer :: row, i, again
    real(8) :: flux
    !$omp parallel do schedule(static) private(i, again, flux) ! ADVISE
    do row = 1, rows
      do i = 1, columns
        next(i, row) = sqrt(grid(i, row)) + 0.5d0
      end do
      if (mod(row, 16) == 0) then
        do i = 1, columns
          flux = grid(i, row)
          do again = 1, 12
            flux = 0.5d0*(flux + grid(i, row)/flux)
          end do
          next(i, row) = next(i, row) + 0.001d0*flux
        end do
      end if
    end do
  end subroutine

  include 'program.inc'
end program
