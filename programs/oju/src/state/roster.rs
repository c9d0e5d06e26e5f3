//! Every judge: who it is, what it has at stake, and its record.
//!
//! The account holds rent + total_stake + total_rewards. All money of judges
//! is in it, so settling a round touches no account of a judge.

use core::mem::offset_of;

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use super::rules::Rules;
use crate::error::{Error, Outcome, require};
use crate::layout::{Head, List};
use crate::rule::params::{MAX_WEIGHT, longest};
use crate::sysvar::Clock;

/// First seed of the Roster's address, and the only one.
pub const SEED: &[u8] = b"roster";
/// Entries at most.
pub const MAX_JUDGES: usize = 10_240;
/// The number of slots after a seed slot in which a draw can use it. So long the Roster must be
/// able to tell the weights at that slot (ADR 0033). SlotHashes has as many entries.
pub const WINDOW: u64 = 512;

/// Judges of a page, which has a sum of their weights.
pub const PAGE: usize = 128;
/// Pages at most.
pub const PAGES: usize = MAX_JUDGES.div_ceil(PAGE);

// The weights of all judges add up to less than 2^64, and an entry has a number of 16 bits.
const _: () = assert!(MAX_JUDGES as u64 <= u64::MAX / MAX_WEIGHT && MAX_JUDGES <= u16::MAX as usize);
// Solana refuses a larger account.
const _: () = assert!(size_of::<Roster>() + MAX_JUDGES * size_of::<Entry>() <= 10 << 20);

/// The rule `credential` that keeps novices apart.
pub const APART: u8 = 2;
/// The proven judges weigh at least so many times as much as all novices together.
const NOVICES: u64 = 9;
/// After so many golden cases more, the weight of a proven judge may double.
const STEP: u8 = 5;

/// The weight of this season is the judge's.
pub const OWN: u8 = 1;
/// The weight of the season before is the judge's.
pub const OWN_BEFORE: u8 = 2;
/// The judge has passed as a novice.
pub const PROVEN: u8 = 4;
/// While a season begins: the judge is a novice, whose weight depends on the room.
const NOVICE: u8 = 8;
/// While a season begins: the judge weighs more than its record bore, if novices are kept apart.
const GROWN: u8 = 16;

/// The entry is free.
pub const FREE: u8 = 0;
/// The judge may be drawn.
pub const ACTIVE: u8 = 1;
/// The judge is leaving. The next season has no weight of it; until then it is drawn as before, or
/// else a party would choose panels by which of its judges leave.
pub const EXITING: u8 = 2;

/// The head of the Roster.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Roster {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 2],
    /// Entries, used or free.
    pub count: u32,
    /// Entries in state [`ACTIVE`].
    pub active: u32,
    /// Seasons that have begun.
    pub season: u32,
    /// Sum of all stakes.
    pub total_stake: u64,
    /// Sum of all rewards not yet claimed.
    pub total_rewards: u64,
    /// Sum of the weights of the season: what covers the rewards of new tasks.
    pub weight: u64,
    /// When the season began, in Unix seconds.
    pub season_at: i64,
    /// The slot in which it began; 0: there was none yet.
    pub season_slot: u64,
    /// The slot in which the season before began.
    pub before_slot: u64,
    /// The sums of the weights of each page of entries.
    pub pages: [u64; PAGES],
    /// The same of the season before.
    pub pages_before: [u64; PAGES],
}

/// A judge.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Entry {
    /// The judge's key, which signs transactions.
    pub authority: Address,
    /// The node key.
    pub peer: Address,
    /// The key that runs the node; zero if none is declared.
    pub operator: Address,
    /// The key that can begin an exit, take the stake and name where rewards go.
    pub withdraw: Address,
    /// Lamports at stake.
    pub stake: u64,
    /// Lamports to be claimed.
    pub rewards: u64,
    /// The most that its live seats can lose together.
    pub locked: u64,
    /// 0, or when the stake may leave.
    pub exit_at: i64,
    /// Unix seconds.
    pub joined_at: i64,
    /// Rounds, settled.
    pub seated: u32,
    /// Rounds with a vote for the larger side.
    pub majority: u32,
    /// Rounds with a vote for the smaller side.
    pub minority: u32,
    /// Rounds without a reveal.
    pub absent: u32,
    /// Rounds with an abstention.
    pub abstained: u32,
    /// Rounds with two signed statements.
    pub equivocated: u32,
    /// Unsettled rounds with a seat.
    pub live: u16,
    /// [`FREE`], [`ACTIVE`] or [`EXITING`].
    pub state: u8,
    /// [`OWN`] and [`OWN_BEFORE`]: whether the weights are this judge's. They stay in an entry
    /// whose judge has left, because the sums count them. And [`PROVEN`].
    pub owned: u8,
    /// Golden cases in which its vote was the answer. All three are halved now and then.
    pub right: u8,
    /// Golden cases in which it was the other side.
    pub wrong: u8,
    /// Golden cases with a seat.
    pub seen: u8,
    /// Golden cases with a seat since its weight grew by its record.
    pub since: u8,
    /// Its weight in this season.
    pub weight: u64,
    /// Its weight in the season before.
    pub weight_before: u64,
    /// 0, or when it began to leave.
    pub exit_slot: u64,
}

