"""What scripts share that time programs: what other programs take meanwhile, intervals of ratios, and the runtime that a program gets."""

import os
import random
import re
import statistics
import time


def busy():
    """Seconds that all processors were not idle."""
    with open("/proc/stat") as stat:
        fields = [int(field) for field in stat.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


class Others:
    """How many processors programs use that this one did not start, from now on."""

    def __init__(self):
        self.start = busy(), self.own(), time.time()

    def own(self):
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system

    def cores(self):
        used = busy() - self.start[0] - (self.own() - self.start[1])
        return max(used, 0.0) / (time.time() - self.start[2])


def interval(ratios):
    """Median, and the ends of the middle 95 % of resampled medians."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(2000))
    return statistics.median(ratios), medians[50], medians[1949]


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


def name_of(runtime):
    """For people."""
    return "libomp" if runtime == "-" else "libiomp5"
