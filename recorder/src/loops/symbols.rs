//! The object at an address, where in it, and the function of its dynamic symbols. Not by `dladdr`, which takes the
//! lock that is held while constructors run: one that runs a parallel loop waits for threads that would wait for it.

use std::os::unix::ffi::OsStringExt;

use ompchunk_guest::images;
use ompchunk_guest::memory::Grow;

use crate::loops::objects::{self, Image};

const DT_NULL: u64 = 0;
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_STRSZ: u64 = 10;
const DT_GNU_HASH: u64 = 0x6fff_fef5;

const SYMBOL: usize = 24;
const STT_TLS: u8 = 6;
const SHN_UNDEF: u16 = 0;
const SHN_ABS: u16 = 0xfff1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) object: Vec<u8>,
    /// From where the object begins in memory.
    pub(crate) offset: u64,
    /// Nothing where no symbol has it.
    pub(crate) function: Vec<u8>,
}

const LONGEST_NAME: usize = 16 << 10;

/// `None`: it is in nothing that is loaded, or there is no memory to say it. Nothing is allocated during the walk: the
/// program's `malloc` may take a lock that is held by a thread which waits for the walk's.
pub(crate) fn resolve(address: usize) -> Option<Found> {
    let mut found = None;
    let (mut path, mut function) = (Vec::new(), Vec::new());
    if !path.grow(objects::LONGEST_PATH) || !function.grow(LONGEST_NAME) {
        return None;
    }
    images::walk(|info| {
        let image = Image::new(info);
        if image.from(address).is_none() {
            return false;
        }
        let begins = image.readable().map(|segment| segment.start).min().unwrap_or(0);
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
        found = Some((address - begins / page * page) as u64);
        objects::add_within(&mut path, images::name_of(info));
        objects::add_within(&mut function, image.symbol(address).unwrap_or_default());
        true
    });
    let mut found = Found { offset: found?, object: path, function };
    if found.object.is_empty() {
        // The program itself.
        let program = std::env::args_os().next();
        found.object = program.map(OsStringExt::into_vec).unwrap_or_default();
    }
    Some(found)
}

impl Image<'_> {
    /// An entry of the dynamic section that is an address: the dynamic linker adds the bias in most objects.
    fn entry(&self, which: u64) -> Option<usize> {
        let value = self.number(which)? as usize;
        Some(if self.from(value).is_some() { value } else { self.bias.wrapping_add(value) })
    }

    fn number(&self, which: u64) -> Option<u64> {
        let section = self.from(self.range(self.of_kind(libc::PT_DYNAMIC).next()?).start)?;
        let all = (0..).map(|entry| Some((u64_at(section, 2 * entry)?, u64_at(section, 2 * entry + 1)?)));
        let found = all.map_while(|it| it.filter(|(tag, _)| *tag != DT_NULL));
        found.filter(|(tag, _)| *tag == which).map(|(_, value)| value).next()
    }

    /// The name of the symbol that an address is in, the last that begins before it.
    fn symbol(&self, address: usize) -> Option<&[u8]> {
        let mut best: Option<(usize, u32)> = None;
        let table = self.from(self.entry(DT_SYMTAB)?)?;
        self.each_symbol(|index| {
            let word = |at: usize| u64_at(table, index as usize * SYMBOL / 8 + at);
            let (first, value, size) = (word(0)?, word(1)?, word(2)? as usize);
            let (name, kind, section) = (first as u32, (first >> 32) as u8 & 15, (first >> 48) as u16);
            let begin = self.bias.wrapping_add(value as usize);
            let is_any = kind != STT_TLS && section != SHN_UNDEF && section != SHN_ABS;
            let inside = address == begin || (begin..begin.saturating_add(size)).contains(&address);
            if is_any && inside && best.is_none_or(|(best, _)| best < begin) {
                best = Some((begin, name));
            }
            Some(())
        });
        let (_, name) = best?;
        let (from, size) = (self.entry(DT_STRTAB)?, self.number(DT_STRSZ)? as usize);
        let strings = self.from(from)?.get(..size)?;
        let name = strings.get(name as usize..)?;
        std::ffi::CStr::from_bytes_until_nul(name).ok().map(std::ffi::CStr::to_bytes)
    }

    /// Calls with the number of each symbol that a hash table has; how many there are nothing else tells.
    fn each_symbol(&self, mut see: impl FnMut(u32) -> Option<()>) -> Option<()> {
        let Some(table) = self.entry(DT_GNU_HASH) else {
            let table = self.from(self.entry(DT_HASH)?)?;
            return (0..u32_at(table, 1)?).try_for_each(see);
        };
        let table = self.from(table)?;
        let (buckets, first) = (u32_at(table, 0)? as usize, u32_at(table, 1)?);
        let heads = 4 + u32_at(table, 2)? as usize * 2;
        for bucket in 0..buckets {
            let mut symbol = u32_at(table, heads + bucket)?;
            if symbol == 0 {
                continue;
            }
            loop {
                see(symbol)?;
                let chain = symbol.checked_sub(first)? as usize;
                if u32_at(table, heads + buckets + chain)? & 1 != 0 {
                    break;
                }
                symbol += 1;
            }
        }
        Some(())
    }
}

fn u32_at(bytes: &[u8], number: usize) -> Option<u32> {
    let word = bytes.get(number * 4..number * 4 + 4)?;
    Some(u32::from_ne_bytes(word.try_into().ok()?))
}

fn u64_at(bytes: &[u8], number: usize) -> Option<u64> {
    let word = bytes.get(number * 8..number * 8 + 8)?;
    Some(u64::from_ne_bytes(word.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::mem::MaybeUninit;

    use super::*;

    /// What the C library says, where it may be asked.
    fn by_dladdr(address: usize) -> Option<Found> {
        let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: memory for the answer; any address may be asked for.
        let known = unsafe { libc::dladdr(address as *const libc::c_void, info.as_mut_ptr()) };
        // SAFETY: all zeros is a valid value, and `dladdr` writes valid ones.
        let info = unsafe { info.assume_init() };
        let text = |string: *const libc::c_char| match string.is_null() {
            true => Vec::new(),
            // SAFETY: not null, so a string of the loaded object.
            false => unsafe { CStr::from_ptr(string) }.to_bytes().to_vec(),
        };
        (known != 0).then(|| Found {
            object: text(info.dli_fname),
            offset: (address - info.dli_fbase as usize) as u64,
            function: text(info.dli_sname),
        })
    }

    #[test]
    fn it_is_what_dladdr_says() {
        let mut named = 0;
        let libc = libc::printf as *const () as usize;
        let own = it_is_what_dladdr_says as *const () as usize;
        // Functions, and whatever is beside them: also gaps.
        let far = (0..400).map(|index| libc + index * 611);
        for address in
            far.chain([own, own + 1, libc::dladdr as *const () as usize, libc::pthread_create as *const () as usize])
        {
            let found = resolve(address);
            assert_eq!(found, by_dladdr(address), "{address:#x}");
            named += usize::from(found.is_some_and(|it| !it.function.is_empty()));
        }
        assert!(named > 50, "{named}");
        assert_eq!(resolve(8), None);
    }
}
