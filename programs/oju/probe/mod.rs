//! Exercises every building block of the oju program on a real runtime.
//!
//! Each instruction does one thing, so that `tests/probe.test.mjs` can compare what it did with what a client
//! computes, and can price it against `noop____`.

mod compute;
mod language;
mod ledger;
mod runtime;

crate::entry::routes! {
    b"noop____" => language::noop,
    b"fail____" => language::fail,
    b"panic___" => language::fault,
    b"table___" => language::table,
    b"sixargs_" => language::six_arguments,
    b"nullref_" => language::references,
    b"unalign_" => language::unaligned,
    b"memory__" => language::memory,
    b"frames__" => language::frames,
    b"muldiv__" => compute::mul_div,
    b"muldivs_" => compute::mul_divs,
    b"sha256__" => compute::sha256,
    b"log_____" => runtime::log,
    b"emit____" => runtime::emit,
    b"clock___" => runtime::clock,
    b"rent____" => runtime::rent,
    b"slothash" => runtime::slot_hash,
    b"ed25519_" => runtime::ed25519,
    b"findpda_" => runtime::find_pda,
    b"checkpda" => runtime::check_pda,
    b"transfer" => runtime::transfer,
    b"create__" => ledger::create,
    b"deposit_" => ledger::deposit,
    b"total___" => ledger::total,
    b"grow____" => ledger::grow,
    b"move____" => ledger::pay,
    b"close___" => ledger::close,
    b"distinct" => ledger::distinct,
}
