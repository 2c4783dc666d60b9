"""easyconfig.py FILE PREFIX ARCHIVE - reads an easyconfig as EasyBuild does, as a Python file with templates, compares it with the
archive and with an installed tree, and prints its sanity check's commands, a line each, with the module's variables before them."""

import hashlib
import os
import shlex
import sys


def main(path, prefix, archive):
    said = {"SHLIB_EXT": "so"}
    with open(path) as file:
        text = file.read()
    exec(compile(text, path, "exec"), said)
    assert "@VERSION@" not in text and "@SHA256@" not in text, "something is not filled in"
    toolchain = "{name}-{version}".format(**said["toolchain"])
    assert os.path.basename(path) == f"{said['name']}-{said['version']}-{toolchain}.eb", "EasyBuild finds easyconfigs by their name"
    templates = {"version": said["version"], "namelower": said["name"].lower(), "installdir": prefix, "builddir": ".", "parallel": 2}
    for name in "buildopts", "prebuildopts", "installopts":
        said[name] = said[name] % templates

    assert [source % templates for source in said["sources"]] == [os.path.basename(archive)], said["sources"]
    with open(archive, "rb") as file:
        assert said["checksums"] == [hashlib.sha256(file.read()).hexdigest()], "another archive's checksum"
    assert said["installopts"] == f"PREFIX={prefix}", said["installopts"]
    for file in said["sanity_check_paths"]["files"]:
        assert os.path.isfile(os.path.join(prefix, file)), f"no {file}"
    for directory in said["sanity_check_paths"]["dirs"]:
        assert os.path.isdir(os.path.join(prefix, directory)), f"no {directory}"
    for name, value in said["modextravars"].items():
        print(f"export {name}={shlex.quote(value % templates)}")
    for command in said["sanity_check_commands"]:
        print(f"( {command} ) || exit 1")


main(*sys.argv[1:])
