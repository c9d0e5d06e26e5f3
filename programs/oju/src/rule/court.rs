//! The input and output of the rules of a round.

use crate::arith;
use crate::error::Outcome;
use crate::state::case::Case;
use crate::state::roster::{Entry, Roster};
use crate::sysvar::Clock;

/// A case, the judges, and the time.
///
/// Only numbers change here. The Roster's account always holds rent + total_stake +
/// total_rewards: the caller moves the lost bonds into it, and the golden pot's lamports out.
pub struct Court<'a> {
    /// The case.
    pub case: &'a mut Case,
    /// Where all money of judges is counted.
    pub roster: &'a mut Roster,
    /// The judges.
    pub entries: &'a mut [Entry],
    /// Now.
    pub clock: Clock,
}

impl Court<'_> {
    /// Takes an amount from a seat's judge, as far as its stake reaches, and returns what it was.
    /// The caller must count it. Takes nothing if another judge has the entry.
    pub fn slash(&mut self, seat: usize, amount: u64) -> Outcome<u64> {
        let seat = &mut self.case.panel[seat];
        let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) else { return Ok(0) };
        let amount = amount.min(entry.stake);
        entry.stake -= amount;
        self.roster.total_stake = arith::sub(self.roster.total_stake, amount)?;
        seat.slashed = arith::add(seat.slashed, amount)?;
        Ok(amount)
    }

    /// Adds to the rewards of a seat's judge and returns the amount: 0 if another judge has the
    /// entry.
    pub fn earn(&mut self, seat: usize, amount: u64) -> Outcome<u64> {
        let seat = &mut self.case.panel[seat];
        let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) else { return Ok(0) };
        entry.rewards = arith::add(entry.rewards, amount)?;
        seat.earned = arith::add(seat.earned, amount)?;
        self.roster.total_rewards = arith::add(self.roster.total_rewards, amount)?;
        Ok(amount)
    }
}
