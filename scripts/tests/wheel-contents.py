"""wheel-contents.py WHEEL VERSION - whether a wheel is what PEP 427 says, whatever made it. Prints the names of its files, as pip
installs them below one prefix (the module's below site/)."""

import base64
import csv
import hashlib
import io
import pathlib
import re
import stat
import sys
import zipfile


def main(path, version):
    archive = zipfile.ZipFile(path)
    names = archive.namelist()
    about, data = f"ompchunk-{version}.dist-info/", f"ompchunk-{version}.data/"
    named = re.fullmatch(rf"ompchunk-{re.escape(version)}-(py3-none-manylinux_\d+_\d+_\w+)\.whl", pathlib.Path(path).name)
    assert named, f"the file is called {path}"
    assert len(set(names)) == len(names), "a name is there twice"
    assert names[-1] == about + "RECORD", f"{names[-1]} is last"
    assert archive.testzip() is None

    rows = list(csv.reader(io.TextIOWrapper(archive.open(about + "RECORD"), "utf-8", newline="")))
    assert [row[0] for row in rows] == names, "RECORD names other files"
    assert rows[-1] == [about + "RECORD", "", ""]
    for name, digest, size in rows[:-1]:
        content = archive.read(name)
        wanted = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        assert (digest, int(size)) == (f"sha256={wanted}", len(content)), f"RECORD is wrong about {name}"

    elf = {name for name in names if archive.read(name)[:4] == b"\x7fELF"}
    for info in archive.infolist():
        mode = stat.S_IFREG | (0o755 if info.filename in elf else 0o644)
        assert info.external_attr >> 16 == mode, f"{info.filename}: {info.external_attr >> 16:o}"
        assert info.date_time == archive.infolist()[0].date_time, f"{info.filename} has a time of its own"

    wheel = archive.read(about + "WHEEL").decode().splitlines()
    assert "Wheel-Version: 1.0" in wheel and "Root-Is-Purelib: false" in wheel and f"Tag: {named[1]}" in wheel, wheel
    metadata = archive.read(about + "METADATA").decode().split("\n\n")[0].splitlines()
    for line in ["Name: ompchunk", f"Version: {version}", "Requires-Python: >=3.9", "License-File: LICENSE", "License-File: COPYRIGHT"]:
        assert line in metadata, f"METADATA lacks {line}: {metadata}"
    assert [line for line in metadata if line.startswith("Requires-Dist")] == ['Requires-Dist: pyarrow; extra == "tables"'], metadata
    for licence in ["LICENSE", "COPYRIGHT"]:
        assert "Apache License" in archive.read(f"{about}licenses/{licence}").decode(), licence

    for name in names:
        if name.startswith(data):
            scheme, _, below = name[len(data) :].partition("/")
            print({"scripts": "bin/", "data": ""}[scheme] + below)
        elif not name.startswith(about):
            print("site/" + name)


main(*sys.argv[1:])
