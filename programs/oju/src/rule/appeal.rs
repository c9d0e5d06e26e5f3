//! The second level of a case: up to 28 judges that did not sit hear it anew (ADR 0038). It counts
//! only with half of the weight of the votes that it is about (ADR 0087).

use crate::arith::{self, product_exceeds};
use crate::error::Outcome;
use crate::rule::court::Court;
use crate::rule::draw::{Parties, clear};
use crate::rule::pay::later;
use crate::rule::settle::{Bonds, Next, Settled};
use crate::rule::status::{self, Turn};
use crate::state::case::{ACCEPT, Case, HELD, Hearing, MAX_SEATS, NONE, REJECT, UNDECIDED};
use crate::state::roster::{Entry, PAGE, PAGES, Season};
use crate::state::task::Task;
use crate::sysvar::Clock;

/// Judges without whom no appeal begins.
pub const LEAST: u8 = 7;

/// The level of the first panel.
pub const FIRST: u8 = 1;
/// The level of the appeal.
pub const SECOND: u8 = 2;

/// The seats of an appeal against a verdict: as many judges as gave none and may judge the parties,
/// up to a full panel. Those count that had a weight when the first panel was drawn, also if they
/// leave: their stakes stay until no draw sees that season, so nobody ends an appeal by leaving. 0:
/// they are too few, or the heaviest of them too light to reverse it, or the rules allow no appeal.
#[inline(never)]
pub fn seats(case: &Hearing, verdict: u8, task: &Task, (season, entries): (Season, &[Entry])) -> u8 {
    if case.appeal_seconds == 0 {
        return 0;
    }
    let (votes, parties) = (case.votes(verdict), Parties::of(task));
    let mut sat = [0u32; PAGES * PAGE / 32];
    for seat in case.sitters() {
        if let Some(word) = sat.get_mut(seat.index as usize / 32) {
            *word |= 1 << (seat.index % 32);
        }
    }
    let mut heaviest = Heaviest { weights: [0; MAX_SEATS], count: 0, sum: 0 };
    let (mut bar, most, min_stake) = (0, case.max_seat_weight, case.min_stake);
    for index in Walk::new(&case.slot_hash, entries.len()) {
        let Some(entry) = entries.get(index) else { break };
        // In a large court most are not among the heaviest, and are not looked at closely.
        let weight = entry.weight_in(season);
        if weight <= bar {
            continue;
        }
        let weight = heard(weight, entry.stake).min(most);
        if weight <= bar || !parties.counts(entry, season, min_stake) {
            continue;
        }
        if sat.get(index / 32).is_some_and(|word| word & 1 << (index % 32) != 0) {
            continue;
        }
        heaviest.add(weight);
        bar = heaviest.bar();
        if heaviest.count == MAX_SEATS && suffices(heaviest.sum, votes) {
            break;
        }
    }
    let open = heaviest.count >= LEAST as usize && suffices(heaviest.sum, votes);
    if open { heaviest.count as u8 } else { 0 }
}

/// What a seat of an appeal weighs: as the season has it, and at most twice its stake. So a small
/// loss makes no appeal too light, and a judge that has lost nearly all decides none.
pub fn heard(weight: u64, stake: u64) -> u64 {
    weight.min(stake.saturating_add(stake))
}

/// Whether votes of that weight can reverse a verdict that votes of another weight gave: with half
/// of it. Otherwise the lightest judges, who are left when the heavy ones have sat, would overrule
/// them.
pub fn suffices(weight: u64, votes: u64) -> bool {
    !product_exceeds(1, votes, 2, weight)
}

/// The weight that kept a panel from a verdict: of the seats that took no side. Those that took one
/// count in the verdict of the appeal.
fn blocking(seated: u64, accept: u64, reject: u64) -> u64 {
    seated.saturating_sub(accept + reject)
}

/// The largest weights that were added, as many as a panel has, the smallest first.
struct Heaviest {
    weights: [u64; MAX_SEATS],
    count: usize,
    sum: u64,
}

impl Heaviest {
    /// What a weight must exceed to be among them.
    #[inline(always)]
    fn bar(&self) -> u64 {
        if self.count < MAX_SEATS { 0 } else { self.weights[0] }
    }

    fn add(&mut self, weight: u64) {
        let place = self.weights[..self.count].partition_point(|&lighter| lighter < weight);
        if self.count < MAX_SEATS {
            self.weights.copy_within(place..self.count, place + 1);
            self.weights[place] = weight;
            self.count += 1;
            self.sum += weight;
        } else if place > 0 {
            self.sum += weight - self.weights[0];
            self.weights.copy_within(1..place, 0);
            self.weights[place - 1] = weight;
        }
    }
}

