//! `commit`: a seated judge binds itself to an opinion that stays hidden until the reveal.

use crate::account::{self, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Committed, Event};
use crate::rule::slash::reveal_if_complete;
use crate::rule::status::{self, Turn};
use crate::state::case::{COMMITTED, Case, EQUIVOCATED, Hearing};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Bytes of a sealed opening (protocol section 3).
const SEALED: usize = 93;

/// The arguments of a commitment.
pub struct Ballot<'a> {
    /// The round of the commitment.
    pub round: u8,
    /// The hash of the opening.
    pub commitment: &'a [u8; 32],
    /// The sealed opening, which only the judge can read, or nothing.
    pub sealed: &'a [u8],
}

impl<'a> Ballot<'a> {
    /// Reads it, up to the end of the arguments.
    pub fn read(round: u8, mut arguments: Reader<'a>) -> Outcome<Self> {
        let (commitment, sealed) = (arguments.bytes::<32>()?, arguments.vector()?);
        arguments.end()?;
        Ok(Ballot { round, commitment, sealed })
    }

    /// Whether the seat may hand it in at that time.
    pub fn check(&self, case: &Hearing, seat: usize, now: i64) -> Outcome {
        status::case(Turn::Commit, case.status)?;
        require(now < case.commit_ends, Error::TOO_LATE)?;
        require(self.round == case.round, Error::WRONG_ROUND)?;
        require(!case.panel[seat].has(EQUIVOCATED), Error::EQUIVOCATED)?;
        require(!case.panel[seat].has(COMMITTED), Error::ALREADY_COMMITTED)?;
        require(*self.commitment != [0; 32], Error::MISSING_HASH)?;
        require(self.sealed.is_empty() || self.sealed.len() == SEALED, Error::BAD_SEALED)
    }

    /// Records it after [`Ballot::check`]. If no other seat could commit, the reveal begins now.
    pub fn record(&self, case: &mut Hearing, seat: usize, now: i64) -> Outcome {
        case.panel[seat].commitment = *self.commitment;
        case.panel[seat].flags |= COMMITTED;
        case.committed += 1;
        reveal_if_complete(case, now)?;
        let (task, judge) = (case.task, case.panel[seat].judge);
        Committed { task, round: self.round, seat: seat as u8, judge, commitment: *self.commitment }.log()
    }
}

/// Commits for the signer's seat.
///
/// Arguments: round u8, commitment, sealed bytes. Accounts: judge s, case w.
pub fn commit(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let round = arguments.u8()?;
    let ballot = Ballot::read(round, arguments)?;
    let [judge, mut case] = account::take(cx.accounts, [S, W])?;
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?;
    let mut case = Hearing::of(&mut docket)?;
    let seat = case.seat_of(judge.address()).ok_or(Error::NOT_SEATED)?;
    let now = clock()?.time;
    ballot.check(&case, seat, now)?;
    ballot.record(&mut case, seat, now)
}
