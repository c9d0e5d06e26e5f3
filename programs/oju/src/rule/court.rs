//! The input and output of the rules of a round.

use crate::arith;
use crate::error::Outcome;
use crate::state::case::{Hearing, Seat};
use crate::state::roster::{Entry, Roster};
use crate::sysvar::Clock;

/// A case, the judges, and the time.
///
/// Only numbers change here. The Roster's account always holds rent + total_stake +
/// total_rewards: the caller moves the lost bonds into it, and the golden pot's lamports out.
pub struct Court<'a> {
    /// The case.
    pub case: Hearing<'a>,
    /// Where all money of judges is counted.
    pub roster: &'a mut Roster,
    /// The judges.
    pub entries: &'a mut [Entry],
    /// Now.
    pub clock: Clock,
}

impl Court<'_> {
    /// A seat of the first panel, if its verdict was appealed, or of the present one.
    pub fn seat(&mut self, first: bool, seat: usize) -> &mut Seat {
        let seats = if first { &mut *self.case.first } else { &mut *self.case.panel };
        &mut seats[seat]
    }

    /// Takes an amount from a seat's judge, as far as its stake reaches, and returns what it was.
    /// The caller must count it. Takes nothing if another judge has the entry.
    #[inline(never)]
    pub fn slash(&mut self, first: bool, seat: usize, amount: u64) -> Outcome<u64> {
        let seats = if first { &mut *self.case.first } else { &mut *self.case.panel };
        let seat = &mut seats[seat];
        let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) else { return Ok(0) };
        let amount = amount.min(entry.stake);
        entry.stake -= amount;
        self.roster.total_stake = arith::sub(self.roster.total_stake, amount)?;
        seat.slashed = arith::add(seat.slashed, amount)?;
        Ok(amount)
    }

    /// Adds to the rewards of a seat's judge and returns the amount: 0 if another judge has the
    /// entry.
    #[inline(never)]
    pub fn earn(&mut self, first: bool, seat: usize, amount: u64) -> Outcome<u64> {
        let seats = if first { &mut *self.case.first } else { &mut *self.case.panel };
        let seat = &mut seats[seat];
        let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) else { return Ok(0) };
        entry.rewards = arith::add(entry.rewards, amount)?;
        seat.earned = arith::add(seat.earned, amount)?;
        self.roster.total_rewards = arith::add(self.roster.total_rewards, amount)?;
        Ok(amount)
    }
}
