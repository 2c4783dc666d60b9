#!/usr/bin/env python3
"""count-balance.py OMPCHUNK PREFIX [DIRECTORY] - instructions that an execution of a loop takes for `balanced` and `adaptive`, per thread, once
that is decided and nothing is timed: in the shim, and in the runtime's OMPT. DIRECTORY has a libiomp5.so; without one it is the compiler's own
runtime. By callgrind, from the difference of two numbers of executions. Prints the table of docs/balance.md."""

import os
import re
import subprocess
import sys
import tempfile

from timing import with_runtime

FEW, MORE = 100, 10100
# The middle one of so many counts.
COUNTS = 3
# What is ordered, of which kind of loop, the program's other arguments, and what the table says of it.
ORDERS = [
    ("adaptive", "even", [], "decided: as compiled"),
    ("adaptive", "triangle", [], "decided: balanced"),
    ("adaptive", "alternating", [], "decided: `static` with chunks"),
    ("balanced", "triangle", ["apart"], "`balanced`, a region for each execution, with what its begin, its end and timing take"),
    ("static,1", "even", [], "`static,1` by `OMPCHUNK_SCHEDULE`"),
]
WAY = re.compile(r"decided\.c:\d+:\d+  ")
LINE = re.compile(r"^\s*([0-9,]+) \([^)]*\)\s+(\S+:.*)$")


def counted(program, arguments, environment, directory):
    """Instructions in the shim, and in OMPT's functions of the runtime; and how the loop ran at last."""
    out = os.path.join(directory, "callgrind.out")
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    ways = [line for line in done.stderr.splitlines() if WAY.search(line)]
    listed = subprocess.run(
        ["callgrind_annotate", "--threshold=100", "--inclusive=no", out], check=True, capture_output=True, text=True
    ).stdout
    shim = runtime = 0
    for line in listed.splitlines():
        found = LINE.match(line)
        if not found:
            continue
        number, where = int(found.group(1).replace(",", "")), found.group(2)
        if "libompchunk_rt" in where:
            shim += number
        elif "ompt_" in where:
            runtime += number
    return shim, runtime, " ".join(ways)


def main():
    ompchunk, prefix = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "balance")
    directory = tempfile.mkdtemp()
    program = os.path.join(directory, "decided")
    source = os.path.join(root, "decided.c")
    subprocess.run([ompchunk, "cc", "-O2", "-g", "-rdynamic", "-fopenmp", source, "-o", program], check=True, cwd=directory)
    runtime = sys.argv[3] if len(sys.argv) > 3 else "-"
    environment = with_runtime(runtime, directory, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", OMPCHUNK_DECISIONS="-")
    environment["LD_PRELOAD"] = os.path.join(prefix, "lib", "libompchunk_rt.so")
    print("| | in the shim | in the runtime's OMPT |")
    print("|---|---|---|")
    for order, kind, others, what in ORDERS:
        its = dict(environment, OMPCHUNK_SCHEDULE=f"decided.c={order}")
        counts = []
        for _ in range(COUNTS):
            few, more = (counted(program, [kind, str(executions), *others], its, directory) for executions in (FEW, MORE))
            each = [(after - before) / (2 * (MORE - FEW)) for before, after in zip(few[:2], more[:2])]
            counts.append((each, more[2]))
        each, way = sorted(counts)[COUNTS // 2]
        print(f"| {what} | {each[0]:.0f} | {each[1]:.0f} |", flush=True)
        if way:
            print(f"<!-- {way} -->")


main()
