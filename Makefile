# make        build everything that is installable into dist/  (PRODUCT="shim cli": some of plugin, shim, recorder, tools, cli)
# make demo   see what ompchunk adds, on a real program    (TEXT=file CHUNK=n)
# make test   what finds most in a quarter of an hour, from nothing
# make test-full  every check (PART="names": some of them; an hour)
# make check  what finds most in two minutes, before each commit
# make fuzz   random programs against it; WHAT=schedules: under other schedules alone; WHAT=promises: those of them that rely on who runs what; WHAT=modules: broken LLVM IR  (N=1000 SEED=number)
# make test-elsewhere ON=aarch64  all that is tested there, in an emulator (an hour; PART=part: eight minutes, also in CI; PART=fuzz: random programs)
# make test-elsewhere ON=trixie  a fresh Debian of that name, as a user has it: make demo, and what depends on compilers and C library (20 minutes)
# make measure WHAT=mutants  which tests notice which of many small changes of the source  (N=224 SEED=44 MOST=seconds for each; hours, and a stopped run goes on)
# make measure WHAT=engines  DuckDB, Polars and Dask on exported tables  (half a minute, also in make test-full; ARGS=--write for docs/scale.md)
# make measure WHAT=foreign  programs and suites of others under all schedules: LULESH, EPCC, BOTS, or any folder of sources  (DIRS="folders"; minutes each)
# make measure WHAT=load  hints on a busy machine: 20 recordings  (N=20; 2 minutes)
# make weight lines and files of the product, its tests and the rest
# make book   the documents as a book, into target/book/
# make deb    Debian packages of what is built, into target/deb/
# make wheel  a Python wheel of what is built, into target/wheel/
# make dist   a source archive with all crates, into target/archive/
# make help   the rest
#
# demo builds the plugin for the first LLVM that it finds. demo, test and setup install missing Debian packages if they may. LLVM_CONFIG=/path/to/llvm-config
# builds for that LLVM only. What takes more than a line is in scripts/, which say what further variables they read.

PREFIX ?= /usr/local
export PREFIX DESTDIR TEXT CHUNK N SEED JOBS WHAT

.PHONY: all setup demo test test-full check fuzz test-elsewhere measure weight bless book deb wheel dist install uninstall clean help

all:
	@scripts/build.sh $(or $(PRODUCT),plugin shim recorder tools cli)

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

fuzz: all
	@OMPCHUNK_IOMP5=$${OMPCHUNK_IOMP5:-$$(scripts/fetch-iomp5.sh --if-any)} \
	 OMPCHUNK_LIBOMP16=$${OMPCHUNK_LIBOMP16:-$$(scripts/fetch-libomp16.sh)} \
	 cargo run --quiet --release -p ompchunk-testsuite \
	   --bin $(if $(filter-out programs schedules promises modules,$(WHAT)),$(error WHAT=$(WHAT): programs, schedules, promises or modules?),fuzz)

# Debian's packages for another processor are fetched into target/aarch64/ and not installed.
test-elsewhere:
	@$(if $(filter aarch64,$(ON)),scripts/build.sh plugin && scripts/cross.sh $(or $(PART),test) $(ON),scripts/test-distro.sh $(or $(ON),trixie))

measure: all
	@scripts/measure.sh $(WHAT)

weight:
	@scripts/weight.sh

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
	@echo "make bless, make clean, make install PREFIX=/usr/local DESTDIR=, make uninstall"
