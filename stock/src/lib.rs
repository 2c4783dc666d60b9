//! `libompchunk_stock`: preloaded into a program that was compiled without the plugin, it does at the program's static loops what the
//! plugin's code does at others: it asks the shim whether the loop is changed, and hands the thread the bounds that the shim says.
//!
//! `ompchunk run` names the loops ([`ompchunk_abi::run::STOCK`]), after it has looked at the files: calls of
//! `__kmpc_for_static_init_*` in the program and in the libraries that it starts with. These are never unloaded, so what is known of
//! them is known before the program begins and never changes (`sites`). All other calls, and those of loops that the shim leaves
//! as compiled, go on to the runtime as if this library were not there: nothing on the stack, the program's own return address
//! (`calls`).
//!
//! A thread runs the bounds that it begins with, and no others, so a loop can have other blocks, and nothing else
//! (`LOOP_STOCK`). Each thread of a team comes to a loop with the same record and the same arguments, but for its number; what is
//! decided here depends on these alone, so a team decides alike.
//!
//! Nothing here prints, ends the program or unwinds, and a thread takes no lock.

// Elsewhere nobody has written it in the processor's code, and no file has loops for it (`ompchunk_toolchain::loops::stock`).
#[cfg(target_arch = "x86_64")]
mod calls;
#[cfg(target_arch = "x86_64")]
mod module;
#[cfg(target_arch = "x86_64")]
mod open;
#[cfg(target_arch = "x86_64")]
mod sites;

#[cfg(target_arch = "x86_64")]
/// Before the program begins, when all that it starts with is in memory.
extern "C" fn at_load() {
    let _ = std::panic::catch_unwind(|| {
        if calls::find_runtime() {
            sites::find();
        }
    });
}

#[cfg(target_arch = "x86_64")]
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;
