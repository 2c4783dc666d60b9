//! What is known of a file without loop records: by the runtime's functions that it calls. Where these allow two
//! causes, both are named.

/// Functions of the runtime that a file calls without defining them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    /// Refers to the shim, as code does in which the plugin has found something.
    pub(crate) instrumented: bool,
    /// For a loop, certainly.
    loops: bool,
    /// For a loop or for `sections`, which are compiled alike.
    loops_or_sections: bool,
    /// Any other, of LLVM's runtime.
    others: bool,
    gcc: bool,
}

impl Calls {
    /// Takes note of a function that is called.
    pub(crate) fn see(&mut self, name: &[u8]) {
        let is = |prefix: &str| name.starts_with(prefix.as_bytes());
        if is("__kmpc_dispatch_init_") || is("__kmpc_dist_for_static_init_") {
            self.loops = true;
        } else if is("__kmpc_for_static_init_") {
            self.loops_or_sections = true;
        } else if is("__kmpc_") {
            self.others = true;
        } else if is("GOMP_") {
            self.gcc = true;
        }
    }

    pub(crate) fn what(self) -> &'static str {
        match self {
            Calls { gcc: true, .. } => {
                "no loop of it is instrumented: GCC has compiled its OpenMP code, or a part of it"
            }
            Calls { loops: true, .. } => "it has worksharing loops, and none of them is instrumented",
            Calls { loops_or_sections: true, .. } => {
                "no loop of it is instrumented; whether it has any, or only sections, cannot be told, as both \
                 call the same function of the runtime"
            }
            Calls { others: true, .. } => "it has OpenMP code, but no worksharing loop",
            _ => "it calls no OpenMP runtime, as far as it has symbols that tell",
        }
    }

    pub(crate) fn next(self) -> &'static str {
        match self {
            Calls { gcc: true, .. } => "compile with ompchunk cc, c++ or fc, which take clang and flang",
            Calls { loops: false, loops_or_sections: false, .. } => {
                "a program's loops may be in its libraries: ompchunk loops with one of them"
            }
            // Code of other files may still lack it.
            Calls { instrumented: true, .. } => {
                "the plugin was there for a part of it at least: -Rpass-missed=ompchunk when compiling says why loops \
                 are left alone; where it says nothing of a loop, compile with ompchunk cc, c++ or fc"
            }
            _ => {
                "compile with ompchunk cc, c++ or fc; if it was, -Rpass-missed=ompchunk when compiling says why \
                 loops are left alone, and names sections"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(instrumented: bool, names: &[&str]) -> Calls {
        let mut calls = Calls { instrumented, ..Calls::default() };
        names.iter().for_each(|name| calls.see(name.as_bytes()));
        calls
    }

    #[test]
    fn only_what_is_certain() {
        for (names, what) in [
            (&["__kmpc_fork_call", "__kmpc_dispatch_init_8u"][..], "has worksharing loops"),
            (&["__kmpc_dist_for_static_init_4"], "has worksharing loops"),
            (&["__kmpc_for_static_init_4", "__kmpc_fork_call"], "or only sections"),
            (&["__kmpc_omp_task"], "but no worksharing loop"),
            (&["GOMP_parallel", "__kmpc_fork_call"], "GCC has compiled"),
            (&["printf"], "calls no OpenMP runtime"),
            (&[], "calls no OpenMP runtime"),
        ] {
            for instrumented in [false, true] {
                let calls = calls(instrumented, names);
                assert!(calls.what().contains(what), "{names:?}: {}", calls.what());
                // Who used the plugin is not told to use it as if nothing had been.
                let missed = calls.next().contains("the plugin was there");
                let may_have_loops = calls.loops || calls.loops_or_sections;
                assert_eq!(missed, instrumented && may_have_loops && !calls.gcc);
            }
        }
    }
}
