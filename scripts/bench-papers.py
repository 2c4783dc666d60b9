#!/usr/bin/env python3
"""bench-papers.py OMPCHUNK EPCC BOTS RUNTIME... - the thesis' evaluation with its own benchmarks: EPCC 3.1 Schedbench and Taskbench, and BOTS'
nine programs. EPCC and BOTS are the directories in which their authors' sources are unpacked; either may be empty. Each program is built plain
and with the plugin, and run in turn without a tool, with one without callbacks, with empty callbacks, and recorded. Prints tables for
docs/papers.md: what the thesis prints beside what was measured. A RUNTIME is a directory with a libiomp5.so, or `-` for the compiler's
own. Wants a quiet machine, and says what else ran. target/papers/ratios.csv has each ratio.

ROUNDS=5, REPETITIONS=2 (EPCC's outer ones), THREADS (those of the machine), CC, and ONLY=part of a name are what they are unless the environment
says otherwise."""

import collections
import csv
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys

from suites import Build, bots, copied, epcc
from timing import Others, interval, name_of, with_runtime

ROUNDS = int(os.environ.get("ROUNDS", "5"))
REPETITIONS = os.environ.get("REPETITIONS", "2")
THREADS = os.environ.get("THREADS", str(os.cpu_count()))
ONLY = os.environ.get("ONLY", "")

# How a program is run: with the plugin, and what is attached: a tool of bench/c/tool.c with these callbacks, or the recorder.
Way = collections.namedtuple("Way", "has_plugin attached")
WAYS = {
    "plain": Way(False, None),
    "again": Way(False, None),
    "plugin": Way(True, None),
    "plain, tool": Way(False, "none"),
    "plugin, tool": Way(True, "none"),
    "plain, callbacks": Way(False, "grains"),
    "plugin, callbacks": Way(True, "grains"),
    "extensions": Way(True, "grains-extensions"),
    "recorder": Way(True, "recorder"),
}

# Counts instructions, which no layout of code and no other program changes.
COUNT = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]

# A program: its name and suite, both executables, arguments, more of them for a run that is checked and not timed, where it runs, how often for
# one measurement, where it says how long what took, what it finds in its environment, and arguments for a run whose instructions are counted.
Program = collections.namedtuple("Program", "name suite plain plugin arguments check folder times seconds settings small")
# What is measured of one: a cell is a program of BOTS, or a construct of EPCC with its chunk.
Cell = collections.namedtuple("Cell", "suite name chunk")

# Programs of BOTS, with inputs of tenths of a second where there are any.
BOTS = {
    "alignment.clang.single-omp-tasks-tied": (["-f", "inputs/alignment/prot.20.aa"], 1),
    "fft.clang.omp-tasks-tied": (["-n", "2097152"], 1),
    "fib.clang.omp-tasks-tied": (["-n", "27"], 1),
    "floorplan.clang.omp-tasks-tied": (["-f", "inputs/floorplan/input.5"], 15),
    "health.clang.omp-tasks-tied": (["-f", "inputs/health/test.input"], 3),
    "nqueens.clang.omp-tasks-tied": (["-n", "10"], 2),
    "sort.clang.omp-tasks-tied": (["-n", "8388608"], 1),
    "sparselu.clang.single-omp-tasks-tied": (["-n", "20", "-m", "100"], 1),
    "strassen.clang.omp-tasks-tied": (["-n", "1024"], 2),
}


def is_static(cell):
    return cell.suite == "schedbench" and cell.name == "STATIC"


def is_dealt(*names):
    return lambda cell: cell.suite == "schedbench" and cell.name in names


def is_task(*names):
    return lambda cell: cell.suite == "taskbench" and cell.name in names


def is_of_bots(cell):
    return cell.suite == "bots"


