//! The draw of a panel; protocol section 6. The panel follows from the block of the seed slot
//! and from the Roster at that slot. Later changes of the Roster change no panel (ADR 0020).

use pinocchio::Address;

use crate::error::{Error, Outcome, require};
use crate::event::sha256;
use crate::rule::tally::side;
use crate::state::case::{ABSTAIN, ACCEPT, Case, MAX_SEATS, REJECT, Seat};
use crate::state::roster::{Entry, MAX_JUDGES};
use crate::state::rules::Rules;
use crate::state::task::Task;
use bytemuck::Zeroable;

/// The eligible judges without a seat, two bytes each: with weights they would not fit in a frame.
struct Urn {
    /// Roster indices in roster order.
    left: [u16; MAX_JUDGES],
    count: usize,
    /// Sum of the weights of those left.
    total: u64,
    /// Weight of a seat at most.
    cap: u64,
    seed_slot: u64,
    seed: [u8; 32],
    counter: u32,
}

/// The input of a draw, without the Roster.
pub struct Terms<'a> {
    /// [`crate::rule::preimage::draw_seed`] of the block that was waited for.
    pub seed: [u8; 32],
    /// Its parties may not sit.
    pub task: &'a Task,
}

/// Seats a panel for the case's round. Its frame holds the urn.
#[inline(never)]
pub fn draw(case: &mut Case, terms: &Terms, entries: &mut [Entry]) -> Outcome {
    let (cap, seed) = (case.max_seat_weight, terms.seed);
    let seed_slot = case.seed_slot;
    let mut urn = Urn { left: [0; MAX_JUDGES], count: 0, total: 0, cap, seed_slot, seed, counter: 0 };
    urn.fill(entries, case.min_stake, terms.task)?;
    require(urn.count >= case.min_seats as usize && urn.count > 0, Error::TOO_FEW_JUDGES)?;
    clear(case);
    let seats = urn.count.min(case.panel_seats as usize).min(MAX_SEATS);
    for seat in &mut case.panel[..seats] {
        *seat = urn.take(entries)?;
        case.seated_weight += seat.weight;
    }
    case.seats = seats as u8;
    Ok(())
}

/// Forgets the round before.
fn clear(case: &mut Case) {
    case.panel = [Seat::zeroed(); MAX_SEATS];
    (case.committed, case.revealed, case.seated_weight) = (0, 0, 0);
    for choice in [ACCEPT, REJECT, ABSTAIN] {
        if let Some(weight) = side(case, choice) {
            *weight = 0;
        }
    }
}

impl Urn {
    fn weight(&self, entry: &Entry) -> u64 {
        entry.stake_at(self.seed_slot).min(self.cap)
    }

    fn fill(&mut self, entries: &[Entry], min_stake: u64, task: &Task) -> Outcome {
        require(entries.len() <= MAX_JUDGES, Error::WRONG_ACCOUNT)?;
        let parties = Parties::of(task);
        for (i, entry) in entries.iter().enumerate() {
            if parties.may_be_judged_by(entry, self.seed_slot, min_stake) {
                self.left[self.count] = i as u16;
                self.count += 1;
                self.total += self.weight(entry);
            }
        }
        Ok(())
    }

    /// Draws the next judge, seats it, and returns the seat.
    fn take(&mut self, entries: &mut [Entry]) -> Outcome<Seat> {
        let place = self.find(entries)?;
        let index = self.left[place];
        self.left.copy_within(place + 1..self.count, place);
        self.count -= 1;
        let entry = entries.get_mut(index as usize).ok_or(Error::WRONG_ACCOUNT)?;
        let weight = self.weight(entry);
        self.total -= weight;
        entry.live += 1;
        entry.locked += weight;
        Ok(Seat { judge: entry.authority, weight, index, ..Seat::zeroed() })
    }

    /// Walks the judges left by a number below the sum of their weights.
    fn find(&mut self, entries: &[Entry]) -> Outcome<usize> {
        let mut number = self.number() % self.total;
        for (place, index) in self.left[..self.count].iter().enumerate() {
            let weight = entries.get(*index as usize).map_or(0, |entry| self.weight(entry));
            if number < weight {
                return Ok(place);
            }
            number -= weight;
        }
        Err(Error::OVERFLOW)
    }

    /// The next number below the largest multiple of the total, so that the remainder has no bias.
    fn number(&mut self) -> u64 {
        let excess = self.total.wrapping_neg() % self.total; // 2^64 mod total
        loop {
            let hash = sha256(&[&self.seed, &self.counter.to_le_bytes()]);
            self.counter += 1;
            let number = hash.first_chunk().map_or(0, |head| u64::from_le_bytes(*head));
            if number <= u64::MAX - excess {
                return number;
            }
        }
    }
}

/// Those who may not judge a task, and whose judges may not.
pub struct Parties<'a> {
    keys: [&'a Address; 4],
}

impl<'a> Parties<'a> {
    /// Of a task with a worker.
    #[inline(always)]
    pub fn of(task: &'a Task) -> Self {
        Self::with(task, &task.worker, &task.worker_operator)
    }

    /// Of a task that this worker would claim.
    #[inline(always)]
    pub fn with(task: &'a Task, worker: &'a Address, operator: &'a Address) -> Self {
        Parties { keys: [&task.creator, worker, &task.creator_operator, operator] }
    }

    /// Whether a draw with that seed slot would put the judge in the urn.
    #[inline(always)]
    fn may_be_judged_by(&self, entry: &Entry, seed_slot: u64, min_stake: u64) -> bool {
        let enough = entry.sits_at(seed_slot) && entry.stake_at(seed_slot) >= min_stake;
        enough && !self.include(&entry.authority) && !self.include(&entry.operator)
    }

    /// Whether the key is a party or the operator of one. Zero means that no operator is declared.
    #[inline(always)]
    fn include(&self, key: &Address) -> bool {
        *key != Address::default() && self.keys.contains(&key)
    }

    /// Whether a draw with that seed slot would find judges enough.
    #[inline(never)]
    pub fn have_judges(&self, entries: &[Entry], seed_slot: u64, rules: &Rules) -> bool {
        let may = |entry: &&Entry| self.may_be_judged_by(entry, seed_slot, rules.min_stake);
        let least = rules.min_seats as usize;
        entries.iter().filter(may).take(least).count() == least
    }
}

#[cfg(test)]
#[path = "draw_test.rs"]
mod tests;
