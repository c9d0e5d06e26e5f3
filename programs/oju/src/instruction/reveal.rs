//! `reveal`: anyone who knows an opening shows it, so a peer can save a judge whose RPC is down.

use crate::account::{self, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, Revealed};
use crate::rule::preimage::{Opening, Place, commitment};
use crate::rule::status::{self, Phase, Turn};
use crate::rule::tally::side;
use crate::state::case::{COMMITTED, Case, EQUIVOCATED, Hearing, REVEALED};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Counts the vote of a seat.
///
/// Arguments: round u8, judge, choice u8, opinion_hash, receipts_root, salt. Accounts: case w.
pub fn reveal(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (round, judge, choice) = (arguments.u8()?, arguments.key()?, arguments.u8()?);
    let (opinion_hash, receipts_root, salt) = (arguments.bytes()?, arguments.bytes()?, arguments.bytes()?);
    arguments.end()?;
    let [mut case] = account::take(cx.accounts, [W])?;
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?;
    let mut case = Hearing::of(&mut docket)?;
    let to = status::case(Turn::Reveal, case.status)?;
    in_time(&case, clock()?.time)?;
    require(round == case.round, Error::WRONG_ROUND)?;
    let index = case.seat_of(&judge).ok_or(Error::NOT_SEATED)?;
    let seat = case.panel[index];
    require(!seat.has(EQUIVOCATED), Error::EQUIVOCATED)?;
    require(seat.has(COMMITTED), Error::NOT_COMMITTED)?;
    require(!seat.has(REVEALED), Error::ALREADY_REVEALED)?;
    let tally = side(&mut case, choice).ok_or(Error::BAD_CHOICE)?;
    *tally = arith::add(*tally, seat.weight)?;
    let opening = Opening { choice, opinion_hash, receipts_root, salt };
    let place = Place { task: &case.task, round, judge: &judge };
    require(commitment(cx.program, &place, &opening) == seat.commitment, Error::WRONG_OPENING)?;

    case.status = to as u8;
    case.revealed += 1;
    case.panel[index].choice = choice;
    case.panel[index].flags |= REVEALED;
    Revealed {
        task: case.task,
        round,
        seat: index as u8,
        judge,
        choice,
        opinion_hash: *opinion_hash,
        receipts_root: *receipts_root,
        salt: *salt,
    }
    .log()
}

/// Openings are taken from the end of the commits to the end of the reveals.
fn in_time(case: &Case, now: i64) -> Outcome {
    let committing = case.status == Phase::Commit as u8;
    require(!committing || now >= case.commit_ends, Error::TOO_EARLY)?;
    require(now < case.reveal_ends, Error::TOO_LATE)
}