# Which cells, which way against which, and the most that the thesis prints, in per cent.
FIGURES = [
    ("no tool, `static`", is_static, "plugin", "plain", 0.0),
    ("no tool, `dynamic`", is_dealt("DYNAMIC"), "plugin", "plain", 1.5),
    ("no tool, `guided`", is_dealt("GUIDED"), "plugin", "plain", 3.0),
    ("a tool without callbacks, `static`", is_static, "plugin, tool", "plain, tool", 0.0),
    ("a tool without callbacks, `dynamic`", is_dealt("DYNAMIC"), "plugin, tool", "plain, tool", 1.5),
    ("a tool without callbacks, `guided`", is_dealt("GUIDED"), "plugin, tool", "plain, tool", 3.0),
    ("all callbacks, `static`, chunks below 16", lambda cell: is_static(cell) and 0 < cell.chunk < 16, "extensions", "plain, callbacks", 46.0),
    ("all callbacks, `static`, chunks from 16", lambda cell: is_static(cell) and not 0 < cell.chunk < 16, "extensions", "plain, callbacks", 1.0),
    ("all callbacks, `dynamic` and `guided`", is_dealt("DYNAMIC", "GUIDED"), "extensions", "plain, callbacks", 2.7),
    ("no tool, MASTER TASK", is_task("MASTER TASK"), "plugin", "plain", 1.7),
    ("no tool, PARALLEL TASK and NESTED TASK", is_task("PARALLEL TASK", "NESTED TASK"), "plugin", "plain", 0.6),
    ("a tool without callbacks, PARALLEL TASK", is_task("PARALLEL TASK"), "plugin, tool", "plain, tool", 2.7),
    ("a tool without callbacks, MASTER TASK and NESTED TASK", is_task("MASTER TASK", "NESTED TASK"), "plugin, tool", "plain, tool", 0.5),
    ("all callbacks, those three", is_task("MASTER TASK", "PARALLEL TASK", "NESTED TASK"), "extensions", "plain, callbacks", 0.0),
    ("BOTS, no tool", is_of_bots, "plugin", "plain", 1.0),
    ("BOTS, a tool with the standard's callbacks", is_of_bots, "plugin, callbacks", "plain, callbacks", 2.0),
    ("BOTS, all callbacks", is_of_bots, "extensions", "plain, callbacks", 2.0),
]


def programs_of_bots(folder, builds):
    copies = [copied(folder, build) for build in builds]
    small = {name: arguments for copy, build in zip(copies, builds) for name, _, arguments, _ in bots(copy, build)}
    for name, (arguments, times) in BOTS.items():
        plain, plugin = (os.path.join(copy, "bin", name) for copy in copies)
        seconds = r"()Time Program\s*=\s*([0-9.]+)"
        yield Program(name.split(".")[0], "bots", plain, plugin, arguments, ["-c"], copies[0], times, seconds, {}, small.get(name))


def edited(path, text, instead):
    """Ends all if the file has not that text, since figures would be of another program."""
    with open(path) as file:
        source = file.read()
    if text not in source:
        sys.exit(f"ompchunk: {path} has no '{text}'.\nnext: EPCC's version 3.1 has: name its directory.")
    with open(path, "w") as file:
        file.write(source.replace(text, instead))


def programs_of_epcc(folder, builds):
    copies = [copied(folder, build) for build in builds]
    for copy, build in zip(copies, builds):
        # The thesis' iterations, and the same delay in each run: it would be measured anew each time, and be another one.
        edited(os.path.join(copy, "schedbench.c"), "itersperthr = 128", "itersperthr = 4096")
        measured = "getdelaylengthfromtime(delaytime);"
        edited(os.path.join(copy, "common.c"), measured, f'getenv("DELAY_LENGTH") ? atoi(getenv("DELAY_LENGTH")) : {measured}')
        epcc(copy, build, "-O3")
    arguments = ["--delay-time", "0.1", "--outer-repetitions", REPETITIONS, "--test-time", "30000"]
    measure = [os.path.join(copies[0], "taskbench"), *arguments[:2], "--outer-repetitions", "1", "--test-time", "1"]
    length = re.search(r"(\d+) delay length", subprocess.run(measure, capture_output=True, text=True).stdout)
    if length is None:
        sys.exit(f"ompchunk: {measure[0]} does not say how long it delays.\nnext: is {folder} EPCC's version 3.1?")
    for name in ("schedbench", "taskbench"):
        plain, plugin = (os.path.join(copy, name) for copy in copies)
        quickly, seconds = ["--outer-repetitions", "1", "--test-time", "10"], r"(?m)^([A-Z][A-Z 0-9]*) time\s+= ([0-9.]+)"
        yield Program(name, name, plain, plugin, arguments, quickly, copies[0], 1, seconds, {"DELAY_LENGTH": length[1]}, None)


