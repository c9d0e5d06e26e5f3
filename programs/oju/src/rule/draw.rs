//! The draw of a panel; protocol section 6. The panel follows from the block of the seed slot
//! and from the season's weights. Both are fixed before anybody can know the panel (ADR 0033).

use pinocchio::Address;

use crate::arith;
use crate::error::{Error, Outcome, require};
use crate::event::sha256;
use crate::rule::appeal;
use crate::rule::pay::exposure;
use crate::rule::tally::side;
use crate::state::case::{ABSTAIN, ACCEPT, Hearing, MAX_SEATS, REJECT, Seat};
use crate::state::roster::{ACTIVE, AUTHORITY, Entry, MAX_JUDGES, OPERATOR, PAGE, PAGES, Season, words};
use crate::state::rules::Rules;
use crate::state::task::Task;
use bytemuck::Zeroable;

/// The numbers that a draw takes at most. It passes over parties and judges that could lose too
/// much already, and a Roster full of them must not make a draw too dear.
pub const MAX_NUMBERS: u32 = 128;
/// Bits in a word of the urn.
const WORD: usize = 32;

const _: () = assert!(MAX_NUMBERS as usize > MAX_SEATS && PAGE.is_multiple_of(WORD));

/// The entries that were not drawn yet. The sums of their pages find one without a walk through all
/// of them.
struct Urn {
    /// A bit for each entry that was drawn.
    drawn: [u32; PAGES * PAGE / WORD],
    /// The weights left in a page.
    sums: [u64; PAGES],
    /// Sum of all weights left.
    total: u64,
    season: Season,
    seed: [u8; 32],
    counter: u32,
}

/// The input of a draw, without the judges.
pub struct Terms<'a> {
    /// [`crate::rule::preimage::draw_seed`] of the block that was waited for.
    pub seed: [u8; 32],
    /// Its parties may not sit.
    pub task: &'a Task,
    /// Its weights count.
    pub season: Season,
    /// Their sums by pages.
    pub sums: &'a [u64; PAGES],
}

/// Seats a panel for the case's round. Its frame holds the urn. A judge whose free stake does not
/// cover what the seat can lose is busy, and passed over. If the busy ones weigh as much as the
/// panel, the draw waits: else whoever keeps the others busy would choose it. A judge that leaves
/// is drawn like the others while the season has its weight. An appeal passes over nobody that is
/// busy, and its seats weigh what the season gave them, or twice their stake: the others may be
/// few, and one of them could end the appeal by what it loses elsewhere. A panel that is too light
/// to reverse the verdict does not hear it.
#[inline(never)]
pub fn draw(case: &mut Hearing, terms: &Terms, entries: &mut [Entry]) -> Outcome {
    require(entries.len() <= MAX_JUDGES, Error::WRONG_ACCOUNT)?;
    let mut urn = Urn {
        drawn: [0; PAGES * PAGE / WORD],
        sums: *terms.sums,
        total: terms.sums.iter().sum(),
        season: terms.season,
        seed: terms.seed,
        counter: 0,
    };
    let parties = Parties::of(terms.task);
    clear(case);
    let wanted = case.panel.len().min(MAX_SEATS);
    let mut busy = 0;
    for _ in 0..MAX_NUMBERS {
        if urn.total == 0 || case.seats as usize == wanted {
            break;
        }
        let (index, weight) = urn.take(entries)?;
        let entry = entries.get_mut(index).ok_or(Error::WRONG_ACCOUNT)?;
        let weight = if case.appealed() { appeal::heard(weight, entry.stake) } else { weight.min(entry.stake) };
        let weight = weight.min(case.max_seat_weight);
        let staked = weight > 0 && entry.stake >= (case.min_stake / 2).max(1);
        let fresh = !case.appealed() || case.sitters().iter().all(|seat| seat.index as usize != index);
        if !entry.owns(terms.season) || !staked || !fresh || !parties.may_be_judged_by(entry) {
            continue;
        }
        let risk = exposure(case, weight)?;
        if entry.free() < risk && !case.appealed() {
            busy = arith::add(busy, weight)?;
            continue;
        }
        entry.live += 1;
        entry.locked = arith::add(entry.locked, risk)?;
        seat(case, entry, index, weight);
    }
    let least = if case.appealed() { appeal::LEAST } else { case.min_seats };
    require(case.seats > 0 && case.seats >= least, Error::TOO_FEW_JUDGES)?;
    let heavy = !case.appealed() || appeal::suffices(case.seated_weight, case.first_votes());
    require(heavy, Error::TOO_FEW_JUDGES)?;
    require(case.seated_weight > busy, Error::TOO_FEW_JUDGES)
}

