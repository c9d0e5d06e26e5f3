//! Every judge: who it is, what it has at stake, and its record.
//!
//! The account holds rent + total_stake + total_rewards + carry + pots. All money of the court is in it, so that
//! settling a round touches no account of a judge.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::error::{Error, Outcome};
use crate::layout::{Head, List};

/// First seed of the Roster's address, and the only one.
pub const SEED: &[u8] = b"roster";
/// Entries at most.
pub const MAX_JUDGES: usize = 512;

/// The entry is nobody's.
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
    /// Won by nobody; joins the pot of the next round that has a majority.
    pub carry: u64,
    /// Sum of the pots of open cases.
    pub pots: u64,
    pub(crate) pad_end: [u8; 8],
}

/// A judge.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Entry {
    /// The judge's key, which signs transactions.
    pub authority: Address,
    /// The node key.
    pub peer: Address,
    /// Who runs the node; zero: nobody declared.
    pub operator: Address,
    /// Lamports at stake.
    pub stake: u64,
    /// Lamports to be claimed.
    pub rewards: u64,
    /// Sum of the weights of its live seats.
    pub locked: u64,
    /// 0, or when the stake may leave.
    pub exit_at: i64,
    /// Unix seconds.
    pub joined_at: i64,
    /// Rounds, settled.
    pub seated: u32,
    /// Rounds in which it voted with the verdict.
    pub majority: u32,
    /// Rounds in which it voted against the verdict.
    pub minority: u32,
    /// Rounds in which it revealed nothing.
    pub absent: u32,
    /// Rounds in which it abstained.
    pub abstained: u32,
    /// Rounds in which it was shown to have signed two statements.
    pub equivocated: u32,
    /// Unsettled rounds in which it is seated.
    pub live: u16,
    /// [`FREE`], [`ACTIVE`] or [`EXITING`].
    pub state: u8,
    pub(crate) pad: [u8; 5],
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
