//! The formats that there are, by the names that users know.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Perfetto,
    Chrome,
    GraphMl,
    GraphMlSummary,
    TaskStats,
    Csv(Table),
    Json(Table),
    Parquet,
    Otf2,
    Gprofng,
    Speedscope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    Chunks,
    Loops,
    /// Waits for locks, explicit tasks, and what else was added up.
    Sums,
    OpenAcc,
}

pub const FORMATS: [(&str, Format, &str); 11] = [
    ("perfetto", Format::Perfetto, "a timeline for ui.perfetto.dev and trace_processor"),
    ("chrome", Format::Chrome, "a timeline as JSON, for chrome://tracing and whatever reads its format"),
    ("graphml", Format::GraphMl, "the grain graph, for yEd and Cytoscape"),
    (
        "graphml-summary",
        Format::GraphMlSummary,
        "the same with one node for all tasks of a construct and depth, for all chunks of a loop, and for all executions of a region",
    ),
    (
        "task-stats",
        Format::TaskStats,
        "the grain graph as a table, for the prototype of its authors (plot-grain-graph.R --forloop)",
    ),
    ("csv", Format::Csv(Table::Chunks), "a table, for pandas and R; --table says which"),
    ("json", Format::Json(Table::Chunks), "a table as JSON Lines"),
    (
        "parquet",
        Format::Parquet,
        "all tables (chunks, loops, threads, regions, sums, openacc, tasks) in a directory that is new or empty, for DuckDB, Polars and Dask",
    ),
    (
        "otf2",
        Format::Otf2,
        "an archive as Score-P writes it, in a directory that is new or empty, for Vampir, Scalasca and Pipit; needs libotf2",
    ),
    (
        "gprofng",
        Format::Gprofng,
        "an experiment of GNU gprofng, in a new directory whose name ends in .er; needs a trace with sampled stacks",
    ),
    (
        "speedscope",
        Format::Speedscope,
        "sampled stacks as a profile per thread, for speedscope.app; needs a trace with sampled stacks",
    ),
];

pub const TABLES: [(&str, Table, &str); 4] = [
    ("chunks", Table::Chunks, "a row per chunk"),
    ("loops", Table::Loops, "a row per loop"),
    ("sums", Table::Sums, "a row per sum of waits for locks, of explicit tasks, and of what else was added up"),
    ("openacc", Table::OpenAcc, "a row per operation of OpenACC or of target"),
];

impl Format {
    pub fn table(self) -> Option<Table> {
        match self {
            Format::Csv(table) | Format::Json(table) => Some(table),
            _ => None,
        }
    }

    pub fn with_table(self, table: Table) -> Format {
        match self {
            Format::Csv(_) => Format::Csv(table),
            Format::Json(_) => Format::Json(table),
            other => other,
        }
    }

    pub fn has_reference(self) -> bool {
        matches!(self, Format::GraphMl | Format::TaskStats)
    }

    pub fn has_problems(self) -> bool {
        matches!(self, Format::GraphMl | Format::GraphMlSummary)
    }

    pub(crate) fn is_timeline(self) -> bool {
        matches!(self, Format::Perfetto | Format::Chrome | Format::Otf2 | Format::Gprofng | Format::Speedscope)
    }

    pub(crate) fn has_sums(self) -> bool {
        self.table() == Some(Table::Loops) || self == Format::Parquet
    }

    pub(crate) fn has_operations(self) -> bool {
        self.is_timeline() || self.table() == Some(Table::OpenAcc) || self == Format::Parquet
    }
}
