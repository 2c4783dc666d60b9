"""python -m ompchunk: the command, where its directory is not in PATH."""

from ompchunk import main

main()
