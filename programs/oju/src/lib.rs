//! The oju program: tasks, escrow, judges and disputes on Solana.
//!
//! The crate builds for three targets: `bpfel-unknown-none` with upstream Rust (`build.sh`), Solana's own
//! compiler (`cargo build-sbf`) and the host, where `cargo test` runs the unit tests of everything that
//! needs no runtime. Code that calls a syscall is therefore gated on
//! `any(target_os = "solana", target_arch = "bpf")`, never on `target_os` alone.
#![no_std]

#[cfg(not(any(target_os = "solana", target_arch = "bpf")))]
extern crate std;

pub mod account;
pub mod arith;
pub mod ed25519;
pub mod entry;
pub mod error;
pub mod event;
pub mod layout;
#[cfg(target_arch = "bpf")]
mod memory;
pub mod pda;
pub mod sysvar;
pub mod wire;

#[cfg(feature = "probe")]
#[path = "../probe/mod.rs"]
pub mod probe;

#[cfg(feature = "probe")]
pub use probe::route;

// The program's instructions. There are none yet: everything is refused with `UNKNOWN_INSTRUCTION`.
#[cfg(not(feature = "probe"))]
entry::routes! {}
