//! A task class: its parameters, and the workers and evaluators that registered for it.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::arith;
use crate::error::{Error, Outcome};
use crate::layout::{Head, List};
use crate::rule::golden::Tally;

/// First seed of its address; the others are the creator and the identifier.
pub const SEED: &[u8] = b"class";
/// Members of the largest class, in both roles.
pub const MAX_MEMBERS: usize = 128;
/// 100 % in basis points, and the best reputation.
pub const WHOLE: u64 = 10_000;
/// The reputation of a new member: who leaves and comes back has no more than a stranger.
pub const NEWCOMER: u16 = 1_000;
/// No reputation falls below this, so that restoration is possible.
pub const LEAST: u16 = 100;
/// The largest budget or stake, in lamports.
pub const MAX_LAMPORTS: u64 = 1 << 53;
/// The smallest bond, in lamports: more than an empty wallet needs to exist.
pub const LEAST_BOND: u64 = 1_000_000;
/// The smallest budget, in lamports.
pub const LEAST_BUDGET: u64 = 1_000_000;
/// Slots from a deposit of a member to its next one, and from its leaving to its withdrawal: longer
/// than a draw can use its block, so that nobody changes a draw whose block is known.
pub const REST: u64 = 600;
/// The bond of an outcome is at least so much of the budget: more than the largest panel of the
/// court costs by its defaults (28 seats of 0.1 %), so that a false outcome pays for its dispute.
const OUTCOME_BPS: u64 = 300;
/// Places whose least stake is the bond. That of each eight more is twice as much.
const CHEAP: usize = 64;

/// The most classes that are near to a class.
pub const MAX_NEAR: usize = 4;

/// Roles of [`Member`].
pub mod role {
    /// Does tasks.
    pub const WORKER: u8 = 1;
    /// Scores results.
    pub const EVALUATOR: u8 = 2;
}

/// States of [`Member`].
pub mod state {
    /// Nobody has the place.
    pub const FREE: u8 = 0;
    /// May be drawn.
    pub const ACTIVE: u8 = 1;
    /// Is leaving.
    pub const LEAVING: u8 = 2;
}

/// The numbers of a class. Nothing changes them. Shares are basis points.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Parameters {
    /// Of the budget, for workers.
    pub worker_pool: u16,
    /// Of the budget, for evaluators.
    pub evaluator_pool: u16,
    /// Of the budget, for exceptional results.
    pub bonus_pool: u16,
    /// Of the results that count, in the dominant cluster.
    pub consensus: u16,
    /// Mean score that supports a cluster.
    pub pass: u16,
    /// How far honest evaluators lie apart, in points.
    pub sigma: u16,
    /// How many evaluators are asked before a task is inconclusive.
    pub max_evaluators: u16,
    /// Of a place in a pool, for work that nothing could use.
    pub effort: u16,
    /// Of the budget.
    pub worker_stake: u16,
    /// Of the budget.
    pub evaluator_stake: u16,
    /// Of the stake: no result, or a copy.
    pub missed: u16,
    /// Of the stake.
    pub low_effort: u16,
    /// Of the stake: far from consensus, or no evaluation.
    pub deviation: u16,
    /// Of the stake.
    pub rubber_stamp: u16,
    /// Of the reputation of a rubber-stamper.
    pub freeze_days: u16,
    /// After so many paid tasks, low effort is forgotten.
    pub restore_tasks: u16,
    /// Of the budget, for a second submission window.
    pub extension: u16,
    /// Of the pool of evaluators, for the one that posted the outcome.
    pub poster: u16,
    /// Seconds.
    pub submission: u32,
    /// Seconds.
    pub evaluation: u32,
    /// Seconds.
    pub dispute: u32,
    /// Seconds.
    pub arbitration: u32,
    /// Seconds of a phase of reveals, and to post an outcome.
    pub reveal: u32,
    /// Seconds that a draw may take, and that a member waits before it leaves.
    pub draw: u32,
    /// Basis points of the weight that has to reject a cluster; 0: its mean score decides.
    pub reject: u16,
    /// The alarm at which an evaluator has stamped. 0: the class has no golden tasks, and
    /// reputation follows from agreement.
    pub golden: u16,
    /// How many workers are asked before a task is inconclusive; 0: none is called later.
    pub max_workers: u16,
    /// Zero.
    pub pad: [u8; 6],
    /// Lamports, at least, of who posts an outcome, of who disputes it, and of a new member.
    pub bond: u64,
}

