#!/usr/bin/env python3
"""bench-task-advice.py OMPCHUNK RUNTIME... - whether `ompchunk report` names what is wrong with explicit tasks: each program of bench/tasks has
one fault, which its first line names, or none. Each is recorded with two threads, RUNS times, and what is said of its tasks is compared. A
RUNTIME is a directory with a libiomp5.so, or `-` for the compiler's own. Prints a table; the exit code is 1 if a wrong cause was said.

RUNS=3, LOAD=0 (busy processes beside it) and ONLY=part of a name are what they are unless the environment says otherwise. SAY=1 prints the
sentences, too."""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

RUNS = int(os.environ.get("RUNS", "3"))
LOAD = int(os.environ.get("LOAD", "0"))
ONLY = os.environ.get("ONLY", "")
SAY = os.environ.get("SAY", "")
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


def on(runtime, directory):
    """What a program runs in, with that runtime."""
    environment = {name: value for name, value in os.environ.items() if not re.match("OMP|KMP_|LD_|LIBOMP", name)}
    environment["OMP_NUM_THREADS"] = "2"
    if runtime != "-":
        links = os.path.join(directory, "runtime")
        os.makedirs(links, exist_ok=True)
        for name in ("libomp.so.5", "libomp.so"):
            if not os.path.lexists(os.path.join(links, name)):
                os.symlink(os.path.abspath(os.path.join(runtime, "libiomp5.so")), os.path.join(links, name))
        environment["LD_LIBRARY_PATH"] = links
    return environment


def said(ompchunk, program, environment, directory):
    """The code and the sentence of what is said of a run's tasks; None: nothing."""
    run([ompchunk, "record", "--force", "-o", "trace", program], environment, directory)
    report = json.loads(run([ompchunk, "report", "--json", "trace"], environment, directory))
    return (report.get("tasks") or {}).get("hint")


def row(name, expected, hints):
    codes = [hint["code"] if hint else "-" for hint in hints]
    wrong = [code for code in codes if code != "-" and code not in expected]
    print(f"| {name} | {' or '.join(sorted(expected)) or 'none'} | {', '.join(codes)} |{' wrong' if wrong else ''}", flush=True)
    for hint in hints if SAY else []:
        print(f"<!-- {hint['lost_seconds']:.3f} s: {hint['text']} -->" if hint else "<!-- nothing -->")
    return codes, len(wrong)


def whole(ompchunk, programs, runtime, directory):
    """All of them on a runtime: how often a wrong cause is said."""
    environment = on(runtime, directory)
    named, silent, of_all, wrong = 0, 0, [0, 0], 0
    print(f"\n{'libomp' if runtime == '-' else 'libiomp5'}, {RUNS} runs{f', {LOAD} busy processes beside it' if LOAD else ''}:\n")
    print("| program | fault | said in each run |\n|---|---|---|")
    for program, expected in programs:
        hints = [said(ompchunk, program, environment, directory) for _ in range(RUNS)]
        codes, times = row(os.path.basename(program), expected, hints)
        wrong += times
        of_all[not expected] += 1
        named += bool(expected) and all(code in expected for code in codes)
        silent += not expected and all(code == "-" for code in codes)
    print(f"\nnamed {named} of {of_all[0]}, silent {silent} of {of_all[1]} (in each run); wrong: {wrong}")
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
