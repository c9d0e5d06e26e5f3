//! The input and output of the rules of a round.

use crate::arith;
use crate::error::Outcome;
use crate::state::case::Case;
use crate::state::roster::{Entry, Roster};
use crate::sysvar::Clock;

/// A case, the judges, and the time.
///
/// Only numbers change here. Lamports stay in the Roster's account, which always holds rent
/// + total_stake + total_rewards + carry + pots. The caller moves the loser's bond into it.
pub struct Court<'a> {
    /// The case.
    pub case: &'a mut Case,
    /// Where all money of the court is counted.
    pub roster: &'a mut Roster,
    /// The judges.
    pub entries: &'a mut [Entry],
    /// Now.
    pub clock: Clock,
}

impl Court<'_> {
    /// Keeps slashed lamports in the case until a round has winners.
    pub fn keep(&mut self, lamports: u64) -> Outcome {
        self.case.pot = arith::add(self.case.pot, lamports)?;
        self.roster.pots = arith::add(self.roster.pots, lamports)?;
        Ok(())
    }

    /// Takes the kept lamports out.
    pub fn take_kept(&mut self) -> Outcome<u64> {
        let pot = core::mem::take(&mut self.case.pot);
        self.roster.pots = arith::sub(self.roster.pots, pot)?;
        Ok(pot)
    }
}
