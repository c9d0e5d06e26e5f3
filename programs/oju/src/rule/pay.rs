//! What a seat can earn and lose, and the end of a case for its seats; protocol section 6, Pay.

use crate::arith;
use crate::error::Outcome;
use crate::rule::court::Court;
use crate::rule::price::BPS;
use crate::rule::tally;
use crate::state::case::{ACCEPT, Case, MAJORITY, Seat, UNDECIDED};

/// The pay of a vote for a side: half of the fee, at most what leaves a wrong vote in a golden case
/// within the seat's risk, so that gains and losses keep their ratio (ADR 0023).
pub fn pay(case: &Case, weight: u64) -> Outcome<u64> {
    pays(case.fee, case.risk_bps, (case.golden_gain, case.golden_loss), weight)
}

/// The same of these parameters; `ratio` has golden_gain and golden_loss.
pub fn pays(fee: u64, risk_bps: u16, ratio: (u16, u16), weight: u64) -> Outcome<u64> {
    let half = fee / 2;
    match product(ratio) {
        0 => Ok(half),
        pays => Ok(half.min(arith::mul_div(weight, risk_bps as u64, BPS)? / pays)),
    }
}

/// The most that one mistake costs a seat of that weight.
fn risk(case: &Case, weight: u64) -> Outcome<u64> {
    arith::mul_div(weight, case.risk_bps as u64, BPS)
}

fn product((gain, loss): (u16, u16)) -> u64 {
    (gain as u64).wrapping_mul(loss as u64) // two factors of 16 bits
}

fn withheld_pays(case: &Case) -> u64 {
    product((case.golden_gain, case.golden_loss))
}

/// What a right vote in a golden case earns.
pub fn gain(case: &Case, weight: u64) -> Outcome<u64> {
    arith::mul(pay(case, weight)?, case.golden_gain as u64)
}

/// The loss of a seat that committed and did not reveal.
pub fn withheld(case: &Case, weight: u64) -> Outcome<u64> {
    arith::mul(pay(case, weight)?, withheld_pays(case))
}

/// The loss of a seat that never committed.
pub fn absence(case: &Case, weight: u64) -> Outcome<u64> {
    arith::mul(pay(case, weight)?, case.absence as u64)
}

/// The loss of a clear minority.
fn outvoted(case: &Case, weight: u64) -> Outcome<u64> {
    Ok(arith::mul(pay(case, weight)?, case.minority as u64)?.min(risk(case, weight)?))
}

/// The most that a live seat can lose, equivocation apart. So much of the stake is reserved.
pub fn exposure(case: &Case, weight: u64) -> Outcome<u64> {
    let voted = arith::add(withheld(case, weight)?, outvoted(case, weight)?)?;
    Ok(voted.max(absence(case, weight)?))
}

impl Court<'_> {
    /// Pays the seats that took a side in the last round from the purse, which is what the parties
    /// lost, and returns the rest, which is the golden pot's. With the preset of the seed, a clear
    /// minority loses, and a clear majority shares what is there.
    pub fn pay_seats(&mut self, purse: u64) -> Outcome<u64> {
        let verdict = self.case.verdict;
        let clear = verdict != UNDECIDED && tally::clear(self.case);
        let majority = self.case.preset == MAJORITY && clear;
        let (mut purse, mut voted) = (purse, 0);
        for i in 0..self.case.seated().len() {
            let seat = self.case.panel[i];
            if seat.sided() && majority && seat.choice != verdict {
                let loss = outvoted(self.case, seat.weight)?;
                purse = arith::add(purse, self.slash(i, loss)?)?;
            } else if seat.sided() {
                voted += 1;
            }
        }
        if majority { self.share(purse, verdict) } else { self.pay_flat(purse, voted) }
    }

    /// Each of the voters gets its pay, or an equal part of the purse if that is less.
    fn pay_flat(&mut self, purse: u64, voters: u64) -> Outcome<u64> {
        let mut left = purse;
        for i in 0..self.case.seated().len() {
            let seat = self.case.panel[i];
            if seat.sided() {
                let due = pay(self.case, seat.weight)?.min(purse / voters);
                left = arith::sub(left, self.earn(i, due)?)?;
            }
        }
        Ok(left)
    }

    /// Divides the purse among the seats of a side, by weight and cumulative rounding, so that the
    /// shares sum to it. With c_i the weight of the first i of them, the i-th gets
    /// `⌊purse·c_i/W⌋ − ⌊purse·c_{i−1}/W⌋`.
    fn share(&mut self, purse: u64, side: u8) -> Outcome<u64> {
        let won = |seat: &Seat| seat.sided() && seat.choice == side;
        let total = if side == ACCEPT { self.case.accept_weight } else { self.case.reject_weight };
        let (mut weight, mut paid, mut left) = (0, 0, purse);
        for i in 0..self.case.seated().len() {
            if won(&self.case.panel[i]) {
                weight += self.case.panel[i].weight;
                let due = arith::mul_div(purse, weight, total)?;
                left = arith::sub(left, self.earn(i, due - paid)?)?;
                paid = due;
            }
        }
        Ok(left)
    }
}
