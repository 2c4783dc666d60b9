//! A table in a Parquet file: values wait in columns until there are enough for a row group, which is written column by column.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};

/// Rows of a row group: as many as DuckDB's own, so that its threads share them out well. A tenth of a second's work for a writer.
const ROWS: usize = 122_880;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    U32,
    U64,
    I64,
    F64,
    Bool,
    /// UTF-8; each text is there once per row group.
    Text,
}

/// A column: name, kind of values, and whether a value may be missing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) optional: bool,
}

impl Column {
    fn field(&self) -> Result<Type, ParquetError> {
        let (physical, logical) = match self.kind {
            Kind::U32 => (Physical::INT32, Some(LogicalType::integer(32, false))),
            Kind::U64 => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Kind::I64 => (Physical::INT64, None),
            Kind::F64 => (Physical::DOUBLE, None),
            Kind::Bool => (Physical::BOOLEAN, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(self.name, physical)
            .with_logical_type(logical)
            .with_repetition(if self.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED })
            .build()
    }
}

struct Waiting {
    kind: Kind,
    /// In the bits of the kind.
    values: Vec<i64>,
    /// 1: there is a value; `None`: always.
    levels: Option<Vec<i16>>,
}

impl Waiting {
    fn write(&mut self, group: &mut Group<'_>, texts: &[ByteArray]) -> Result<(), ParquetError> {
        let levels = self.levels.as_deref();
        let bits = &self.values;
        match self.kind {
            Kind::U32 => next::<Int32Type>(group, &each(bits, |bits| bits as i32), levels),
            Kind::U64 | Kind::I64 => next::<Int64Type>(group, bits, levels),
            Kind::F64 => next::<DoubleType>(group, &each(bits, |bits| f64::from_bits(bits as u64)), levels),
            Kind::Bool => next::<BoolType>(group, &each(bits, |bits| bits != 0), levels),
            Kind::Text => next::<ByteArrayType>(group, &each(bits, |number| texts[number as usize].clone()), levels),
        }?;
        self.values.clear();
        self.levels.iter_mut().for_each(Vec::clear);
        Ok(())
    }
}

type Group<'g> = SerializedRowGroupWriter<'g, BufWriter<File>>;

fn each<T>(values: &[i64], of: impl Fn(i64) -> T) -> Vec<T> {
    values.iter().map(|bits| of(*bits)).collect()
}

fn next<T: DataType>(group: &mut Group<'_>, values: &[T::T], levels: Option<&[i16]>) -> Result<(), ParquetError> {
    let too_many = || ParquetError::General("a column too many".to_owned());
    let mut column = group.next_column()?.ok_or_else(too_many)?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}

fn properties(columns: &[Column]) -> Result<WriterProperties, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_created_by(concat!("ompchunk ", env!("CARGO_PKG_VERSION")).to_owned())
        // Row groups are left out by them.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_enabled(false);
    for column in columns {
        let path = ColumnPath::from(column.name);
        properties = match column.kind {
            // A dictionary of numbers would cost more than save. The least and the greatest text help nobody.
            Kind::Text => properties
                .set_column_dictionary_enabled(path.clone(), true)
                .set_column_statistics_enabled(path, EnabledStatistics::None),
            Kind::U32 | Kind::U64 | Kind::I64 => properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            Kind::F64 | Kind::Bool => properties,
        };
    }
    Ok(properties.build())
}

pub(crate) struct Table {
    to: SerializedFileWriter<BufWriter<File>>,
    waiting: Vec<Waiting>,
    cells: usize,
    rows: usize,
    texts: Vec<ByteArray>,
    numbers: HashMap<String, u32>,
    last: Option<u32>,
}

impl Table {
    pub(super) fn new(file: File, columns: &[Column]) -> io::Result<Table> {
        let fields = columns.iter().map(|column| column.field().map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let schema = Type::group_type_builder("ompchunk").with_fields(fields);
        let schema = Arc::new(schema.build().map_err(failed)?);
        let properties = Arc::new(properties(columns).map_err(failed)?);
        let to = BufWriter::with_capacity(1 << 16, file);
        let waiting =
            |column: &Column| Waiting { kind: column.kind, values: Vec::new(), levels: column.optional.then(Vec::new) };
        Ok(Table {
            to: SerializedFileWriter::new(to, schema, properties).map_err(failed)?,
            waiting: columns.iter().map(waiting).collect(),
            cells: 0,
            rows: 0,
            texts: Vec::new(),
            numbers: HashMap::new(),
            last: None,
        })
    }

    pub(crate) fn text(&mut self, text: &str) -> i64 {
        // Most rows have the same as the one before.
        let is_same = |number: &u32| self.texts[*number as usize].data() == text.as_bytes();
        let known = self.last.filter(is_same);
        let number = match known.or_else(|| self.numbers.get(text).copied()) {
            Some(number) => number,
            None => {
                let number = self.texts.len() as u32;
                self.texts.push(ByteArray::from(text));
                self.numbers.insert(text.to_owned(), number);
                number
            }
        };
        self.last = Some(number);
        i64::from(number)
    }

    #[inline]
    pub(crate) fn put(&mut self, bits: Option<i64>) {
        let column = &mut self.waiting[self.cells];
        match &mut column.levels {
            Some(levels) => levels.push(i16::from(bits.is_some())),
            None => debug_assert!(bits.is_some(), "a gap"),
        }
        column.values.extend(bits);
        self.cells += 1;
    }

    pub(crate) fn end_row(&mut self) -> io::Result<()> {
        debug_assert_eq!(self.waiting.len(), self.cells);
        self.cells = 0;
        self.rows += 1;
        if self.rows >= ROWS { self.group() } else { Ok(()) }
    }

    fn group(&mut self) -> io::Result<()> {
        let mut group = self.to.next_row_group().map_err(failed)?;
        for column in &mut self.waiting {
            column.write(&mut group, &self.texts).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.rows = 0;
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.group()?;
        }
        self.to.into_inner().map_err(failed)?.into_inner().map(drop).map_err(|error| error.into_error())
    }
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}
