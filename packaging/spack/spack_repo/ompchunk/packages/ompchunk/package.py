# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Ompchunk(MakefilePackage):
    """Every chunk of every OpenMP loop as an event for OMPT tools, with stock clang and a stock
    runtime: a plugin for clang and flang, a shim between runtime and tool, a recorder, and a
    command that reports where the time of each loop went."""

    homepage = "https://github.com/ompchunk/ompchunk"
    git = "https://github.com/ompchunk/ompchunk.git"

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    # The glue between plugin and LLVM is C++; rustc links with the C compiler.
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("rust@1.88:", type="build")
    # The plugin fits the clang of this LLVM alone. Programs run with its runtime.
    depends_on("llvm@16:23 +clang", type=("build", "link", "run", "test"))

    conflicts("platform=darwin", msg="ompchunk needs Linux: programs carry ELF notes for the shim")

    # Its own tests need several LLVMs and MPI. Spack's are below.
    build_time_test_callbacks = []

    @property
    def plugin(self):
        """The plugin's path, for -fpass-plugin=."""
        major = self.spec["llvm"].version.up_to(1)
        return join_path(self.prefix.lib, "ompchunk", f"llvm-{major}", "libompchunk.so")

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        env.set("LLVM_CONFIG", self.spec["llvm"].prefix.bin.join("llvm-config"))
        env.set("PREFIX", self.prefix)
        # What cargo downloads does not stay in the user's home.
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo"))
        env.set("CARGO_BUILD_JOBS", str(make_jobs))

    def build(self, spec, prefix):
        # Cargo runs as many processes as it is told; targets would wait for each other's lock.
        make(parallel=False)

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        env.set("OMPCHUNK_PLUGIN", self.plugin)
        env.set("OMPCHUNK_CC", self.spec["llvm"].prefix.bin.clang)
        env.set("OMPCHUNK_CXX", self.spec["llvm"].prefix.bin.join("clang++"))

    def setup_dependent_build_environment(
        self, env: EnvironmentModifications, dependent_spec: Spec
    ) -> None:
        env.set("OMPCHUNK_PLUGIN", self.plugin)

    def test_chunks(self):
        """compile a loop, run it under a tool, and count its chunks"""
        source = "chunks.c"
        with open(source, "w") as file:
            file.write(
                "int main(void) {\n"
                "#pragma omp parallel for schedule(static, 3) num_threads(2)\n"
                "  for (int i = 0; i < 10; i++)\n"
                '    __asm__ volatile("");\n'
                "}\n"
            )
        llvm = self.spec["llvm"].prefix
        clang = Executable(llvm.bin.clang)
        flags = ["-O2", "-fopenmp", f"-fpass-plugin={self.plugin}"]
        flags += [f"-L{llvm.lib}", f"-Wl,-rpath,{llvm.lib}"]
        clang(*flags, source, "-o", "chunks")
        ompchunk = Executable(self.prefix.bin.ompchunk)
        program = os.path.abspath("chunks")
        events = ompchunk("run", "--tool", "chunk-print", program, output=str, error=str)
        chunks = events.count(" chunk ")
        # Iterations 0 to 2, 3 to 5, 6 to 8, and 9.
        assert chunks == 4, f"{chunks} chunks instead of 4:\n{events}"