located!(Roster, "Roster", |it| [SEED]);

impl List for Roster {
    type Item = Entry;

    #[inline(always)]
    fn items(&self) -> usize {
        self.count as usize
    }
}

impl Entry {
    /// Eight bytes of it, read at once: a key by itself is read by the byte.
    #[inline(always)]
    pub fn word(&self, place: usize) -> u64 {
        bytemuck::cast_ref::<Entry, [u64; size_of::<Entry>() / 8]>(self)[place]
    }

    /// Whether the entry is this judge's.
    #[inline(always)]
    pub fn is(&self, judge: &Address) -> bool {
        self.state != FREE && self.authority == *judge
    }

    /// The weight that counts in a season.
    #[inline(always)]
    pub fn weight_in(&self, season: Season) -> u64 {
        match season {
            Season::Now => self.weight,
            Season::Before => self.weight_before,
        }
    }

    /// Whether that weight is the judge's.
    #[inline(always)]
    pub fn owns(&self, season: Season) -> bool {
        let flag = match season {
            Season::Now => OWN,
            Season::Before => OWN_BEFORE,
        };
        self.owned & flag != 0
    }

    /// Whether the judge has a weight in a season from which somebody may still be drawn. So long
    /// its stake stays.
    pub fn counted(&self) -> bool {
        self.weighs() || self.owns(Season::Before) && self.weight_before > 0
    }

    /// Keeps the stake of a judge that leaves for the evidence about a seat that has just ended.
    pub fn answers_until(&mut self, end: i64) {
        if self.state == EXITING {
            self.exit_at = self.exit_at.max(end);
        }
    }

    /// Begins a season for the judge.
    #[inline(always)]
    fn weigh(&mut self, weight: u64, mark: u8) {
        (self.weight_before, self.weight) = (self.weight, weight);
        self.owned = self.owned & PROVEN | (self.owned & OWN) * OWN_BEFORE | OWN | mark;
    }

    /// Frees the entry, or gives it to a judge. The weights stay, and are nobody's.
    pub fn replace(&mut self, with: Entry) {
        let (weight, weight_before) = (self.weight, self.weight_before);
        *self = Entry { weight, weight_before, owned: 0, ..with };
    }

    /// Whether the next season counts the judge, if it may sit.
    #[inline(always)]
    fn stays(&self, scale: &Scale) -> bool {
        self.state == ACTIVE && self.stake >= scale.stake
    }

    /// What a proven judge may weigh in the next season, if novices are kept apart, and whether its
    /// record bears more than it bore. The record was made with the weight of this season, or with
    /// min_stake. After some golden cases more it may be twice as much: else a record that was made
    /// with little would count for any stake.
    #[inline(always)]
    fn borne(&self, scale: &Scale) -> (u64, bool) {
        let weight = if self.owned & OWN != 0 { self.weight } else { 0 };
        let base = weight.max(scale.base);
        let most = if self.since >= STEP { base.wrapping_add(base) } else { base };
        let borne = self.stake.min(scale.most).min(most);
        (borne, borne > base)
    }

    /// Whether the judge has a weight in this season.
    #[inline(always)]
    fn weighs(&self) -> bool {
        self.owned & OWN != 0 && self.weight > 0
    }

    /// The stake that no live seat can lose.
    #[inline(always)]
    pub fn free(&self) -> u64 {
        self.stake.saturating_sub(self.locked)
    }

    /// The entry to use for a seat: `None` when it is no longer the judge's.
    #[inline(always)]
    pub fn of<'a>(entries: &'a mut [Entry], index: u16, judge: &Address) -> Option<&'a mut Entry> {
        entries.get_mut(index as usize).filter(|entry| entry.is(judge))
    }
}

/// The judge's place, or [`Error::NOT_ON_ROSTER`].
#[inline(never)]
pub fn place(entries: &[Entry], judge: &Address) -> Outcome<usize> {
    let key = word(judge);
    let is = |entry: &Entry| entry.word(AUTHORITY) == key && entry.is(judge);
    entries.iter().position(is).ok_or(Error::NOT_ON_ROSTER)
}

/// Where [`Entry::word`] finds the beginning of the authority.
pub const AUTHORITY: usize = offset_of!(Entry, authority) / 8;
/// Where it finds the beginning of the operator.
pub const OPERATOR: usize = offset_of!(Entry, operator) / 8;
/// Where it finds the beginning of the node key.
pub const PEER: usize = offset_of!(Entry, peer) / 8;

