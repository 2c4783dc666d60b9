! quadrature - an integral over many small intervals, each halved until the two halves agree with the whole.
!
!   quadrature [REPETITIONS [INTERVALS]]
!
! The function is smooth but near one point in the last quarter: intervals there are halved many times.
program quadrature
  implicit none
  integer :: repetitions, intervals, repetition, i
  real(8), allocatable :: part(:)
  real(8) :: checksum

  repetitions = 200
  intervals = 1200
  call read_arguments(repetitions, intervals, 10000000, 'quadrature [REPETITIONS [INTERVALS]], at most 10000000')
  allocate (part(intervals))
  checksum = 0
  do repetition = 1, repetitions
    call integrate(part, intervals, 0.8d0 + 0.001d0*mod(repetition, 8))
    do i = 1, intervals
      checksum = checksum + part(i)
    end do
  end do
  write (*, '(es24.17)') checksum

contains

  subroutine integrate(part, intervals, pole)
    integer, intent(in) :: intervals
    real(8), intent(out) :: part(intervals)
    real(8), intent(in) :: pole
    integer :: i
    !$omp parallel do schedule(static) ! ADVISE
    do i = 1, intervals
      part(i) = halved((i - 1)/real(intervals, 8), i/real(intervals, 8), pole)
    end do
  end subroutine

  pure real(8) function f(x, pole)
    real(8), intent(in) :: x, pole
    f = sin(20*x)/((x - pole)**2 + 1d-6)
  end function

  ! Simpson's rule, on a stack of what is left.
  pure real(8) function halved(from, to, pole)
    real(8), intent(in) :: from, to, pole
    real(8) :: left(64), width(64), a, h, once, twice
    integer :: top
    halved = 0
    left(1) = from
    width(1) = to - from
    top = 1
    do while (top > 0)
      a = left(top)
      h = width(top)
      top = top - 1
      once = h/6*(f(a, pole) + 4*f(a + h/2, pole) + f(a + h, pole))
      twice = h/12*(f(a, pole) + 4*f(a + h/4, pole) + 2*f(a + h/2, pole) + 4*f(a + 3*h/4, pole) + f(a + h, pole))
      if (abs(once - twice) < 1d-9*h .or. h < 1d-9 .or. top > 60) then
        halved = halved + twice
      else
        left(top + 1) = a + h/2
        width(top + 1) = h/2
        left(top + 2) = a
        width(top + 2) = h/2
        top = top + 2
      end if
    end do
  end function

  include 'program.inc'
end program
