//! `slash_equivocation`: a judge with two different statements for one round loses its stake, which
//! goes to the Pot.

use pinocchio::Address;
use pinocchio::account::Ref;
use pinocchio::sysvars::instructions::Instructions;

use crate::account::{self, R, W};
use crate::ed25519;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, Slashed};
use crate::rule::court::Court;
use crate::rule::preimage::{Place, stated};
use crate::rule::slash::round_of_seats;
use crate::state::case::{Case, EQUIVOCATED, Hearing, Seat};
use crate::state::config::Config;
use crate::state::pot::Pot;
use crate::state::roster::{Entry, Roster};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Slashes a seat. Anyone may bring the evidence: the instruction just before is an
/// Ed25519 instruction with exactly the two statements, signed by the judge's node key.
///
/// Arguments: seat u8. Accounts: config, roster w, case w, pot w, instructions.
pub fn slash(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let index = arguments.u8()?;
    arguments.end()?;
    let [config, mut roster, mut case, mut pot, instructions] = account::take(cx.accounts, [R, W, W, W, R])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?;
    let case = Hearing::of(&mut docket)?;
    let mut pot = account::open::<Pot>(&mut pot, cx.program)?;
    let proof = ed25519::instructions(&instructions)?;
    let (seat, round, place) = seat_at(&case, index as usize)?;
    let mut till = listed.account;
    let (roster, entries) = listed.parts()?;
    let entry = Entry::of(entries, seat.index, &seat.judge).ok_or(Error::NOT_ON_ROSTER)?;
    require(!seat.has(EQUIVOCATED), Error::EQUIVOCATED)?;
    let said = Place { task: &case.task, round, judge: &seat.judge };
    let proven = proves(&proof, &entry.peer, |message| stated(message, &config.network, cx.program, &said));
    require(proven, Error::BAD_EVIDENCE)?;

    let (task, clock) = (case.task, clock()?);
    let amount = Court { case, roster, entries, clock }.slash_equivocation(index as usize)?;
    pot.take(&mut till, amount)?;
    Slashed { task, round, seat: place as u8, judge: seat.judge, amount }.log()
}

/// A seat, the round that its judge signed statements for, and its number in that round. The seats
/// of a first panel whose verdict was appealed come before those of the appeal.
fn seat_at(case: &Hearing, index: usize) -> Outcome<(Seat, u8, usize)> {
    let first = index < case.base();
    let place = index - if first { 0 } else { case.base() };
    let seat = *case.level(first).get(place).ok_or(Error::NOT_SEATED)?;
    Ok((seat, if first { case.first_round } else { round_of_seats(case) }, place))
}

/// Whether `peer` signed two statements that differ. `read` takes the commitment out of one.
fn proves(
    proof: &Instructions<Ref<'_, [u8]>>,
    peer: &Address,
    read: impl Fn(&[u8]) -> Option<&[u8; 32]>,
) -> bool {
    let Some(before) = ed25519::before(proof) else { return false };
    let Some([one, two]) = ed25519::exactly::<2>(before.get_instruction_data()) else { return false };
    let both = one.key == peer.as_array() && two.key == peer.as_array();
    match (read(one.message), read(two.message)) {
        (Some(one), Some(two)) => both && one != two,
        _ => false,
    }
}
