//! Arithmetic and hashing.

use crate::arith;
use crate::entry::Cx;
use crate::error::Outcome;
use crate::event;
use crate::wire::Reader;

/// `a * b / c` rounded down, as return data.
pub(super) fn mul_div(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (a, b, c) = (arguments.u64()?, arguments.u64()?, arguments.u64()?);
    arguments.end()?;
    event::give(&arith::mul_div(a, b, c)?.to_le_bytes());
    Ok(())
}

/// SHA-256 of a prefix and the arguments, as return data.
pub(super) fn sha256(cx: &mut Cx) -> Outcome {
    event::give(&event::sha256(&[b"oju:probe:v1", cx.data]));
    Ok(())
}
