! 100 chunks on two threads.
program loop
  implicit none
  integer :: i, values(100)
  !$omp parallel do schedule(static, 1) num_threads(2)
  do i = 1, 100
    values(i) = i
  end do
  if (values(100) /= 100) error stop
end program
