//! What may have become of a module before the plugin sees it.

/// Pipelines of LLVM passes that leave loops in forms that frontends do not emit.
pub const FORMS: [&str; 29] = [
    "always-inline",
    "cgscc(inline)",
    "function(mem2reg)",
    "function(sroa)",
    "function(sroa,simplifycfg)",
    "function(simplifycfg)",
    "function(jump-threading)",
    "function(sroa,jump-threading,simplifycfg)",
    "function(instcombine)",
    "function(sroa,instcombine,gvn)",
    "function(early-cse)",
    "function(gvn,dse)",
    "function(loop-simplify,loop(loop-rotate))",
    "function(sroa,loop-simplify,loop(loop-rotate))",
    "function(loop-simplify,lcssa)",
    "function(loop-mssa(licm))",
    "function(sroa,loop-mssa(licm))",
    "function(loop-mssa(licm),dse)",
    "function(loop-mssa(simple-loop-unswitch<nontrivial>))",
    "function(loop-unroll)",
    "function(sroa,loop-unroll)",
    "function(reg2mem)",
    "function(sroa,reg2mem)",
    "function(lower-switch)",
    "function(break-crit-edges)",
    "function(mergereturn)",
    "function(unify-loop-exits)",
    "function(fix-irreducible)",
    "function(structurizecfg)",
];

/// One of them as that major's `opt` takes it.
pub fn pipeline(form: &str, major: u32) -> String {
    match major {
        // These abort where one run is not enough.
        18.. => form.replace("instcombine", "instcombine<no-verify-fixpoint>"),
        _ => form.to_owned(),
    }
}
