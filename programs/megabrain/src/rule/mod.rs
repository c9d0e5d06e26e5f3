//! The arithmetic, without accounts: hashes, the draw and the settlement.

pub mod draw;
pub mod pay;
pub mod preimage;
