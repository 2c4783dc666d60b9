//! The formats that there are.

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Perfetto's protobuf, for ui.perfetto.dev and `trace_processor`.
    Perfetto,
    /// The Trace Event Format of chrome://tracing.
    Chrome,
    /// The grain graph, for yEd and Cytoscape.
    GraphMl,
    /// The grain graph with one node for all grains of a kind, however long the run was.
    GraphMlSummary,
    /// The grain graph as a table, for the prototype of its authors.
    TaskStats,
    /// One row per chunk.
    Csv,
    /// One JSON object per chunk and line.
    Json,
    /// One row per loop.
    LoopsCsv,
    /// One JSON object per loop and line.
    LoopsJson,
    /// One row per operation of OpenACC.
    OpenAccCsv,
    /// One JSON object per operation of OpenACC and line.
    OpenAccJson,
    /// One row per sum of waits for locks, explicit tasks, and what else was added up.
    SumsCsv,
    /// One JSON object per such sum and line.
    SumsJson,
    /// Tables of chunks, loops, threads, regions, sums, operations of OpenACC and explicit tasks, in a directory.
    Parquet,
    /// The archive of Score-P, Vampir and Scalasca, in a directory; needs libotf2.
    Otf2,
    /// An experiment of GNU gprofng, in a directory.
    Gprofng,
    /// Sampled stacks for speedscope.app.
    Speedscope,
}

impl Format {
    /// What threads did when.
    pub(crate) fn is_timeline(self) -> bool {
        matches!(self, Format::Perfetto | Format::Chrome | Format::Otf2 | Format::Gprofng | Format::Speedscope)
    }

    /// A row per operation of OpenACC.
    pub(crate) fn is_of_operations(self) -> bool {
        matches!(self, Format::OpenAccCsv | Format::OpenAccJson)
    }

    /// A row per sum.
    pub(crate) fn is_of_sums(self) -> bool {
        matches!(self, Format::SumsCsv | Format::SumsJson)
    }

    /// With what was recorded as sums only.
    pub(crate) fn has_sums(self) -> bool {
        matches!(self, Format::LoopsCsv | Format::LoopsJson | Format::Parquet)
    }

    /// Whether the user is told of chunks that were recorded as sums only: they are missing, where others have rows.
    pub(crate) fn mentions_aggregates(self) -> bool {
        !self.has_sums() && !self.is_of_operations()
    }

    /// With what OpenACC did, one by one.
    pub(crate) fn has_operations(self) -> bool {
        self.is_timeline() || self.is_of_operations() || self == Format::Parquet
    }

    /// One file, or standard output.
    pub(crate) fn is_file(self) -> bool {
        !matches!(self, Format::Parquet | Format::Otf2 | Format::Gprofng)
    }
}
