//! What the compiler, the linker and the arithmetic must get right, on a real runtime.
//!
//! Each instruction does one thing and hands the answer to `tests/probe.test.mjs`, which compares it with what a client
//! computes. What the program's own instructions show is not here: tests/suite has it.

mod compute;
mod language;

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
}
