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

  repetitions = argument(1, 200)
  rows = argument(2, 4096)
  if (repetitions < 1 .or. rows < 1 .or. rows > 100000) then
    write (0, '(a)') 'usage: boundary [REPETITIONS [ROWS]], at most 100000'
    stop 2
  end if
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

  integer function argument(at, otherwise)
    integer, intent(in) :: at, otherwise
    character(32) :: text
    integer :: failed
    call get_command_argument(at, text)
    argument = otherwise
    if (len_trim(text) > 0) then
      read (text, *, iostat=failed) argument
      if (failed /= 0) argument = 0
    end if
  end function
end program
