! As program.c: what relies on which thread runs which iteration.
module data
  integer, parameter :: n = 4000
  integer :: a(n), b(n)
contains
  subroutine writes(round)
    integer, intent(in) :: round
    integer :: i
    !$omp do schedule(static)
    do i = 1, n
      a(i) = i + round
    end do
    !$omp end do nowait
  end subroutine

  subroutine reads()
    integer :: i
    !$omp do schedule(static)
    do i = 1, n
      b(i) = a(i)
    end do
    !$omp end do
  end subroutine

  integer function differ(values, from)
    integer, intent(in) :: values(n), from
    integer :: i
    differ = 0
    do i = 1, n
      if (values(i) /= i + from) differ = differ + 1
    end do
  end function

  integer function pair(round)
    integer, intent(in) :: round
    integer :: i
    a = -1
    b = -1
    !$omp parallel
    !$omp do schedule(static)
    do i = 1, n
      a(i) = i + round
    end do
    !$omp end do nowait
    !$omp do schedule(static)
    do i = 1, n
      b(i) = a(i)
    end do
    !$omp end do
    !$omp end parallel
    pair = differ(b, round)
  end function

  integer function orphans(round)
    integer, intent(in) :: round
    a = -1
    b = -1
    !$omp parallel
    call writes(round)
    call reads()
    !$omp end parallel
    orphans = differ(b, round)
  end function

  integer function ordinary(round)
    integer, intent(in) :: round
    integer :: i
    a = -1
    !$omp parallel do
    do i = 1, n
      a(i) = i + round
    end do
    ordinary = differ(a, round)
  end function
end module

program promises
  use data
  implicit none
  integer :: round, rounds, found(3)
  character(len=16) :: argument
  call get_command_argument(1, argument)
  read (argument, *) rounds
  found = 0
  do round = 0, rounds - 1
    found(1) = found(1) + pair(round)
    found(2) = found(2) + orphans(round)
    found(3) = found(3) + ordinary(round)
  end do
  print '(a,i0,a)', 'pair: ', found(1), ' wrong'
  print '(a,i0,a)', 'orphans: ', found(2), ' wrong'
  print '(a,i0,a)', 'ordinary: ', found(3), ' wrong'
end program

! BUILD: flang-22 -O2
! TEAMS: 2x10 5x10
! ENV: OMPCHUNK_BALANCE=restless
! ORDER: *=dynamic,3
! ORDER: *=static,7
! ORDER: *=static
! ORDER: *=guided
! ORDER: *=nonmonotonic:dynamic
! ORDER: *=monotonic:dynamic,2|source|static,3
! ORDER: *=static,2|static,5
! ORDER: *=auto
! ORDER: *=balanced
! ORDER: *=adaptive
! ORDER: *=balanced|static,3
! ORDER: program.f90=static,7
! ORDER: pair=adaptive
! ORDER: pair=dynamic,3
