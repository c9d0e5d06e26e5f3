//! Dividing a pot among winners; protocol section 6, Share.

use crate::arith;
use crate::error::Outcome;
use crate::rule::court::Court;
use crate::state::case::Seat;
use crate::state::roster::Entry;

impl Court<'_> {
    /// Divides `pot` among the seats with the result `winner`, by weight and
    /// cumulative rounding, so that the shares sum to the pot. With c_i the weight
    /// of the winners up to the i-th, it gets `⌊pot·c_i/W⌋ − ⌊pot·c_{i−1}/W⌋`.
    ///
    /// A share goes to the judge's entry, or to the carry if another judge has the entry.
    /// Without a winner the pot joins the carry. The caller has taken the pot out of the Roster.
    pub fn share(&mut self, pot: u64, winner: u8) -> Outcome {
        let won = |seat: &&Seat| seat.result == winner;
        let total: u64 = self.case.seated().iter().filter(won).map(|seat| seat.weight).sum();
        if total == 0 {
            self.roster.carry = arith::add(self.roster.carry, pot)?;
            return Ok(());
        }
        let (mut weight, mut paid) = (0, 0);
        for i in 0..self.case.seated().len() {
            if self.case.panel[i].result == winner {
                weight += self.case.panel[i].weight;
                let due = arith::mul_div(pot, weight, total)?;
                self.earn(i, due - paid)?;
                paid = due;
            }
        }
        Ok(())
    }

    fn earn(&mut self, seat: usize, lamports: u64) -> Outcome {
        let seat = &mut self.case.panel[seat];
        match Entry::of(self.entries, seat.index, &seat.judge) {
            Some(entry) => {
                entry.rewards = arith::add(entry.rewards, lamports)?;
                seat.earned = arith::add(seat.earned, lamports)?;
                self.roster.total_rewards = arith::add(self.roster.total_rewards, lamports)?;
            }
            None => self.roster.carry = arith::add(self.roster.carry, lamports)?,
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "share_test.rs"]
mod tests;
