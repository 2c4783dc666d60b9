//! From events to records and back, as the table of records says: all that are not made by hand.

use crate::event::{
    Aggregate, COMPLETE, Chunk, Code, Event, IMPLICIT, LoopBegin, LoopDefinition, Lost, NOT_TIMED, SWITCH, Sync,
};
use crate::fields::{Bits, Packed, Text, Unpacked, fits};
use crate::layout::kind;
use crate::openacc::{AccEnd, AccOperation, AccSite};
use crate::records::records;
use crate::steered::LeftOut;
use crate::sub_block::SubBlock;
use crate::sum::Sum;
use crate::tasks::{TaskRegion, Tasks};
use crate::times::{OffCore, Recorder, Times};

/// An event of these fields, as a pattern or made of them.
macro_rules! event {
    ([$event:ident $(, $fixed:ident: $value:path)*] $($field:ident)*) => {
        Event::$event { $($field,)* $($fixed: $value),* }
    };
    ([$event:ident($of:ident $(, $fixed:ident: $value:path)*)] $($field:ident)*) => {
        Event::$event($of { $($field,)* $($fixed: $value),* })
    };
    ([$event:ident(_)] $field:ident) => {
        Event::$event($field)
    };
}

macro_rules! size {
    () => {
        8
    };
    ($size:literal) => {
        $size
    };
}

macro_rules! both_ways {
    (
        fields { $(
            $(#[$about:meta])* $kind:ident $number:literal, $units:literal: $event:tt
            { $( $( $field:ident $(($size:literal))? ),* )|* }
            $( if ($($condition:tt)+) )? $( + [$($text:ident),*] )?;
        )* }
        converted { $(
            $(#[$about_converted:meta])* $as:ident $as_number:literal, $as_units:literal: [$variant:ident($of:ident)]
            { $( $( $part:ident $(($part_size:literal))? ),* )|* } $( if $is:ident )? $( - $left_out:ident )?;
        )* }
        by_hand $by_hand:tt
    ) => {
        impl Event<'_> {
            /// Appends the record's words, each to be written little-endian. At most a few kilobytes.
            pub fn encode(&self, ticks: u64, to: &mut Vec<u64>) {
                match self {
                    Event::Chunk(chunk) if chunk.is_narrow() => to.extend(chunk.narrow(ticks)),
                    Event::LoopBegin(begin) if begin.is_short() => to.extend(begin.short(ticks)),
                    $( event!($event $($($field)*)*) $( if $($condition)+ )? => {
                        let mut record = Packed::<{ 2 * $units }>::new(kind::$kind, ticks);
                        $( $( record.put($field.bits(), size!($($size)?)); )* record.next_piece(); )*
                        record.append(&[$( $( $text.bytes() ),* )?], to);
                    } )*
                    $( Event::$variant(converted) $( if converted.$is() )? => {
                        let [$($($part,)*)*] = converted.fields();
                        let mut record = Packed::<{ 2 * $as_units }>::new(kind::$as, ticks);
                        $( $( record.put($part, size!($($part_size)?)); )* record.next_piece(); )*
                        record.append(&[], to);
                        $( converted.$left_out(to); )?
                    } )*
                }
            }
        }

        /// The event of a record of this kind, with what it has in `small`. Else what is wrong, as `damage` has it.
        #[inline(always)]
        pub(crate) fn decode<Damage>(
            of: u8,
            small: u32,
            record: &[u8],
            damage: impl Fn(String) -> Damage,
        ) -> Result<Event<'_>, Damage> {
            let beyond = || damage("a text goes beyond its record".to_owned());
            match of {
                $( kind::$kind => {
                    let mut fields = Unpacked::new(small, record, $units);
                    $( $( let $field = fields.take(size!($($size)?)); )* fields.next_piece(); )*
                    $( $( let $text = fields.text($text).ok_or_else(beyond)?; )* )?
                    Ok(event!($event $($($field)*)*))
                } )*
                $( kind::$as => {
                    let mut fields = Unpacked::new(small, record, $as_units);
                    $( $( let $part = fields.take(size!($($part_size)?)); )* fields.next_piece(); )*
                    Ok(Event::$variant($of::of_fields([$($($part,)*)*])))
                } )*
                unknown => Err(damage(format!("there is no record of kind {unknown}"))),
            }
        }
    };
}

records!(both_ways);
