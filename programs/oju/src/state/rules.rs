//! The parameters of the court, in numbered versions that never change (ADR 0025).

use bytemuck::{Pod, Zeroable};

use super::located;
use crate::error::{Error, Outcome, require};
use crate::layout::Head;

/// First seed of the address of a version; the second is its number, u32.
pub const SEED: &[u8] = b"rules";
/// The number of the version that `init_config` makes.
pub const FIRST: u32 = 1;

/// A version of the rules. Times are in seconds, amounts in lamports, shares in basis points.
/// After its creation only `until` changes: its successor is announced, or that is withdrawn.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Rules {
    /// Kind, version and bump.
    pub head: Head,
    /// Rounds of a case, 1 to 3.
    pub max_rounds: u8,
    /// Judges that sit, 1 to 28.
    pub panel_seats: u8,
    /// Judges without whom no round begins, 1 to `panel_seats`.
    pub min_seats: u8,
    /// How often a worker may redo a result.
    pub max_reworks: u8,
    /// Slots from the opening of a round to the block that seeds its draw, 1 to 256.
    pub draw_delay_slots: u16,
    /// From 1.
    pub number: u32,
    /// Judges on the roster, `min_seats` to 10,240.
    pub max_judges: u16,
    /// The cost of a seat as a share of the reward, if that is more than `fee_min`.
    pub fee_bps: u16,
    /// Unix seconds: in force from then on.
    pub from: i64,
    /// Unix seconds: until its successor is in force; 0: it has none.
    pub until: i64,
    /// Stake of a judge, 1 to `max_seat_weight`.
    pub min_stake: u64,
    /// Weight of a seat at most, up to 2^50.
    pub max_seat_weight: u64,
    /// The least cost of a seat for the loser, up to 2^50.
    pub fee_min: u64,
    /// Reward at least, not 0.
    pub min_reward: u64,
    /// Time to commit, up to a day.
    pub commit_seconds: u32,
    /// Time to reveal, up to a day.
    pub reveal_seconds: u32,
    /// The creator's time to answer a result, up to 30 days.
    pub verify_seconds: u32,
    /// The worker's time to answer an objection, up to 30 days.
    pub answer_seconds: u32,
    /// From the begin of an exit to the withdrawal of the stake, up to 30 days.
    pub cooldown_seconds: u32,
    /// A round that cannot be drawn in this time ends the case, up to a day.
    pub draw_seconds: u32,
    /// How long a finished case stays open for evidence of equivocation, up to 30 days.
    pub evidence_seconds: u32,
    /// The creator's bond as a share of the reward.
    pub creator_bps: u16,
    /// The worker's bond as a share of the reward.
    pub worker_bps: u16,
    /// The most that one mistake of a judge costs, as a share of the seat's weight.
    pub risk_bps: u16,
    /// Pays that a right vote earns in a golden case, not 0.
    pub golden_gain: u16,
    /// Such gains that a wrong one loses, not 0. A seat that withheld its vote loses as much.
    pub golden_loss: u16,
    /// Pays that a seat loses that never committed, up to what a withheld vote loses.
    pub absence: u16,
    /// Pays that a clear minority loses, less than what a withheld vote loses.
    pub minority: u16,
    /// The share of the Pot in each payment of a worker, up to a tenth.
    pub trade_bps: u16,
    /// The least time that a task may give for the work, up to a day.
    pub min_work_seconds: u32,
    /// The bond of a claim as a share of the highest reward, up to a fifth.
    pub claim_bps: u16,
    /// Whom the court pays: [`super::case::TRUTH`] or [`super::case::MAJORITY`].
    pub preset: u8,
    /// 1: a season leaves out judges whose record in golden cases is bad; 2: and novices together
    /// weigh a ninth of the proven judges.
    pub credential: u8,
    /// The highest reward as a share of the season's weight, up to all of it; 0: no limit.
    pub cover_bps: u16,
    pub(crate) pad_mid: [u8; 2],
    /// From the beginning of a season to that of the next, up to a week.
    pub season_seconds: u32,
    /// From the commitment of a batch until its leaves must be open, up to half a day; 0: none.
    pub batch_seconds: u32,
    /// The proctor's fee for each leaf, up to 28 times `fee_min`.
    pub leaf_fee: u64,
    /// From the opening of a batch until it may be applied: at least the time of a case.
    pub challenge_seconds: u32,
    /// The leaves that may be committed as a share of the cases that ended, up to a half.
    pub golden_bps: u16,
    /// Pays that a vote loses if an appeal clearly reverses it.
    pub reversal: u16,
    /// The loser's time to appeal, up to 30 days; 0: no verdict can be appealed.
    pub appeal_seconds: u32,
    pub(crate) pad_end: [u8; 36],
}

located!(Rules, "Rules", |it| [SEED, &it.number.to_le_bytes()]);

impl Rules {
    /// [`Error::WRONG_RULES`] unless this version is in force.
    pub fn in_force(&self, now: i64) -> Outcome {
        require(self.from <= now && (self.until == 0 || now < self.until), Error::WRONG_RULES)
    }

    /// [`Error::WRONG_RULES`] unless this is the version of that number.
    pub fn numbered(&self, number: u32) -> Outcome {
        require(self.number == number, Error::WRONG_RULES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_in_force_from_its_start_until_its_successors() {
        let last = Rules { from: 10, ..Rules::zeroed() };
        let replaced = Rules { until: 20, ..last };
        for (rules, now, expected) in [
            (last, 9, false),
            (last, 10, true),
            (last, i64::MAX, true),
            (replaced, 9, false),
            (replaced, 19, true),
            (replaced, 20, false),
        ] {
            assert_eq!(rules.in_force(now).is_ok(), expected, "{now}");
        }
    }
}