class Run:
    """Runs programs in all ways, on one runtime."""

    def __init__(self, ompchunk, tool, target, runtime):
        self.ompchunk, self.tool, self.trace = ompchunk, tool, os.path.join(target, "trace")
        self.environment = with_runtime(runtime, target, OMP_NUM_THREADS=THREADS, OMP_PROC_BIND="close", OMP_PLACES="cores")

    def command(self, program, way):
        way = WAYS[way]
        executable, environment = program.plugin if way.has_plugin else program.plain, dict(self.environment, **program.settings)
        if way.attached == "recorder":
            # Chunks of schedbench take gigabytes one by one.
            mode = ["--aggregate"] if program.suite == "schedbench" else []
            return [self.ompchunk, "record", "--force", *mode, "-o", self.trace, "--", executable, *program.arguments], environment
        if way.attached:
            environment["OMPCHUNK_BENCH_TOOL"] = way.attached
            if way.has_plugin:
                return [self.ompchunk, "run", "--tool", self.tool, "--", executable, *program.arguments], environment
            environment.update(OMP_TOOL_LIBRARIES=self.tool, OMP_TOOL="enabled")
        return [executable, *program.arguments], environment

    def said(self, program, way, *more, **settings):
        """What it prints, and its standard error; ends all if it fails."""
        command, environment = self.command(program, way)
        done = subprocess.run([*command, *more], cwd=program.folder, env=dict(environment, **settings), capture_output=True, text=True, errors="replace")
        if done.returncode:
            sys.exit(f"ompchunk: {' '.join(command)} ends with {done.returncode}: {done.stderr.strip()[-300:]}")
        return done.stdout, done.stderr

    def verified(self, program):
        """Ends all if a result is wrong, or a tool is not where it shall be; else how many tasks there are, and the mean of one in seconds."""
        for way, (_, attached) in WAYS.items():
            output, error = self.said(program, way, *program.check, OMPCHUNK_BENCH_SAY="1")
            if program.suite == "bots" and not re.search(r"Verification\s*= successful", output):
                sys.exit(f"ompchunk: {program.name}, {way}: the result is wrong: {output.strip()[-300:]}")
            if attached not in (None, "recorder") and f"bench tool: {attached}" not in error:
                sys.exit(f"ompchunk: {program.name}, {way}: the tool is not there: {error.strip()[-300:]}")
        report = subprocess.run([self.ompchunk, "report", "--json", self.trace], check=True, capture_output=True, text=True).stdout
        constructs = (json.loads(report).get("tasks") or {}).get("constructs", [])
        tasks = sum(construct["created"] for construct in constructs)
        return tasks, sum(construct["work_seconds"] for construct in constructs) / tasks if tasks else None

    def measured(self, program, way):
        """Seconds or microseconds of each cell."""
        taken = collections.Counter()
        for _ in range(program.times):
            found = re.findall(program.seconds, self.said(program, way)[0])
            if not found:
                sys.exit(f"ompchunk: {program.name}, {way}: it does not say how long it took")
            for what, value in found:
                name, chunk = re.fullmatch(r"(.*?)(?: (\d+))?", what).groups()
                taken[Cell(program.suite, name or program.name, int(chunk or 0))] += float(value)
        return taken


