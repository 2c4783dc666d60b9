"""Recordings of ompchunk in Python: reports and advice as objects, and tables.

The work is done by the command `ompchunk` that was installed together with this module. Units and the meaning of fields are those of
its documentation: docs/report-json.md and docs/export.md. pyarrow is needed for tables alone.
"""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Iterable, Union

if TYPE_CHECKING:
    from ompchunk._tables import Tables

__all__ = ["OmpchunkError", "OmpchunkWarning", "advise", "command", "main", "report", "tables"]

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Iterable[Path]]
Selection = Union[str, int, Iterable[Union[str, int]], None]


class OmpchunkError(Exception):
    """The command failed. The message is its own: what happened, and the next step."""


class OmpchunkWarning(UserWarning):
    """What the command says beside its answer, such as what a damaged recording lacks."""


def report(
    path: Paths,
    *,
    loop: Selection = None,
    sort: str | None = None,
    top: int | None = None,
    rank: Selection = None,
    diff: Path | None = None,
) -> SimpleNamespace:
    """The fields of `ompchunk report --json` as attributes (docs/report-json.md). All times are seconds; None: not known.

    `path` is a recording, or several that are one run. The options are those of the command.
    """
    return _objects(_run("report", _paths(path), "--json", loop=loop, sort=sort, top=top, rank=rank, diff=diff))


def advise(
    path: Path,
    *,
    loop: Selection = None,
    threads: int | None = None,
    rank: Selection = None,
    runtime: Path | None = None,
) -> SimpleNamespace:
    """The fields of `ompchunk advise --json` as attributes (docs/advise.md). Predictions are intervals: low, middle, high.

    It first measures what dealing a chunk costs on this machine, unless that is known.
    """
    return _objects(_run("advise", [os.fspath(path)], "--json", loop=loop, threads=threads, rank=rank, runtime=runtime))


def tables(path: Paths, *, loop: Selection = None, rank: Selection = None) -> Tables:
    """The tables of `ompchunk export --to parquet` by their names (docs/export.md), as pyarrow reads them. Times are in their names' units.

    They are in a temporary directory, which is removed by close(), at the end of a `with` block, with the object, or when Python ends.
    """
    import shutil
    import tempfile

    from ompchunk._tables import Tables, need

    need("pyarrow", "ompchunk.tables")
    directory = tempfile.mkdtemp(prefix="ompchunk-")
    try:
        _run("export", [*_paths(path), directory], to="parquet", loop=loop, rank=rank)
        return Tables(directory)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def command() -> str:
    """The path of the command that belongs to this module."""
    from importlib.metadata import distributions

    site = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # What the installer wrote down, of the installation that this file belongs to: another one may come first in PATH.
    recorded = [
        str(file.locate())
        for installed in distributions(name="ompchunk", path=[site])
        for file in installed.files or ()
        if file.parts[-2:] == ("bin", "ompchunk")
    ]
    # With `pip install --target`, that list is about another directory.
    for candidate in [*recorded, os.path.join(site, "bin", "ompchunk")]:
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return os.path.normpath(candidate)
    raise OmpchunkError(f"found no command ompchunk that belongs to {site}\nnext: install the wheel again, with pip install --force-reinstall")


def main() -> None:
    """Becomes the command, with the arguments of this process."""
    import signal

    try:
        path = command()
        # Python ignores these, and a program that the command starts would inherit that.
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored, signal.SIG_DFL)
        os.execv(path, [path, *sys.argv[1:]])
    except (OmpchunkError, OSError) as error:
        sys.exit("\n".join(f"ompchunk: {line}" for line in str(error).splitlines()))


def _paths(path: Paths) -> list[str]:
    if isinstance(path, (str, os.PathLike)):
        return [os.fspath(path)]
    return [os.fspath(each) for each in path]


def _words(options: dict[str, Any]) -> list[str]:
    """Options as the command takes them: without those that are None, and with an option for each of several values."""
    words = []
    for name, value in options.items():
        if value is None:
            continue
        values = [value] if isinstance(value, (str, int, os.PathLike)) else value
        words += [f"--{name}={os.fspath(each) if isinstance(each, os.PathLike) else each}" for each in values]
    return words


def _run(subcommand: str, paths: list[str], *flags: str, **options: Any) -> bytes:
    """What the command prints."""
    import re
    import subprocess
    import warnings

    words = [command(), subcommand, *flags, *_words(options), "--", *paths]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except OSError as error:
        raise OmpchunkError(f"cannot run {words[0]}: {error.strerror}\nnext: {words[0]} doctor") from error
    said = re.sub("(?m)^ompchunk: ", "", done.stderr.decode(errors="replace").strip())
    if done.returncode != 0:
        raise OmpchunkError(said or f"ompchunk {subcommand} ended with {done.returncode} and said nothing")
    if said:
        # The warning names the line that called report(), advise() or tables(), which called this.
        warnings.warn(said, OmpchunkWarning, stacklevel=3)
    return done.stdout


def _objects(answer: bytes) -> SimpleNamespace:
    import json

    return json.loads(answer, object_hook=lambda fields: SimpleNamespace(**fields))
