#!/usr/bin/env python3
"""foreign.py OMPCHUNK DIRECTORY... - programs and suites that nobody here wrote, under ompchunk. Those of each directory are built plain and with the
plugin, and run plain, with the plugin, with the shim, and under all schedules of SCHEDULES; exit code and output must be those of the plain
program. LULESH, EPCC and BOTS are known by their files; of other directories, each source file with a main program is compiled alone. Prints
every difference with its control, and a table; target/foreign/results.csv has each run.

Numbers of the output may differ as much as they do between plain runs, times SLACK: so a time may, and a checksum may not. What still
differs is run plain again: if that differs too, the program does so by itself.

Environment: CC, CXX, FC (clang-22, clang++-22, flang-22), THREADS (2 5), RUNTIMES (libomp, and libiomp5 if OMPCHUNK_IOMP5 names it),
LIMIT (60 seconds for a run), MOST (programs per directory), ONLY (a pattern of their names), SCHEDULES (others, between blanks)."""

import collections
import csv
import os
import re
import subprocess
import sys

from suites import Build, bots, copied, epcc, lulesh

SCHEDULES = os.environ.get("SCHEDULES", "*=dynamic,3 *=static,7 *=guided *=nonmonotonic:dynamic *=dynamic,3|source|static,2").split()
PLAIN_RUNS, CONTROLS, SLACK = 4, 6, 1000.0
LIMIT = float(os.environ.get("LIMIT", "60"))
MOST = int(os.environ.get("MOST", "1000000"))
ONLY = re.compile(os.environ.get("ONLY", ""))
THREADS = os.environ.get("THREADS", "2 5").split()
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?|[-+]?(?:nan|inf)\b", re.I)

# A program as it is run: its name, both executables, arguments, where, and a pattern of lines that say how long something took.
Program = collections.namedtuple("Program", "name plain plugin arguments folder times")
Run = collections.namedtuple("Run", "code output said")


def linked(runtime, directory):
    """A directory below DIRECTORY in which a runtime (a directory with a libiomp5.so or libomp.so) has the names that programs ask for."""
    links = os.path.join(directory, "runtime-" + re.sub(r"\W+", "-", os.path.abspath(runtime)).strip("-"))
    os.makedirs(links, exist_ok=True)
    library = next(name for name in ("libiomp5.so", "libomp.so") if os.path.exists(os.path.join(runtime, name)))
    for name in ("libomp.so.5", "libomp.so"):
        if not os.path.lexists(os.path.join(links, name)):
            os.symlink(os.path.abspath(os.path.join(runtime, library)), os.path.join(links, name))
    return links


def with_runtime(runtime, directory, **settings):
    """What a program runs in, with these settings and nothing that others set for OpenMP. RUNTIME: as above, or `-` for the compiler's own."""
    environment = {name: value for name, value in os.environ.items() if not re.match("OMP|KMP_|LD_|LIBOMP", name)}
    environment.update(settings)
    if runtime != "-":
        environment["LD_LIBRARY_PATH"] = linked(runtime, directory)
    return environment


def single_files(folder, build):
    """Each source file with a main program, compiled alone."""
    drivers = {".c": "clang", ".cc": "clang++", ".cpp": "clang++", ".cxx": "clang++", ".f90": "flang", ".F90": "flang"}
    includes = sorted({parent for parent, _, files in os.walk(folder) if any(name.endswith(".h") for name in files)})
    found = []
    for parent, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            path = os.path.join(parent, name)
            driver = drivers.get(os.path.splitext(name)[1])
            if driver is None or len(found) >= MOST or not ONLY.search(path) or not has_main(path, driver):
                continue
            flags = ["-O1", "-g", "-w", "-fopenmp", *("-I" + include for include in includes)]
            if build.run([build.tool(driver), *flags, path, "-o", path + ".exe", "-lm"], parent):
                relative = os.path.relpath(path, folder)
                found.append((relative, relative + ".exe", [], r"(?!)"))
    return found


def has_main(path, driver):
    with open(path, errors="replace") as file:
        text = file.read()
    return bool(re.search(r"^\s*program\s+\w", text, re.I | re.M) if driver == "flang" else re.search(r"\bmain\s*\(", text))


def recognized(folder):
    """Pairs of a directory and how it is built."""
    known = (("lulesh.cc", lulesh), ("schedbench.c", epcc), ("omp-tasks", bots))
    for parent, folders, files in os.walk(folder):
        for mark, build in known:
            if mark in files + folders:
                yield parent, build
                folders.clear()
                break


def programs(folder, builds):
    """All programs below a directory that both builds have."""
    suites = list(recognized(folder)) or [(folder, single_files)]
    for suite, function in suites:
        made = []
        for build in builds:
            copy = copied(suite, build)
            made.append({name: (copy, *rest) for name, *rest in function(copy, build)})
        for name in filter(ONLY.search, made[0]):
            if name not in made[1]:
                print(f"{suite}: {name} compiles plain, and not with the plugin")
                yield Program(os.path.join(suite, name), None, None, [], suite, "")
                continue
            copy, path, arguments, times = made[0][name]
            other = os.path.join(made[1][name][0], made[1][name][1])
            yield Program(os.path.join(suite, name), os.path.join(copy, path), other, arguments, copy, times)


