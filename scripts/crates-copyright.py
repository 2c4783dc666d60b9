"""crates-copyright.py MAJOR... - paragraphs for a Debian copyright file: the crates that are linked into the products, with the
plugins for these LLVMs. Stops at a licence whose text packaging/debian/copyright.in does not have."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCTS = ["ompchunk-cli", "ompchunk-rt", "ompchunk-recorder", "chunk-print-rs", "chunk-balance-rs", "schedule-check"]
TEMPLATE = (ROOT / "packaging/debian/copyright.in").read_text()
# The one that is taken where a crate offers several, the first of these that it offers.
PREFERRED = ["Apache-2.0", "MIT"]


def cargo(*arguments):
    # A cargo that misses a crate says so itself.
    done = subprocess.run(["cargo", *arguments, "--locked"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"ompchunk: cargo {arguments[0]} failed, see above\nompchunk: next: cargo fetch --locked")
    return done.stdout


def linked(majors):
    """Name and version of each crate that is linked into a product: neither what only builds it, nor macros."""
    trees = [[word for product in PRODUCTS for word in ("-p", product)]]
    trees += [["-p", "ompchunk-pass", "--features", f"llvm{major}"] for major in majors]
    found = set()
    for tree in trees:
        text = cargo("tree", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}", *tree)
        found |= {tuple(line.split()[:2]) for line in text.splitlines() if line.strip()}
    return {(name, version.removeprefix("v")) for name, version in found}


def alternatives(expression):
    """An SPDX expression of the simple kinds that crates have, as the licences that all hold, each chosen from its alternatives."""
    chosen = []
    for part in re.split(r"\s+AND\s+", expression.replace("/", " OR ")):
        offered = re.split(r"\s+OR\s+", part.strip().strip("()"))
        chosen.append(next((it for it in PREFERRED if it in offered), offered[0]))
    return chosen


def holders(folder, package):
    """The lines of its licence files that say whose it is; else its authors."""
    lines = []
    for path in sorted(folder.iterdir()):
        if re.match(r"(?i)(licen[cs]e|copying|copyright|unlicense)", path.name) and path.is_file():
            for line in path.read_text(errors="replace").splitlines():
                line = " ".join(line.strip(" \t#*/").split())
                # Not the form that the Apache License ends with.
                if re.match(r"(?i)copyright (\(c\)|©|\d|the|[A-Z])", line) and not re.search(r"[\[{<]|(?i:copyright (owner|holder|notice|law|licen[cs]e))", line):
                    lines.append(re.sub(r"(?i)^copyright\s+(\(c\)|©)?\s*", "", line))
    return list(dict.fromkeys(lines)) or package["authors"] or [f"the authors of {package['name']}"]


def field(name, lines):
    return name + ": " + "\n ".join(line.strip() and line or "." for line in lines)


def paragraph(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    name = f"{package['name']} {package['version']}"
    if not package["license"]:
        sys.exit(f"ompchunk: {name} names no licence\nompchunk: next: see {folder}, and do without it if there is none")
    licences = alternatives(package["license"])
    for licence in licences:
        if f"\nLicense: {licence}\n" not in TEMPLATE:
            sys.exit(f"ompchunk: {name} is under {licence}, whose text is missing\nompchunk: next: add it to packaging/debian/copyright.in")
    fields = [
        f"Files: vendor/{package['name']}-{package['version']}/*",
        field("Copyright", holders(folder, package)),
        "License: " + " and ".join(licences),
    ]
    for notice in sorted(folder.glob("NOTICE*")):
        text = [line.rstrip() for line in notice.read_text(errors="replace").strip().splitlines()]
        fields.append(field("Comment", ["Its NOTICE file says:", *text]))
    return "\n".join(fields) + "\n"


def main(majors):
    metadata = json.loads(cargo("metadata", "--format-version", "1", "--features", ",".join(f"ompchunk-pass/llvm{it}" for it in majors)))
    wanted = linked(majors)
    # Ours have no source, and stand under Files: *.
    theirs = [it for it in metadata["packages"] if it["source"] and (it["name"], it["version"]) in wanted]
    missing = wanted - {(it["name"], it["version"]) for it in metadata["packages"]}
    if missing or not theirs:
        sys.exit(f"ompchunk: cargo metadata knows nothing of {sorted(missing) or 'any crate'}")
    crates = "\n".join(paragraph(it) for it in sorted(theirs, key=lambda it: (it["name"], it["version"])))
    sys.stdout.write(TEMPLATE.replace("@CRATES@\n", crates + "\n"))


main(sys.argv[1:])