/// Where the record of a member in a near class is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Link {
    /// The slot in which somebody showed it.
    pub since: u64,
    /// Its place there, from 1; 0: nobody showed one.
    pub place: u16,
    pub(crate) pad: [u8; 6],
}

/// What one member, the sponsor, puts in for another.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Surety {
    /// Lamports.
    pub stake: u64,
    /// When it is over; 0: nobody ended it.
    pub ends: i64,
    /// The slot in which the other agreed.
    pub since: u64,
    /// The place of the other of the two, from 1; 0: there is none.
    pub place: u16,
    /// Basis points of the sponsor's reputation.
    pub share: u16,
    pub(crate) pad: [u8; 4],
}

/// A worker or an evaluator of a class.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Member {
    /// Its key.
    pub agent: Address,
    /// Who runs it; its own key if no other signed.
    pub operator: Address,
    /// Lamports.
    pub stake: u64,
    /// Of the stake, in tasks.
    pub locked: u64,
    /// Lamports that it may withdraw.
    pub earned: u64,
    /// Of the stake, what came in the last deposit.
    pub fresh: u64,
    /// The slot of the last deposit.
    pub since: u64,
    /// That of the deposit before it, or the largest number.
    pub earlier: u64,
    /// The slot at which it began to leave.
    pub exit_slot: u64,
    /// When it may leave at the earliest.
    pub exit_at: i64,
    /// Until then it is not drawn.
    pub frozen_until: i64,
    /// When it last did something in a task.
    pub last_active: i64,
    /// 100 to 10,000, by its own record when that changed last.
    pub reputation: u16,
    /// Reputation that comes back after [`Member::restore`] paid tasks.
    pub owed: u16,
    /// One of [`role`].
    pub role: u8,
    /// One of [`state`].
    pub state: u8,
    /// Paid tasks that are left before restoration.
    pub restore: u8,
    /// Rises with golden tasks that an evaluator did not tell.
    pub alarm: u8,
    /// Its record in golden tasks.
    pub golden: Tally,
    /// Its record in outcomes, in a class with golden tasks.
    pub outcomes: Tally,
    /// Up to which both have decayed, in periods of 30 days.
    pub month: u16,
    /// How many golden tasks that it failed were opened, and are not final. Until then it does not
    /// go, nor does what was put in for it.
    pub pending: u8,
    /// Zero.
    pub pad: [u8; 5],
    /// What a sponsor put in for it.
    pub surety: Surety,
    /// What it would put in for another, if that agrees.
    pub offer: Surety,
    /// Where its records in the near classes are.
    pub links: [Link; MAX_NEAR],
}

/// Class. Its members follow.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Class {
    /// Kind, version and bump.
    pub head: Head,
    /// How many places there are.
    pub count: u16,
    pub(crate) pad: [u8; 4],
    /// Who created it.
    pub creator: Address,
    /// Its identifier, a hash of the document that describes it.
    pub id: [u8; 32],
    /// Its numbers.
    pub parameters: Parameters,
    /// The classes whose records count in part, from the first one on.
    pub near: [Address; MAX_NEAR],
}

located!(Class, |it| [SEED, it.creator.as_ref(), &it.id]);

impl List for Class {
    type Item = Member;

    fn items(&self) -> usize {
        self.count as usize
    }
}

impl Parameters {
    /// [`Error::BAD_PARAMETER`] if one is out of its range.
    #[inline(never)]
    pub fn check(&self) -> Outcome {
        let whole = WHOLE as u16;
        let shares = [
            (self.worker_pool, 1, whole),
            (self.evaluator_pool, 1, whole),
            (self.bonus_pool, 0, whole),
            (self.consensus, 5_001, whole),
            (self.pass, 1, 100),
            (self.sigma, 1, 25),
            (self.max_evaluators, 2, super::task::MAX_SEATS as u16),
            (self.effort, 0, 5_000),
            (self.worker_stake, 0, whole),
            (self.evaluator_stake, 0, whole),
            (self.missed, 0, whole),
            (self.low_effort, 0, whole),
            (self.deviation, 0, whole),
            (self.rubber_stamp, 0, whole),
            (self.freeze_days, 0, 365),
            (self.restore_tasks, 0, 100),
            (self.extension, 0, whole),
            (self.poster, 0, whole),
            (self.reject, 0, whole),
            (self.golden, 0, 100),
            (self.max_workers, 0, super::task::MAX_SEATS as u16),
        ];
        let month = 30 * 24 * 3_600;
        let times = [
            (self.submission, 1, month),
            (self.evaluation, 1, month),
            (self.dispute, 1, month),
            (self.arbitration, 1, month),
            (self.reveal, 1, month),
            (self.draw, 1, 3_600),
        ];
        let pools = self.worker_pool as u32 + self.evaluator_pool as u32 + self.bonus_pool as u32;
        let lawful = shares.iter().all(|(value, least, most)| (least..=most).contains(&value))
            && times.iter().all(|(value, least, most)| (least..=most).contains(&value))
            && pools <= WHOLE as u32
            && self.pad == [0; 6]
            && (LEAST_BOND..=MAX_LAMPORTS).contains(&self.bond);
        if lawful { Ok(()) } else { Err(Error::BAD_PARAMETER) }
    }

