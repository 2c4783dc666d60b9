#!/usr/bin/env bash
# Makes the wheel twice, with what surrounds it changed, and compares; checks what it is made of; installs it into a new environment
# below a path with a blank, and uses it there, without this tree: the command, the module, the notebook. Prints nothing but what went
# wrong, or that something cannot be tried.
. "$(dirname "$0")/../common.sh"
cd "$root"

skip() {
  say "skipped: $1"
  [ -z "${CI:-}" ] || die "nothing may be skipped here (CI is set)."
}
python3 -c 'import ensurepip, venv' 2>/dev/null || {
  skip "wheel: this Python makes no environments (make setup)"
  exit
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset OMP_TOOL OMP_TOOL_LIBRARIES OMPCHUNK_VERBOSE OMPCHUNK_DIST OMPCHUNK_LIBDIR OMPCHUNK_CC LD_PRELOAD LD_LIBRARY_PATH PYTHONPATH PYTHONHOME VIRTUAL_ENV SOURCE_DATE_EPOCH
export OMP_NUM_THREADS=2 PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# Bit for bit, whoever builds.
scripts/wheel.sh >"$work/said" || die "make wheel: $(cat "$work/said")"
made=(target/wheel/*.whl)
[ ${#made[@]} = 1 ] || die "make wheel makes ${made[*]}"
grep -qF "${made[0]}  " "$work/said" || die "make wheel says: $(cat "$work/said")"
mkdir "$work/first" "$work/te mp"
cp "${made[0]}" "$work/first"
wheel=$work/first/${made[0]##*/}
(
  umask 077
  export TZ=Asia/Kolkata LC_ALL=C LANG=C PREFIX=/elsewhere DESTDIR="$work/elsewhere"
  cd /
  TMPDIR="$work/te mp" "$root/scripts/wheel.sh" >"$work/said" || die "make wheel: $(cat "$work/said")"
)
cmp "$wheel" "${made[0]}" || die "the wheel is another one when it is made again"
[ ! -e "$work/elsewhere" ] || die "make wheel installs into DESTDIR"
[ -z "$(ls -A "$work/te mp")" ] || die "make wheel leaves its temporary directory behind"

# What it is made of: what make install has, and the module.
{
  PREFIX=/p DESTDIR=$work/stage scripts/install.sh install >/dev/null
  (cd "$work/stage/p" && find . -type f ! -path './share/modulefiles/*') | cut -c 3-
  for file in packaging/wheel/ompchunk/*.py; do say "site/ompchunk/${file##*/}"; done
} | sort >"$work/wanted"
python3 scripts/tests/wheel-contents.py "$wheel" "$(version)" >"$work/contents" || die "the wheel is not in order, see above"
diff "$work/wanted" <(sort "$work/contents") || die "the wheel has other files than make install"
# The oldest Python that METADATA names reads all of it.
python3 -c 'import ast, sys; [ast.parse(open(name, encoding="utf-8").read(), name, feature_version=(3, 9)) for name in sys.argv[1:]]' packaging/wheel/ompchunk/*.py

# The tag, by the program whose rules these are, and the metadata, by the library that pip uses.
if auditwheel=$(scripts/fetch-python.sh auditwheel); then
  PYTHONPATH=$auditwheel python3 -m auditwheel show "$wheel" >"$work/said" 2>&1 || die "auditwheel: $(cat "$work/said")"
  PYTHONPATH=$auditwheel python3 - "$wheel" <<'END_OF_PROGRAM' || die "the metadata is not in order, see above"
import pathlib, sys, zipfile
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename

path = pathlib.Path(sys.argv[1])
name, version, _, _ = parse_wheel_filename(path.name)
Metadata.from_email(zipfile.ZipFile(path).read(f"{name}-{version}.dist-info/METADATA"), validate=True)
END_OF_PROGRAM
  tag=${wheel##*-none-} tag=${tag%.whl}
  grep -qF "is consistent with the following platform tag: \"$tag\"" <<<"$(tr -s ' \n' ' ' <"$work/said")" || die "auditwheel says of $tag: $(cat "$work/said")"
else
  skip "the wheel's tag is not compared with auditwheel's"
fi

# pack TREE - what pack.py says of a tree that has a file more.
pack() {
  mkdir -p "$work/$1/bin" "$work/$1/lib" "$work/$1.made"
  cp dist/lib/tools/libchunk-print.so "$work/$1/bin/ompchunk"
  python3 packaging/wheel/pack.py 1 "$work/$1" "$work/empty" "$work/$1.made" 2>&1
}
# What must not be in a wheel is found: another library, a directory of this machine, and a newer C library changes the tag.
mkdir -p "$work/empty" "$work/odd/lib" "$work/path/lib" "$work/new/lib"
echo 'int odd(void) { return 1; }' >"$work/odd.c"
echo 'int odd(void); int use(void) { return odd(); }' >"$work/use.c"
echo '__asm__(".symver newer, newer@GLIBC_2.99"); int newer(void); int use(void) { return newer(); }' >"$work/new.c"
echo 'GLIBC_2.99 { global: newer; };' >"$work/new.map"
echo 'int newer(void) { return 1; }' >"$work/libc.c"
cc -shared -fPIC "$work/odd.c" -o "$work/libodd.so"
cc -shared -fPIC "$work/use.c" "$work/libodd.so" -Wl,-soname,libuse.so -o "$work/odd/lib/libuse.so"
cc -shared -fPIC "$work/odd.c" -Wl,-rpath,/opt/elsewhere -o "$work/path/lib/libpath.so"
cc -shared -fPIC -nostdlib "$work/libc.c" -Wl,--version-script="$work/new.map" -Wl,-soname,libc.so.6 -o "$work/libc.so.6"
cc -shared -fPIC -nostdlib "$work/new.c" "$work/libc.so.6" -o "$work/new/lib/libnew.so"
if said=$(pack odd); then die "a library that a system may not have is accepted"; fi
grep -qF "lib/libuse.so needs " <<<"$said" || die "of a library that a system may not have, pack.py says: $said"
if said=$(pack path); then die "a directory of the machine that builds is accepted"; fi
grep -qF "lib/libpath.so names directories" <<<"$said" || die "of a directory of the machine that builds, pack.py says: $said"
said=$(pack new) || die "pack.py says: $said"
compgen -G "$work/new.made/ompchunk-1-py3-none-manylinux_2_99_*.whl" >/dev/null || die "a newer C library is not in the tag: $(ls "$work/new.made")"

# In a new environment. What is installed names nothing of this tree.
venv="$work/a blänk/venv"
python3 -m venv "$venv"
(cd "$venv" && find . ! -name '*.pyc' ! -name __pycache__ | sort) >"$work/before"
pip() { "$venv/bin/python3" -m pip "$@" >"$work/said" 2>&1 || die "pip $*: $(cat "$work/said")"; }
pip install --no-index --no-deps "$wheel"
while read -r file; do
  case $file in
  site/*) ;;
  *) cmp "$venv/$file" "$work/stage/p/$file" || die "$file is installed as another one" ;;
  esac
done <"$work/contents"
if grep -rlF "$root/" "$venv/bin/ompchunk" "$venv/lib/ompchunk" "$venv"/lib/*.so "$venv/lib/pkgconfig" "$venv/lib/cmake"; then
  die "what is installed names this tree"
fi

# Without this tree, where mounts may be made: it is empty then.
hidden=(env)
for way in "unshare --mount" "unshare --user --map-root-user --mount"; do
  read -ra words <<<"$way"
  # shellcheck disable=SC2016 # the other shell's
  words+=(sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$root")
  if "${words[@]}" test ! -e "$root/dist" 2>/dev/null; then
    hidden=("${words[@]}")
    break
  fi
done
export PATH="$venv/bin:$PATH"
cp examples/programs/smooth.c scripts/tests/wheel-*.{py,sh} docs/python.md docs/notebook.ipynb "$work"
configs=$(some_llvm_configs)
cd "$work"
[ "$("${hidden[@]}" ompchunk --version)" = "ompchunk $(version)" ] || die "not this version: $(ompchunk --version)"
while IFS= read -r config <&3; do
  major=$(major_of "$config")
  # All that a plugin takes beside what every system has is its LLVM's.
  llvm=$("$config" --link-shared --libfiles)
  nm -D --undefined-only "$venv/lib/ompchunk/llvm-$major/libompchunk.so" | awk '$1 == "U" && $2 !~ /@/ { print $2 }' | sort >"$work/taken"
  [ -s "$work/taken" ] || die "the plugin for LLVM $major takes nothing of LLVM"
  nm -D --defined-only "${llvm%% *}" | sed 's/.* //; s/@.*//' | sort >"$work/given"
  missing=$(comm -23 "$work/taken" "$work/given")
  [ -z "$missing" ] || die "the plugin for LLVM $major takes what its LLVM has not: $missing"
