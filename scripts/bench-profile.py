#!/usr/bin/env python3
"""bench-profile.py OMPCHUNK RUNTIME... - what `ompchunk record --profile` adds to a loop: the same program as it is, recorded, and
recorded with a profile, in turn. Prints a table for docs/recorder.md: medians over the rounds of what an execution takes, as
ratios of the same round, with the range of a bootstrap of 95 %. A RUNTIME is a directory with a libomp.so or libiomp5.so, or `-` for
the compiler's own. Wants a quiet machine, and says what else ran."""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

from timing import Others, interval, name_of, with_runtime

ROUNDS = int(os.environ.get("ROUNDS", "25"))
# Dependent operations per iteration (some 0.1 ns each, as compilers put several together), iterations, executions.
SIZES = [(60, 16384, 400), (250, 8192, 200), (1000, 4096, 100), (5000, 2048, 50)]


def main():
    ompchunk, runtimes = os.path.abspath(sys.argv[1]), sys.argv[2:]
    source = os.path.join(os.path.dirname(__file__), "..", "recorder", "tests", "programs", "repeated.c")
    directory = tempfile.mkdtemp()
    app = os.path.join(directory, "repeated")
    subprocess.run([ompchunk, "cc", "-O2", "-g", "-fopenmp", source, "-o", app], check=True)
    print("| runtime | an iteration | recorded | with a profile | as it is, again |")
    print("|---|---|---|---|---|")
    others = Others()
    for runtime in runtimes:
        environment = with_runtime(runtime, directory, OMP_NUM_THREADS="2", OMP_PROC_BIND="true", OMP_WAIT_POLICY="active")
        for operations, iterations, executions in SIZES:
            trace = os.path.join(directory, "trace")
            record = [ompchunk, "record", "-o", trace]
            ways = {"plain": [], "recorded": record, "profile": record + ["--profile"], "again": []}
            taken, results = {way: [] for way in ways}, set()
            for _ in range(ROUNDS):
                for way in random.sample(sorted(ways), len(ways)):
                    shutil.rmtree(trace, ignore_errors=True)
                    run = ways[way] + ([] if not ways[way] else ["--"]) + [app, str(operations), str(iterations), str(executions)]
                    said = subprocess.run(run, check=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split()
                    results.add(said[0])
                    # The first executions divide by guess.
                    taken[way].append(statistics.median(float(second) for second in said[10:]))
            if len(results) != 1:
                sys.exit(f"results differ: {results}")
            cells = []
            for way in ("recorded", "profile", "again"):
                middle, low, high = interval([a / b for a, b in zip(taken[way], taken["plain"])])
                cells.append(f"{middle:.3f} [{low:.3f}, {high:.3f}]")
            nanoseconds = statistics.median(taken["plain"]) / iterations * 2e9
            print(f"| {name_of(runtime)} | {nanoseconds:.0f} ns | {' | '.join(cells)} |", flush=True)
    print(f"\n{ROUNDS} rounds; other processes used {others.cores() / os.cpu_count():.0%} of the processors.")
    shutil.rmtree(directory)


main()
