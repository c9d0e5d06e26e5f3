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
    /// When the last pause began; 0: there was none.
    pub paused_at: i64,
    /// The seconds of all pauses that are over.
    pub paused_seconds: u32,
    pub(crate) pad: [u8; 4],
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

    /// Stops (1) or resumes (0) new tasks, claims and judges. What is so already stays as it is.
    pub fn pause(&mut self, paused: u8, now: i64) {
        if self.paused < paused {
            self.paused_at = now;
        }
        if self.paused > paused {
            (self.paused_seconds, self.resumed_at) = (self.stood(now), now);
        }
        self.paused = paused;
    }

    /// The seconds of all pauses until now. A clock that went back counts as no time.
    pub fn stood(&self, now: i64) -> u32 {
        let running = if self.paused == 0 { 0 } else { now.saturating_sub(self.paused_at).max(0) };
        self.paused_seconds.saturating_add(running.min(u32::MAX as i64) as u32)
    }

    /// The time of the market, by which auctions go: it stands still while nobody can claim.
    pub fn market(&self, now: i64) -> i64 {
        now.saturating_sub(self.stood(now) as i64)
    }

    /// [`Error::PAUSED`] while new tasks, claims and judges are refused.
    pub fn open(&self) -> Outcome {
        require(self.paused == 0, Error::PAUSED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_market_stands_still_in_a_pause() {
        let mut config = Config::zeroed();
        assert_eq!((config.stood(1_000), config.market(1_000)), (0, 1_000));
        config.pause(0, 1_000);
        assert_eq!((config.paused_at, config.resumed_at), (0, 0));
        config.pause(1, 1_000);
        assert_eq!((config.market(1_000), config.market(1_070), config.stood(1_070)), (1_000, 1_000, 70));
        config.pause(1, 1_040);
        assert_eq!((config.paused_at, config.market(1_070)), (1_000, 1_000));
        config.pause(0, 1_100);
        assert_eq!((config.paused_seconds, config.resumed_at, config.market(1_101)), (100, 1_100, 1_001));
        config.pause(0, 1_200);
        assert_eq!((config.paused_seconds, config.resumed_at), (100, 1_100));
        config.pause(1, 1_201);
        assert_eq!(config.market(1_300), 1_101);
        config.pause(0, 1_300);
        assert_eq!((config.paused_seconds, config.market(1_300)), (199, 1_101));
    }

    #[test]
    fn a_clock_that_goes_back_counts_as_no_time() {
        let mut config = Config::zeroed();
        config.pause(1, 1_000);
        assert_eq!((config.stood(900), config.market(900)), (0, 900));
        config.pause(0, 900);
        assert_eq!((config.paused_seconds, config.market(900)), (0, 900));
        (config.paused, config.paused_at) = (1, i64::MIN);
        assert_eq!(config.stood(i64::MAX), u32::MAX);
        assert_eq!(config.market(i64::MIN), i64::MIN);
    }
}
