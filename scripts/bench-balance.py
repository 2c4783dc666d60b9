#!/usr/bin/env python3
"""bench-balance.py OMPCHUNK PREFIX RUNTIME... - what `ompchunk run --balance` does to whole runs, learning included: the programs of
bench/corpus and loops whose costs change (bench/balance), each compiled once and run in turn as compiled, once more as compiled, under
`balanced`, `adaptive` and clauses. Prints a table for docs/balance.md: medians over the rounds of ratios to the run as compiled in the same
round. A RUNTIME is a directory with a libiomp5.so, or `-` for the compiler's own. Wants a quiet machine, and says what else ran.

ROUNDS=5, and ONLY=part of a name, leave something out."""

import glob
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from timing import Others, name_of, with_runtime

ROUNDS = int(os.environ.get("ROUNDS", "5"))
ONLY = os.environ.get("ONLY", "")
CLAUSES = ["static,1", "static,16", "dynamic,1", "dynamic,16", "dynamic,64", "guided", "guided,16"]
KINDS = ["even", "triangle", "growing", "front", "refined", "random", "alternating"]
# Microseconds of an execution, all threads together, and executions.
SIZES = [(2000, 400), (100, 4000)]


def compiled(ompchunk, source, directory):
    """The program, with the plugin."""
    name = os.path.splitext(os.path.basename(source))[0]
    program = os.path.join(directory, name)
    by_ending = {".c": "cc", ".cpp": "c++", ".f90": "fc"}
    compiler = by_ending[os.path.splitext(source)[1]]
    flags = ["-O2", "-g", "-fopenmp"] + ([] if compiler == "fc" else ["-ffp-contract=off"])
    subprocess.run([ompchunk, compiler, *flags, source, "-o", program, "-lm"], check=True, cwd=directory)
    return program


def seconds(command, environment):
    """Of the loop, where the program says so, else of the whole run; and what it printed."""
    begin = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    taken = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.returncode}: {done.stderr}")
    said = re.search(r"seconds in the loop: ([0-9.]+)", done.stderr)
    return float(said.group(1)) if said else taken, done.stdout


def measured(shim, command, environment, directory):
    """Ratios to the run as compiled, by way; and what was decided."""
    ways = ["source", "again", "balanced", "adaptive"] + CLAUSES
    decided_file = os.path.join(directory, "decided.json")
    ratios, decided = {way: [] for way in ways}, []
    for _ in range(ROUNDS):
        taken, outputs = {}, set()
        for way in random.sample(ways, len(ways)):
            its = dict(environment)
            if way not in ("source", "again"):
                its["LD_PRELOAD"], its["OMPCHUNK_SCHEDULE"] = shim, "*=" + way
            if way == "adaptive":
                its["OMPCHUNK_DECISIONS"] = decided_file
            taken[way], output = seconds(command, its)
            outputs.add(output)
        for way in ways:
            ratios[way].append(taken[way] / taken["source"])
        with open(decided_file) as file:
            decided.append(json.load(file)["loops"])
        if len(outputs) != 1:
            print(f"<!-- {command[0]}: results differ -->")
    return {way: statistics.median(values) for way, values in ratios.items()}, decided


def row(name, ratios, decided):
    clause = min(CLAUSES, key=lambda way: ratios[way])
    gain = 1 - min(ratios[clause], 1.0)
    share = f"{(1 - ratios['adaptive']) / gain:.0%}" if gain > 0.03 else "-"
    longest = [max(run, key=lambda loop: loop.get("timed_regions_until_decided", 0), default={}) for run in decided]
    runs = statistics.mode(loop.get("runs", "-") for loop in longest)
    until = [loop["timed_regions_until_decided"] for loop in longest if "timed_regions_until_decided" in loop]
    until = f"{statistics.median(until):.0f}" if until else "-"
    print(
        f"| {name} | {ratios['again']:.3f} | {clause}, {ratios[clause]:.3f} | {ratios['balanced']:.3f} |"
        f" {ratios['adaptive']:.3f} | {share} | {runs} | {until} |",
        flush=True,
    )


def main():
    ompchunk, prefix, runtimes = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    shim = os.path.join(prefix, "lib", "libompchunk_rt.so")
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench")
    directory = tempfile.mkdtemp()
    changing = compiled(ompchunk, os.path.join(root, "balance", "changing.c"), directory)
    commands = {
        f"{kind}, {size} µs": [changing, kind, str(size), str(executions)]
        for size, executions in SIZES
        for kind in KINDS
    }
    for source in sorted(glob.glob(os.path.join(root, "corpus", "*"))):
        name = os.path.splitext(os.path.basename(source))[0]
        if ONLY in name and not source.endswith((".h", ".inc")):
            commands[name] = [compiled(ompchunk, os.path.abspath(source), directory)]
    others = Others()
    for runtime in runtimes:
        environment = with_runtime(runtime, directory, OMP_NUM_THREADS="2", OMP_PROC_BIND="true")
        print(f"\n{name_of(runtime)}, {ROUNDS} rounds:\n")
        print("| program | as compiled, again | best clause | `balanced` | `adaptive` | share of the clause's gain | runs | regions timed until decided |")
        print("|---|---|---|---|---|---|---|---|")
        for name, command in commands.items():
            if ONLY in name:
                row(name, *measured(shim, command, environment, directory))
    print(f"\nOther programs took {others.cores():.2f} cores meanwhile.")
    shutil.rmtree(directory)


main()
