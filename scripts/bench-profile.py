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
import time

ROUNDS = int(os.environ.get("ROUNDS", "25"))
# Dependent operations per iteration (some 0.1 ns each, as compilers put several together), iterations, executions.
SIZES = [(60, 16384, 400), (250, 8192, 200), (1000, 4096, 100), (5000, 2048, 50)]


def busy():
    """Seconds that all processors were not idle."""
    with open("/proc/stat") as stat:
        fields = [int(field) for field in stat.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def interval(ratios):
    """Median, and that of 95 % of resamples."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(2000))
    return statistics.median(ratios), medians[50], medians[1949]


def main():
    ompchunk, runtimes = os.path.abspath(sys.argv[1]), sys.argv[2:]
    source = os.path.join(os.path.dirname(__file__), "..", "recorder", "tests", "programs", "repeated.c")
    directory = tempfile.mkdtemp()
    app = os.path.join(directory, "repeated")
    subprocess.run([ompchunk, "cc", "-O2", "-g", "-fopenmp", source, "-o", app], check=True)
    print("| runtime | an iteration | recorded | with a profile | as it is, again |")
    print("|---|---|---|---|---|")
    own, start = 0.0, (busy(), time.time())
    for runtime in runtimes:
        environment = dict(os.environ, OMP_NUM_THREADS="2", OMP_PROC_BIND="true", OMP_WAIT_POLICY="active")
        if runtime != "-":
            link = os.path.join(directory, os.path.basename(runtime))
            os.makedirs(link, exist_ok=True)
            library = [name for name in ("libiomp5.so", "libomp.so") if os.path.exists(os.path.join(runtime, name))][0]
            for name in ("libomp.so.5", "libomp.so"):
                if not os.path.lexists(os.path.join(link, name)):
                    os.symlink(os.path.join(runtime, library), os.path.join(link, name))
            environment["LD_LIBRARY_PATH"] = link
        for operations, iterations, executions in SIZES:
            trace = os.path.join(directory, "trace")
            record = [ompchunk, "record", "-o", trace]
            ways = {"plain": [], "recorded": record, "profile": record + ["--profile"], "again": []}
            taken, results = {way: [] for way in ways}, set()
            for _ in range(ROUNDS):
                for way in random.sample(sorted(ways), len(ways)):
                    shutil.rmtree(trace, ignore_errors=True)
                    run = ways[way] + ([] if not ways[way] else ["--"]) + [app, str(operations), str(iterations), str(executions)]
                    before = os.times()
                    said = subprocess.run(run, check=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split()
                    after = os.times()
                    own += after.children_user + after.children_system - before.children_user - before.children_system
                    results.add(said[0])
                    # The first executions divide by guess.
                    taken[way].append(statistics.median(float(second) for second in said[10:]))
            if len(results) != 1:
                sys.exit(f"results differ: {results}")
            cells = []
            for way in ("recorded", "profile", "again"):
                middle, low, high = interval([a / b for a, b in zip(taken[way], taken["plain"])])
                cells.append(f"{middle:.3f} [{low:.3f}, {high:.3f}]")
            name = "libomp" if runtime == "-" else os.path.basename(os.path.realpath(os.path.join(runtime, library))).split(".so")[0]
            nanoseconds = statistics.median(taken["plain"]) / iterations * 2e9
            print(f"| {name} | {nanoseconds:.0f} ns | {' | '.join(cells)} |", flush=True)
    others = (busy() - start[0] - own) / (time.time() - start[1]) / os.cpu_count()
    print(f"\n{ROUNDS} rounds; other processes used {max(others, 0):.0%} of the processors.")
    shutil.rmtree(directory)


main()
