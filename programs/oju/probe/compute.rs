//! Arithmetic and hashing.

use crate::arith;
use crate::entry::Cx;
use crate::error::Outcome;
use crate::event;
use crate::wire::{Reader, Writer};

/// `a * b / c` rounded down and up, as return data.
pub(super) fn mul_div(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (a, b, c) = (arguments.u64()?, arguments.u64()?, arguments.u64()?);
    arguments.end()?;
    let mut answer = Writer::<16>::new();
    answer.put_u64(arith::mul_div(a, b, c)?)?.put_u64(arith::mul_div_up(a, b, c)?)?;
    event::give(answer.written());
    Ok(())
}

/// The same division `times` times, to price one.
pub(super) fn mul_divs(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (a, b, c, times) = (arguments.u64()?, arguments.u64()?, arguments.u64()?, arguments.u32()?);
    arguments.end()?;
    let mut sum = 0u64;
    for _ in 0..times {
        sum = sum.wrapping_add(arith::mul_div(core::hint::black_box(a), b, c)?);
    }
    event::give(&sum.to_le_bytes());
    Ok(())
}

/// SHA-256 of a prefix and the arguments, as return data.
pub(super) fn sha256(cx: &mut Cx) -> Outcome {
    event::give(&event::sha256(&[b"oju:probe:v1", cx.data]));
    Ok(())
}
