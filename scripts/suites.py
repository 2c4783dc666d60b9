"""Suites that nobody here wrote, built plain or with the plugin: how each is compiled, and what it is run with."""

import os
import re
import shutil
import subprocess


class Build:
    """Compilers, plain or with the plugin, also under the names by which foreign makefiles call them."""

    def __init__(self, ompchunk, folder, with_plugin):
        self.kind = "plugin" if with_plugin else "plain"
        self.folder = os.path.join(folder, self.kind)
        self.bin = os.path.join(folder, "bin-" + self.kind)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        os.makedirs(self.bin, exist_ok=True)
        for name, variable, otherwise, driver in (
            ("clang", "CC", "clang-22", "cc"),
            ("clang++", "CXX", "clang++-22", "c++"),
            ("flang", "FC", "flang-22", "fc"),
        ):
            compiler = shutil.which(os.environ.get(variable, otherwise)) or otherwise
            # The command takes the compiler from the variable that makefiles name.
            command = f'{variable}={compiler} {ompchunk} {driver} "$@"' if with_plugin else f'{compiler} "$@"'
            path = os.path.join(self.bin, name)
            with open(path, "w") as script:
                script.write(f"#!/bin/sh\nexec env {command}\n" if with_plugin else f"#!/bin/sh\nexec {command}\n")
            os.chmod(path, 0o755)

    def tool(self, name):
        return os.path.join(self.bin, name)

    def run(self, command, folder, say=True):
        """Whether a command of a build succeeds."""
        environment = dict(os.environ, PATH=self.bin + ":" + os.environ["PATH"])
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=1800)
        if done.returncode and say:
            print(f"{folder}: {' '.join(command)} fails: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
        return done.returncode == 0


def copied(source, build):
    """The directory as the build has it for itself."""
    name = re.sub(r"\W+", "-", os.path.abspath(source)).strip("-")
    folder = os.path.join(build.folder, name)
    shutil.copytree(source, folder, symlinks=True)
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(parent, name)
            if not os.path.islink(path):
                os.chmod(path, os.stat(path).st_mode | 0o200)
    return folder


def lulesh(folder, build):
    sources = sorted(name for name in os.listdir(folder) if re.fullmatch(r"lulesh.*\.cc", name))
    flags = ["-O2", "-g", "-fopenmp", "-DUSE_MPI=0"]
    build.run([build.tool("clang++"), *flags, *sources, "-o", "lulesh", "-lm"], folder)
    return [("lulesh", "lulesh", ["-s", "6", "-i", "20"], r"time|FOM|Grind")]


def epcc(folder, build, optimized="-O1"):
    sizes = {"IDA": "729"}
    all_of = "."
    found = []
    common = [build.tool("clang"), optimized, "-g", "-fopenmp", "-std=gnu99", "-w", "-DOMPVER2", "-DOMPVER3"]
    for name in ("syncbench", "schedbench", "taskbench", "arraybench"):
        flags = ["-DSCHEDBENCH"] if name == "schedbench" else []
        if name == "arraybench":
            header = [build.tool("clang"), "-E", "-P", "-DIDA=" + sizes["IDA"], "arraybench.h", "-o", f"arraybench_{sizes['IDA']}.h"]
            build.run(header, folder)
            flags = ["-DIDA=" + sizes["IDA"]]
        if build.run([*common, *flags, name + ".c", "common.c", "-o", name, "-lm"], folder):
            # All that they print of their loops is how long they took.
            found.append((name, name, ["--outer-repetitions", "2", "--test-time", "20"], all_of))
    return found


def bots(folder, build):
    build.run(["./configure", "--compiler", "clang"], folder)
    build.run(["make"], folder, say=False)
    inputs = {
        "alignment": ["-f", "inputs/alignment/prot.20.aa"],
        "concom": ["-n", "2000"],
        "fft": ["-n", "4096"],
        "fib": ["-n", "12"],
        "floorplan": ["-f", "inputs/floorplan/input.5"],
        "health": ["-f", "inputs/health/test.input"],
        "knapsack": ["-f", "inputs/knapsack/knapsack-012.input"],
        "nqueens": ["-n", "8"],
        "sort": ["-n", "65536"],
        "sparselu": ["-n", "10", "-m", "20"],
        "strassen": ["-n", "256"],
        "uts": ["-f", "inputs/uts/tiny.input"],
    }
    programs = sorted(os.listdir(os.path.join(folder, "bin"))) if os.path.isdir(os.path.join(folder, "bin")) else []
    found = []
    for name in programs:
        arguments = inputs.get(name.split(".")[0])
        if arguments and not name.endswith(".serial"):
            found.append((name, "bin/" + name, [*arguments, "-c"], r"[Tt]ime|Date|[Ss]ec|Load|Speed|MIPS"))
    return found
