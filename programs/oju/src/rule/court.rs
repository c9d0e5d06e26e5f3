//! What the rules of a round work on.

use crate::arith;
use crate::error::Outcome;
use crate::state::case::Case;
use crate::state::roster::{Entry, Roster};
use crate::sysvar::Clock;

/// A case, the judges, and the time.
///
/// Only numbers change here. Lamports stay in the Roster's account, which always holds rent + total_stake +
/// total_rewards + carry + pots; the loser's bond, which comes into it, is the caller's to move.
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
    /// Keeps what was slashed in the case until there is somebody to give it to.
    pub fn keep(&mut self, lamports: u64) -> Outcome {
        self.case.pot = arith::add(self.case.pot, lamports)?;
        self.roster.pots = arith::add(self.roster.pots, lamports)?;
        Ok(())
    }

    /// Takes what was kept.
    pub fn take_kept(&mut self) -> Outcome<u64> {
        let pot = core::mem::take(&mut self.case.pot);
        self.roster.pots = arith::sub(self.roster.pots, pot)?;
        Ok(pot)
    }
}
