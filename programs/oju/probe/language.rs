//! What the compiler and the linker must get right.

use core::hint::black_box;

use crate::entry::Cx;
use crate::error::{Error, Outcome};
use crate::event;
use crate::wire::{Reader, Writer};

/// Fails with the code that the argument chooses.
pub(super) fn fail(cx: &mut Cx) -> Outcome {
    const CHOICE: [Error; 3] = [Error::BAD_INSTRUCTION, Error::OVERFLOW, Error::NOTHING_TO_CLAIM];
    let choice = Reader::new(cx.data).u8()?;
    Err(*CHOICE.get(choice as usize).ok_or(Error::BAD_INSTRUCTION)?)
}

/// Panics in the way that the first argument chooses, if the second one makes it.
pub(super) fn fault(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (way, number) = (arguments.u8()?, arguments.u64()?);
    let answer = match way {
        0 => number + 1,
        1 => number - 1,
        2 => [10, 20, 30][number as usize],
        3 => 100 / number,
        4 => (number as u32 + 1) as u64,
        _ => panic!("asked to"),
    };
    event::give(&answer.to_le_bytes());
    Ok(())
}

/// A table of functions in read-only data, called by index.
pub(super) fn table(cx: &mut Cx) -> Outcome {
    static TABLE: [fn(u64) -> u64; 4] = [|x| x + 1, |x| x ^ 0xff, u64::swap_bytes, |x| x >> 3];
    let mut arguments = Reader::new(cx.data);
    let (row, number) = (arguments.u8()?, arguments.u64()?);
    let function = TABLE.get(row as usize).ok_or(Error::BAD_INSTRUCTION)?;
    event::give(&function(number).to_le_bytes());
    Ok(())
}

/// More than five arguments, in a struct behind one reference.
struct Six {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    f: u64,
}

#[inline(never)]
fn weigh(six: &Six) -> u64 {
    let Six { a, b, c, d, e, f } = *six;
    a ^ b.rotate_left(1) ^ c.rotate_left(2) ^ d.rotate_left(3) ^ e.rotate_left(4) ^ f.rotate_left(5)
}

/// Calls a function of six parameters.
pub(super) fn six_arguments(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let mut next = || arguments.u64();
    let six = Six { a: next()?, b: next()?, c: next()?, d: next()?, e: next()?, f: next()? };
    event::give(&weigh(black_box(&six)).to_le_bytes());
    Ok(())
}

/// Looks up names in a table. Each is found, although the first read-only byte has address zero.
#[inline(never)]
fn name(index: usize) -> Option<&'static str> {
    crate::error::CODES.get(index).map(|&(_, name)| name)
}

/// Every name of the error table, one after the other, hashed; missing ones count as failures.
pub(super) fn references(_: &mut Cx) -> Outcome {
    let mut hash = [0; 32];
    for index in 0..crate::error::CODES.len() {
        let name = black_box(name(index)).ok_or(Error::OVERFLOW)?;
        hash = event::sha256(&[&hash, name.as_bytes()]);
    }
    event::give(&hash);
    Ok(())
}

/// Reads a number at an odd address.
pub(super) fn unaligned(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let skipped = arguments.u8()? as usize;
    arguments.slice(skipped)?;
    let (number, half) = (arguments.u64()?, arguments.u32()?);
    let mut answer = Writer::<12>::new();
    answer.put_u64(number)?.put(&half.to_le_bytes())?;
    event::give(answer.written());
    Ok(())
}

/// Copies, compares, fills and moves more bytes than are done in line.
pub(super) fn memory(cx: &mut Cx) -> Outcome {
    let mut copy = [0xaa; 700];
    let length = cx.data.len();
    let room = copy.get_mut(..length).ok_or(Error::BAD_INSTRUCTION)?;
    room.copy_from_slice(cx.data);
    let equal = black_box(&*room) == cx.data;
    copy.copy_within(0..length, 700 - length);
    black_box(&mut copy)[..5].fill(0x55);
    event::give(&event::sha256(&[&[equal as u8], &copy]));
    Ok(())
}

/// Fills a large frame at each of `depth` levels and sums up on return. Frames must not overlap.
#[inline(never)]
fn descend(depth: u64) -> u64 {
    let mut frame = [depth; 440];
    black_box(&mut frame);
    let below = if depth == 0 { 0 } else { descend(depth - 1) };
    black_box(&frame).iter().fold(below, |sum, word| sum.wrapping_add(*word))
}

/// Sum of 440 words a frame, over nested frames.
pub(super) fn frames(cx: &mut Cx) -> Outcome {
    let depth = Reader::new(cx.data).u64()?;
    event::give(&descend(depth).to_le_bytes());
    Ok(())
}
