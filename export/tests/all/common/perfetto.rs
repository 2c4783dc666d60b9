//! Reading traces of Perfetto's by its own schema, by reflection.

use prost_reflect::{DynamicMessage, Value};

/// The packets of a trace, of which Perfetto's own schema has every field.
pub fn decode(bytes: &[u8]) -> Vec<DynamicMessage> {
    let trace = super::perfetto_schema().get_message_by_name("perfetto.protos.Trace").expect("in the schema");
    let trace = DynamicMessage::decode(trace, bytes).expect("a trace");
    assert_known(&trace);
    messages(&trace, "packet")
}

/// What the schema does not have, or has as another type, the decoder keeps as unknown.
fn assert_known(message: &DynamicMessage) {
    assert_eq!(message.unknown_fields().count(), 0, "{message:?}");
    for (_, value) in message.fields() {
        match value {
            Value::Message(inner) => assert_known(inner),
            Value::List(list) => list.iter().filter_map(Value::as_message).for_each(assert_known),
            _ => {}
        }
    }
}

pub fn messages(of: &DynamicMessage, field: &str) -> Vec<DynamicMessage> {
    let list = of.get_field_by_name(field).expect("in the schema");
    let list = list.as_list().expect("repeated").to_vec();
    list.into_iter().filter_map(|value| value.as_message().cloned()).collect()
}

/// A field; `None`: missing.
pub fn message(of: &DynamicMessage, field: &str) -> Option<DynamicMessage> {
    if !of.has_field_by_name(field) {
        return None;
    }
    of.get_field_by_name(field)?.as_message().cloned()
}

pub fn number(of: &DynamicMessage, field: &str) -> u64 {
    match *of.get_field_by_name(field).expect("in the schema") {
        Value::U64(value) => value,
        Value::U32(value) => value.into(),
        Value::I64(value) => value as u64,
        Value::I32(value) | Value::EnumNumber(value) => value as u64,
        ref other => panic!("{field}: {other:?}"),
    }
}