done 3<<<"$configs"
"${hidden[@]}" ./wheel-tried.sh . >"$work/tried"
plugins=$(PKG_CONFIG_PATH=$venv/lib/pkgconfig pkg-config --variable=plugin_dir ompchunk)
[ "$(eval "realpath $plugins")" = "$venv/lib/ompchunk" ] || die "pkg-config finds the plugins in $plugins"

# Recordings: of two ranks, the second under a number of two digits, and one that is cut.
"${hidden[@]}" ompchunk cc -O2 -g -fopenmp smooth.c -o app
for rank in 0 10; do
  OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=11 "${hidden[@]}" ompchunk record -o "$rank.ompchunk" ./app 3 >"$work/said" 2>&1 || die "record: $(cat "$work/said")"
done
"${hidden[@]}" ompchunk record ./app 3 >"$work/said" 2>&1 || die "record: $(cat "$work/said")"
cp -R app.ompchunk cut.ompchunk
for trace in cut.ompchunk/*.trace; do truncate -s "$(($(stat -c %s "$trace") * 2 / 3))" "$trace"; done

# The module.
export TMPDIR="$work/te mp"
"${hidden[@]}" python3 wheel-module.py bare 0.ompchunk 10.ompchunk
[ "$(python3 -c 'import ompchunk; print(ompchunk.command())')" = "$venv/bin/ompchunk" ] || die "command() is $(python3 -c 'import ompchunk; print(ompchunk.command())')"
# It becomes the command, and a program finds no other signals ignored than under the command itself.
for signals in SigIgn SigBlk; do
  diff <(ompchunk run --tool chunk-print grep $signals /proc/self/status) <(python3 -m ompchunk run --tool chunk-print grep $signals /proc/self/status)
done
if python3 -m ompchunk report none 2>"$work/said"; then die "python3 -m ompchunk ends with 0"; fi
diff "$work/said" <(ompchunk report none 2>&1) || die "python3 -m ompchunk says something else"
# Another way to install, after which pip's list of files is about another directory.
pip install --no-index --no-deps --target "$work/flat" "$wheel"
[ "$(PYTHONPATH=$work/flat python3 -c 'import ompchunk; print(ompchunk.command())')" = "$work/flat/bin/ompchunk" ] || die "not the command in a flat directory"
[ "$(PYTHONPATH=$work/flat python3 -m ompchunk --version)" = "ompchunk $(version)" ] || die "no command in a flat directory"
rm "$work/flat/bin/ompchunk"
PYTHONPATH=$work/flat python3 -m ompchunk --version >"$work/said" 2>&1 && die "a command that is missing is not missed"
[ "$(sed 's,ompchunk: next:.*,next,' "$work/said")" = "ompchunk: found no command ompchunk that belongs to $work/flat"$'\n'next ] || die "of a command that is missing: $(cat "$work/said")"

# With the packages that read tables, from a directory of this tree.
if engines=$("$root/scripts/fetch-python.sh" engines); then
  PYTHONPATH=$engines python3 wheel-module.py tables 0.ompchunk 10.ompchunk cut.ompchunk
  [ -z "$(ls -A "$TMPDIR")" ] || die "left behind: $(ls -A "$TMPDIR")"
  PYTHONPATH=$engines python3 -W error wheel-pages.py notebook.ipynb python.md >"$work/said" 2>&1 || die "notebook or page: $(cat "$work/said")"
  # Whether static is certain to gain depends on what else the machine does.
  for says in "smooth.c:16: " static "cannot read none.ompchunk" loops; do
    grep -qF "$says" "$work/said" || die "notebook and page do not say $says: $(cat "$work/said")"
  done
  [ -z "$(ls -A "$TMPDIR")" ] || die "left behind: $(ls -A "$TMPDIR")"
else
  skip "tables, notebook and page: there is no pyarrow"
fi

# Uninstalling leaves nothing behind.
pip uninstall --yes ompchunk
(cd "$venv" && find . ! -name '*.pyc' ! -name __pycache__ | sort) >"$work/after"
diff "$work/before" "$work/after" >"$work/said" || {
  # Directories of a prefix, which pip does not count as its own.
  left=$(cd "$venv" && sed -n 's/^> //p' "$work/said" | while read -r name; do if [ ! -d "$name" ]; then say "$name"; fi; done)
  [ -z "$left" ] || die "pip uninstall leaves behind: $left"
}
