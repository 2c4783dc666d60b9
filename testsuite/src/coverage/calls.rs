//! What the compiler asks of the runtime: the entries and schedule kinds in its LLVM IR.

use std::sync::LazyLock;

use regex::Regex;

/// A call that begins a worksharing construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The entry, without the prefix that all have.
    pub entry: String,
    pub kind: String,
}

static CALL: LazyLock<Regex> = LazyLock::new(|| {
    let entry = r"@__kmpc_((?:dist_)?(?:for_static|dispatch)_init_\w+)";
    Regex::new(&format!(r"(?:call|invoke) .*{entry}\((?:[^,]+,){{2}} i32 (\S+?)[,)]")).expect("a regex")
});

const MODIFIERS: [(u32, &str); 2] = [(1 << 29, "monotonic"), (1 << 30, "nonmonotonic")];

/// The calls of a module, each kind once, in the order of the module.
pub fn of_module(ir: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    for found in CALL.captures_iter(ir) {
        let call = Call { entry: found[1].to_owned(), kind: kind(&found[2]) };
        if !calls.contains(&call) {
            calls.push(call);
        }
    }
    calls
}

fn kind(text: &str) -> String {
    let Ok(mut number) = text.parse::<u32>() else {
        return "a run-time value".to_owned();
    };
    let mut names = Vec::new();
    for (bit, name) in MODIFIERS {
        if number & bit != 0 {
            number &= !bit;
            names.push(name);
        }
    }
    std::iter::once(number.to_string()).chain(names.into_iter().map(str::to_owned)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_entry_and_kind() {
        let ir = "\
            declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)\n\
            call void @__kmpc_for_static_init_4(ptr @1, i32 %5, i32 33, ptr %l, ptr %a, i32 1, i32 4)\n\
            call void @__kmpc_for_static_init_4(ptr @1, i32 %6, i32 33, ptr %l, ptr %a, i32 1, i32 4)\n\
            call void @__kmpc_dispatch_init_8u(ptr @1, i32 %6, i32 536870945, i64 0)\n\
            call void @__kmpc_for_static_fini(ptr @1, i32 %5)\n";
        let calls = of_module(ir);
        let text: Vec<_> = calls.iter().map(|c| (&*c.entry, &*c.kind)).collect();
        assert_eq!(text, [("for_static_init_4", "33"), ("dispatch_init_8u", "33 monotonic")]);
    }
}
