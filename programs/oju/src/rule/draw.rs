//! The draw of a panel; protocol section 6. The panel follows from the block of the seed slot
//! and from the Roster at that slot. Later changes of the Roster change no panel (ADR 0020).

use pinocchio::Address;
use pinocchio::address::address_eq;

use crate::arith;
use crate::error::{Error, Outcome, require};
use crate::event::sha256;
use crate::rule::pay::exposure;
use crate::rule::tally::side;
use crate::state::case::{ABSTAIN, ACCEPT, Case, MAX_SEATS, REJECT, Seat};
use crate::state::roster::{Entry, MAX_JUDGES};
use crate::state::rules::Rules;
use crate::state::task::Task;
use bytemuck::Zeroable;

/// The numbers that a draw takes at most. It skips judges that could lose too much already, and a
/// Roster full of them must not make a draw too dear.
pub const MAX_NUMBERS: u32 = 128;
/// Judges in a group of the urn.
const GROUP: usize = 32;

const _: () = assert!(MAX_NUMBERS as usize > MAX_SEATS && MAX_JUDGES.is_multiple_of(GROUP));

/// The eligible judges that were not drawn yet, in groups with a sum each, so that finding one does
/// not walk all of them.
struct Urn {
    /// A bit for each judge that is in the urn, in roster order.
    left: [u32; MAX_JUDGES / GROUP],
    /// The weights of a group.
    sums: [u64; MAX_JUDGES / GROUP],
    count: usize,
    /// Sum of all weights.
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
    let (cap, least) = (case.max_seat_weight, case.min_stake / 2);
    let mut urn = Urn {
        left: [0; MAX_JUDGES / GROUP],
        sums: [0; MAX_JUDGES / GROUP],
        count: 0,
        total: 0,
        cap,
        seed_slot: case.seed_slot,
        seed: terms.seed,
        counter: 0,
    };
    urn.fill(entries, least, terms.task)?;
    clear(case);
    let wanted = (case.panel_seats as usize).min(MAX_SEATS);
    for _ in 0..MAX_NUMBERS {
        if urn.count == 0 || case.seats as usize == wanted {
            break;
        }
        let index = urn.take(entries)?;
        let entry = entries.get_mut(index).ok_or(Error::WRONG_ACCOUNT)?;
        let weight = urn.weight(entry).min(entry.free());
        if entry.free() >= least && weight > 0 {
            seat(case, entry, index, weight)?;
        }
    }
    require(case.seats > 0 && case.seats >= case.min_seats, Error::TOO_FEW_JUDGES)
}

/// Gives a judge a seat, and reserves what the seat can lose.
fn seat(case: &mut Case, entry: &mut Entry, index: usize, weight: u64) -> Outcome {
    entry.live += 1;
    entry.locked = arith::add(entry.locked, exposure(case, weight)?)?;
    let place = case.seats as usize;
    case.panel[place] = Seat { judge: entry.authority, weight, index: index as u16, ..Seat::zeroed() };
    case.seated_weight += weight;
    case.seats += 1;
    Ok(())
}

/// Forgets the round before.
fn clear(case: &mut Case) {
    case.panel = [Seat::zeroed(); MAX_SEATS];
    (case.seats, case.committed, case.revealed, case.seated_weight) = (0, 0, 0, 0);
    for choice in [ACCEPT, REJECT, ABSTAIN] {
        if let Some(weight) = side(case, choice) {
            *weight = 0;
        }
    }
}

impl Urn {
    #[inline(always)]
    fn weight(&self, entry: &Entry) -> u64 {
        entry.stake_at(self.seed_slot).min(self.cap)
    }

    /// A judge without anything at stake at the seed slot has no weight, and is never drawn.
    fn fill(&mut self, entries: &[Entry], least: u64, task: &Task) -> Outcome {
        require(entries.len() <= MAX_JUDGES, Error::WRONG_ACCOUNT)?;
        let parties = Parties::of(task);
        let (seed_slot, cap) = (self.seed_slot, self.cap);
        for ((group, left), sum) in entries.chunks(GROUP).zip(&mut self.left).zip(&mut self.sums) {
            for (i, entry) in group.iter().enumerate() {
                if parties.may_be_judged_by(entry, seed_slot, least) {
                    *left |= 1 << i;
                    *sum += entry.stake_at(seed_slot).min(cap);
                    self.count += 1;
                }
            }
            self.total += *sum;
        }
        Ok(())
    }

    /// Draws the next judge and returns its index.
    fn take(&mut self, entries: &[Entry]) -> Outcome<usize> {
        let (group, index) = self.find(entries)?;
        let weight = entries.get(index).map_or(0, |entry| self.weight(entry));
        self.left[group] &= !(1 << (index % GROUP));
        self.sums[group] -= weight;
        self.count -= 1;
        self.total -= weight;
        Ok(index)
    }

    /// Walks the judges left, in roster order, by a number below the sum of their weights.
    fn find(&mut self, entries: &[Entry]) -> Outcome<(usize, usize)> {
        let mut number = self.number() % self.total;
        for (group, sum) in self.sums.iter().enumerate() {
            if number >= *sum {
                number -= sum;
                continue;
            }
            for index in group * GROUP..(group + 1) * GROUP {
                if self.left[group] & (1 << (index % GROUP)) == 0 {
                    continue;
                }
                let weight = entries.get(index).map_or(0, |entry| self.weight(entry));
                if number < weight {
                    return Ok((group, index));
                }
                number -= weight;
            }
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
    fn may_be_judged_by(&self, entry: &Entry, seed_slot: u64, least: u64) -> bool {
        let enough = entry.stake_at(seed_slot) >= least.max(1) && entry.sits_at(seed_slot);
        enough && !self.include(&entry.authority) && !self.include(&entry.operator)
    }

    /// Whether the key is a party or the operator of one. Zero means that no operator is declared.
    #[inline(always)]
    fn include(&self, key: &Address) -> bool {
        *key.as_array() != [0; 32] && self.keys.iter().any(|party| address_eq(party, key))
    }

    /// Whether a draw with that seed slot would find judges enough.
    #[inline(never)]
    pub fn have_judges(&self, entries: &[Entry], seed_slot: u64, rules: &Rules) -> bool {
        let may = |entry: &&Entry| self.may_be_judged_by(entry, seed_slot, rules.min_stake / 2);
        let least = rules.min_seats as usize;
        entries.iter().filter(may).take(least).count() == least
    }
}

#[cfg(test)]
#[path = "draw_test.rs"]
mod tests;
