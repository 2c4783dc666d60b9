"""A recording's tables, read from Parquet files in a temporary directory when they are asked for."""

from __future__ import annotations

import importlib
import os
import shutil
import weakref
from collections.abc import Mapping
from typing import Any, Iterator


def need(package: str, why: str) -> Any:
    """The package, which `why` cannot do without."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        # One that is there but lacks something says so itself.
        if error.name != package:
            raise
        raise ImportError(f"{why} needs {package}, which is not installed\nnext: python3 -m pip install {package}", name=package) from None


def _remove(directory: str, owner: int) -> None:
    # A process that was forked has the same object, but the directory is not its own.
    if os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)


class Tables(Mapping):
    """Names of tables to pyarrow.Table. A table is read anew each time that it is asked for, so memory holds only what is kept."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._end = weakref.finalize(self, _remove, directory, os.getpid())
        self._names = sorted(os.listdir(directory))

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(f"{name}: this recording has the tables {', '.join(self._names)}")
        if not self._end.alive:
            raise ValueError("the tables are closed, and their files removed")
        arrow = need("pyarrow", "ompchunk.tables")
        datasets = importlib.import_module("pyarrow.dataset")
        # Without ranks, nothing in the names of the files says which type the column has.
        ranks = datasets.partitioning(arrow.schema([("rank", arrow.int64())]), flavor="hive")
        directory = os.path.join(self._directory, name)
        return datasets.dataset(directory, format="parquet", partitioning=ranks).to_table()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    # Those that Mapping has would read all tables.
    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<ompchunk tables: {', '.join(self._names)}>"

    def pandas(self, name: str) -> Any:
        """The table as a pandas.DataFrame. Integers stay integers where some are not known."""
        pandas = need("pandas", "Tables.pandas")
        arrow = need("pyarrow", "ompchunk.tables")
        types = {arrow.bool_(): pandas.BooleanDtype()}
        for integer in ("Int32", "Int64", "UInt32", "UInt64"):
            types[getattr(arrow, integer.lower())()] = getattr(pandas, f"{integer}Dtype")()
        return self[name].to_pandas(types_mapper=types.get)

    def polars(self, name: str) -> Any:
        """The table as a polars.DataFrame."""
        return need("polars", "Tables.polars").from_arrow(self[name])

    def close(self) -> None:
        """Removes the files. Tables that were read stay as they are."""
        self._end()

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
