//! The columns of tables that CSV, JSON Lines and Parquet have, each listed once, beside its value.

use std::io;

use serde::{Serialize, Serializer};

use crate::parquet::columns::{Column, Kind, Table};

/// A row, as Parquet has it. Where it is text it is serialized.
pub(crate) trait Row: Serialize {
    /// What text begins with.
    fn names() -> Vec<&'static str>;
    fn columns() -> Vec<Column>;
    fn put(&self, table: &mut Table) -> io::Result<()>;
}

/// Declares a row: what its values are computed from, and each column's name, type and value. Some are `in text` alone, or `in parquet`.
macro_rules! row {
    (
        $(#[$about:meta])*
        $row:ident<$life:lifetime> { $($from:ident: $of:ty,)* }
        $(let $local:pat = $init:expr;)*
        $($name:literal $(in $which:ident)?: $type:ty = $value:expr;)*
    ) => {
        $(#[$about])*
        pub(crate) struct $row<$life> {
            $(pub(crate) $from: $of,)*
        }

        impl serde::Serialize for $row<'_> {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeStruct;
                let $row { $($from),* } = self;
                $(let $local = $init;)*
                // How many fields there are matters to no format, unless there is none.
                let mut row = to.serialize_struct(stringify!($row), 1)?;
                $($crate::row::text!([$($which)?] {
                    let value: $type = $value;
                    row.serialize_field($name, &value)?;
                });)*
                row.end()
            }
        }

        impl $crate::row::Row for $row<'_> {
            #[allow(clippy::vec_init_then_push, reason = "some columns have none")]
            fn names() -> Vec<&'static str> {
                let mut names = Vec::new();
                $($crate::row::text!([$($which)?] names.push($name));)*
                names
            }

            #[allow(clippy::vec_init_then_push, reason = "some columns have none")]
            fn columns() -> Vec<$crate::parquet::columns::Column> {
                let mut columns = Vec::new();
                $($crate::row::parquet!([$($which)?] columns.push($crate::row::column::<$type>($name)));)*
                columns
            }

            fn put(&self, table: &mut $crate::parquet::columns::Table) -> std::io::Result<()> {
                let $row { $($from),* } = self;
                $(let $local = $init;)*
                $($crate::row::parquet!([$($which)?] {
                    let value: $type = $value;
                    let bits = $crate::row::Value::bits(&value, table);
                    table.put(bits);
                });)*
                table.end_row()
            }
        }
    };
}

macro_rules! text {
    ([parquet] $done:expr) => {};
    ([$(text)?] $done:expr) => {
        $done
    };
}

macro_rules! parquet {
    ([text] $done:expr) => {};
    ([$(parquet)?] $done:expr) => {
        $done
    };
}

pub(crate) use {parquet, row, text};

pub(crate) trait Value {
    const KIND: Kind;
    const IS_OPTIONAL: bool = false;
    /// The value in the bits of its column's kind; `None`: there is none.
    fn bits(&self, table: &mut Table) -> Option<i64>;
}

pub(crate) fn column<T: Value>(name: &'static str) -> Column {
    Column { name, kind: T::KIND, optional: T::IS_OPTIONAL }
}

macro_rules! values {
    ($($type:ty: $kind:ident, $value:ident => $bits:expr;)*) => {
        $(impl Value for $type {
            const KIND: Kind = Kind::$kind;

            #[inline]
            fn bits(&self, _: &mut Table) -> Option<i64> {
                let $value = *self;
                $bits
            }
        })*
    };
}

values! {
    u32: U32, value => Some(value.into());
    u64: U64, value => Some(value as i64);
    usize: U64, value => Some(value as i64);
    i32: I64, value => Some(value.into());
    i64: I64, value => Some(value);
    // Too wide values are left out.
    i128: I64, value => i64::try_from(value).ok();
    f64: F64, value => Some(value.to_bits() as i64);
    bool: Bool, value => Some(value.into());
    // None is negative.
    Ns: I64, value => Some((value.0 + 0.5) as i64);
    Exact: F64, value => Some(value.0.to_bits() as i64);
}

impl Value for &str {
    const KIND: Kind = Kind::Text;

    fn bits(&self, table: &mut Table) -> Option<i64> {
        Some(table.text(self))
    }
}

impl<T: Value> Value for Option<T> {
    const KIND: Kind = T::KIND;
    const IS_OPTIONAL: bool = true;

    fn bits(&self, table: &mut Table) -> Option<i64> {
        self.as_ref()?.bits(table)
    }
}

/// A text that is empty where it is not known; Parquet then has nothing.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Known<'a>(pub(crate) &'a str);

impl Value for Known<'_> {
    const KIND: Kind = Kind::Text;
    const IS_OPTIONAL: bool = true;

    fn bits(&self, table: &mut Table) -> Option<i64> {
        (!self.0.is_empty()).then(|| table.text(self.0))
    }
}

/// Nanoseconds, of which Parquet has whole ones: of millions of rows, they take a third of the room, and ticks are exact.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Ns(#[serde(serialize_with = "in_tenths")] pub(crate) f64);

/// Nanoseconds of which Parquet has all digits.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Exact(#[serde(serialize_with = "in_tenths")] pub(crate) f64);

fn in_tenths<S: Serializer>(ns: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(tenths(*ns))
}

/// Clocks tick every third of a nanosecond at best; more digits would only make files longer.
pub(crate) fn tenths(ns: f64) -> f64 {
    (ns * 10.0).round() / 10.0
}