/// The first eight bytes of a key. They tell nearly all keys apart.
#[inline(always)]
pub fn word(key: &Address) -> u64 {
    key.as_array().first_chunk().map_or(0, |head| u64::from_ne_bytes(*head))
}

/// A key by words.
#[inline(always)]
pub fn words(key: &Address) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(key.as_array().as_chunks().0) {
        *word = u64::from_ne_bytes(*bytes);
    }
    words
}

/// Whether nothing can be drawn with this seed slot any more.
#[inline(always)]
pub fn outdated(seed: u64, slot: u64) -> bool {
    slot.saturating_sub(seed) > WINDOW
}

/// The bounds of the weights of a season.
struct Scale {
    /// The least stake.
    stake: u64,
    /// The largest weight.
    most: u64,
    /// The weight that a proven judge bears at least.
    base: u64,
    /// The least weight of a novice.
    novice: u64,
}

impl Scale {
    fn of(rules: &Rules) -> Scale {
        let Rules { min_stake, max_seat_weight: most, .. } = *rules;
        Scale { stake: (min_stake / 2).max(1), most, base: min_stake, novice: (min_stake / 4).max(1) }
    }
}

/// Those whose record lets them sit in the next season.
#[derive(Default)]
struct Fit {
    proven: u64,
    novices: u64,
    /// Of the proven ones, if novices are kept apart.
    weight: u64,
}

impl Fit {
    /// Begins a season for the judges of a page by their stakes, as if nobody were missing, and
    /// returns the sum of the weights.
    #[inline(never)]
    fn weigh(&mut self, page: &mut [Entry], scale: &Scale, free: bool) -> u64 {
        let (mut sum, mut fit) = (0u64, 0u64);
        for entry in page {
            let may = entry.stays(scale) && (free || entry.holds());
            let weight = if may { entry.stake.min(scale.most) } else { 0 };
            fit = fit.wrapping_add(may as u64);
            entry.weigh(weight, 0);
            sum = sum.wrapping_add(weight);
        }
        self.proven += fit;
        sum
    }

    /// The same if novices are kept apart, as if there were room for all of them. It marks those
    /// whose weight or record has still to be changed.
    #[inline(never)]
    fn weigh_apart(&mut self, page: &mut [Entry], scale: &Scale) -> u64 {
        let (mut sum, mut novices, mut proven, mut borne) = (0u64, 0u64, 0u64, 0u64);
        for entry in page {
            let (mut weight, mut mark) = (0, 0);
            if entry.stays(scale) && entry.holds() {
                if entry.proven() {
                    let more;
                    (weight, more) = entry.borne(scale);
                    mark = if more { GROWN } else { 0 };
                    proven = proven.wrapping_add(1);
                    borne = borne.wrapping_add(weight);
                } else {
                    weight = entry.stake.min(scale.most);
                    mark = NOVICE;
                    novices = novices.wrapping_add(1);
                }
            }
            entry.weigh(weight, mark);
            sum = sum.wrapping_add(weight);
        }
        self.proven += proven;
        self.novices += novices;
        self.weight += borne;
        sum
    }

    /// What novices may weigh. `None` if the proven judges and the novices for whom there is room
    /// are fewer than min_seats.
    fn room(&self, scale: &Scale, min_seats: u8) -> Option<Room> {
        let left = self.weight / NOVICES;
        let each = (left / self.novices.max(1)).max(scale.novice);
        let seated = self.novices.min(left / scale.novice);
        (self.proven + seated >= min_seats as u64).then_some(Room { left, each })
    }
}

/// What novices may weigh.
struct Room {
    /// All of them together, as far as none has it yet.
    left: u64,
    /// Each of them.
    each: u64,
}

impl Room {
    /// Gives the novices of a page their weights, and returns how much less that is than their
    /// stakes gave them: equal parts, or none if it would be too small, because then a mistake
    /// would cost it next to nothing. The record of a judge whose weight has grown counts anew.
    #[inline(never)]
    fn share(&mut self, page: &mut [Entry], scale: &Scale) -> u64 {
        let (mut less, mut left) = (0u64, self.left);
        let (each, least) = (self.each, scale.novice);
        for entry in page {
            if entry.owned & NOVICE != 0 {
                let weight = entry.weight.min(each).min(left);
                let weight = if weight < least { 0 } else { weight };
                left = left.wrapping_sub(weight);
                less = less.wrapping_add(entry.weight.wrapping_sub(weight));
                entry.weight = weight;
                entry.owned &= !NOVICE;
            } else if entry.owned & GROWN != 0 {
                entry.since = 0;
                entry.owned &= !GROWN;
            }
        }
        self.left = left;
        less
    }
}

