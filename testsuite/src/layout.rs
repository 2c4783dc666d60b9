//! Layout of an LLVM struct type, from its text: offsets and sizes as on every 64-bit ELF target.

use anyhow::{Context, Result};

#[derive(Debug, PartialEq, Eq)]
pub struct StructType {
    /// Offset and size of each field.
    pub fields: Vec<(usize, usize)>,
    /// Size of the whole, padded to its alignment.
    pub size: usize,
}

impl StructType {
    /// Reads the types between the braces, `i64, i32, ptr, [8 x i8]`.
    pub fn parse(types: &str) -> Result<StructType> {
        let (mut fields, mut end, mut widest) = (Vec::new(), 0_usize, 1);
        for name in types.split(", ") {
            let (size, align) = size_and_align(name)?;
            let offset = end.next_multiple_of(align);
            fields.push((offset, size));
            end = offset + size;
            widest = widest.max(align);
        }
        Ok(StructType { fields, size: end.next_multiple_of(widest) })
    }
}

fn size_and_align(name: &str) -> Result<(usize, usize)> {
    if name == "ptr" {
        return Ok((8, 8));
    }
    if let Some(bits) = name.strip_prefix('i') {
        let bytes = bits.parse::<usize>().with_context(|| format!("type {name}"))? / 8;
        return Ok((bytes, bytes));
    }
    let array = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).and_then(|n| n.split_once(" x "));
    let (count, of) = array.with_context(|| format!("type {name}"))?;
    let (size, align) = size_and_align(of)?;
    Ok((count.parse::<usize>()? * size, align))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_aligned() {
        let layout = StructType::parse("i8, i64, i16, [1 x ptr], [3 x i8]").unwrap();
        assert_eq!(layout.fields, [(0, 1), (8, 8), (16, 2), (24, 8), (32, 3)]);
        assert_eq!(layout.size, 40);
        assert!(StructType::parse("float").is_err());
    }
}
