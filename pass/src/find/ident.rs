//! What a location argument (`ident_t`) says of a loop.

use inkwell::llvm_sys::core::*;

use crate::llvm::Value;

/// Bits of `ident_t::flags`, libomp's `kmp.h`.
pub const WORK_LOOP: i64 = 0x200;
pub const WORK_SECTIONS: i64 = 0x400;
pub const WORK_DISTRIBUTE: i64 = 0x800;

pub fn flags(ident: Value) -> Option<i64> {
    constant(ident)?.operand(1)?.const_int()
}

/// From the string in a constant's last field, if it names a file as `file` is called; directories may differ.
pub fn position(ident: Value, file: &[u8]) -> Option<(u32, u32)> {
    let text = constant(constant(ident)?.operand(4)?)?;
    // SAFETY: asked to be an array of bytes before it is read as one.
    let text = unsafe {
        if LLVMIsAConstantDataSequential(text.raw()).is_null() || LLVMIsConstantString(text.raw()) == 0 {
            return None;
        }
        let mut length = 0;
        let start = LLVMGetAsString(text.raw(), &mut length);
        std::slice::from_raw_parts(start.cast::<u8>(), length)
    };
    parted(text, file)
}

/// `;file;function;line;column;;`, read from its end, as a file's name can have a semicolon.
fn parted(text: &[u8], file: &[u8]) -> Option<(u32, u32)> {
    let mut fields = text.strip_prefix(b";")?.strip_suffix(b";;\0")?.rsplitn(4, |byte| *byte == b';');
    let mut number = || std::str::from_utf8(fields.next()?).ok()?.parse::<u32>().ok();
    let (column, line) = (number()?, number()?);
    let _function = fields.next()?;
    (last_name(fields.next()?) == last_name(file) && line > 0).then_some((line, column))
}

fn last_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

fn constant(global: Value) -> Option<Value> {
    // SAFETY: asked to be a global variable with an initializer before it is read as one.
    unsafe {
        if LLVMIsAGlobalVariable(global.raw()).is_null() || LLVMIsGlobalConstant(global.raw()) == 0 {
            return None;
        }
        Value::from_raw(LLVMGetInitializer(global.raw()))
    }
}

#[cfg(test)]
mod tests {
    use super::parted;

    #[test]
    fn strings_of_locations() {
        for (text, file, expected) in [
            (&b";a/b.c;f;12;3;;\0"[..], &b"/x/a/b.c"[..], Some((12, 3))),
            (b";b;c.c;f;12;3;;\0", b"b;c.c", Some((12, 3))),
            (b";b.c;operator();1;2;;\0", b"b.c", Some((1, 2))),
            (b";unknown;unknown;0;0;;\0", b"b.c", None),
            (b";b.c;f;0;0;;\0", b"b.c", None),
            (b";b.h;f;12;3;;\0", b"b.c", None),
            (b";b.c;f;12;3;;", b"b.c", None),
            (b";b.c;f;-12;3;;\0", b"b.c", None),
            (b";12;3;;\0", b"b.c", None),
            (b";f;4294967296;3;;\0", b"", None),
            (b"\0", b"b.c", None),
            (b"", b"", None),
        ] {
            assert_eq!(parted(text, file), expected, "{}", text.escape_ascii());
        }
    }
}
