//! Loaded objects (the program and its shared libraries), told apart by their load address, not by function pointers: inside a
//! `dlopen`ed library `ompt_start_tool` may bind to the runtime's weak definition, and `dlsym` follows dependencies.

use core::ffi::{CStr, c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use std::ffi::CString;

use crate::images;

#[derive(Debug, Clone)]
pub(crate) struct Object {
    base: usize,
    path: CString,
}

impl Object {
    pub(crate) fn at_address(address: *const c_void) -> Option<Self> {
        let mut filled_in = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: `dladdr` takes any address; `filled_in` is ours to write.
        let found = unsafe { libc::dladdr(address, filled_in.as_mut_ptr()) };
        if found == 0 {
            return None;
        }
        // SAFETY: zeroed is a valid `Dl_info`, and `dladdr` has filled it in.
        let info = unsafe { filled_in.assume_init() };
        // SAFETY: null, or a string of the dynamic linker, valid while the object is loaded; `address`
        // is in it, and nobody unloads what is being looked at.
        let path = (!info.dli_fname.is_null()).then(|| unsafe { CStr::from_ptr(info.dli_fname) });
        Some(Self { base: info.dli_fbase as usize, path: path.map_or_else(CString::default, CStr::to_owned) })
    }

    /// The object that this code is in: the shim's library, or what it was linked into.
    pub(crate) fn of_shim() -> Option<Self> {
        static HERE: u8 = 0;
        Self::at_address((&raw const HERE).cast())
    }

    pub(crate) fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    pub(crate) fn is(&self, object: &Self) -> bool {
        self.base == object.base
    }

    /// Whether the object itself, not one it depends on, defines and exports `symbol`.
    pub(crate) fn defines(&self, symbol: &CStr) -> bool {
        !self.symbol(symbol).is_null()
    }

    /// The object's own definition of a symbol, not one of an object that it depends on; null: none.
    pub(crate) fn symbol(&self, symbol: &CStr) -> *mut c_void {
        // The main program cannot be opened by its path.
        let address = symbol_in(&self.path, symbol).unwrap_or_else(|| symbol_in_program(symbol));
        if Self::at_address(address).is_some_and(|object| object.is(self)) { address } else { ptr::null_mut() }
    }

    pub(crate) fn is_program(&self) -> bool {
        // SAFETY: `getauxval` has no preconditions.
        let headers = unsafe { libc::getauxval(libc::AT_PHDR) };
        Self::at_address(ptr::without_provenance(headers as usize)).is_some_and(|main| main.is(self))
    }

    /// Adds flags to a loaded library, `RTLD_GLOBAL` for example. False: not possible.
    pub(crate) fn promote(&self, flags: c_int) -> bool {
        // SAFETY: `RTLD_NOLOAD`: no code of the object runs that has not run already. The handle is
        // kept, since the flags must last.
        let handle = unsafe { libc::dlopen(self.path.as_ptr(), flags | libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
        !handle.is_null()
    }
}

pub(crate) struct Library {
    pub(crate) handle: *mut c_void,
}

impl Library {
    pub(crate) fn open(name: &CStr) -> Result<Self, String> {
        // SAFETY: runs the constructors of a library that the user named for this purpose.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) };
        if !handle.is_null() {
            return Ok(Self { handle });
        }
        // SAFETY: `dlerror` has no preconditions.
        let error = unsafe { libc::dlerror() };
        if error.is_null() {
            return Err("unknown error".to_owned());
        }
        // SAFETY: `dlerror` gives a string that is valid until the thread's next call of it.
        Err(unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned())
    }

    pub(crate) fn loaded(name: &CStr) -> Option<Self> {
        if name.is_empty() {
            return None;
        }
        // SAFETY: `RTLD_NOLOAD`: nothing is loaded and no code runs.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
        (!handle.is_null()).then_some(Self { handle })
    }

    /// A symbol of the library or of its dependencies; null: none.
    pub(crate) fn symbol(&self, symbol: &CStr) -> *mut c_void {
        // SAFETY: the handle is open: only `close` ends it, and takes `self`.
        unsafe { libc::dlsym(self.handle, symbol.as_ptr()) }
    }

    /// Gives the handle back. Without this call the library stays loaded.
    pub(crate) fn close(self) {
        // SAFETY: as in `symbol`; nothing obtained from the library is used afterwards.
        unsafe { libc::dlclose(self.handle) };
    }
}

/// A symbol of a library that is loaded, or of its dependencies; null: none. None: the library is not loaded.
pub(crate) fn symbol_in(library: &CStr, symbol: &CStr) -> Option<*mut c_void> {
    let library = Library::loaded(library)?;
    let address = library.symbol(symbol);
    library.close();
    Some(address)
}

/// A symbol as the program finds it; null: none. `RTLD_DEFAULT` would also search this library, if it was opened privately.
pub(crate) fn symbol_in_program(symbol: &CStr) -> *mut c_void {
    // SAFETY: a null name asks for the program itself, which is loaded.
    let handle = unsafe { libc::dlopen(ptr::null(), libc::RTLD_LAZY) };
    if handle.is_null() {
        return ptr::null_mut();
    }
    let program = Library { handle };
    let address = program.symbol(symbol);
    program.close();
    address
}

/// A symbol's next definition after the object this code is in; null: none.
pub(crate) fn next_symbol(symbol: &CStr) -> *mut c_void {
    // SAFETY: `symbol` is a string. The result is looked at, so that this is no tail call and the
    // dynamic linker sees who asks.
    std::hint::black_box(unsafe { libc::dlsym(libc::RTLD_NEXT, symbol.as_ptr()) })
}

/// The paths of all objects loaded after `object`, in load order.
pub(crate) fn paths_after(object: &Object) -> Vec<CString> {
    let (mut is_past, mut paths) = (false, Vec::new());
    images::walk(|image| {
        match is_past {
            true => paths.extend(CString::new(image.name())),
            false => is_past = image.holds(object.base),
        }
        false
    });
    paths
}
