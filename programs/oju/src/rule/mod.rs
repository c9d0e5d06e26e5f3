//! The rules of the court as functions of records and numbers. They touch no account and no
//! runtime, so `cargo test` runs all of them against the golden vectors and naive oracles.

pub mod appeal;
pub mod court;
pub mod draw;
pub mod golden;
pub mod leaf;
pub mod mint;
pub mod params;
pub mod pay;
pub mod preimage;
pub mod price;
pub mod settle;
pub mod slash;
pub mod status;
pub mod tally;
pub mod voucher;

#[cfg(test)]
pub mod random;
#[cfg(test)]
mod settle_test;
