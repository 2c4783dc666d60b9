//! OpenMP's `target`, as OMPT tells it (`ompt_callback_target_emi` and the like). Its operations are the same events as OpenACC's, with
//! numbers above those of `acc_event_t`: what begins has an even one, its end the next.

/// Constructs: their numbers are this plus twice `ompt_target_t`, ...
const CONSTRUCT: u32 = 32;
/// ... operations on data this plus twice `ompt_target_data_op_t`.
const DATA: u32 = 64;
/// A kernel is handed over to the device.
pub const SUBMIT: u32 = 128;
/// Beyond all.
pub const END: u32 = 130;

/// The event that begins a construct of this `ompt_target_t`.
pub const fn construct(kind: u32) -> u32 {
    let kind = if kind < (DATA - CONSTRUCT) / 2 { kind } else { 0 };
    CONSTRUCT + 2 * kind
}

/// The event that begins an operation on data of this `ompt_target_data_op_t`.
pub const fn data_op(operation: u32) -> u32 {
    let operation = if operation < (SUBMIT - DATA) / 2 { operation } else { 0 };
    DATA + 2 * operation
}

/// Whether an event is one of `target`; else it is one of OpenACC's.
pub const fn is_of_target(event: u32) -> bool {
    CONSTRUCT <= event && event < END
}

/// What begins or ends, as OMPT spells it.
pub const fn name(event: u32) -> &'static str {
    match event & !1 {
        34 => "target",
        36 => "target enter data",
        38 => "target exit data",
        40 => "target update",
        50 => "target nowait",
        52 => "target enter data nowait",
        54 => "target exit data nowait",
        56 => "target update nowait",
        66 => "alloc",
        68 => "transfer to device",
        70 => "transfer from device",
        72 => "delete",
        74 => "associate",
        76 => "disassociate",
        98 => "alloc async",
        100 => "transfer to device async",
        102 => "transfer from device async",
        104 => "delete async",
        SUBMIT => "submit",
        CONSTRUCT..DATA => "target construct",
        _ => "data operation",
    }
}

/// The kinds `..._nowait` and `..._async`.
pub const fn is_asynchronous(event: u32) -> bool {
    matches!(event, 50..58 | 98..106)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openacc::{LAST_EVENT, event_name, is_end, is_start};

    #[test]
    fn every_number_of_ompt_has_its_own_pair() {
        const { assert!(LAST_EVENT < CONSTRUCT && END <= 256) };
        let all = (0..16).map(construct);
        let all = all.chain((0..32).map(data_op)).chain([SUBMIT]);
        let mut known: Vec<u32> = Vec::new();
        for event in all {
            assert!(is_of_target(event) && is_of_target(event + 1), "{event}");
            assert!(is_start(event) && is_end(event + 1) && !is_end(event), "{event}");
            assert_eq!(event_name(event), event_name(event + 1));
            assert!(!known.contains(&event), "{event}");
            known.push(event);
        }
        assert!(!is_of_target(LAST_EVENT) && !is_start(END) && !is_end(CONSTRUCT));
    }

    #[test]
    fn names_are_those_of_ompt() {
        let constructs = [1, 2, 3, 4, 9, 10, 11, 12].map(|kind| name(construct(kind)));
        let all = [
            "target", "target enter data", "target exit data", "target update", "target nowait",
            "target enter data nowait", "target exit data nowait", "target update nowait",
        ];
        assert_eq!(constructs, all);
        let data = [1, 2, 3, 4, 5, 6].map(|operation| name(data_op(operation)));
        let all = ["alloc", "transfer to device", "transfer from device", "delete", "associate", "disassociate"];
        assert_eq!(data, all);
        for (operation, all) in (1..5).zip(all) {
            assert_eq!(name(data_op(operation + 16)), format!("{all} async"));
        }
        // What a later version has besides.
        let later = [construct(7), construct(1000), data_op(9), data_op(1000)].map(name);
        assert_eq!(later[..2], ["target construct"; 2]);
        assert_eq!(later[2..], ["data operation"; 2]);
    }

    #[test]
    fn only_what_does_not_wait_is_asynchronous() {
        let waits = |event: u32| !is_asynchronous(event) && !is_asynchronous(event + 1);
        assert!((1..5).map(construct).chain((1..7).map(data_op)).all(waits));
        let others = (9..13).map(construct).chain((17..21).map(data_op));
        assert!(others.into_iter().all(|event| !waits(event)));
        assert!(waits(SUBMIT));
    }
}
