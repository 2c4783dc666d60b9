"""spack.py PACKAGE PREFIX LLVM-PREFIX LLVM-VERSION DIRECTORY - reads a Spack recipe without Spack, and runs its test on an installed
tree. What stands for Spack here has the names that recipes of Spack's package API use; a name that is not among them is an error."""

import importlib.util
import os
import shlex
import subprocess
import sys
import types


class Prefix(str):
    """A path whose attributes are what is in it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.join(name)

    def join(self, name):
        return Prefix(os.path.join(self, name))


class Version(str):
    def up_to(self, parts):
        return Version(".".join(self.split(".")[:parts]))


class Executable:
    def __init__(self, command):
        self.command = shlex.split(command)

    def __call__(self, *arguments, output=None, error=None):
        done = subprocess.run(
            [*self.command, *arguments],
            stdout=subprocess.PIPE if output else None,
            stderr=subprocess.PIPE if error else None,
            text=True,
        )
        if done.returncode != 0:
            sys.exit(f"ompchunk: {self.command[0]} failed in the recipe's test: {done.stderr or ''}")
        return (done.stdout or "") + (done.stderr or "")


class EnvironmentModifications(dict):
    def set(self, name, value):
        assert isinstance(value, str), f"{name} is {value!r}"
        self[name] = value


class Package:
    """A recipe's base, and what Spack would set before it calls one."""

    phases = ("edit", "build", "install")


def directives():
    """Functions that write down what a recipe says."""
    said = []
    names = ["version", "depends_on", "conflicts", "license", "variant", "maintainers", "provides", "requires", "patch"]

    def directive(name):
        return lambda *words, **more: said.append((name, words, more))

    return said, {name: directive(name) for name in names}


def load(path):
    said, known = directives()
    calls = []
    api = types.ModuleType("spack.package")
    for name, value in {
        **known,
        "EnvironmentModifications": EnvironmentModifications,
        "Executable": Executable,
        "Spec": object,
        "join_path": os.path.join,
        "make": lambda *words, **more: calls.append((words, more)),
        "make_jobs": 7,
    }.items():
        setattr(api, name, value)
    makefile = types.ModuleType("spack_repo.builtin.build_systems.makefile")
    makefile.MakefilePackage = Package
    sys.modules.update({"spack.package": api, makefile.__name__: makefile})
    for name in ["spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"]:
        sys.modules[name] = types.ModuleType(name)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location("package", path))
    module.__loader__.exec_module(module)
    return module, said, calls


def main(path, prefix, llvm_prefix, llvm_version, directory):
    module, said, calls = load(path)
    versions = [words[0] for name, words, _ in said if name == "version"]
    needs = {words[0].split("@")[0].split()[0]: (words[0], more) for name, words, more in said if name == "depends_on"}
    assert needs["llvm"][0].startswith("llvm@16:23"), needs
    assert "run" in needs["llvm"][1]["type"], "programs need the runtime"
    assert needs["rust"][0] == "rust@" + os.environ["RUST_VERSION"] + ":", "another Rust than Cargo.toml asks for"
    assert os.environ["PACKAGE_VERSION"] in versions and "main" in versions, versions

    package = module.Ompchunk()
    package.prefix = Prefix(prefix)
    package.stage = types.SimpleNamespace(path=directory)
    package.spec = {"llvm": types.SimpleNamespace(prefix=Prefix(llvm_prefix), version=Version(llvm_version))}

    building = EnvironmentModifications()
    package.setup_build_environment(building)
    # What the Makefile and the scripts read, and cargo.
    assert os.access(building["LLVM_CONFIG"], os.X_OK), building
    assert building["PREFIX"] == prefix and building["CARGO_BUILD_JOBS"] == "7", building
    package.build(package.spec, package.prefix)
    assert calls == [((), {"parallel": False})], calls

    running, dependent = EnvironmentModifications(), EnvironmentModifications()
    package.setup_run_environment(running)
    package.setup_dependent_build_environment(dependent, None)
    for environment in running, dependent:
        assert os.path.isfile(environment["OMPCHUNK_PLUGIN"]), environment
    for name in "OMPCHUNK_CC", "OMPCHUNK_CXX":
        assert os.access(running[name], os.X_OK), running
    # For the shell that called, which compiles with it as a dependent would.
    print(dependent["OMPCHUNK_PLUGIN"])

    os.chdir(directory)
    package.test_chunks()


main(*sys.argv[1:])
