//! A dispute: its panel, its vote and its verdict.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use super::rules::Rules;
use crate::layout::Head;
use crate::sysvar::Clock;

/// First seed of a case's address; the second is its task.
pub const SEED: &[u8] = b"case";
/// Seats that a case has room for.
pub const MAX_SEATS: usize = 28;

/// No verdict yet, or a void round.
pub const NONE: u8 = 0;
/// Verdict or choice: the worker's result stands.
pub const ACCEPT: u8 = 1;
/// Verdict or choice: it does not.
pub const REJECT: u8 = 2;
/// Verdict: the court decided nothing.
pub const UNDECIDED: u8 = 3;
/// Choice: no opinion.
pub const ABSTAIN: u8 = 3;

/// Preset: every vote for a side earns the same.
pub const TRUTH: u8 = 1;
/// Preset: a clear majority shares the loser's bond, and the minority pays.
pub const MAJORITY: u8 = 2;

/// Flag of a seat.
pub const COMMITTED: u8 = 1;
/// Flag of a seat.
pub const REVEALED: u8 = 2;
/// Flag of a seat.
pub const EQUIVOCATED: u8 = 4;

/// The result of a settled round for a seat.
pub mod result {
    /// Not settled.
    pub const PENDING: u8 = 0;
    /// Voted with the larger side.
    pub const MAJORITY: u8 = 1;
    /// Voted with the smaller side.
    pub const MINORITY: u8 = 2;
    /// Abstained.
    pub const ABSTAINED: u8 = 3;
    /// Revealed nothing.
    pub const ABSENT: u8 = 4;
    /// Signed two statements.
    pub const EQUIVOCATED: u8 = 5;
    /// Voted in a round without a verdict, or with sides of equal weight.
    pub const VOTED: u8 = 6;
}

/// A case. Its parameters are copies of the task's rules, so that a reader needs one account only.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Case {
    /// Kind, version and bump.
    pub head: Head,
    /// A [`crate::rule::status::Phase`].
    pub status: u8,
    /// From 1. After a void round it is the next one, but the seats are those of the last round.
    pub round: u8,
    /// [`NONE`], [`ACCEPT`], [`REJECT`] or [`UNDECIDED`].
    pub verdict: u8,
    /// Drawn in this round.
    pub seats: u8,
    /// Commitments taken.
    pub committed: u8,
    /// Openings taken.
    pub revealed: u8,
    /// Parameter.
    pub max_rounds: u8,
    /// Parameter.
    pub panel_seats: u8,
    /// Parameter.
    pub min_seats: u8,
    /// Parameter: [`TRUTH`] or [`MAJORITY`].
    pub preset: u8,
    /// Parameter.
    pub draw_delay_slots: u16,
    pub(crate) pad_head: [u8; 2],
    /// The task's account.
    pub task: Address,
    /// Gets the rent back.
    pub payer: Address,
    /// Unix seconds, as all times.
    pub opened_at: i64,
    /// The draw uses the first block of this slot or later.
    pub seed_slot: u64,
    /// The slot of the block that it used.
    pub drawn_slot: u64,
    /// The hash of that block.
    pub slot_hash: [u8; 32],
    /// A round that is not drawn by then may be given up.
    pub draw_by: i64,
    /// Commitments are taken before it.
    pub commit_ends: i64,
    /// Openings are taken before it.
    pub reveal_ends: i64,
    /// When the case was decided; 0 before.
    pub settled_at: i64,
    /// Of all seats.
    pub seated_weight: u64,
    /// Of revealed accepts of seats that did not equivocate.
    pub accept_weight: u64,
    /// Of rejects.
    pub reject_weight: u64,
    /// Of abstentions.
    pub abstain_weight: u64,
    /// The cost of a seat for the loser, in lamports.
    pub fee: u64,
    /// Parameter.
    pub commit_seconds: u32,
    /// Parameter.
    pub reveal_seconds: u32,
    /// Parameter.
    pub evidence_seconds: u32,
    /// Parameter.
    pub draw_seconds: u32,
    /// Parameter.
    pub risk_bps: u16,
    /// Parameter.
    pub golden_gain: u16,
    /// Parameter.
    pub golden_loss: u16,
    /// Parameter.
    pub absence: u16,
    /// Parameter.
    pub minority: u16,
    /// The answer of the leaf, if it is open; 0: the case is not golden, as far as anybody knows.
    pub golden: u8,
    /// 1: the leaf was applied.
    pub applied: u8,
    /// Parameter: the part of a leaf that the end of the case adds to the Pot's allowance.
    pub golden_bps: u16,
    pub(crate) pad_params: [u8; 2],
    /// Parameter.
    pub min_stake: u64,
    /// Parameter.
    pub max_seat_weight: u64,
    /// The number of the batch of the leaf, if golden is not 0.
    pub batch: u64,
    /// The first `seats` of them are in use.
    pub panel: [Seat; MAX_SEATS],
}

/// A judge drawn into a round.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Seat {
    /// The judge's authority.
    pub judge: Address,
    /// The seat's commitment, see [`crate::rule::preimage`].
    pub commitment: [u8; 32],
    /// Snapshot at the draw.
    pub weight: u64,
    /// In this round.
    pub slashed: u64,
    /// In this round.
    pub earned: u64,
    /// Of the roster entry.
    pub index: u16,
    /// 0 until revealed.
    pub choice: u8,
    /// [`COMMITTED`], [`REVEALED`] and [`EQUIVOCATED`].
    pub flags: u8,
    /// One of [`result`].
    pub result: u8,
    pub(crate) pad: [u8; 3],
}

located!(Case, "Case", |it| [SEED, it.task.as_ref()]);

impl Seat {
    /// Whether the seat has this flag.
    #[inline(always)]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether its vote for a side counts.
    pub fn sided(&self) -> bool {
        self.has(REVEALED) && !self.has(EQUIVOCATED) && self.choice != ABSTAIN
    }
}

impl Case {
    /// The seats in use.
    #[inline(always)]
    pub fn seated(&self) -> &[Seat] {
        &self.panel[..(self.seats as usize).min(MAX_SEATS)]
    }

    /// The judge's seat in this round.
    pub fn seat_of(&self, judge: &Address) -> Option<usize> {
        self.seated().iter().position(|seat| seat.judge == *judge)
    }

    /// Copies the parameters.
    pub fn adopt(&mut self, rules: &Rules) {
        self.max_rounds = rules.max_rounds;
        self.panel_seats = rules.panel_seats;
        self.min_seats = rules.min_seats;
        self.draw_delay_slots = rules.draw_delay_slots;
        self.commit_seconds = rules.commit_seconds;
        self.reveal_seconds = rules.reveal_seconds;
        self.evidence_seconds = rules.evidence_seconds;
        self.draw_seconds = rules.draw_seconds;
        self.preset = rules.preset;
        self.risk_bps = rules.risk_bps;
        self.golden_gain = rules.golden_gain;
        self.golden_loss = rules.golden_loss;
        self.absence = rules.absence;
        self.minority = rules.minority;
        self.golden_bps = rules.golden_bps;
        self.min_stake = rules.min_stake;
        self.max_seat_weight = rules.max_seat_weight;
    }

    /// Sets when the round is to be drawn.
    pub fn await_draw(&mut self, clock: &Clock) {
        self.seed_slot = clock.slot + self.draw_delay_slots as u64;
        self.draw_by = clock.time + self.draw_seconds as i64;
    }
}
