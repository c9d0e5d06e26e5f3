//! Every judge: who it is, what it has at stake, and its record.
//!
//! The account holds rent + total_stake + total_rewards. All money of judges
//! is in it, so settling a round touches no account of a judge.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::arith;
use crate::error::{Error, Outcome, require};
use crate::layout::{Head, List};

/// First seed of the Roster's address, and the only one.
pub const SEED: &[u8] = b"roster";
/// Entries at most.
pub const MAX_JUDGES: usize = 512;
/// The number of slots after a seed slot in which a draw can use it. So long the Roster
/// must be able to tell the stakes at that slot (ADR 0020). SlotHashes has as many entries.
pub const WINDOW: u64 = 512;

/// The entry is free.
pub const FREE: u8 = 0;
/// The judge may be drawn.
pub const ACTIVE: u8 = 1;
/// The judge is leaving and is drawn no more.
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
    pub(crate) pad_mid: [u8; 4],
    /// Sum of all stakes.
    pub total_stake: u64,
    /// Sum of all rewards not yet claimed.
    pub total_rewards: u64,
    /// Sum of the stakes of entries in state [`ACTIVE`]: what covers the rewards of new tasks.
    pub active_stake: u64,
    pub(crate) pad_end: [u8; 16],
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
    pub(crate) pad: [u8; 5],
    /// Lamports of the stake that were added in the slot below.
    pub fresh: u64,
    /// When the judge joined, or last topped up.
    pub fresh_slot: u64,
    /// 0, or when it began to leave.
    pub exit_slot: u64,
    /// Lamports slashed in the window of the slot below.
    pub lost: u64,
    /// Lamports slashed in the window before that.
    pub lost_before: u64,
    /// 0, or when it was last slashed.
    pub lost_slot: u64,
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
    /// Whether the entry is this judge's.
    #[inline(always)]
    pub fn is(&self, judge: &Address) -> bool {
        self.state != FREE && self.authority == *judge
    }

    /// The stake that a draw with this seed slot sees (ADR 0020): without the additions
    /// in that slot or later, and with the amounts slashed since the window of that slot
    /// began. As long as such a draw is possible, nothing after the seed slot changes it.
    #[inline(always)]
    pub fn stake_at(&self, seed: u64) -> u64 {
        // Nothing happened since, as a rule; a draw asks up to 28 times for each of 512 judges.
        if self.fresh_slot < seed && self.lost_slot < seed - seed % WINDOW {
            return self.stake;
        }
        self.stake_before(seed)
    }

    #[inline(never)]
    fn stake_before(&self, seed: u64) -> u64 {
        let fresh = if self.fresh_slot >= seed { self.fresh } else { 0 };
        let lost = match (self.lost_slot / WINDOW).checked_sub(seed / WINDOW) {
            None => 0,
            Some(0) => self.lost,
            Some(_) => self.lost.saturating_add(self.lost_before),
        };
        self.stake.saturating_add(lost).saturating_sub(fresh)
    }

    /// Whether such a draw sees the judge. If it began to leave at that slot or later, yes.
    #[inline(always)]
    pub fn sits_at(&self, seed: u64) -> bool {
        self.state == ACTIVE || self.state == EXITING && self.exit_slot >= seed
    }

    /// Adds to the stake. The entry remembers the additions of one slot,
    /// as long as a draw may not see them: [`Error::STILL_FRESH`].
    pub fn add(&mut self, amount: u64, slot: u64) -> Outcome {
        let same = slot == self.fresh_slot;
        require(same || outdated(self.fresh_slot, slot), Error::STILL_FRESH)?;
        self.stake = arith::add(self.stake, amount)?;
        self.fresh = if same { arith::add(self.fresh, amount)? } else { amount };
        self.fresh_slot = slot;
        Ok(())
    }

    /// The stake that no live seat can lose.
    #[inline(always)]
    pub fn free(&self) -> u64 {
        self.stake.saturating_sub(self.locked)
    }

    /// Takes from the stake, as far as it reaches, and returns the amount.
    pub fn lose(&mut self, amount: u64, slot: u64) -> Outcome<u64> {
        let amount = amount.min(self.stake);
        if amount == 0 {
            return Ok(0);
        }
        self.stake -= amount;
        let before = match (slot / WINDOW).saturating_sub(self.lost_slot / WINDOW) {
            0 => self.lost_before,
            1 => core::mem::take(&mut self.lost),
            _ => {
                self.lost = 0;
                0
            }
        };
        (self.lost_before, self.lost_slot) = (before, slot);
        self.lost = arith::add(self.lost, amount)?;
        Ok(amount)
    }

    /// The entry to use for a seat: `None` when it is no longer the judge's.
    #[inline(always)]
    pub fn of<'a>(entries: &'a mut [Entry], index: u16, judge: &Address) -> Option<&'a mut Entry> {
        entries.get_mut(index as usize).filter(|entry| entry.is(judge))
    }
}

/// The judge's place, or [`Error::NOT_ON_ROSTER`].
pub fn place(entries: &[Entry], judge: &Address) -> Outcome<usize> {
    entries.iter().position(|entry| entry.is(judge)).ok_or(Error::NOT_ON_ROSTER)
}

/// Whether nothing can be drawn with this seed slot any more.
#[inline(always)]
pub fn outdated(seed: u64, slot: u64) -> bool {
    slot.saturating_sub(seed) > WINDOW
}

#[cfg(test)]
#[path = "roster_test.rs"]
mod tests;