/// Gives a judge a seat.
fn seat(case: &mut Hearing, entry: &Entry, index: usize, weight: u64) {
    let place = case.seats as usize;
    case.panel[place] = Seat { judge: entry.authority, weight, index: index as u16, ..Seat::zeroed() };
    case.seated_weight += weight;
    case.seats += 1;
}

/// Forgets the round before.
#[inline(never)]
pub fn clear(case: &mut Hearing) {
    case.panel.fill(Seat::zeroed());
    (case.seats, case.committed, case.revealed, case.seated_weight) = (0, 0, 0, 0);
    for choice in [ACCEPT, REJECT, ABSTAIN] {
        if let Some(weight) = side(case, choice) {
            *weight = 0;
        }
    }
}

impl Urn {
    /// Draws the next entry, and returns its index and weight.
    fn take(&mut self, entries: &[Entry]) -> Outcome<(usize, u64)> {
        let mut number = self.number() % self.total;
        for (page, sum) in self.sums.iter_mut().enumerate() {
            if number >= *sum {
                number -= *sum;
                continue;
            }
            let groups = entries.get(page * PAGE..).unwrap_or_default().chunks(WORD);
            let words = page * PAGE / WORD..(page + 1) * PAGE / WORD;
            for (word, group) in words.zip(groups) {
                let mut drawn = self.drawn[word];
                for (i, entry) in group.iter().enumerate() {
                    let skip = drawn & 1 != 0;
                    drawn >>= 1;
                    if skip {
                        continue;
                    }
                    let weight = entry.weight_in(self.season);
                    if number < weight {
                        self.drawn[word] |= 1 << i;
                        *sum -= weight;
                        self.total -= weight;
                        return Ok((word * WORD + i, weight));
                    }
                    number -= weight;
                }
            }
            break;
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
pub struct Parties {
    /// The eight-byte words of their keys.
    keys: [[u64; 4]; 4],
}

impl Parties {
    /// Of a task with a worker.
    #[inline(always)]
    pub fn of(task: &Task) -> Self {
        Self::with(task, &task.worker, &task.worker_operator)
    }

    /// Of a task that this worker would claim. Zero means that no operator is declared: the creator
    /// stands in its place, so that a word of zero is not compared with that of each judge.
    #[inline(always)]
    pub fn with(task: &Task, worker: &Address, operator: &Address) -> Self {
        let mut keys = [&task.creator, worker, &task.creator_operator, operator].map(words);
        let creator = keys[0];
        for key in &mut keys {
            *key = if *key == [0; 4] { creator } else { *key };
        }
        Parties { keys }
    }

    /// Whether the judge has nothing to do with them: neither its key nor its operator's, if it has
    /// declared one, is among theirs.
    #[inline(always)]
    fn may_be_judged_by(&self, entry: &Entry) -> bool {
        !self.include(entry, AUTHORITY) && !self.include(entry, OPERATOR)
    }

    /// Whether the key at that place of an entry is one of theirs, and not zero. The first words
    /// tell nearly all keys apart, and only those are compared further that begin alike.
    #[inline(always)]
    fn include(&self, entry: &Entry, place: usize) -> bool {
        let (word, [a, b, c, d]) = (entry.word(place), &self.keys);
        word == a[0] && ends_alike(entry, place, a)
            || word == b[0] && ends_alike(entry, place, b)
            || word == c[0] && ends_alike(entry, place, c)
            || word == d[0] && ends_alike(entry, place, d)
    }

    /// Whether a draw would find judges enough in this season.
    #[inline(never)]
    pub fn have_judges(&self, entries: &[Entry], rules: &Rules) -> bool {
        let (least, now) = (rules.min_seats as usize, Season::Now);
        let may = |entry: &&Entry| entry.state == ACTIVE && self.counts(entry, now, rules.min_stake);
        entries.iter().filter(may).take(least).count() == least
    }

    /// Whether the judge has a weight in a season, stake enough, and nothing to do with them.
    #[inline(always)]
    pub fn counts(&self, entry: &Entry, season: Season, min_stake: u64) -> bool {
        let sits = entry.weight_in(season) > 0 && entry.owns(season);
        sits && entry.stake >= (min_stake / 2).max(1) && self.may_be_judged_by(entry)
    }
}

/// Whether the key at that place of an entry, whose first word is that of another, is the same, and
/// not zero.
#[inline(always)]
fn ends_alike(entry: &Entry, place: usize, key: &[u64; 4]) -> bool {
    let zero = key[0] | key[1] | key[2] | key[3] == 0;
    entry.word(place + 3) == key[3] && entry.word(place + 2) == key[2] && entry.word(place + 1) == key[1] && !zero
}

#[cfg(test)]
#[path = "draw_test.rs"]
mod tests;
