//! `commit`: a seated judge binds itself to an opinion that nobody can read yet (D4).

use crate::account::{self, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Committed, Event};
use crate::rule::slash::reveal_if_complete;
use crate::rule::status::{self, Turn};
use crate::state::case::{COMMITTED, Case, EQUIVOCATED};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Bytes of a sealed opening (protocol section 3).
const SEALED: usize = 93;

/// Commits. When no seat is left that could, the reveal begins at once (D3).
///
/// Arguments: round u8, commitment, sealed bytes. Accounts: judge s, case w.
pub fn commit(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (round, commitment, sealed) = (arguments.u8()?, *arguments.bytes::<32>()?, arguments.vector()?);
    arguments.end()?;
    let [judge, mut case] = account::take(cx.accounts, [S, W])?;
    let mut case = account::open::<Case>(&mut case, cx.program)?;
    let seat = case.seat_of(judge.address()).ok_or(Error::NOT_SEATED)?;
    status::case(Turn::Commit, case.status)?;
    let now = clock()?.time;
    require(now < case.commit_ends, Error::TOO_LATE)?;
    require(round == case.round, Error::WRONG_ROUND)?;
    require(!case.panel[seat].has(EQUIVOCATED), Error::EQUIVOCATED)?;
    require(!case.panel[seat].has(COMMITTED), Error::ALREADY_COMMITTED)?;
    require(commitment != [0; 32], Error::MISSING_HASH)?;
    require(sealed.is_empty() || sealed.len() == SEALED, Error::BAD_SEALED)?;

    case.panel[seat].commitment = commitment;
    case.panel[seat].flags |= COMMITTED;
    case.committed += 1;
    reveal_if_complete(&mut case, now)?;
    Committed { task: case.task, round, seat: seat as u8, judge: *judge.address(), commitment }.log()
}
