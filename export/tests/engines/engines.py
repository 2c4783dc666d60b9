"""Other programs' engines on the tables of `ompchunk export --to parquet`: what docs/scale.md asks is answered alike by DuckDB and Dask and
as the page shows, and DuckDB, Polars and Dask have the sums of `ompchunk report --json`.

engines.py OMPCHUNK DIRECTORY PAGE [--write]: DIRECTORY has app-64.ompchunk and app-32.ompchunk; --write puts answers into the page.
"""

import json
import os
import re
import subprocess
import sys


def rows_of(table):
    """A pandas table as plain values."""
    return [tuple(getattr(value, "item", lambda value=value: value)() for value in row) for row in table.itertuples(index=False)]


def shown(names, rows):
    """A table for people."""
    def cell(value):
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    lines = [list(names)] + [[cell(value) for value in row] for row in rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(names))]
    numbers = [all(not isinstance(row[at], str) for row in rows) for at in range(len(names))]

    def aligned(line):
        cells = zip(line, widths, numbers)
        return "  ".join(text.rjust(width) if number else text.ljust(width) for text, width, number in cells).rstrip()

    return "\n".join(aligned(line) for line in lines)


def digits(sums):
    """Seconds in twelve digits: a report adds up seconds of parts, so that the last of sixteen may differ."""
    return {name: (chunks, its, float(f"{seconds:.12g}")) for name, (chunks, its, seconds) in sums.items()}


def same(what, one, other):
    if one != other:
        sys.exit(f"{what}:\n{one}\nis not\n{other}")


def main():
    ompchunk, directory, page = sys.argv[1:4]
    page = os.path.abspath(page)
    ompchunk = os.path.abspath(ompchunk)
    os.chdir(directory)
    for ranks in (64, 32):
        subprocess.run([ompchunk, "export", f"app-{ranks}.ompchunk", "--to", "parquet", f"app-{ranks}"], check=True)
    report = subprocess.run([ompchunk, "report", "--json", "app-64.ompchunk"], check=True, capture_output=True)
    report = {row["name"] + ":3": row for row in json.loads(report.stdout)["loops"]}

    import dask
    # What its processes say of each other's work.
    dask.config.set({"logging.distributed": "error"})
    import duckdb
    import polars
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    tables = ["chunks", "loops", "threads", "regions"]
    base = duckdb.connect()
    for prefix, of in (("", "app-64"), ("few_", "app-32")):
        for table in tables:
            where = f"read_parquet('{of}/{table}/*/*.parquet', hive_partitioning = true)"
            base.execute(f"create view {prefix}{table} as select * from {where}")
    client = Client(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))
    frames = {}
    for prefix, of in (("", "app-64"), ("few_", "app-32")):
        for table in tables:
            frames[prefix + table] = dd.read_parquet(f"{of}/{table}")

    # Sums of chunks, by loop: chunks, iterations, ticks.
    expected = digits({name: (row["chunks"], row["iterations"], row["busy_seconds"]) for name, row in report.items()})
    hertz = dict(base.execute("select name, any_value(ticks_per_second) from loops group by name").fetchall())
    query = """select l.name, count(*), sum(c.iterations)::bigint, sum(c.duration_ticks)::bigint
        from chunks c join loops l using (part, loop) group by l.name"""
    found = {n: (c, i, t / hertz[n]) for n, c, i, t in base.execute(query).fetchall()}
    same("DuckDB and report", digits(found), expected)
    scan = {table: polars.scan_parquet(f"app-64/{table}", hive_partitioning=True) for table in tables}
    names = scan["loops"].select("part", "loop", "name")
    sums = scan["chunks"].join(names, on=["part", "loop"]).group_by("name")
    sums = sums.agg(polars.len(), polars.col("iterations").sum(), polars.col("duration_ticks").sum()).collect()
    found = {n: (c, i, t / hertz[n]) for n, c, i, t in sums.iter_rows()}
    same("Polars and report", digits(found), expected)
    names = frames["loops"][["part", "loop", "name"]]
    both = frames["chunks"].merge(names, on=["part", "loop"])
    both = both.assign(chunks=1).groupby("name")[["chunks", "iterations", "duration_ticks"]].sum().compute()
    found = {str(n): (int(c), int(i), int(t) / hertz[str(n)]) for n, c, i, t in both.itertuples()}
    same("Dask and report", digits(found), expected)
    print(f"DuckDB {duckdb.__version__}, Polars {polars.__version__} and Dask on 2 processes: sums as in ompchunk report --json")

    text = open(page, encoding="utf-8").read()
    asked = re.compile(r"^(## .*?)\n(.*?)```sql\n(.*?)```\n\n```python\n(.*?)```\n\n```text\n(.*?)```", re.S | re.M)
    wrong = []

    def answer(match):
        title, between, sql, python, there = match.groups()
        result = base.execute(sql)
        columns = [column[0] for column in result.description]
        in_sql = result.fetchall()
        scope = dict(frames, dd=dd)
        exec(python, scope)
        in_dask = rows_of(scope["answer"])
        same(f"{title}: DuckDB and Dask", in_sql, in_dask)
        same(f"{title}: columns", columns, list(scope["answer"].columns))
        now = shown(columns, in_sql) + "\n"
        if now != there:
            wrong.append(f"{title}\n{now}")
        return f"{title}\n{between}```sql\n{sql}```\n\n```python\n{python}```\n\n```text\n{now}```"

    text, count = asked.subn(answer, text)
    client.shutdown()
    if count != 5:
        sys.exit(f"{page}: {count} questions with answers")
    if "--write" in sys.argv:
        open(page, "w", encoding="utf-8").write(text)
    elif wrong:
        sys.exit(f"{page} shows other answers than these:\n" + "\n".join(wrong))
    print(f"{count} questions are answered alike, and as {os.path.basename(page)} has it")


if __name__ == "__main__":
    main()
