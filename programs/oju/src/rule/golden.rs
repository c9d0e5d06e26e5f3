//! What a golden case pays and takes, and the record that it gives; protocol section 6, Golden.

use crate::arith;
use crate::error::Outcome;
use crate::rule::court::Court;
use crate::rule::pay::{gain, pays, withheld};
use crate::state::batch::MAX_LEAVES;
use crate::state::case::{Hearing, MAX_SEATS, Seat};
use crate::state::roster::{Entry, PROVEN};
use crate::state::rules::Rules;

/// The part of a leaf that the Pot counts its allowance in.
pub const WHOLE: u64 = 10_000;
/// The allowance at most: the largest batch.
pub const MOST: u64 = MAX_LEAVES as u64 * WHOLE;

/// Golden cases from which on the share of votes in them says something.
const LEAST_SEEN: u8 = 20;
/// What a right vote adds to the score of a novice, and a wrong one takes from it.
const SCORE: (u64, u64) = (2, 3);
/// With this score a novice is proven. Whatever a coin does, also if it abstains when it is ahead,
/// it gets there once in a hundred at most (ADR 0099).
const PASS: u64 = 28;
/// With a score so far below zero a novice has failed.
const FAIL: u64 = 14;
/// Of right and wrong together, so many percent must be right.
const KEEP: u64 = 65;
/// Of seen, so many percent must be right or wrong.
const VOTED: u64 = 50;
/// With so many seen, all counters of a proven judge are halved.
const HALVE_AT: u8 = 64;
/// The same of a novice, whose score must not be forgotten.
const HALVE_NOVICE_AT: u8 = 200;

/// How a golden case was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Taken from the wrong seats.
    pub taken: u64,
    /// Paid to the right ones.
    pub paid: u64,
    /// For each seat of the first panel, and then of the appeal if there was one: the vote was
    /// [`RIGHT`] or [`WRONG`], its loss and its gain.
    pub seats: [Effect; 2 * MAX_SEATS],
}

impl Applied {
    /// Whether a seat took a side. A leaf that nobody judged tells nothing of anybody, and earns
    /// its proctor nothing.
    pub fn judged(&self) -> bool {
        self.seats.iter().any(|seat| seat.result != 0)
    }
}

impl Default for Applied {
    fn default() -> Self {
        Applied { taken: 0, paid: 0, seats: [Effect::default(); 2 * MAX_SEATS] }
    }
}

/// What a golden case did to a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// 0, [`RIGHT`] or [`WRONG`].
    pub result: u8,
    /// Lost.
    pub slashed: u64,
    /// Won.
    pub earned: u64,
}

/// The vote was the answer.
pub const RIGHT: u8 = 1;
/// It was the other side.
pub const WRONG: u8 = 2;

/// The least deposit of a batch: what its leaves take from all seats with the least fee.
pub fn deposit(rules: &Rules, leaves: u32) -> Outcome<u64> {
    let ratio = (rules.golden_gain, rules.golden_loss);
    let each = pays(rules.fee_min, rules.risk_bps, ratio, rules.max_seat_weight)?;
    let loss = arith::mul(each, rules.golden_gain as u64 * rules.golden_loss as u64)?;
    arith::mul(loss, leaves as u64 * MAX_SEATS as u64)
}

/// The most that the answer can take from the case's seats.
pub fn exposure(case: &Hearing) -> Outcome<u64> {
    let mut seats = case.level(true).iter().chain(case.level(false));
    seats.try_fold(0, |sum, seat| arith::add(sum, withheld(case, seat.weight)?))
}

impl Court<'_> {
    /// Takes from the wrong seats, pays the right ones from that and from the Pot, and counts the
    /// case in the record of all. A right seat gets at most an equal part, so the Pot always lasts.
    #[inline(never)]
    pub fn apply(&mut self, answer: u8, pot: u64, out: &mut Applied) -> Outcome {
        let mut right = 0;
        let firsts = self.case.level(true).len();
        let all = firsts + self.case.level(false).len();
        let place = |n: usize| if n < firsts { (true, n) } else { (false, n - firsts) };
        for n in 0..all {
            let (first, i) = place(n);
            let seat = *self.seat(first, i);
            if let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) {
                entry.note(&seat, answer);
            }
            if !seat.sided() {
                continue;
            }
            if seat.choice == answer {
                right += 1;
                out.seats[n].result = RIGHT;
                continue;
            }
            let loss = withheld(&self.case, seat.weight)?;
            let slashed = self.slash(first, i, loss)?;
            out.seats[n] = Effect { result: WRONG, slashed, earned: 0 };
            out.taken = arith::add(out.taken, slashed)?;
        }
        let part = arith::add(pot, out.taken)? / right.max(1);
        for n in 0..all {
            if out.seats[n].result == RIGHT {
                let (first, i) = place(n);
                let weight = self.seat(first, i).weight;
                let due = gain(&self.case, weight)?.min(part);
                out.seats[n].earned = self.earn(first, i, due)?;
                out.paid = arith::add(out.paid, out.seats[n].earned)?;
            }
        }
        Ok(())
    }
}

impl Entry {
    /// Counts a golden case. The older ones count less and less.
    fn note(&mut self, seat: &Seat, answer: u8) {
        self.seen += 1;
        self.since = self.since.saturating_add(1);
        if seat.sided() && seat.choice == answer {
            self.right += 1;
        } else if seat.sided() {
            self.wrong += 1;
        }
        if self.proven() {
            self.owned |= PROVEN;
        }
        let most = if self.proven() { HALVE_AT } else { HALVE_NOVICE_AT };
        if self.seen >= most {
            (self.right, self.wrong, self.seen) = (self.right / 2, self.wrong / 2, self.seen / 2);
        }
    }

    /// Whether the judge has passed. Until then it is a novice.
    #[inline(always)]
    pub fn proven(&self) -> bool {
        let (right, wrong) = (self.right as u64, self.wrong as u64);
        self.owned & PROVEN != 0 || SCORE.0 * right >= SCORE.1 * wrong + PASS
    }

    /// Whether the record lets the judge sit. A novice has not failed; a proven judge is still
    /// right often enough; and neither abstains too often.
    #[inline(always)]
    pub fn holds(&self) -> bool {
        let (right, wrong, seen) = (self.right as u64, self.wrong as u64, self.seen as u64);
        let few = self.seen < LEAST_SEEN;
        let able = if self.proven() {
            few || 100 * right >= KEEP * (right + wrong)
        } else {
            SCORE.1 * wrong < SCORE.0 * right + FAIL
        };
        able && (few || 100 * (right + wrong) >= VOTED * seen)
    }
}

#[cfg(test)]
#[path = "golden_test.rs"]
mod tests;
