# make        build everything that is installable into dist/
# make demo   see what ompchunk adds, on a real program    (TEXT=file CHUNK=n)
# make test   what finds most in a quarter of an hour, from nothing
# make test-full  every check (PART="names": some of them; an hour)
# make check  what finds most in two minutes, before each commit
# make faults which tests find which planted faults, and in how many seconds  (WHICH=names; hours)
# make mutants which tests notice which of many small changes of the source  (N=224 SEED=44 MOST=seconds for each; hours, and a stopped run goes on)
# make fuzz   random programs against it; WHAT=schedules: under other schedules alone; WHAT=promises: those of them that rely on who runs what; WHAT=modules: broken LLVM IR  (N=1000 SEED=number)
# make test-aarch64  all that is tested for AArch64, in an emulator (an hour; PART=1: eight minutes, also in CI); make fuzz-aarch64: random programs there (N=1000)
# make test-distro DISTRO=trixie  a fresh Debian of that name, as a user has it: make demo, and what depends on compilers and C library (20 minutes)
# make engines  DuckDB, Polars and Dask on exported tables  (half a minute, also in make test-full; ARGS=--write for docs/scale.md)
# make foreign  programs and suites of others under all schedules: LULESH, EPCC, BOTS, or any folder of sources  (DIRS="folders"; minutes each)
# make weight lines and files of the product, its tests and the rest
# make load   hints on a busy machine: 20 recordings       (N=20; 2 minutes)
# make book   the documents as a book, into target/book/
# make deb    Debian packages of what is built, into target/deb/
# make wheel  a Python wheel of what is built, into target/wheel/
# make dist   a source archive with all crates, into target/archive/
# make help   the rest
#
# demo builds the plugin for the first LLVM that it finds. demo, test and setup install missing Debian packages if they may. LLVM_CONFIG=/path/to/llvm-config
# builds for that LLVM only. What takes more than a line is in scripts/.

PREFIX ?= /usr/local
WHAT ?= programs
export PREFIX DESTDIR TEXT CHUNK N SEED JOBS WHAT

.PHONY: all plugin shim recorder tools cli setup demo test test-full check faults mutants fuzz test-aarch64 fuzz-aarch64 test-distro engines foreign load weight bless book deb wheel dist install uninstall clean help

all: plugin shim recorder tools cli

plugin shim recorder tools cli:
	@scripts/build.sh $@

setup:
	@scripts/setup.sh

demo:
	@scripts/setup.sh
	@scripts/build.sh demo
	@scripts/demo.sh

# Two LLVMs are enough to find most, and each more takes a minute to build for.
test: export OMPCHUNK_LLVMS := $(or $(OMPCHUNK_LLVMS),22 19)
test:
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory all
	@scripts/check.sh

test-full:
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory all
	@scripts/test.sh $(PART)

check: all
	@scripts/check.sh first

faults: all
	@scripts/faults.sh $(WHICH)

# scripts/mutants.sh says what ONLY, ENOUGH, LIMIT, JOBS and ANEW are.
mutants: all
	@N="$(N)" SEED="$(SEED)" MOST="$(MOST)" ONLY="$(ONLY)" ENOUGH="$(ENOUGH)" LIMIT="$(LIMIT)" JOBS="$(JOBS)" ANEW="$(ANEW)" scripts/mutants.sh

fuzz: all
	@OMPCHUNK_IOMP5=$${OMPCHUNK_IOMP5:-$$(scripts/fetch-iomp5.sh --if-any)} \
	 OMPCHUNK_LIBOMP16=$${OMPCHUNK_LIBOMP16:-$$(scripts/fetch-libomp16.sh)} \
	 cargo run --quiet --release -p ompchunk-testsuite \
	   --bin $(if $(filter programs schedules promises modules,$(WHAT)),fuzz,$(error WHAT=$(WHAT): programs, schedules, promises or modules?))

# Debian's packages for it are fetched into target/aarch64/ and not installed.
test-aarch64: plugin
	@scripts/cross.sh $(if $(PART),part,test) aarch64

fuzz-aarch64: plugin
	@scripts/cross.sh fuzz aarch64

# scripts/test-distro.sh says what MIRROR, RUST, TESTS, LLVMS, PART, KEEP and EXPIRED are.
test-distro:
	@MIRROR="$(MIRROR)" RUST="$(RUST)" TESTS="$(TESTS)" LLVMS="$(LLVMS)" PART="$(PART)" KEEP="$(KEEP)" EXPIRED="$(EXPIRED)" scripts/test-distro.sh $(or $(DISTRO),trixie)

# Three recordings are in make test-full, among what judges time.
load: all
	@OMPCHUNK_RECORDINGS=$(or $(N),20) OMPCHUNK_DIST=$(CURDIR)/dist cargo test --quiet -p ompchunk-cli --test all -- --ignored --nocapture load::

weight:
	@scripts/weight.sh

# scripts/foreign.py says what THREADS, ONLY, LIMIT, SCHEDULES and CC are.
foreign: all
	@OMPCHUNK_IOMP5=$${OMPCHUNK_IOMP5:-$$(scripts/fetch-iomp5.sh --if-any)} scripts/foreign.py $(CURDIR)/dist/bin/ompchunk $(DIRS)

engines: all
	@scripts/engines.sh $(ARGS)

# Accept what the IR tests print now as what they shall print, and write docs/data/coverage.csv and docs/coverage.md anew.
bless: all
	@scripts/test.sh bless

book:
	@scripts/book.sh

deb: all
	@scripts/deb.sh

wheel: all
	@scripts/wheel.sh

dist:
	@scripts/dist.sh

install uninstall:
	@scripts/install.sh $@

clean:
	rm -rf dist target

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
	@echo "make foreign DIRS=, make bless, make clean, make install PREFIX=/usr/local DESTDIR=, make uninstall"
