//! Checks of the compiler, the linker and the arithmetic on a real runtime.
//!
//! Each instruction but the last two does one thing and returns the answer to
//! `tests/probe.test.mjs`, which compares it with its own result. `tests/signers.test.mjs` runs the
//! member of a group beside the court, and `tests/caller.test.mjs` the claimant of a dispute.
//! tests/suite covers the program's own instructions.

mod compute;
mod language;
mod member;

crate::entry::routes! {
    "fail" => language::fail,
    "fault" => language::fault,
    "table" => language::table,
    "six_arguments" => language::six_arguments,
    "references" => language::references,
    "unaligned" => language::unaligned,
    "memory" => language::memory,
    "frames" => language::frames,
    "mul_div" => compute::mul_div,
    "sha256" => compute::sha256,
    "sign_as_member" => member::sign,
    "bring_as_member" => member::bring,
}
