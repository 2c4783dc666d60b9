"""read_otf2.py ARCHIVE CHUNKS REPORT - an OTF2 archive, read by OTF2's own bindings, says what `ompchunk export --to json` says chunk by
chunk, and `ompchunk report --json` loop by loop. Prints how many chunks there are."""

import collections
import json
import sys

import otf2
from otf2.enums import LocationType, Paradigm, RegionRole
from otf2.events import Enter, Leave, ParameterString, ThreadFork, ThreadJoin, ThreadTeamBegin, ThreadTeamEnd

ROLES = {
    "!$omp parallel": RegionRole.PARALLEL,
    "!$omp for": RegionRole.LOOP,
    "!$omp chunk": RegionRole.LOOP,
    "!$omp sub-block": RegionRole.LOOP,
    "!$omp implicit barrier": RegionRole.IMPLICIT_BARRIER,
    "!$omp barrier": RegionRole.BARRIER,
}


def named(attributes):
    return {key.name: value for key, value in (attributes or {}).items()}


def read(path):
    """What each thread did, and the chunks by process and thread, in the order of time."""
    chunks = collections.defaultdict(list)
    sums = collections.Counter()
    schedules = collections.Counter()
    with otf2.reader.open(path + "/traces.otf2") as trace:
        ns = 1e9 / trace.timer_resolution
        open_of = collections.defaultdict(list)
        last = collections.Counter()
        for location, event in trace.events:
            assert location.type == LocationType.CPU_THREAD, location
            assert event.time >= last[location], event
            last[location] = event.time
            inside = open_of[location]
            where = (location._ref & 0xFFFFFFFF, location._ref >> 32)
            if isinstance(event, (ThreadFork, ThreadTeamBegin)):
                inside.append(event)
                if isinstance(event, ThreadTeamBegin):
                    assert location in event.thread_team.group.members, event
            elif isinstance(event, ThreadJoin):
                assert isinstance(inside.pop(), ThreadFork), event
            elif isinstance(event, ThreadTeamEnd):
                assert inside.pop().thread_team == event.thread_team, event
            elif isinstance(event, Enter):
                region = event.region
                assert region.paradigm == Paradigm.OPENMP, region
                assert ROLES.get(region.canonical_name, region.region_role) == region.region_role, region
                inside.append(event)
            elif isinstance(event, ParameterString):
                assert event.parameter.name == "schedule", event
                assert isinstance(inside[-1], Enter) and inside[-1].time == event.time, event
                schedules[event.string] += 1
            elif isinstance(event, Leave):
                enter = inside.pop()
                assert enter.region == event.region, (enter, event)
                of = (event.region.source_file, event.region.begin_line_number)
                said, end = named(enter.attributes), named(event.attributes)
                if event.region.canonical_name == "!$omp chunk":
                    took = end.get("duration_ns", (event.time - enter.time) * ns)
                    sums[of] += took
                    chunks[where].append((enter.time * ns, took, said, of))
                if event.region.canonical_name == "!$omp sub-block":
                    chunk = named(inside[-1].attributes)
                    assert inside[-1].region.canonical_name == "!$omp chunk", event
                    first, count = said["lower"], said["iterations"]
                    assert chunk["lower"] <= first and first + count <= chunk["lower"] + chunk["iterations"], said
                    chunks["sub-blocks"].append(said)
        left = {location: events for location, events in open_of.items() if events}
        assert not left, left
    return chunks, sums, schedules


def main(archive, chunks_of, report_of):
    found, sums, schedules = read(archive)
    pieces = len(found.pop("sub-blocks", []))
    expected = collections.defaultdict(list)
    with open(chunks_of, encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            expected[(row["rank"] or 0, row["thread"])].append(row)
    assert found.keys() == expected.keys(), (found.keys(), expected.keys())
    count = 0
    for where, rows in expected.items():
        rows.sort(key=lambda row: (row["start_ns"], row["region"], row["lower"]))
        chunks = sorted(found[where], key=lambda chunk: (chunk[0], chunk[2]["lower"]))
        rows.sort(key=lambda row: (row["start_ns"], row["lower"]))
        assert len(rows) == len(chunks), where
        for (start, took, said, of), row in zip(chunks, rows):
            assert of == (row["file"], row["line"]), (of, row)
            for name in ("lower", "iterations", "first", "last"):
                assert said.get(name) == row[name], (name, said, row)
            assert abs(start - row["start_ns"]) < 0.01, (start, row)
            # Begin and end are rounded to tenths.
            assert abs(took - row["duration_ns"]) < 0.11, (took, row)
            count += 1
    with open(report_of, encoding="utf-8") as text:
        loops = json.load(text)["loops"]
    for loop in loops:
        seconds = sums.pop((loop["file"], loop["line"])) / 1e9
        away = abs(seconds - loop["busy_seconds"])
        # A tenth of a nanosecond for each chunk at most.
        # Executions that were not profiled have work, and no chunks.
        less = seconds < loop["busy_seconds"] and (loop["unprofiled_executions"] or 0) > 0
        assert less or away <= 1e-10 * loop["chunks"] + 1e-12 * seconds, (seconds, loop["busy_seconds"])
    assert not sums, sums
    print(f"{count} chunks, {pieces} sub-blocks, {len(loops)} loops, {' '.join(sorted(schedules))}")


main(*sys.argv[1:])
