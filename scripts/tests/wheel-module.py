"""wheel-module.py bare | tables RECORDING... - whether the installed module says what its command says, of recordings that the test made;
bare: where no other package is installed. The first recording is of rank 0, the last one's trace is cut."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import types
import warnings

import ompchunk


def plain(value):
    """Objects as JSON has them."""
    if isinstance(value, types.SimpleNamespace):
        return {name: plain(field) for name, field in vars(value).items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def said(*words):
    return json.loads(subprocess.run([ompchunk.command(), *words], check=True, stdout=subprocess.PIPE).stdout)


def raised(kind, function, *arguments, **options):
    """What an exception says that must come."""
    try:
        function(*arguments, **options)
    except kind as error:
        assert type(error) is kind, f"{type(error)} instead of {kind}"
        return str(error)
    raise AssertionError(f"{function.__name__}{arguments} raises no {kind.__name__}")


def left():
    """Temporary directories of ours."""
    return [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("ompchunk-")]


def bare(first, second, *_):
    report = ompchunk.report(first)
    assert report.schema == "ompchunk-report" and report.loops[0].line > 0 and report.run.longest_seconds > 0
    assert plain(report) == said("report", "--json", first)
    both = ompchunk.report([first, second], sort="chunks", top=1, loop=["smooth.c"])
    assert plain(both) == said("report", "--json", "--sort", "chunks", "--top", "1", "--loop", "smooth.c", first, second)
    assert both.run.processes == 2
    assert plain(ompchunk.report([first, second], rank=0)) == said("report", "--json", "--rank", "0", first, second)
    assert ompchunk.report(second, diff=first).schema == "ompchunk-report-diff"

    advice = ompchunk.advise(first, threads=2)
    assert advice.schema == "ompchunk-advice" and advice.loops[0].now == "dynamic,1"
    assert [loop.name for loop in advice.loops] == [loop["name"] for loop in said("advise", "--json", first)["loops"]]

    # The command's own words, without its name before each line.
    missing = "cannot read none: No such file or directory (os error 2)\nnext: check the path and its permissions"
    for function in (ompchunk.report, ompchunk.advise):
        assert raised(ompchunk.OmpchunkError, function, "none") == missing
    assert "cannot read --json" in raised(ompchunk.OmpchunkError, ompchunk.report, "--json")
    assert "nowhere.c" in raised(ompchunk.OmpchunkError, ompchunk.report, first, loop="nowhere.c")
    raised(TypeError, ompchunk.report, first, html="page.html")

    asked = raised(ImportError, ompchunk.tables, first)
    assert asked == "ompchunk.tables needs pyarrow, which is not installed\nnext: python3 -m pip install pyarrow", asked
    assert left() == []


def with_its_object(first):
    """The directory goes with the object, but not with that of a process that was forked. Before pyarrow has threads."""
    opened = ompchunk.tables(first)
    if os.fork() == 0:
        sys.exit(0)
    os.wait()
    assert opened["loops"].num_rows == 1
    del opened
    gc.collect()
    assert left() == []


def tables(first, second, cut):
    with_its_object(first)
    import pyarrow

    whole = ompchunk.report([first, second])
    assert "cannot read none" in raised(ompchunk.OmpchunkError, ompchunk.tables, "none") and left() == []
    with ompchunk.tables([first, second]) as opened:
        assert len(left()) == 1
        assert list(opened) == ["chunks", "loops", "regions", "threads"] and "sums" not in opened and len(opened) == 4
        chunks, loops = opened["chunks"], opened["loops"]
        assert chunks.schema.field("rank").type == pyarrow.int64()
        assert set(chunks["rank"].to_pylist()) == {0, 10}, "not the ranks of the recordings"
        assert chunks.num_rows == sum(part.chunks for part in whole.parts)
        assert sum(chunks["duration_ticks"].to_pylist()) == sum(loops["duration_ticks"].to_pylist())
        assert "has the tables chunks, loops" in raised(KeyError, opened.__getitem__, "tasks") and "tasks" not in opened

        frame = opened.pandas("chunks")
        assert str(frame.dtypes["first"]) == "Int64" and str(frame.dtypes["thread"]) == "UInt32", frame.dtypes
        assert frame.iterations.sum() == whole.loops[0].iterations
        assert opened.polars("chunks")["iterations"].sum() == whole.loops[0].iterations
    assert left() == []
    raised(ValueError, opened.__getitem__, "chunks")
    assert chunks.num_rows == len(frame) and list(opened)[0] == "chunks"

    # Only some ranks, and none at all.
    with ompchunk.tables([first, second], rank=10) as opened:
        assert set(opened["loops"]["rank"].to_pylist()) == {10}
    raised(ompchunk.OmpchunkError, ompchunk.tables, first, rank=3)

    # What an export lacks is told, at the line that asked.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        opened = ompchunk.tables(cut)
    assert [warning.category for warning in caught] == [ompchunk.OmpchunkWarning] and caught[0].filename == __file__, caught
    assert "cut" in str(caught[0].message), caught[0].message

    # When Python ends, which the caller looks at.
    globals()["kept"] = ompchunk.tables(first)


{"bare": bare, "tables": tables}[sys.argv[1]](*sys.argv[2:])
