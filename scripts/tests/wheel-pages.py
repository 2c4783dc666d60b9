"""wheel-pages.py NOTEBOOK PAGE - runs the code of a notebook, and of the Python blocks of a page, each in its order, as they stand."""

import json
import pathlib
import re
import sys


def run(name, blocks):
    assert blocks, f"{name} has no code"
    names = {"__name__": "__main__"}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{name}, block {number}", "exec"), names)


def cells(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4, notebook["nbformat"]
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell in code:
        assert cell["outputs"] == [] and cell["execution_count"] is None, f"{path.name}: a cell has output: {cell['source']}"
    return ["".join(cell["source"]) for cell in code]


notebook, page = map(pathlib.Path, sys.argv[1:])
run(notebook.name, cells(notebook))
run(page.name, re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))