/// A walk through so many entries in an order that nobody knew when they came: it follows from the
/// block of the draw, and looks random. So whoever arranges its judges from light to heavy does not
/// have many of them compared with the heaviest.
struct Walk {
    at: u64,
    factor: u64,
    step: u64,
    /// One less than a power of two that is not below the number of entries.
    mask: u64,
    left: u64,
    count: u64,
}

impl Walk {
    /// A factor of 4n+1 and an odd step reach each number below a power of two once. 8n+5 makes the
    /// order look random.
    fn new(hash: &[u8; 32], count: usize) -> Walk {
        let number = hash.first_chunk().map_or(0, |head| u64::from_le_bytes(*head));
        let (factor, step, count) = (number & !7 | 5, number >> 32 | 1, count as u64);
        let mask = count.next_power_of_two() - 1;
        Walk { at: number >> 17 & mask, factor, step, mask, left: count, count }
    }

    #[inline(always)]
    fn turn(&mut self) {
        self.at = self.at.wrapping_mul(self.factor).wrapping_add(self.step) & self.mask;
    }
}

impl Iterator for Walk {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        while self.at >= self.count {
            self.turn();
        }
        let at = self.at;
        self.turn();
        Some(at as usize)
    }
}

/// The bond of an appeal: the fees of the largest panel.
pub fn bond(case: &Case) -> Outcome<u64> {
    arith::mul(case.fee, MAX_SEATS as u64)
}

impl Case {
    /// The weight of the votes of the present panel for a verdict.
    fn votes(&self, verdict: u8) -> u64 {
        match verdict {
            ACCEPT => self.accept_weight,
            REJECT => self.reject_weight,
            UNDECIDED => blocking(self.seated_weight, self.accept_weight, self.reject_weight),
            _ => 0,
        }
    }

    /// The weight of the votes that gave the verdict that was appealed.
    pub fn first_votes(&self) -> u64 {
        let (accept, reject) = (self.first_accept_weight, self.first_reject_weight);
        match self.first_verdict {
            ACCEPT => accept,
            UNDECIDED => blocking(self.first_seated_weight, accept, reject),
            _ => reject,
        }
    }

    /// Whether the appeal has found against the first verdict, but with too little weight.
    pub fn too_light(&self, found: u8) -> bool {
        let turned = self.appealed() && found != NONE && found != self.first_verdict;
        let weight =
            if self.both_decide() { self.accept_weight + self.reject_weight } else { self.votes(found) };
        turned && !suffices(weight, self.first_votes())
    }

    /// Whether the votes of both panels decide, because the first one alone decided nothing.
    /// Otherwise a few of those left would decide against many of those who sat.
    fn both_decide(&self) -> bool {
        self.appealed() && self.first_verdict == UNDECIDED
    }

    /// The weights of accept and reject that decide.
    pub fn sides(&self) -> (u64, u64) {
        let (accept, reject) =
            if self.both_decide() { (self.first_accept_weight, self.first_reject_weight) } else { (0, 0) };
        (accept + self.accept_weight, reject + self.reject_weight)
    }

    /// Whether an appeal that reversed the first verdict did so with more than two thirds of the
    /// weight of the votes that gave it.
    pub fn outweighs(&self) -> bool {
        product_exceeds(3, self.votes(self.verdict), 2, self.first_votes())
    }

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
    /// Whether judges enough may hear the appeal of a verdict that is given now.
    pub fn may_hear(&self, verdict: u8, task: &Task) -> bool {
        let season = self.roster.numbered(self.case.season).unwrap_or(Season::Now);
        seats(&self.case, verdict, task, (season, self.entries)) > 0
    }

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
        let (turn, bond) = match verdict {
            ACCEPT => (turn, bonds.creator),
            UNDECIDED if turn == Turn::Stand => (Turn::Expire, bonds.undecided),
            UNDECIDED => (Turn::GiveUp, bonds.undecided),
            _ => (turn, bonds.worker),
        };
        self.end(turn, verdict)?;
        self.release_held()?;
        Ok(Settled { next: Next::Over, verdict, bond, golden: self.pay_seats(bond)? })
    }

    /// The seats of the first panel can lose nothing more after this instruction, but by evidence.
    fn release_held(&mut self) -> Outcome {
        let first = self.case.appealed();
        let end = self.evidence_ends();
        for i in 0..self.case.level(first).len() {
            let seat = self.seat(first, i);
            let held = seat.has(HELD);
            seat.flags &= !HELD;
            let seat = *seat;
            let kept = if held { later(&self.case, seat.weight)? } else { 0 };
            if let Some(entry) = Entry::of(self.entries, seat.index, &seat.judge) {
                entry.live -= held as u16;
                entry.locked -= kept;
                entry.answers_until(end);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "appeal_test.rs"]
mod tests;
