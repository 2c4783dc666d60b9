//! Functions that statics are made with. loom's atomics cannot stand in statics: in its models such functions run like others.

/// A `const fn`, except in loom's models.
macro_rules! const_unless_loom {
    ($(#[$about:meta])* $scope:vis fn $name:ident($($argument:ident: $type:ty),*) -> Self $body:block) => {
        $(#[$about])*
        #[cfg(not(loom))]
        $scope const fn $name($($argument: $type),*) -> Self $body

        $(#[$about])*
        #[cfg(loom)]
        $scope fn $name($($argument: $type),*) -> Self $body
    };
}
pub(crate) use const_unless_loom;
