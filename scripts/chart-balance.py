#!/usr/bin/env python3
"""chart-balance.py OMPCHUNK PREFIX PICTURE - docs/pictures/balance.svg: how long each execution of a loop takes from the begin of a run on, as
compiled and under `adaptive`. Loops of bench/balance/changing.c, on the compiler's own runtime. Each point is the median of several runs.
Wants a quiet machine."""

import os
import re
import statistics
import subprocess
import sys
import tempfile

RUNS, SHOWN, EXECUTIONS = 5, 60, 400
# As changing.c calls them, and what a reader is told.
KINDS = [
    ("triangle", "later iterations cost more"),
    ("front", "an expensive part moves through the loop"),
    ("alternating", "the expensive half changes sides each time"),
]
WIDTH, TALL, LEFT, RIGHT, TOP, GAP = 760, 120, 64, 16, 44, 44
SERIES = [("as compiled", "source", "#888888"), ("adaptive", "adaptive", "#0969da")]


def times(program, kind, way, environment):
    """Milliseconds of the first executions."""
    runs = []
    for _ in range(RUNS):
        command = [program, kind, "2000", str(EXECUTIONS)]
        done = subprocess.run(command, env=dict(environment, OMPCHUNK_SCHEDULE="*=" + way), capture_output=True, text=True, check=True)
        found = [float(text) * 1000 for text in re.findall(r"^execution [0-9]+: ([0-9.]+)$", done.stderr, re.M)]
        runs.append(found[:SHOWN])
    return [statistics.median(each) for each in zip(*runs)]


def panel(top, title, series):
    """Lines of a picture of one loop."""
    most = max(max(values[1:]) for values in series) * 1.15
    x = lambda number: LEFT + (WIDTH - LEFT - RIGHT) * number / (SHOWN - 1)
    y = lambda value: top + TALL * (1 - min(value, most) / most)
    lines = [f'<text x="{LEFT}" y="{top - 8}" class="title">{title}</text>']
    step = 0.5 if most < 3 else 1.0
    tick = 0.0
    while tick <= most:
        lines.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" class="grid"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" class="end">{tick:g} ms</text>')
        tick += step
    for (_, _, colour), values in zip(SERIES, series):
        points = " ".join(f"{x(number):.1f},{y(value):.1f}" for number, value in enumerate(values))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    for number in range(0, SHOWN, 10):
        lines.append(f'<text x="{x(number):.1f}" y="{top + TALL + 16}" class="middle">{number + 1}</text>')
    return lines


def main():
    ompchunk, prefix, picture = (os.path.abspath(argument) for argument in sys.argv[1:4])
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "balance", "changing.c")
    tall = TOP + len(KINDS) * (TALL + GAP) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{tall}" viewBox="0 0 {WIDTH} {tall}" role="img">',
        "<title>How long each execution of a loop takes, as compiled and under adaptive</title>",
        "<style>text { font: 12px sans-serif; fill: #57606a } .title { font-weight: bold } .end { text-anchor: end } .middle { text-anchor: middle }"
        " .grid { stroke: #d0d7de; stroke-width: 1 }</style>",
        f'<rect width="{WIDTH}" height="{tall}" fill="#ffffff"/>',
    ]
    for number, (name, _, colour) in enumerate(SERIES):
        left = LEFT + number * 130
        lines.append(f'<line x1="{left}" x2="{left + 24}" y1="12" y2="12" stroke="{colour}" stroke-width="3"/><text x="{left + 30}" y="16">{name}</text>')
    lines.append(f'<text x="{WIDTH - RIGHT}" y="16" class="end">time of an execution; numbers of executions below</text>')
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "changing")
        flags = ["-O2", "-g", "-fopenmp", "-ffp-contract=off"]
        subprocess.run([ompchunk, "cc", *flags, source, "-o", program, "-lm"], check=True, cwd=directory)
        environment = dict(os.environ, OMP_NUM_THREADS="2", OMP_PROC_BIND="true", EACH="1")
        environment["LD_PRELOAD"] = os.path.join(prefix, "lib", "libompchunk_rt.so")
        for number, (kind, title) in enumerate(KINDS):
            series = [times(program, kind, way, environment) for _, way, _ in SERIES]
            lines += panel(TOP + number * (TALL + GAP), title, series)
            print(kind, *(f"{statistics.median(values[-20:]):.3f}" for values in series), flush=True)
    lines.append("</svg>")
    with open(picture, "w") as file:
        file.write("\n".join(lines) + "\n")


main()
