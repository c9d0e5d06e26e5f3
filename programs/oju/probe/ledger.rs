//! Accounts of the program: made, changed, grown, paid and closed.

use crate::account;
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome};
use crate::event;
use crate::layout::{self, Record};
use crate::pda;
use crate::sysvar::Rent;
use crate::wire::Reader;
use bytemuck::{Pod, Zeroable};

/// Bytes that one growth adds: the size of a [`Seat`].
const GROWTH: usize = size_of::<Seat>();

/// The head of a list of seats.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Counter {
    kind: [u8; 8],
    total: u64,
    id: [u8; 8],
    bump: u8,
    pad: [u8; 7],
}

impl Record for Counter {
    const KIND: [u8; 8] = *b"probectr";
}

/// One item of the list, as long as a judge's entry in the roster.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Seat {
    stake: u64,
    key: [u8; 32],
    rest: [[u8; 19]; 8],
}

const _: () = assert!(GROWTH == 192);

/// Makes a counter with room for `seats` seats. Accounts: payer, counter, System program.
pub(super) fn create(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (id, seats) = (arguments.bytes::<8>()?, arguments.u8()? as usize);
    arguments.end()?;
    let [payer, counter] = account::first(cx.accounts)?;
    let space = Counter::SIZE + seats.wrapping_mul(GROWTH);
    let bump =
        pda::Birth { payer, account: counter, program: cx.program, space }.create(&[b"counter", id])?;
    layout::stamp::<Counter>(&mut counter.try_borrow_mut()?)?;
    let mut data = account::data_mut::<Counter>(counter, cx.program)?;
    let (head, _) = layout::list_mut::<Counter, Seat>(&mut data)?;
    (head.id, head.bump) = (*id, bump);
    Ok(())
}

/// Adds a stake to a seat and to the total. Account: counter.
pub(super) fn deposit(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (seat, stake) = (arguments.u8()? as usize, arguments.u64()?);
    arguments.end()?;
    let [counter] = account::first(cx.accounts)?;
    let address = *counter.address();
    let mut data = account::data_mut::<Counter>(counter, cx.program)?;
    let (head, seats) = layout::list_mut::<Counter, Seat>(&mut data)?;
    let seat = seats.get_mut(seat).ok_or(Error::MALFORMED_ARGUMENTS)?;
    seat.stake = arith::add(seat.stake, stake)?;
    seat.key = address.to_bytes();
    head.total = arith::add(head.total, stake)?;
    Ok(())
}

/// Sums the stakes over all seats and compares with the total. Account: counter.
pub(super) fn total(cx: &mut Cx) -> Outcome {
    let [counter] = account::first(cx.accounts)?;
    let data = account::data::<Counter>(counter, cx.program)?;
    let (head, seats) = layout::list::<Counter, Seat>(&data)?;
    pda::check(counter, &[b"counter", &head.id], head.bump, cx.program)?;
    let mut sum = 0;
    for seat in seats {
        sum = arith::add(sum, seat.stake)?;
    }
    if sum != head.total {
        return Err(Error::RUNTIME);
    }
    event::give(&sum.to_le_bytes());
    Ok(())
}

/// Appends a seat, paid by the payer. Accounts: payer, counter, System program.
pub(super) fn grow(cx: &mut Cx) -> Outcome {
    let [payer, counter] = account::first(cx.accounts)?;
    drop(account::data_mut::<Counter>(counter, cx.program)?);
    pda::transfer(payer, counter, Rent::get()?.of_bytes(GROWTH)?)?;
    account::grow(counter, GROWTH)
}

/// Moves lamports between two counters. Accounts: from, to.
pub(super) fn pay(cx: &mut Cx) -> Outcome {
    let lamports = Reader::new(cx.data).u64()?;
    let [from, to] = account::first(cx.accounts)?;
    account::owned(from, cx.program)?;
    account::owned(to, cx.program)?;
    account::pay(from, to, lamports)
}

/// Closes a counter. Accounts: counter, who gets its lamports.
pub(super) fn close(cx: &mut Cx) -> Outcome {
    let [counter, to] = account::first(cx.accounts)?;
    drop(account::data_mut::<Counter>(counter, cx.program)?);
    account::close(counter, to)
}

/// Checks that all accounts differ.
pub(super) fn distinct(cx: &mut Cx) -> Outcome {
    account::distinct(cx.accounts)
}
