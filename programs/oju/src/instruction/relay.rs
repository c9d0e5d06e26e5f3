//! `relay_commit`: anyone commits for a judge that asks for it. If its RPC is down or
//! its wallet is empty, the judge should not be absent for that reason (ADR 0019).

use pinocchio::Address;
use pinocchio::account::Ref;
use pinocchio::sysvars::instructions::Instructions;

use crate::account::{self, R, W};
use crate::ed25519;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::instruction::commit::Ballot;
use crate::rule::preimage::{Place, asks_to_commit};
use crate::state::case::{Case, Hearing};
use crate::state::config::Config;
use crate::state::roster::{Entry, Roster};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Commits for a seat. The instruction just before is an Ed25519 instruction with one signature
/// of the judge's node key over the relay request. Only the fee payer signs the transaction.
///
/// Arguments: round, judge, commitment, sealed. Accounts: config, roster, case w, instructions.
pub fn relay(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (round, judge) = (arguments.u8()?, arguments.key()?);
    let ballot = Ballot::read(round, arguments)?;
    let [config, mut roster, mut case, instructions] = account::take(cx.accounts, [R, R, W, R])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?; // nothing in it is changed
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?;
    let mut case = Hearing::of(&mut docket)?;
    let proof = ed25519::instructions(&instructions)?;
    let seat = case.seat_of(&judge).ok_or(Error::NOT_SEATED)?;
    let entry = Entry::of(listed.parts()?.1, case.panel[seat].index, &judge).ok_or(Error::NOT_ON_ROSTER)?;
    let now = clock()?.time;
    ballot.check(&case, seat, now)?;
    let place = Place { task: &case.task, round, judge: &judge };
    let asks = |message: &[u8]| {
        asks_to_commit(message, &config.network, cx.program, &place, ballot.commitment, ballot.sealed)
    };
    require(asked(&proof, &entry.peer, asks), Error::BAD_RELAY)?;
    ballot.record(&mut case, seat, now)
}

/// Whether `peer` signed, in the instruction just before, one message that asks for it.
fn asked(proof: &Instructions<Ref<'_, [u8]>>, peer: &Address, asks: impl Fn(&[u8]) -> bool) -> bool {
    let Some(before) = ed25519::before(proof) else { return false };
    let Some([signed]) = ed25519::exactly::<1>(before.get_instruction_data()) else { return false };
    signed.key == peer.as_array() && asks(signed.message)
}
