//! The columns of tables that CSV, JSON Lines and Parquet have, each listed once.

use std::io;

use serde::{Serialize, Serializer};

use crate::parquet::columns::{Cell, Column, Kind, Table};

/// A row, as Parquet has it. Where it is text it is serialized.
pub(crate) trait Row: Serialize {
    /// What text begins with.
    fn names() -> Vec<&'static str>;
    fn columns() -> Vec<Column>;
    fn put(&self, table: &mut Table) -> io::Result<()>;
}

/// Declares a row: its fields, each in `both`, in `text` alone or in `parquet` alone, and under a name of its own where that is
/// a word of Rust.
macro_rules! row {
    (
        $(#[$about:meta])*
        $row:ident<$life:lifetime> { $($which:ident $field:ident $($name:literal)?: $type:ty;)* }
    ) => {
        $(#[$about])*
        #[derive(Debug, Default)]
        pub(crate) struct $row<$life> {
            $(pub(crate) $field: $type,)*
        }

        impl serde::Serialize for $row<'_> {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeStruct;
                // How many fields there are matters to no format, unless there is none.
                let mut row = to.serialize_struct(stringify!($row), 1)?;
                $($crate::row::text!($which row.serialize_field($crate::row::name!($field $($name)?), &self.$field)?);)*
                row.end()
            }
        }

        impl<$life> $crate::row::Row for $row<$life> {
            #[allow(clippy::vec_init_then_push, reason = "some fields have none")]
            fn names() -> Vec<&'static str> {
                let mut names = Vec::new();
                $($crate::row::text!($which names.push($crate::row::name!($field $($name)?)));)*
                names
            }

            #[allow(clippy::vec_init_then_push, reason = "some fields have none")]
            fn columns() -> Vec<$crate::parquet::columns::Column> {
                let mut columns = Vec::new();
                $($crate::row::parquet!(
                    $which columns.push($crate::row::column::<$type>($crate::row::name!($field $($name)?)))
                );)*
                columns
            }

            fn put(&self, table: &mut $crate::parquet::columns::Table) -> std::io::Result<()> {
                $($crate::row::parquet!($which {
                    let cell = $crate::row::Value::cell(&self.$field, table);
                    table.put(cell);
                });)*
                table.end_row()
            }
        }
    };
}

macro_rules! text {
    (parquet $done:expr) => {};
    ($which:ident $done:expr) => {
        $done
    };
}

macro_rules! parquet {
    (text $done:expr) => {};
    ($which:ident $done:expr) => {
        $done
    };
}

macro_rules! name {
    ($field:ident $name:literal) => {
        $name
    };
    ($field:ident) => {
        stringify!($field)
    };
}

pub(crate) use {name, parquet, row, text};

/// A value of a row, as Parquet has it.
pub(crate) trait Value {
    const KIND: Kind;
    const IS_OPTIONAL: bool = false;
    fn cell(&self, table: &mut Table) -> Cell;
}

pub(crate) fn column<T: Value>(name: &'static str) -> Column {
    Column { name, kind: T::KIND, optional: T::IS_OPTIONAL }
}

macro_rules! values {
    ($($type:ty: $kind:ident, $value:ident => $cell:expr;)*) => {
        $(impl Value for $type {
            const KIND: Kind = Kind::$kind;

            fn cell(&self, _: &mut Table) -> Cell {
                let $value = *self;
                Cell::from($cell)
            }
        })*
    };
}

values! {
    u32: U32, value => value;
    u64: U64, value => value;
    usize: U64, value => value as u64;
    i32: I64, value => i64::from(value);
    i64: I64, value => value;
    // Too wide values are left out.
    i128: I64, value => i64::try_from(value).ok();
    f64: F64, value => value;
    bool: Bool, value => value;
    Ns: I64, value => whole(value.0);
    Exact: F64, value => value.0;
}

impl Value for &str {
    const KIND: Kind = Kind::Text;

    fn cell(&self, table: &mut Table) -> Cell {
        table.text(self)
    }
}

impl<T: Value> Value for Option<T> {
    const KIND: Kind = T::KIND;
    const IS_OPTIONAL: bool = true;

    fn cell(&self, table: &mut Table) -> Cell {
        self.as_ref().map_or(Cell::NOTHING, |value| value.cell(table))
    }
}

/// A text that is empty where it is not known; Parquet then has nothing.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Known<'a>(pub(crate) &'a str);

impl Value for Known<'_> {
    const KIND: Kind = Kind::Text;
    const IS_OPTIONAL: bool = true;

    fn cell(&self, table: &mut Table) -> Cell {
        Some(self.0).filter(|text| !text.is_empty()).cell(table)
    }
}

/// Nanoseconds, of which Parquet has whole ones: of millions of rows, they take a third of the room, and ticks are exact.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ns(pub(crate) f64);

/// Nanoseconds of which Parquet has all digits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Exact(pub(crate) f64);

impl Serialize for Ns {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(tenths(self.0))
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(tenths(self.0))
    }
}

/// Clocks tick every third of a nanosecond at best; more digits would only make files longer.
pub(crate) fn tenths(ns: f64) -> f64 {
    (ns * 10.0).round() / 10.0
}

pub(crate) fn whole(ns: f64) -> i64 {
    // None is negative.
    (ns + 0.5) as i64
}
