//! The arithmetic, without accounts: hashes, the draw and the settlement.

pub mod draw;
pub mod golden;
pub mod pay;
pub mod preimage;
pub mod vouch;
pub mod withheld;