/// One of the two seasons whose weights the Roster has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Season {
    /// The one that runs.
    Now,
    /// The one before.
    Before,
}

impl Roster {
    /// The season that a draw with that seed slot sees: the last one that began before the slot, so
    /// before anybody knew its block. `None` if the Roster has forgotten it.
    #[inline(always)]
    pub fn season_of(&self, seed: u64) -> Option<Season> {
        if self.season_slot < seed {
            Some(Season::Now)
        } else if self.before_slot < seed {
            Some(Season::Before)
        } else {
            None
        }
    }

    /// The number of a season, modulo 256, by which a case remembers it.
    pub fn number(&self, season: Season) -> u8 {
        match season {
            Season::Now => self.season as u8,
            Season::Before => self.season.wrapping_sub(1) as u8,
        }
    }

    /// The season of that number. `None` if the Roster has forgotten it, after two turns.
    pub fn numbered(&self, number: u8) -> Option<Season> {
        [Season::Now, Season::Before].into_iter().find(|season| self.number(*season) == number)
    }

    /// The sums of a season's pages.
    pub fn sums(&self, season: Season) -> &[u64; PAGES] {
        match season {
            Season::Now => &self.pages,
            Season::Before => &self.pages_before,
        }
    }

    /// Whether the season is over. A draw must not meet more than two of them, so they are always
    /// some slots apart. A court that has too few judges for a panel does not wait longer than
    /// that. Those that leave count as long as they have a weight, or else a panel could make the
    /// court too small, and have it forget the season of its own case. If only the season before
    /// has enough, this one seats nobody, and lasts no longer than a case of the season before.
    pub fn season_over(&self, entries: &[Entry], rules: &Rules, clock: &Clock) -> bool {
        let apart = WINDOW.min(rules.season_seconds as u64);
        if self.season_slot != 0 && clock.slot.saturating_sub(self.season_slot) <= apart {
            return false;
        }
        // One whose time is over needs no walk, which would make the dearest season dearer.
        let due = |lasts: u32| clock.time >= self.season_at.saturating_add(lasts as i64);
        let least = rules.min_seats as usize;
        let fewer = |so: fn(&Entry) -> bool| entries.iter().filter(|entry| so(entry)).take(least).count() < least;
        due(rules.season_seconds) || fewer(if due(longest(rules)) { Entry::weighs } else { Entry::counted })
    }

    /// Begins a season: the stakes of this moment are the weights until the next one. If the rules
    /// ask for the credential and too few judges hold it, those of the season before count as well;
    /// the result says so. If the rules keep novices apart, all of them together weigh at most a
    /// ninth of the proven judges; the result says if these are too few for that.
    ///
    /// It weighs all judges in one instruction, so nobody acts between two of them.
    pub fn begin_season(&mut self, entries: &mut [Entry], rules: &Rules, clock: &Clock) -> Outcome<bool> {
        require(entries.len() <= MAX_JUDGES, Error::WRONG_ACCOUNT)?;
        (self.pages_before, self.before_slot) = (self.pages, self.season_slot);
        self.pages = [0; PAGES];
        let (scale, mut fit) = (Scale::of(rules), Fit::default());
        for (page, sum) in entries.chunks_mut(PAGE).zip(&mut self.pages) {
            *sum = match rules.credential {
                APART => fit.weigh_apart(page, &scale),
                asked => fit.weigh(page, &scale, asked == 0),
            };
        }
        let few = rules.credential != 0 && fit.proven + fit.novices < rules.min_seats as u64;
        let apart = rules.credential == APART;
        let mut room = if apart { fit.room(&scale, rules.min_seats) } else { None };
        let told = few || apart && room.is_none();
        for (page, sum) in entries.chunks_mut(PAGE).zip(&mut self.pages) {
            match &mut room {
                Some(room) => *sum -= room.share(page, &scale),
                None if told => *sum = weigh_again(page, &scale, few),
                None => break,
            }
        }
        self.weight = self.pages.iter().sum();
        (self.season_at, self.season_slot) = (clock.time, clock.slot);
        self.season = self.season.wrapping_add(1);
        Ok(told)
    }
}

/// Weighs those judges of a page by their stakes who have a weight, because too few are fit to keep
/// novices apart; and with `few`, also those of the season before. Returns the sum.
#[inline(never)]
fn weigh_again(page: &mut [Entry], scale: &Scale, few: bool) -> u64 {
    let mut sum = 0u64;
    for entry in page {
        let before = few && entry.owns(Season::Before) && entry.weight_before > 0;
        let counts = entry.weight > 0 || before && entry.stays(scale);
        entry.weight = if counts { entry.stake.min(scale.most) } else { 0 };
        entry.owned &= !(NOVICE | GROWN);
        sum = sum.wrapping_add(entry.weight);
    }
    sum
}

#[cfg(test)]
#[path = "roster_test.rs"]
mod tests;
