"""pack.py VERSION TREE LICENCES INTO - packs an installed tree (make install) and the module beside this file into a wheel, INTO/*.whl.

The command and its libraries go where pip installs scripts and data: below one prefix, as `make install` does, so that the command
finds the rest. The tag says the oldest C library that has all that the files need. Bytes depend on the files, SOURCE_DATE_EPOCH and the
version of zlib alone.
"""

import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import stat
import struct
import subprocess
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# Of those that every manylinux system has (PEP 600), the ones that we know of. A plugin's LLVM is the compiler's that loads it: it names none.
ALLOWED = {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libgcc_s.so.1", "libstdc++.so.6"}
MACHINES = {62: ("x86_64", "ld-linux-x86-64.so.2"), 183: ("aarch64", "ld-linux-aarch64.so.1")}
# What glibc adds to the versions of its symbols where a file uses relative relocations in packed form.
PACKED = {"ABI_DT_RELR": (2, 36)}


def fail(*lines):
    sys.exit("\n".join(f"ompchunk: {line}" for line in lines))


def glibc(version):
    """The release of a version of symbols of glibc, without GLIBC_."""
    if version in PACKED:
        return PACKED[version]
    if not re.fullmatch(r"[0-9.]+", version):
        return None
    return tuple(int(number) for number in version.split(".")[:2])


def needs(path, data):
    """The machine of an ELF file, and the newest glibc whose symbols it takes; stops if it needs more than every system has."""
    code = struct.unpack_from("<H", data, 18)[0]
    if code not in MACHINES:
        fail(f"{path} is for a machine that no wheel is made for (ELF number {code}).")
    machine, loader = MACHINES[code]
    said = subprocess.run(
        ["readelf", "--wide", "--dynamic", "--version-info", path], check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C"}
    ).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.*)\]", said))
    if libraries - ALLOWED - {loader}:
        fail(f"{path} needs {', '.join(sorted(libraries - ALLOWED - {loader}))}, which a system may not have.", "next: link it without")
    if re.search(r"\((RPATH|RUNPATH)\)", said):
        fail(f"{path} names directories of the machine that built it.", "next: link it without -rpath")
    versions = {}
    for needed in said.split("Version needs section")[1:]:
        # A definition section may follow.
        for version in re.findall(r"Name: GLIBC_(\S+)", needed.split("Version definition section")[0]):
            versions[version] = glibc(version)
            if versions[version] is None:
                fail(f"{path} needs GLIBC_{version}, which is no release of glibc.")
    return machine, max(versions.values(), default=(2, 5))


def tag(files):
    """The platform that all ELF files run on."""
    found = [needs(path, path.read_bytes()) for path in files if path.read_bytes()[:4] == b"\x7fELF"]
    machines = {machine for machine, _ in found}
    if len(machines) != 1:
        fail(f"the files are for different machines: {', '.join(sorted(machines)) or 'none'}.")
    major, minor = max(version for _, version in found)
    return f"manylinux_{major}_{minor}_{machines.pop()}"


def contents(name, tree, licences):
    """What goes into the wheel, by its name there, besides what describes the wheel itself."""
    found = {f"ompchunk/{path.name}": path for path in (HERE / "ompchunk").glob("*.py")}
    for path in tree.rglob("*"):
        if path.is_file():
            below = path.relative_to(tree)
            scheme = "scripts" if below.parts[0] == "bin" else f"data/{below.parent.as_posix()}"
            found[f"{name}.data/{scheme}/{path.name}"] = path
    found.update({f"{name}.dist-info/licenses/{path.name}": path for path in licences.iterdir()})
    return found


def entry(name, executable):
    """A file's name, time and rights in the archive."""
    # The oldest time that the format has, if none is given.
    epoch = max(int(os.environ.get("SOURCE_DATE_EPOCH") or 0), 315532800)
    info = zipfile.ZipInfo(name, time.gmtime(epoch)[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
    return info


def write(wheel, files, record):
    """Packs bytes by their names, with RECORD as the last."""
    rows = []
    with zipfile.ZipFile(wheel, "w", compresslevel=6) as archive:
        for name, data in files:
            archive.writestr(entry(name, data[:4] == b"\x7fELF"), data, compresslevel=6)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append([name, f"sha256={digest}", len(data)])
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, [record, "", ""]])
        archive.writestr(entry(record, False), text.getvalue(), compresslevel=6)


def main(version, tree, licences, into):
    name = f"ompchunk-{version}"
    found = contents(name, pathlib.Path(tree), pathlib.Path(licences))
    platform = tag(found.values())
    files = {archived: path.read_bytes() for archived, path in found.items()}
    about = f"{name}.dist-info"
    files[f"{about}/METADATA"] = (HERE / "METADATA.in").read_bytes().replace(b"@VERSION@", version.encode())
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: ompchunk ({version})\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n".encode()
    wheel = pathlib.Path(into) / f"{name}-py3-none-{platform}.whl"
    # What describes the wheel is last, as the format recommends.
    write(wheel, sorted(files.items(), key=lambda file: (file[0].startswith(about), file[0])), f"{about}/RECORD")


main(*sys.argv[1:])
