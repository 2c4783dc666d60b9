//! What OpenACC and OpenMP's `target` did: where (`places`), when (`operations`), and as rows (`table`).

pub(crate) mod operations;
pub(crate) mod places;
pub(crate) mod table;