def instructions(program, executable):
    """What it executes with one thread and a small input, where nobody listens; None: not counted."""
    environment = with_runtime("-", "", OMP_NUM_THREADS="1")
    try:
        done = subprocess.run([*COUNT, executable, *program.small], cwd=program.folder, env=environment, capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        return None
    counted = re.search(r"Collected : (\d+)", done.stderr)
    return int(counted[1]) if counted and done.returncode == 0 else None


def more_instructions(program):
    """How many more with the plugin than without."""
    plain, plugin = (instructions(program, executable) for executable in (program.plain, program.plugin))
    return f"{100 * (plugin / plain - 1):+.4f} %" if plain and plugin else "not counted"


def ratios_of(run, program, rows):
    """Ratios of each round, by cell, way and base."""
    pairs = {(way, base) for _, _, way, base, _ in FIGURES} | {(way, "plain") for way in WAYS if way != "plain"}
    ratios = collections.defaultdict(list)
    for number in range(ROUNDS):
        taken = {way: run.measured(program, way) for way in random.sample(sorted(WAYS), len(WAYS))}
        for cell in taken["plain"]:
            for way, base in pairs:
                ratio = taken[way][cell] / taken[base][cell]
                ratios[cell, way, base].append(ratio)
                rows.writerow([cell.suite, cell.name, cell.chunk, way, base, number, f"{ratio:.5f}"])
    return ratios


def percent(ratios):
    return "{:+.1f} [{:+.1f}, {:+.1f}] %".format(*(100 * (ratio - 1) for ratio in interval(ratios)))


def is_missed(ratios, same, most):
    """All of the interval is above what is printed, and not where the same program run twice is."""
    _, low, high = interval(ratios)
    _, same_low, same_high = interval(same)
    return low > 1 + most / 100 and not (same_low <= high and low <= same_high)


def print_figures(ratios):
    print("| figure | printed | median here | worst here | where | missed |\n|---|---|---|---|---|---|")
    for what, belongs, way, base, most in FIGURES:
        cells = [cell for cell, its_way, its_base in ratios if (its_way, its_base) == (way, base) and belongs(cell)]
        if not cells:
            continue
        middles = {cell: interval(ratios[cell, way, base])[0] for cell in cells}
        worst = max(cells, key=middles.get)
        missed = sum(is_missed(ratios[cell, way, base], ratios[cell, "again", "plain"], most) for cell in cells)
        median = 100 * (statistics.median(middles.values()) - 1)
        where = f"{worst.name}, chunk {worst.chunk}" if worst.chunk else worst.name
        printed = f"at most {most:g} %" if most else "no difference"
        print(f"| {what} | {printed} | {median:+.1f} % | {percent(ratios[worst, way, base])} | {where} | {missed} of {len(cells)} |", flush=True)


def print_programs(ratios, tasks, counted):
    print("\n| program | tasks | each | instructions, plugin, no tool | plain again | plugin, no tool | callbacks, plugin against plain | the callbacks themselves, plain | recorded |\n|---|---|---|---|---|---|---|---|---|")
    for cell, (count, seconds) in tasks.items():
        columns = [("again", "plain"), ("plugin", "plain"), ("plugin, callbacks", "plain, callbacks"), ("plain, callbacks", "plain"), ("recorder", "plain")]
        cells = [percent(ratios[cell, way, base]) for way, base in columns]
        print(f"| {cell.name} | {count:,} | {1e6 * seconds:.2f} µs | {counted[cell]} | {' | '.join(cells)} |", flush=True)


def main():
    ompchunk, suites, runtimes = os.path.abspath(sys.argv[1]), sys.argv[2:4], sys.argv[4:]
    marks = ("schedbench.c", "omp-tasks")
    for suite, mark, variable in zip(suites, marks, ("EPCC", "BOTS")):
        if suite and not os.path.exists(os.path.join(suite, mark)):
            sys.exit(f"ompchunk: {suite} has no {mark}.\nnext: unpack the suite, and name the directory where its {mark} is: make bench-papers {variable}=DIRECTORY")
    if not any(suites):
        sys.exit("ompchunk: make bench-papers was given neither EPCC nor BOTS.\nnext: make bench-papers EPCC=../openmpbench_C_v31 BOTS=../bots")
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    target = os.path.join(root, "target", "papers")
    os.makedirs(target, exist_ok=True)
    tool = os.path.join(target, "tool.so")
    subprocess.run([os.environ.get("CC", "clang-22"), "-O2", "-fPIC", "-shared", os.path.join(root, "bench", "c", "tool.c"), "-o", tool], check=True)
    builds = [Build(ompchunk, target, has_plugin) for has_plugin in (False, True)]
    programs = []
    for suite, programs_of in zip(suites, (programs_of_epcc, programs_of_bots)):
        programs += list(programs_of(suite, builds)) if suite else []
    programs = [program for program in programs if ONLY in program.name]
    for program in programs:
        for executable in filter(lambda path: not os.path.exists(path), (program.plain, program.plugin)):
            sys.exit(f"ompchunk: {executable} was not built.\nnext: compile something with -fopenmp and #include <omp.h>: does {os.environ.get('CC', 'clang-22')} find both?")
    counted = {Cell("bots", program.name, 0): more_instructions(program) for program in programs if program.small}
    others = Others()
    with open(os.path.join(target, "ratios.csv"), "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["suite", "cell", "chunk", "way", "base", "round", "ratio"])
        for runtime in runtimes:
            print(f"\n{name_of(runtime)}, {THREADS} threads, {ROUNDS} rounds:\n", flush=True)
            run, ratios, tasks = Run(ompchunk, tool, target, runtime), {}, {}
            for program in programs:
                verified = run.verified(program)
                ratios.update(ratios_of(run, program, rows))
                if program.suite == "bots":
                    tasks[Cell("bots", program.name, 0)] = verified
            print_figures(ratios)
            if tasks:
                print_programs(ratios, tasks, counted)
    print(f"\nOther programs used {others.cores():.2f} processors meanwhile.")
    shutil.rmtree(os.path.join(target, "trace"), ignore_errors=True)


main()