def execute(program, executable, environment, order=None, shim=None):
    environment = dict(environment)
    if shim:
        environment.update(LD_PRELOAD=shim, OMPCHUNK_VERBOSE="1")
    if order:
        environment["OMPCHUNK_SCHEDULE"] = order
    try:
        done = subprocess.run(
            [executable, *program.arguments], cwd=program.folder, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return Run("timeout", "", "")
    times = re.compile(program.times) if program.times else None
    lines = [line for line in done.stdout.splitlines() if not (times and times.search(line))]
    return Run(done.returncode, "\n".join(lines), done.stderr)


def parts(output):
    """Its text, and its numbers, without addresses."""
    output = re.sub(r"(?:0x)+[0-9a-fA-F]+", "@", output)

    def value(text):
        return float(text.lower().replace("d", "e") if text.lower().strip("+-") not in ("nan", "inf") else text)
    return NUMBER.sub("#", output), [value(text) for text in NUMBER.findall(output)]


class Plain:
    """What plain runs print, and how far they are apart."""

    def __init__(self, runs):
        self.runs = runs

    def is_steady(self):
        return len({(run.code, parts(run.output)[0]) for run in self.runs}) == 1

    def difference(self, run):
        """None, or what is different."""
        codes = {plain.code for plain in self.runs}
        if run.code not in codes:
            return f"exit code {run.code} instead of {', '.join(map(str, sorted(codes, key=str)))}"
        texts = {parts(plain.output)[0] for plain in self.runs}
        text, numbers = parts(run.output)
        if len(texts) > 1:
            # Plain runs do not agree on it, so there is nothing to compare.
            return None
        if text not in texts:
            return "other text"
        every = [parts(plain.output)[1] for plain in self.runs]
        for position, number in enumerate(numbers):
            values = [plain[position] for plain in every]
            low, high = min(values), max(values)
            room = SLACK * (high - low) + 1e-9 * max(abs(low), abs(high))
            if not low - room <= number <= high + room and not (number != number and any(value != value for value in values)):
                return f"{number:g} instead of {low:g} to {high:g}"
        return None


def judge(program, threads, runtime, target, shim, report):
    """Of one program all runs."""
    name, directory = runtime
    environment = with_runtime(directory, target, OMP_NUM_THREADS=threads, KMP_BLOCKTIME="0", OMP_DYNAMIC="false")
    plain = Plain([execute(program, program.plain, environment) for _ in range(PLAIN_RUNS)])
    if any(run.code == "timeout" for run in plain.runs):
        report(program, name, threads, "plain", "", "timeout", "plain", "")
        return
    variants = [("plugin", None, None), ("shim", None, shim)] + [("schedule", order, shim) for order in SCHEDULES]
    for kind, order, library in variants:
        run = execute(program, program.plugin, environment, order, library)
        difference = plain.difference(run)
        changed = sorted(set(re.findall(r" changes the loop (\S+)", run.said)))
        if difference is None:
            compared = "same" if plain.is_steady() else "unsteady"
            report(program, name, threads, kind, order or "", compared, "", f"{len(changed)} loops changed")
            continue
        # The program may do so by itself.
        controls = [execute(program, program.plain, environment) for _ in range(CONTROLS)]
        again = execute(program, program.plugin, environment, order, library)
        wider = Plain(plain.runs + controls)
        control = "ompchunk"
        if wider.difference(run) is None:
            control = "plain runs differ as much"
        elif wider.difference(again) is None:
            control = "once, and not again"
        result = "timeout" if run.code == "timeout" else "differs"
        report(program, name, threads, kind, order or "", result, control, f"{difference}; changed: {' '.join(changed[:9]) or 'nothing'}")


def main():
    ompchunk, folders = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if not folders:
        sys.exit("ompchunk: make measure WHAT=foreign was given no directory.\nnext: make measure WHAT=foreign DIRS='../lulesh ../bots'")
    missing = [folder for folder in folders if not os.path.isdir(folder)]
    if missing:
        sys.exit(f"ompchunk: {missing[0]} is no directory.\nnext: unpack the suite, and name where its files are.")
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    shim = os.path.join(os.path.dirname(os.path.dirname(ompchunk)), "lib", "libompchunk_rt.so")
    target = os.path.join(root, "target", "foreign")
    os.makedirs(target, exist_ok=True)
    builds = [Build(ompchunk, target, with_plugin) for with_plugin in (False, True)]
    runtimes = [("libomp", "-")]
    if os.environ.get("OMPCHUNK_IOMP5"):
        runtimes.append(("libiomp5", os.environ["OMPCHUNK_IOMP5"]))
    table, bad = collections.Counter(), 0
    with open(os.path.join(target, "results.csv"), "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["program", "runtime", "threads", "run", "schedule", "result", "control", "detail"])

        def report(program, *row):
            nonlocal bad
            rows.writerow([program.name, *row])
            file.flush()
            result, control = row[4], row[5]
            table[(row[0], row[2], row[3], result if not control else f"{result}: {control}")] += 1
            if result not in ("same", "unsteady"):
                print(program.name, *row, sep=" | ", flush=True)
                bad += control == "ompchunk"

        count = 0
        for folder in folders:
            for program in programs(folder, builds):
                if program.plain is None:
                    report(program, "", "", "build", "", "fails", "ompchunk", "does not compile with the plugin")
                    continue
                count += 1
                for runtime in runtimes:
                    for threads in THREADS:
                        judge(program, threads, runtime, target, shim, report)
    print(f"\n{count} programs, {sum(table.values())} runs beside the plain ones")
    for (runtime, kind, order, result), runs in sorted(table.items()):
        print(f"{runtime:9} {kind:9} {order:28} {result:40} {runs:6}")
    print(f"each run: {os.path.join(target, 'results.csv')}")
    sys.exit(1 if bad else 0)


main()
