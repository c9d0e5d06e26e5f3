//! The parameters of the court.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::layout::Head;

/// First seed of the Config's address, and the only one.
pub const SEED: &[u8] = b"config";

/// Config. Times are in seconds, amounts in lamports, shares in basis points.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Config {
    /// Kind, version and bump.
    pub head: Head,
    /// 1: new tasks and new judges are refused, nothing else is.
    pub paused: u8,
    /// Rounds of a case, 1 to 3.
    pub max_rounds: u8,
    /// Judges that sit, 1 to 28.
    pub panel_seats: u8,
    /// Judges without whom no round begins, 1 to `panel_seats`.
    pub min_seats: u8,
    /// How often a worker may redo a result.
    pub max_reworks: u8,
    pub(crate) pad: u8,
    /// The key that may change this account.
    pub authority: Address,
    /// Stake of a judge, 1 to `max_seat_weight`.
    pub min_stake: u64,
    /// Weight of a seat at most, up to 2^50.
    pub max_seat_weight: u64,
    /// Bond at least.
    pub min_bond: u64,
    /// Reward at least, not 0.
    pub min_reward: u64,
    /// Agents registered so far.
    pub agent_count: u64,
    /// Time to commit, up to a day.
    pub commit_seconds: u32,
    /// Time to reveal, up to a day.
    pub reveal_seconds: u32,
    /// The creator's time to answer a result, up to 30 days.
    pub verify_seconds: u32,
    /// The worker's time to answer an objection, up to 30 days.
    pub answer_seconds: u32,
    /// From the begin of an exit to the withdrawal of the stake.
    pub cooldown_seconds: u32,
    /// A round that cannot be drawn in this time ends the case, up to a day.
    pub draw_seconds: u32,
    /// How long a finished case stays open for evidence of equivocation, up to 30 days.
    pub evidence_seconds: u32,
    /// Bond as a share of the reward.
    pub bond_bps: u16,
    /// The loss of an absent judge, as a share of the weight.
    pub absent_bps: u16,
    /// The loss of a judge of the minority, as a share of the weight.
    pub minority_bps: u16,
    /// The loss of a judge that equivocated, as a share of the weight.
    pub equivocation_bps: u16,
    /// Share of a judge's rounds with free abstention.
    pub abstain_bps: u16,
    /// Abstentions that are free on top of it.
    pub abstain_free: u16,
    /// Judges on the roster, `min_seats` to 512.
    pub max_judges: u16,
    /// Slots from the opening of a round to the block that seeds its draw, 1 to 256.
    pub draw_delay_slots: u16,
    /// The genesis hash of the cluster, set once.
    pub network: [u8; 32],
    /// The share of the Pot in each payment of a worker.
    pub trade_bps: u16,
    /// The bond of a claim as a share of the highest reward.
    pub claim_bps: u16,
    /// The least time that a task may give for the work.
    pub min_work_seconds: u32,
    pub(crate) pad_end: [u8; 20],
}

located!(Config, "Config", |it| [SEED]);
