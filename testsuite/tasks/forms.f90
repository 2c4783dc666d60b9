! Every way in which flang creates a task.
program forms
  implicit none
  integer :: i, n, ran
  n = 10
  ran = 0
  !$omp parallel shared(ran)
  !$omp single
  do i = 1, n
    !$omp task firstprivate(i)
    call count(1)
    !$omp end task
    !$omp task if(mod(i, 2) == 0)
    call count(100)
    !$omp end task
    !$omp task final(mod(i, 2) == 0)
    call count(10000)
    !$omp end task
    !$omp task depend(inout: n)
    call count(1000000)
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  print *, ran
contains
  subroutine count(by)
    integer, intent(in) :: by
    !$omp atomic
    ran = ran + by
  end subroutine
end program
