//! What events are made of: their fields, and what stands in a file as a number, of which later versions may know more.

/// An enumeration with a number for each case, and [`from_number`](crate::SumOf::from_number) (or another name) for the way back.
macro_rules! numbered {
    ($of_visible:vis fn $of:ident; $(#[$about:meta])* pub enum $name:ident { $(
        $(#[$about_case:meta])* $case:ident = $number:expr,
    )* }) => {
        $(#[$about])*
        pub enum $name {
            $( $(#[$about_case])* $case, )*
            /// What a writer of a later version has besides.
            Other(u32),
        }

        impl $name {
            /// The number on disk.
            pub const fn number(self) -> u32 {
                match self {
                    $( $name::$case => $number, )*
                    $name::Other(number) => number,
                }
            }

            /// From the number on disk.
            $of_visible const fn $of(number: u32) -> $name {
                $( if number == $number {
                    return $name::$case;
                } )*
                $name::Other(number)
            }
        }
    };
}

/// What some events tell, a field and what it says per line.
macro_rules! event_fields {
    ($( $(#[$about:meta])* $name:ident $(<$of:lifetime>)? { $( $field:ident: $type:ty, $what:literal; )* } )*) => { $(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name $(<$of>)? {
            $( #[doc = $what] pub $field: $type, )*
        }
    )* };
}

pub(crate) use {event_fields, numbered};
