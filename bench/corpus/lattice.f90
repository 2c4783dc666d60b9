! lattice - a fluid on a lattice of nine velocities: each cell streams from its neighbours and relaxes.
!
!   lattice [REPETITIONS [ROWS]]
program lattice
  implicit none
  integer, parameter :: columns = 120
  integer, parameter :: dx(9) = [0, 1, 0, -1, 0, 1, -1, -1, 1], dy(9) = [0, 0, 1, 0, -1, 1, 1, -1, -1]
  real(8), parameter :: weight(9) = [4d0/9, 1d0/9, 1d0/9, 1d0/9, 1d0/9, 1d0/36, 1d0/36, 1d0/36, 1d0/36]
  integer :: repetitions, rows, repetition, i, j, q
  real(8), allocatable :: now(:, :, :), next(:, :, :)
  real(8) :: checksum

  repetitions = 100
  rows = 200
  call read_arguments(repetitions, rows, 100000, 'lattice [REPETITIONS [ROWS]], at most 100000')
  allocate (now(9, columns, rows), next(9, columns, rows))
  do j = 1, rows
    do i = 1, columns
      do q = 1, 9
        now(q, i, j) = weight(q)*(1 + 0.01d0*sin(0.2d0*i + 0.1d0*j + q))
      end do
    end do
  end do
  do repetition = 1, repetitions
    call step(now, next, rows)
    call step(next, now, rows)
  end do
  checksum = 0
  do j = 1, rows
    do i = 1, columns
      do q = 1, 9
        checksum = checksum + now(q, i, j)*q
      end do
    end do
  end do
  write (*, '(es24.17)') checksum

contains

  subroutine step(now, next, rows)
    integer, intent(in) :: rows
    real(8), intent(in) :: now(9, columns, rows)
    real(8), intent(out) :: next(9, columns, rows)
    integer :: row, i, q
    real(8) :: f(9), density, u, v, along, still
    !$omp parallel do schedule(static) private(i, q, f, density, u, v, along, still) ! ADVISE
    do row = 1, rows
      do i = 1, columns
        density = 0
        u = 0
        v = 0
        do q = 1, 9
          f(q) = now(q, 1 + modulo(i - 1 - dx(q), columns), 1 + modulo(row - 1 - dy(q), rows))
          density = density + f(q)
          u = u + f(q)*dx(q)
          v = v + f(q)*dy(q)
        end do
        u = u/density
        v = v/density
        still = 1 - 1.5d0*(u*u + v*v)
        do q = 1, 9
          along = 3*(u*dx(q) + v*dy(q))
          next(q, i, row) = f(q) + 0.8d0*(weight(q)*density*(still + along + 0.5d0*along*along) - f(q))
        end do
      end do
    end do
  end subroutine

  include 'program.inc'
end program
