//! What a seat can earn and lose, and the end of a case for its seats; protocol section 6, Pay.

use crate::arith;
use crate::error::Outcome;
use crate::rule::appeal::{FIRST, SECOND};
use crate::rule::court::Court;
use crate::rule::price::BPS;
use crate::rule::tally;
use crate::state::case::{Case, MAJORITY, NONE, Seat, UNDECIDED};

/// The pay of a vote for a side: half of the fee, at most what leaves a wrong vote in a golden case
/// within the seat's risk, so that gains and losses keep their ratio (ADR 0023).
#[inline(never)]
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
#[inline(never)]
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

/// A loss of some pays, at most what one mistake costs.
#[inline(never)]
fn at_risk(case: &Case, weight: u64, pays: u16) -> Outcome<u64> {
    Ok(arith::mul(pay(case, weight)?, pays as u64)?.min(risk(case, weight)?))
}

/// The most that a vote for a side can still lose when its round is settled.
pub fn later(case: &Case, weight: u64) -> Outcome<u64> {
    at_risk(case, weight, case.reversal.max(case.minority))
}

/// The most that a live seat can lose, equivocation apart. So much of the stake is reserved. A seat
/// makes one of these mistakes at most: a vote that was withheld is on no side.
#[inline(never)]
pub fn exposure(case: &Case, weight: u64) -> Outcome<u64> {
    Ok(withheld(case, weight)?.max(later(case, weight)?).max(absence(case, weight)?))
}

impl Court<'_> {
    /// Pays the seats that took a side in the last round, and those of the first panel if its
    /// verdict was appealed, from the purse, which is what the parties lost. Returns the rest,
    /// which is the golden pot's. A clear reversal costs the first seats that were against it. With
    /// the preset of the seed, a clear minority loses, and a clear majority shares what the others
    /// leave.
    #[inline(never)]
    pub fn pay_seats(&mut self, purse: u64) -> Outcome<u64> {
        let mut purse = purse;
        let (mut paid, mut sharing) = (0, 0);
        let end = Ending::of(&self.case);
        for first in [true, false] {
            for i in 0..self.case.level(first).len() {
                let seat = *self.seat(first, i);
                let pays = match end.due(&seat, first) {
                    Due::Nothing => continue,
                    Due::Pay => {
                        paid += 1;
                        continue;
                    }
                    Due::Share => {
                        sharing += seat.weight;
                        continue;
                    }
                    Due::Reversal => self.case.reversal,
                    Due::Minority => self.case.minority,
                };
                let loss = at_risk(&self.case, seat.weight, pays)?;
                purse = arith::add(purse, self.slash(first, i, loss)?)?;
            }
        }
        let (due, left) = self.pay_flat(&end, purse, paid)?;
        if sharing == 0 {
            return Ok(left);
        }
        let shared = purse - due;
        arith::sub(left, shared - self.share(&end, shared, sharing)?)
    }

    /// Each of those who are due their pay gets it, or an equal part of the purse if that is less.
    /// Returns what they are due, and what is left of the purse: more, if one has left the Roster.
    fn pay_flat(&mut self, end: &Ending, purse: u64, paid: u64) -> Outcome<(u64, u64)> {
        let (mut all, mut left) = (0, purse);
        // LLVM may divide before it knows that anybody is paid, and the machine refuses a zero.
        let part = purse / paid.max(1);
        for first in [true, false] {
            for i in 0..self.case.level(first).len() {
                let seat = *self.seat(first, i);
                if matches!(end.due(&seat, first), Due::Pay) {
                    let due = pay(&self.case, seat.weight)?.min(part);
                    all += due;
                    left = arith::sub(left, self.earn(first, i, due)?)?;
                }
            }
        }
        Ok((all, left))
    }

    /// Divides the purse among the seats of a side, and returns what is left of it: by weight and
    /// cumulative rounding, so that the shares sum to it. With c_i the weight of the first i of
    /// them, the i-th gets `⌊purse·c_i/W⌋ − ⌊purse·c_{i−1}/W⌋`.
    fn share(&mut self, end: &Ending, purse: u64, total: u64) -> Outcome<u64> {
        let (mut weight, mut paid, mut left) = (0, 0, purse);
        for first in [true, false] {
            for i in 0..self.case.level(first).len() {
                let seat = *self.seat(first, i);
                if matches!(end.due(&seat, first), Due::Share) {
                    weight += seat.weight;
                    let due = arith::mul_div(purse, weight, total)?;
                    left = arith::sub(left, self.earn(first, i, due - paid)?)?;
                    paid = due;
                }
            }
        }
        Ok(left)
    }
}

/// What the end of a case brings a seat.
enum Due {
    Nothing,
    Pay,
    Share,
    Reversal,
    Minority,
}

/// The end of a case, as far as its seats depend on it.
struct Ending {
    verdict: u8,
    /// The verdict that the appeal clearly reversed, or [`NONE`].
    reversed: u8,
    /// A clear majority shares, and the minority pays.
    majority: bool,
    /// There are two levels, and the first one gave the verdict.
    first_decides: bool,
}

impl Ending {
    fn of(case: &Case) -> Ending {
        let verdict = case.verdict;
        let clear = verdict != UNDECIDED && tally::clear(case);
        let turned = case.level == SECOND && clear && verdict != case.first_verdict && case.outweighs();
        Ending {
            verdict,
            reversed: if turned { case.first_verdict } else { NONE },
            majority: case.preset == MAJORITY && clear,
            first_decides: case.appealed() && case.level == FIRST,
        }
    }

    /// `first`: the seat is of the first panel, and the verdict was appealed.
    fn due(&self, seat: &Seat, first: bool) -> Due {
        if !seat.sided() {
            Due::Nothing
        } else if first && seat.choice == self.reversed {
            Due::Reversal
        } else if !self.majority || first != self.first_decides {
            Due::Pay
        } else if seat.choice == self.verdict {
            Due::Share
        } else {
            Due::Minority
        }
    }
}
