//! Taking stake; protocol section 6, Slash and Slash equivocation.

use crate::arith;
use crate::error::{Error, Outcome, require};
use crate::rule::court::Court;
use crate::rule::price::BPS;
use crate::rule::status::{self, Phase, Turn};
use crate::rule::tally::side;
use crate::state::case::{COMMITTED, Case, EQUIVOCATED, REVEALED, Seat, result};
use crate::state::roster::Entry;

/// The cost of a result in basis points of the weight, by the entry's counters before this
/// round. Equivocation costs nothing here, because it was slashed when it was proved.
pub fn price_of(result: u8, case: &Case, entry: &Entry) -> u16 {
    match result {
        result::ABSENT => case.absent_bps,
        result::MINORITY => case.minority_bps,
        result::ABSTAINED if quota_spent(case, entry) => case.absent_bps,
        _ => 0,
    }
}

/// Free abstentions are used up: `abstained·10,000 ≥ abstain_free·10,000 + seated·abstain_bps`.
/// No product wraps: one factor has 32 bits, the other 16.
fn quota_spent(case: &Case, entry: &Entry) -> bool {
    let used = (entry.abstained as u64).wrapping_mul(BPS);
    let free = (case.abstain_free as u64).wrapping_mul(BPS);
    let earned = (entry.seated as u64).wrapping_mul(case.abstain_bps as u64);
    used >= free + earned
}

/// The round of the seats, which the evidence must name (protocol section 5). It is the round
/// before while the present one is not drawn, and for ever if the case expired in that state.
pub fn round_of_seats(case: &Case) -> u8 {
    if case.drawn_slot >= case.seed_slot { case.round } else { case.round.saturating_sub(1) }
}

/// Begins the reveal if no seat is left that could commit. If
/// commits are over, it has begun by the clock, and its end stays.
pub fn reveal_if_complete(case: &mut Case, now: i64) -> Outcome {
    let could = |seat: &Seat| !seat.has(COMMITTED) && !seat.has(EQUIVOCATED);
    let committing = case.status == Phase::Commit as u8 && now < case.commit_ends;
    if committing && !case.seated().iter().any(could) {
        case.status = status::case(Turn::Reveal, case.status)? as u8;
        (case.commit_ends, case.reveal_ends) = (now, now + case.reveal_seconds as i64);
    }
    Ok(())
}

impl Court<'_> {
    /// Takes `bps` of a seat's weight from the judge's stake, as far as it reaches, and returns
    /// the amount, which the caller must count. Takes nothing if another judge has the entry.
    pub fn slash(&mut self, seat: usize, bps: u16) -> Outcome<u64> {
        let seat = &mut self.case.panel[seat];
        let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) else { return Ok(0) };
        let amount = entry.lose(arith::mul_div(seat.weight, bps as u64, BPS)?, self.clock.slot)?;
        self.roster.total_stake = arith::sub(self.roster.total_stake, amount)?;
        seat.slashed = arith::add(seat.slashed, amount)?;
        Ok(amount)
    }

    /// Slashes a seat with two signed statements and returns the amount. Once for each seat.
    pub fn slash_equivocation(&mut self, index: usize) -> Outcome<u64> {
        let seat = &mut self.case.panel[index];
        require(!seat.has(EQUIVOCATED), Error::EQUIVOCATED)?;
        seat.flags |= EQUIVOCATED;
        if let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) {
            entry.equivocated += 1;
        }
        let amount = self.slash(index, self.case.equivocation_bps)?;
        match self.case.status {
            status if status::is_over(status) => self.share_late(index, amount)?,
            status if status == Phase::Draw as u8 => self.discredit(index, amount)?,
            _ => self.unseat(index, amount)?,
        }
        Ok(amount)
    }

    /// The case is over: the other winners share the amount at once.
    fn share_late(&mut self, index: usize, amount: u64) -> Outcome {
        self.case.panel[index].result = result::EQUIVOCATED;
        let decided = self.case.status == Phase::Decided as u8;
        self.share(amount, if decided { result::MAJORITY } else { result::VOTED })
    }

    /// The round was void: the amount joins the pot.
    fn discredit(&mut self, index: usize, amount: u64) -> Outcome {
        self.case.panel[index].result = result::EQUIVOCATED;
        self.keep(amount)
    }

    /// The round is running: the amount joins the pot, the vote leaves the tally, the choice stays.
    fn unseat(&mut self, index: usize, amount: u64) -> Outcome {
        self.keep(amount)?;
        let seat = self.case.panel[index];
        if seat.has(REVEALED)
            && let Some(tally) = side(self.case, seat.choice)
        {
            *tally = arith::sub(*tally, seat.weight)?;
        }
        reveal_if_complete(self.case, self.clock.time)
    }
}

#[cfg(test)]
#[path = "slash_test.rs"]
mod tests;
