//! `__ompchunk_connect`: a linked image of instrumented code meets the shim.
//!
//! Right at any time, also before or without a tool: the image then finds that nobody listens.

use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};
use std::panic::catch_unwind;

use ompchunk_abi::{CONNECTED, EnterFn, MAGIC, ModuleRecord, REFUSED, VERSION};

use crate::hooks::{TABLE, enter, enter_counted};
use crate::object::Object;
use crate::{record, report, start, tally};

/// The entry point that instrumented code looks up: a `ConnectFn`.
///
/// # Safety
///
/// `module` is null or points to the module record of an image that stays loaded while its loops
/// run. Of a record of a foreign version only the first 16 bytes are read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ompchunk_connect(module: *mut ModuleRecord) -> u32 {
    // SAFETY: passed on.
    catch_unwind(|| unsafe { connect(module) }).unwrap_or(REFUSED)
}

/// # Safety
///
/// As for [`__ompchunk_connect`].
unsafe fn connect(module: *mut ModuleRecord) -> u32 {
    if module.is_null() {
        return REFUSED;
    }
    // SAFETY: these three stay where they are in every version, and never change.
    let (magic, version, size) = unsafe {
        (
            (&raw const (*module).magic).read(),
            (&raw const (*module).abi_version).read(),
            (&raw const (*module).size).read(),
        )
    };
    if magic != MAGIC || version != VERSION || size as usize != size_of::<ModuleRecord>() {
        refuse(module, magic, version, size);
        return REFUSED;
    }
    // SAFETY: a record of our version, all of whose other fields are atomic.
    let module = unsafe { &*module };
    let entry = match report::verbose() {
        true => enter_counted as EnterFn as *mut (),
        false => enter as EnterFn as *mut (),
    };
    let word = ptr::from_ref(TABLE.listening()).cast_mut();
    if record::publish(&module.state, &module.enter, word, entry) {
        tally::module();
        if report::verbose() {
            let path = path_of(module);
            report::explain(format_args!("instrumented code in {path} connected"));
            if !start::was_asked() {
                report::explain(format_args!(
                    "no events: the OpenMP runtime has not asked for a tool. Look for \
                     OMP_TOOL=disabled, a runtime without OMPT, or a tool that comes before \
                     libompchunk_rt.so"
                ));
            }
        }
    }
    CONNECTED
}

fn refuse(module: *const ModuleRecord, magic: u64, version: u32, size: u32) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let path = path_of(module);
    let ours = Object::of_shim().map_or_else(String::new, |shim| format!(" ({})", shim.path()));
    if magic == MAGIC && version != VERSION {
        report::complain(format_args!(
            "{path} was compiled by an ompchunk plugin with ABI version {version}, this shim{ours} \
             speaks version {VERSION}; its loops run without events. Rebuild it with the plugin of \
             this shim, or install the shim of that plugin"
        ));
    } else {
        report::complain(format_args!(
            "{path} offers a module record that is none of ABI version {VERSION} (magic {magic:#x}, \
             {size} bytes), this shim{ours} ignores it; its loops run without events. Rebuild it \
             with the plugin of this shim"
        ));
    }
}

fn path_of(module: *const ModuleRecord) -> String {
    Object::of(module.cast::<c_void>())
        .map(|object| object.path())
        .filter(|path| !path.is_empty())
        .unwrap_or_else(|| "the program".to_owned())
}
