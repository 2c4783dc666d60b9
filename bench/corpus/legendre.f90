! legendre - a transform on the sphere: sums over degrees of associated Legendre functions, an order at a time.
!
!   legendre [REPETITIONS [DEGREES]]
!
! An order has the degrees from its own number on, so each order has one less than the one before.
program legendre
  implicit none
  integer, parameter :: points = 64
  integer :: repetitions, degrees, repetition, m, j
  real(8), allocatable :: spectrum(:, :), grid(:, :)
  real(8) :: checksum, x(points)

  repetitions = 200
  degrees = 240
  call read_arguments(repetitions, degrees, 400, 'legendre [REPETITIONS [DEGREES]], at most 400')
  allocate (spectrum(0:degrees, 0:degrees), grid(points, 0:degrees))
  do m = 0, degrees
    do j = 0, degrees
      spectrum(j, m) = sin(0.1d0*j + m)
    end do
  end do
  do j = 1, points
    x(j) = (2*j - 1 - points)/real(points, 8)
  end do
  checksum = 0
  do repetition = 1, repetitions
    call transform(spectrum, grid, x, degrees)
    do m = 0, degrees
      checksum = checksum + grid(mod(repetition, points) + 1, m)
    end do
  end do
  write (*, '(es24.17)') checksum

contains

  subroutine transform(spectrum, grid, x, degrees)
    integer, intent(in) :: degrees
    real(8), intent(in) :: spectrum(0:degrees, 0:degrees), x(points)
    real(8), intent(out) :: grid(points, 0:degrees)
    real(8) :: before(points), now(points), next(points)
    real(8) :: a, b
    integer :: order, degree, i
    !$omp parallel do schedule(static) private(before, now, next, a, b, degree, i) ! ADVISE
    do order = 0, degrees
      do i = 1, points
        before(i) = 0
        now(i) = (1 - x(i)*x(i))**(0.5d0*order)
        grid(i, order) = 0
      end do
      do degree = order, degrees
        ! The recurrence of the normalized functions.
        a = sqrt((2d0*degree + 3)*(2d0*degree + 1)/((degree + 1d0 - order)*(degree + 1d0 + order)))
        b = 0
        if (degree > order) b = a*sqrt((real(degree, 8)**2 - real(order, 8)**2)/(4d0*real(degree, 8)**2 - 1))
        do i = 1, points
          grid(i, order) = grid(i, order) + spectrum(degree, order)*now(i)
          next(i) = a*x(i)*now(i) - b*before(i)
          before(i) = now(i)
          now(i) = next(i)
        end do
      end do
    end do
  end subroutine

  include 'program.inc'
end program
