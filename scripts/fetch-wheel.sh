# Sourced by the scripts that fetch what the tests need from PyPI.
# shellcheck shell=bash

# The files of wheel $1, NAME==VERSION, into the new directory $2. $3 is what to do if it can't be fetched.
unpack_wheel() {
  local pip
  for pip in "python3 -m pip" pip3 pip ""; do
    if [ -n "$pip" ] && $pip --version >/dev/null 2>&1; then break; fi
  done
  [ -n "$pip" ] || die "no pip to fetch the wheel $1 with." "next: apt-get install python3-pip, or $3"
  $pip download --quiet --no-deps --only-binary=:all: --dest "$2.download" "$1" >&2 ||
    die "could not download the wheel $1." "next: see pip's message above, or $3"
  python3 -m zipfile -e "$2.download"/*.whl "$2"
}
