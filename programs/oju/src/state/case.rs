//! A dispute: its panel, its vote and its verdict.

use core::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use super::rules::Rules;
use super::task::Task;
use crate::account::Listed;
use crate::error::Outcome;
use crate::layout::{Head, List};
use crate::sysvar::Clock;

/// First seed of a case's address; the second is its task.
pub const SEED: &[u8] = b"case";
/// Seats of a panel at most.
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
/// Flag of a seat: its pay, and what a reversal takes, wait for the end of the case.
pub const HELD: u8 = 8;

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

/// The head of a case, before its seats. Its parameters are copies of the task's rules, so that a
/// reader needs one account only.
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
    /// The level that gave the verdict, 0 before the end: 1 the first panel, 2 the appeal.
    pub level: u8,
    /// The round of the first panel's verdict, if it was appealed.
    pub first_round: u8,
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
    /// Parameter.
    pub reversal: u16,
    /// Parameter.
    pub min_stake: u64,
    /// Parameter.
    pub max_seat_weight: u64,
    /// The number of the batch of the leaf, if golden is not 0.
    pub batch: u64,
    /// Until then the loser may appeal; 0: there was nothing to appeal.
    pub appeal_by: i64,
    /// The first panel's verdict, if it was appealed.
    pub first_verdict: u8,
    /// Judges that the first panel had, if its verdict was appealed.
    pub first_seats: u8,
    /// Seats of the appeal; 0: there is none.
    pub appeal_seats: u8,
    /// The number of the season that the first panel was drawn from, modulo 256.
    pub season: u8,
    /// Parameter; 0: no verdict can be appealed.
    pub appeal_seconds: u32,
    /// The rent of those seats.
    pub appeal_rent: u64,
    /// Appealed, and gets that rent back.
    pub appellant: Address,
    /// Of the first panel, if its verdict was appealed.
    pub first_seated_weight: u64,
    /// Likewise.
    pub first_accept_weight: u64,
    /// Likewise.
    pub first_reject_weight: u64,
    /// Likewise.
    pub first_abstain_weight: u64,
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

impl List for Case {
    type Item = Seat;

    /// There is room for the panel of the task's terms and for the appeal, and no more.
    #[inline(always)]
    fn items(&self) -> usize {
        self.panel_seats as usize + self.appeal_seats as usize
    }
}

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

/// A case with its seats.
pub struct Hearing<'a> {
    /// The head.
    pub case: &'a mut Case,
    /// The seats of the first panel, if its verdict was appealed. The first `first_seats` are in
    /// use.
    pub first: &'a mut [Seat],
    /// The seats of the panel that decides now or decided last.
    /// The first `seats` are in use.
    pub panel: &'a mut [Seat],
}

impl Deref for Hearing<'_> {
    type Target = Case;
    #[inline(always)]
    fn deref(&self) -> &Case {
        self.case
    }
}

impl DerefMut for Hearing<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Case {
        self.case
    }
}

impl<'a> Hearing<'a> {
    /// Of an account that was opened.
    #[inline(always)]
    pub fn of(listed: &'a mut Listed<'_, Case>) -> Outcome<Self> {
        let (case, seats) = listed.parts()?;
        let (first, panel) = seats.split_at_mut(case.base());
        Ok(Hearing { case, first, panel })
    }

    /// The seats in use of the first panel, if its verdict was appealed, or of the present one.
    #[inline(always)]
    pub fn level(&self, first: bool) -> &[Seat] {
        match first {
            true => &self.first[..(self.case.first_seats as usize).min(self.first.len())],
            false => self.seated(),
        }
    }

    /// The seats of those who sat at the first level: in its last round, because the judges of a
    /// void one gave no verdict, and may hear its appeal.
    #[inline(always)]
    pub fn sitters(&self) -> &[Seat] {
        self.level(self.case.appealed())
    }

    /// The seats in use of the present panel.
    #[inline(always)]
    pub fn seated(&self) -> &[Seat] {
        &self.panel[..(self.case.seats as usize).min(self.panel.len())]
    }

    /// The judge's seat in this round.
    pub fn seat_of(&self, judge: &Address) -> Option<usize> {
        self.seated().iter().position(|seat| seat.judge == *judge)
    }
}

impl Case {
    /// Whether the loser has appealed.
    #[inline(always)]
    pub fn appealed(&self) -> bool {
        self.appeal_seats > 0
    }

    /// The number of the first seat of the present level.
    #[inline(always)]
    pub fn base(&self) -> usize {
        if self.appealed() { self.panel_seats as usize } else { 0 }
    }

    /// Whether the level has no further round.
    pub fn last_round(&self) -> bool {
        let rounds = if self.appealed() { 2 * self.max_rounds } else { self.max_rounds };
        self.round >= rounds
    }

    /// Copies the parameters, and the size of the panel from the task's terms.
    pub fn adopt(&mut self, rules: &Rules, task: &Task) {
        self.max_rounds = rules.max_rounds;
        self.panel_seats = task.seats;
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
        self.reversal = rules.reversal;
        // Its respondent need not be there, so nobody could always appeal for it.
        self.appeal_seconds = if task.is_dispute() { 0 } else { rules.appeal_seconds };
        self.min_stake = rules.min_stake;
        self.max_seat_weight = rules.max_seat_weight;
    }

    /// Sets when the round is to be drawn.
    pub fn await_draw(&mut self, clock: &Clock) {
        self.seed_slot = clock.slot + self.draw_delay_slots as u64;
        self.draw_by = clock.time + self.draw_seconds as i64;
    }
}
