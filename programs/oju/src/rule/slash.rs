//! Equivocation; protocol section 6, Slash equivocation.

use crate::arith;
use crate::error::{Error, Outcome, require};
use crate::rule::court::Court;
use crate::rule::status::{self, Phase, Turn};
use crate::rule::tally::side;
use crate::state::case::{ACCEPT, COMMITTED, Case, EQUIVOCATED, Hearing, REVEALED, Seat, result};
use crate::state::roster::Entry;

/// The round of the seats, which the evidence must name (protocol section 5). It is the round
/// before while the present one is not drawn, and for ever if the case expired in that state.
pub fn round_of_seats(case: &Case) -> u8 {
    if case.drawn_slot >= case.seed_slot { case.round } else { case.round.saturating_sub(1) }
}

/// Begins the reveal if no seat is left that could commit. If
/// commits are over, it has begun by the clock, and its end stays.
pub fn reveal_if_complete(case: &mut Hearing, now: i64) -> Outcome {
    let could = |seat: &Seat| !seat.has(COMMITTED) && !seat.has(EQUIVOCATED);
    let committing = case.status == Phase::Commit as u8 && now < case.commit_ends;
    if committing && !case.seated().iter().any(could) {
        case.status = status::case(Turn::Reveal, case.status)? as u8;
        (case.commit_ends, case.reveal_ends) = (now, now + case.reveal_seconds as i64);
    }
    Ok(())
}

impl Court<'_> {
    /// Slashes a seat with two signed statements and returns the amount, which is all of the stake
    /// and the golden pot's. Once for each seat. The index is that among all seats of the case.
    pub fn slash_equivocation(&mut self, index: usize) -> Outcome<u64> {
        let first = index < self.case.base();
        let at = index - if first { 0 } else { self.case.base() };
        let seat = self.seat(first, at);
        require(!seat.has(EQUIVOCATED), Error::EQUIVOCATED)?;
        let sided = seat.sided();
        seat.flags |= EQUIVOCATED;
        let seat = *seat;
        if let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) {
            entry.equivocated += 1;
        }
        let amount = self.slash(first, at, u64::MAX)?;
        let status = self.case.status;
        let voting = status == Phase::Commit as u8 || status == Phase::Reveal as u8;
        if first || !voting {
            self.seat(first, at).result = result::EQUIVOCATED;
        }
        let waits = first && !status::is_over(status) || status == Phase::Appealable as u8;
        if waits && sided {
            self.uncount(first, &seat)?;
        } else if !first && voting {
            self.unseat(at)?;
        }
        Ok(amount)
    }

    /// The first panel's verdict may still be appealed, or was: the vote leaves the tally of that
    /// panel. The verdict stays.
    fn uncount(&mut self, first: bool, seat: &Seat) -> Outcome {
        let case = &mut *self.case.case;
        let tally = match (first, seat.choice) {
            (false, choice) => side(case, choice),
            (true, ACCEPT) => Some(&mut case.first_accept_weight),
            (true, _) => Some(&mut case.first_reject_weight),
        };
        if let Some(tally) = tally {
            *tally = arith::sub(*tally, seat.weight)?;
        }
        Ok(())
    }

    /// The round is running: the vote leaves the tally, the choice stays.
    fn unseat(&mut self, index: usize) -> Outcome {
        let seat = self.case.panel[index];
        if seat.has(REVEALED)
            && let Some(tally) = side(&mut self.case, seat.choice)
        {
            *tally = arith::sub(*tally, seat.weight)?;
        }
        reveal_if_complete(&mut self.case, self.clock.time)
    }
}

#[cfg(test)]
#[path = "slash_test.rs"]
mod tests;
