//! The court's authority, and what it may do at once. The parameters are in [`super::rules`].

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::error::{Error, Outcome, require};
use crate::layout::Head;

/// First seed of the Config's address, and the only one.
pub const SEED: &[u8] = b"config";
/// Nobody: no key signs for it.
pub const NOBODY: Address = Address::new_from_array([0; 32]);

/// Config.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Config {
    /// Kind, version and bump.
    pub head: Head,
    /// 1: new tasks, claims and judges are refused, nothing else is.
    pub paused: u8,
    /// 1: a judge joins only if the authority admitted it; 0: for ever nobody is asked.
    pub listed: u8,
    /// The number of the latest version of the rules.
    pub rules: u32,
    /// The key that may propose rules, pause, and hand over; zero: nobody any more.
    pub authority: Address,
    /// The key that may accept the authority; zero: nobody.
    pub pending_authority: Address,
    /// Agents registered so far.
    pub agent_count: u64,
    /// The genesis hash of the cluster, set once.
    pub network: [u8; 32],
    /// When the last pause ended; 0: there was none.
    pub resumed_at: i64,
}

located!(Config, "Config", |it| [SEED]);

impl Config {
    /// [`Error::NOT_AUTHORITY`] unless the key is the authority's.
    pub fn only_authority(&self, key: &Address) -> Outcome {
        require(self.authority == *key && *key != NOBODY, Error::NOT_AUTHORITY)
    }

    /// [`Error::COURT_OPEN`] unless the court is listed.
    pub fn only_listed(&self) -> Outcome {
        require(self.listed != 0, Error::COURT_OPEN)
    }

    /// [`Error::PAUSED`] while new tasks, claims and judges are refused.
    pub fn open(&self) -> Outcome {
        require(self.paused == 0, Error::PAUSED)
    }
}
