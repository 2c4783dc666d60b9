//! The messages of Perfetto's `perfetto_trace.proto` that exports use, with the fields in use. Names and numbers are Perfetto's; fields of
//! a `oneof` stand here as optional fields, which is the same on the wire. `tests/all/perfetto.rs` decodes exports with the schema itself.

use prost::Message;

// `TracePacket.SequenceFlags`
pub(crate) const SEQ_INCREMENTAL_STATE_CLEARED: u32 = 1;
pub(crate) const SEQ_NEEDS_INCREMENTAL_STATE: u32 = 2;
// `BuiltinClock`
pub(crate) const CLOCK_REALTIME: u32 = 1;
pub(crate) const CLOCK_MONOTONIC: u32 = 3;
// `TrackEvent.Type`
pub(crate) const TYPE_SLICE_BEGIN: i32 = 1;
pub(crate) const TYPE_SLICE_END: i32 = 2;
pub(crate) const TYPE_INSTANT: i32 = 3;

macro_rules! messages {
    ($($message:ident { $($options:tt $field:ident: $type:ty;)* })*) => {
        $(#[derive(Clone, PartialEq, Message)]
        pub(crate) struct $message {
            $(#[prost $options] pub(crate) $field: $type,)*
        })*
    };
}

messages! {
    TracePacket {
        (message, optional, tag = "6") clock_snapshot: Option<ClockSnapshot>;
        (uint64, optional, tag = "8") timestamp: Option<u64>;
        (uint32, optional, tag = "10") trusted_packet_sequence_id: Option<u32>;
        (message, optional, tag = "11") track_event: Option<TrackEvent>;
        (message, optional, tag = "12") interned_data: Option<InternedData>;
        (uint32, optional, tag = "13") sequence_flags: Option<u32>;
        (message, optional, tag = "59") trace_packet_defaults: Option<TracePacketDefaults>;
        (message, optional, tag = "60") track_descriptor: Option<TrackDescriptor>;
        (bool, optional, tag = "87") first_packet_on_sequence: Option<bool>;
    }

    TracePacketDefaults {
        (uint32, optional, tag = "58") timestamp_clock_id: Option<u32>;
    }

    ClockSnapshot {
        (message, repeated, tag = "1") clocks: Vec<Clock>;
        (uint32, optional, tag = "2") primary_trace_clock: Option<u32>;
    }

    Clock {
        (uint32, optional, tag = "1") clock_id: Option<u32>;
        (uint64, optional, tag = "2") timestamp: Option<u64>;
    }

    TrackDescriptor {
        (uint64, optional, tag = "1") uuid: Option<u64>;
        (string, optional, tag = "2") name: Option<String>;
        (message, optional, tag = "3") process: Option<ProcessDescriptor>;
        (message, optional, tag = "4") thread: Option<ThreadDescriptor>;
        (uint64, optional, tag = "5") parent_uuid: Option<u64>;
    }

    ProcessDescriptor {
        (int32, optional, tag = "1") pid: Option<i32>;
        (string, repeated, tag = "2") cmdline: Vec<String>;
        (string, optional, tag = "6") process_name: Option<String>;
        (string, repeated, tag = "8") process_labels: Vec<String>;
    }

    ThreadDescriptor {
        (int32, optional, tag = "1") pid: Option<i32>;
        (int64, optional, tag = "2") tid: Option<i64>;
        (string, optional, tag = "5") thread_name: Option<String>;
    }

    TrackEvent {
        (uint64, repeated, packed = "false", tag = "3") category_iids: Vec<u64>;
        (message, repeated, tag = "4") debug_annotations: Vec<DebugAnnotation>;
        (int32, optional, tag = "9") r#type: Option<i32>;
        (uint64, optional, tag = "10") name_iid: Option<u64>;
        (uint64, optional, tag = "11") track_uuid: Option<u64>;
        (uint64, optional, tag = "34") source_location_iid: Option<u64>;
    }

    DebugAnnotation {
        (uint64, optional, tag = "1") name_iid: Option<u64>;
        (uint64, optional, tag = "3") uint_value: Option<u64>;
        (int64, optional, tag = "4") int_value: Option<i64>;
        (double, optional, tag = "5") double_value: Option<f64>;
        (string, optional, tag = "6") string_value: Option<String>;
    }

    InternedData {
        // `EventCategory`, `EventName` and `DebugAnnotationName` have the same two fields.
        (message, repeated, tag = "1") event_categories: Vec<InternedName>;
        (message, repeated, tag = "2") event_names: Vec<InternedName>;
        (message, repeated, tag = "3") debug_annotation_names: Vec<InternedName>;
        (message, repeated, tag = "4") source_locations: Vec<SourceLocation>;
    }

    InternedName {
        (uint64, optional, tag = "1") iid: Option<u64>;
        (string, optional, tag = "2") name: Option<String>;
    }

    SourceLocation {
        (uint64, optional, tag = "1") iid: Option<u64>;
        (string, optional, tag = "2") file_name: Option<String>;
        (string, optional, tag = "3") function_name: Option<String>;
        (uint32, optional, tag = "4") line_number: Option<u32>;
    }
}