    /// The least stake of a new member beside so many others. The last places are dear, so that
    /// nobody closes a class by filling it.
    pub fn least_stake(&self, others: usize) -> u64 {
        let mut least = self.bond; // at most 2^53, and doubled eight times at most
        let mut dear = CHEAP;
        while dear <= others.min(MAX_MEMBERS) {
            least += least;
            dear += 8;
        }
        least
    }

    /// The bond of an outcome of a task with this budget.
    pub fn outcome_bond(&self, budget: u64) -> Outcome<u64> {
        Ok(arith::mul_div(budget, OUTCOME_BPS, WHOLE)?.max(self.bond))
    }

    /// The least stake of a dispute after so many rejected ones: the outcome's bond, and twice as
    /// much each time, up to the budget, so that delays get dear and no dispute is out of reach.
    pub fn dispute_stake(&self, rejected: u8, budget: u64) -> Outcome<u64> {
        let first = self.outcome_bond(budget)?;
        let mut least = first;
        for _ in 0..rejected {
            least = (least + least).min(budget.max(first));
        }
        Ok(least)
    }
}

impl Member {
    /// Stake that no task holds.
    pub fn free(&self) -> u64 {
        self.stake.saturating_sub(self.locked)
    }

    /// Its weight in a draw that waits since this slot: stake times reputation. A deposit that came
    /// later does not count; there is one at most, see [`REST`].
    #[inline(never)]
    pub fn weight(&self, slot: u64, reputation: u16) -> Outcome<u64> {
        let late = if self.since >= slot { self.fresh } else { 0 };
        arith::mul_div(self.stake.saturating_sub(late), reputation as u64, WHOLE)
    }

    /// Whether it was a member in this slot and has not begun to leave before.
    pub fn here(&self, slot: u64) -> bool {
        self.state == state::ACTIVE || self.state == state::LEAVING && self.exit_slot > slot
    }

    /// The slot of its last deposit, of those before a draw began to wait in this slot.
    pub fn deposited(&self, slot: u64) -> u64 {
        if self.since >= slot { self.earlier } else { self.since }
    }

    /// Whether it may be drawn with this stake, if the draw waits since this slot and time.
    pub fn may_sit(&self, role: u8, slot: u64, time: i64, stake: u64) -> bool {
        self.here(slot) && self.role == role && self.frozen_until <= time && self.free() >= stake
    }

    /// Whether what was put in for it is over for every draw, and for every golden task.
    pub fn lets_go(&self, now: i64, draw: u32) -> bool {
        self.pending == 0 && self.surety.over(now, draw)
    }

    /// Whether one key has to do with both.
    pub fn related(&self, agent: &Address, operator: &Address) -> bool {
        [&self.agent, &self.operator].iter().any(|key| *key == agent || *key == operator)
    }

    /// Good work: a sixteenth of what is missing to the best reputation, and a step of restoration.
    pub fn praise(&mut self) {
        self.reputation += (WHOLE as u16 - self.reputation) / 16;
        if self.restore > 0 {
            self.restore -= 1;
            if self.restore == 0 {
                self.reputation = (self.reputation + self.owed).min(WHOLE as u16);
                self.owed = 0;
            }
        }
    }

    /// Loses a half, or a quarter, of its reputation. What it loses comes back after so many paid
    /// tasks; after 0 it never does.
    pub fn blame(&mut self, part: u16, restore: u16) {
        let lost = (self.reputation / part).min(self.reputation.saturating_sub(LEAST));
        self.reputation -= lost;
        if restore > 0 {
            self.owed = (self.owed + lost).min(WHOLE as u16);
            self.restore = restore as u8;
        }
    }
}
