#!/usr/bin/env python3
"""bench-task-advice.py OMPCHUNK RUNTIME... - whether `ompchunk report` names what is wrong with explicit tasks: each program of bench/tasks has
one fault, which its first line names, or none. Each is recorded with two threads, RUNS times, and what is said of its tasks is compared. Those with
a fault are compiled without it, too (-DMENDED), and what that saves is compared with the estimate. A
RUNTIME is a directory with a libiomp5.so, or `-` for the compiler's own. Prints a table; the exit code is 1 if a wrong cause was said.

RUNS=3, LOAD=0 (busy processes beside it) and ONLY=part of a name are what they are unless the environment says otherwise. SAY=1 prints the
sentences, too."""

import glob
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from timing import name_of, with_runtime

RUNS = int(os.environ.get("RUNS", "3"))
LOAD = int(os.environ.get("LOAD", "0"))
ONLY = os.environ.get("ONLY", "")
SAY = os.environ.get("SAY", "")
# Of the regions' time, between two recordings of the same.
ERROR = 0.05
COMPILER = os.environ.get("CC", "clang-22")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "tasks")


def fault(source):
    """The codes of which each is right; none: nothing is wrong with it."""
    with open(source) as file:
        line = file.readline()
    found = re.fullmatch(r"// fault: ([a-z -]+)\n", line)
    if not found:
        sys.exit(f"{source}: the first line does not say which fault it has")
    return set(found.group(1).split()) - {"none"}


def run(command, environment, directory):
    done = subprocess.run(command, env=environment, cwd=directory, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.returncode}: {done.stderr}")
    return done.stdout


def recorded(ompchunk, program, environment, directory):
    """What the report of a run has of tasks."""
    run([ompchunk, "record", "--force", "-o", "trace", program], environment, directory)
    return json.loads(run([ompchunk, "report", "--json", "trace"], environment, directory)).get("tasks") or {}


def row(name, expected, hints):
    codes = [hint["code"] if hint else "-" for hint in hints]
    wrong = [code for code in codes if code != "-" and code not in expected]
    print(f"| {name} | {' or '.join(sorted(expected)) or 'none'} | {', '.join(codes)} |{' wrong' if wrong else ''}", flush=True)
    for hint in hints if SAY else []:
        print(f"<!-- {hint['lost_seconds']:.3f} s: {hint['text']} -->" if hint else "<!-- nothing -->")
    return codes, len(wrong)


def seconds(program, environment, directory):
    begin = time.perf_counter()
    run([program], environment, directory)
    return time.perf_counter() - begin


def saved(ompchunk, program, tasks, environment, directory):
    """A row: what the estimate says that mending the fault saves, and what it saves. Elapsed time of the regions with tasks, recorded, and of the
    whole run, not recorded."""
    def of_regions(report):
        return sum(region["seconds"] for region in report.get("regions", []))
    hints = [report["hint"] for report in tasks if report.get("hint")]
    before = statistics.median(of_regions(report) for report in tasks)
    mended = [of_regions(recorded(ompchunk, program + "-mended", environment, directory)) for _ in range(RUNS)]
    gain = before - statistics.median(mended)
    pairs = [[seconds(name, environment, directory) for name in (program, program + "-mended")] for _ in range(RUNS)]
    runs = statistics.median(faulty for faulty, _ in pairs)
    without = statistics.median(faulty - better for faulty, better in pairs)
    least, most = (statistics.median(hint[of] for hint in hints) for of in ("least_seconds", "lost_seconds"))
    is_within = least - ERROR * before <= gain <= most + ERROR * before
    of_region, of_run = ("{:.0f} ms ({:.0%})".format(1e3 * time, time / whole) for time, whole in ((gain, before), (without, runs)))
    name = os.path.basename(program)
    print(f"| {name} | {1e3 * before:.0f} ms | {1e3 * least:.0f} to {1e3 * most:.0f} ms | {of_region} |{' ' if is_within else ' **no** '}| {of_run} |", flush=True)
    return is_within


def whole(ompchunk, programs, runtime, directory):
    """All of them on a runtime: how often a wrong cause is said."""
    environment = with_runtime(runtime, directory, OMP_NUM_THREADS="2")
    named, silent, of_all, wrong, faulty = 0, 0, [0, 0], 0, []
    print(f"\n{name_of(runtime)}, {RUNS} runs{f', {LOAD} busy processes beside it' if LOAD else ''}:\n")
    print("| program | fault | said in each run |\n|---|---|---|")
    for program, expected in programs:
        tasks = [recorded(ompchunk, program, environment, directory) for _ in range(RUNS)]
        codes, times = row(os.path.basename(program), expected, [report.get("hint") for report in tasks])
        wrong += times
        of_all[not expected] += 1
        named += bool(expected) and all(code in expected for code in codes)
        silent += not expected and all(code == "-" for code in codes)
        if expected and any(code in expected for code in codes):
            faulty.append((program, tasks))
    print(f"\nnamed {named} of {of_all[0]}, silent {silent} of {of_all[1]} (in each run); wrong: {wrong}")
    if not LOAD:
        print("\n| program | its regions | estimate | saved, recorded | within | saved of a run, not recorded |\n|---|---|---|---|---|---|")
        within = [saved(ompchunk, program, tasks, environment, directory) for program, tasks in faulty]
        print(f"\nwithin the estimate: {sum(within)} of {len(within)}")
    return wrong


def main():
    ompchunk, runtimes = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as directory:
        programs = []
        for source in sorted(glob.glob(os.path.join(ROOT, "*.c")), key=lambda source: (not fault(source), source)):
            name = os.path.splitext(os.path.basename(source))[0]
            if ONLY in name:
                program = os.path.join(directory, name)
                compiler = [ompchunk, "cc", "-O2", "-g", "-fopenmp", os.path.abspath(source), "-o", program, "-lm"]
                run(compiler, dict(os.environ, CC=COMPILER), directory)
                if fault(source):
                    run([*compiler, "-DMENDED", "-o", program + "-mended"], dict(os.environ, CC=COMPILER), directory)
                programs.append((program, fault(source)))
        # In sessions of their own, as other users' programs: beside one of its own session, libomp's threads yield for milliseconds after
        # each task, and a million tasks take an hour.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        loop = [sys.executable, "-c", "while True: pass"]
        busy = [subprocess.Popen(loop, start_new_session=True) for _ in range(LOAD)]
        try:
            wrong = sum(whole(ompchunk, programs, runtime, directory) for runtime in runtimes)
        finally:
            for process in busy:
                process.kill()
    sys.exit(1 if wrong else 0)


main()
