//! The second level of a case: up to 28 judges that did not sit hear it anew (ADR 0038).

use crate::arith;
use crate::error::Outcome;
use crate::rule::court::Court;
use crate::rule::draw::{Parties, clear};
use crate::rule::pay::later;
use crate::rule::settle::{Bonds, Next, Settled};
use crate::rule::status::{self, Turn};
use crate::state::case::{ACCEPT, Case, HELD, Hearing, MAX_SEATS, NONE};
use crate::state::roster::{Entry, FREE};
use crate::state::task::Task;
use crate::sysvar::Clock;

/// Judges without whom no appeal begins.
pub const LEAST: u8 = 7;

/// The level of the first panel.
pub const FIRST: u8 = 1;
/// The level of the appeal.
pub const SECOND: u8 = 2;

/// The seats of an appeal: as many judges as gave no verdict and may judge the parties, up to a full
/// panel. Those that leave count: their stakes stay until the case is over, so nobody ends an appeal
/// by leaving. 0: they are too few, or the rules allow no appeal.
#[inline(never)]
pub fn seats(case: &Case, task: &Task, entries: &[Entry]) -> u8 {
    if case.appeal_seconds == 0 {
        return 0;
    }
    let may = |index, entry: &Entry| entry.state != FREE && !case.sat(index);
    let others = Parties::of(task).judges(entries, case.min_stake, may, MAX_SEATS);
    if others < LEAST as usize { 0 } else { others as u8 }
}

/// The bond of an appeal: the fees of the largest panel.
pub fn bond(case: &Case) -> Outcome<u64> {
    arith::mul(case.fee, MAX_SEATS as u64)
}

impl Case {
    /// Opens the second level. The account has room for its seats already.
    pub fn appeal(&mut self, clock: &Clock) -> Outcome {
        self.status = status::case(Turn::Appeal, self.status)? as u8;
        (self.first_round, self.first_verdict, self.first_seats) = (self.round, self.verdict, self.seats);
        self.first_seated_weight = self.seated_weight;
        self.first_accept_weight = self.accept_weight;
        self.first_reject_weight = self.reject_weight;
        self.first_abstain_weight = self.abstain_weight;
        self.round = self.max_rounds + 1;
        self.await_draw(clock);
        Ok(())
    }

    /// The tallies are those of the level that gave the verdict.
    fn recall(&mut self) {
        self.seated_weight = self.first_seated_weight;
        self.accept_weight = self.first_accept_weight;
        self.reject_weight = self.first_reject_weight;
        self.abstain_weight = self.first_abstain_weight;
    }
}

/// Empties the panel for the judges of the appeal.
pub fn empty(case: &mut Hearing) {
    clear(case);
}

impl Court<'_> {
    /// Notes a verdict that the loser may appeal. All money waits, but what silence costs.
    #[inline(never)]
    pub fn announce(&mut self, verdict: u8) -> Outcome {
        self.case.status = status::case(Turn::Announce, self.case.status)? as u8;
        (self.case.verdict, self.case.appeal_by) = (verdict, self.clock.time + self.case.appeal_seconds as i64);
        Ok(())
    }

    /// Ends a case that the first panel decided: by its verdict, or by that of the appeal. `found`
    /// is the latter, or [`NONE`].
    #[inline(never)]
    pub fn finish(&mut self, turn: Turn, found: u8, bonds: &Bonds) -> Outcome<Settled> {
        if found == NONE {
            self.case.level = FIRST;
            if self.case.appealed() {
                self.case.recall();
            }
        } else {
            self.case.level = SECOND;
            self.case.verdict = found;
        }
        let verdict = self.case.verdict;
        self.end(turn, verdict)?;
        self.release_held()?;
        let bond = if verdict == ACCEPT { bonds.creator } else { bonds.worker };
        Ok(Settled { next: Next::Over, verdict, bond, golden: self.pay_seats(bond)? })
    }

    /// The seats of the first panel can lose nothing more after this instruction.
    fn release_held(&mut self) -> Outcome {
        let first = self.case.appealed();
        for i in 0..self.case.level(first).len() {
            let seat = self.seat(first, i);
            if seat.has(HELD) {
                seat.flags &= !HELD;
                let seat = *seat;
                let kept = later(&self.case, seat.weight)?;
                if let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) {
                    entry.live -= 1;
                    entry.locked -= kept;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "appeal_test.rs"]
mod tests;
