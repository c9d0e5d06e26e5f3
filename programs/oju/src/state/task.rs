//! A task: its terms, its state, and its lamports.

use bytemuck::{Pod, Zeroable};
use pinocchio::account::Ref;
use pinocchio::{AccountView, Address};

use super::rules::Rules;
use crate::account::{self, Held, Located};
use crate::error::{Error, Outcome, require};
use crate::event::{Event, TaskMoved};
use crate::layout::{Head, Record};
use crate::pda;
use crate::rule::status::Status;
use sha2_const_stable::Sha256;

/// First seed of a task's address; then creator and id, u64.
pub const SEED: &[u8] = b"task";
/// First seed of a dispute's address; then claimant, respondent and the hash of the terms.
pub const DISPUTE: &[u8] = b"dispute";
/// A dispute whose respondent has not joined.
pub const ABSENT: u8 = 1;
/// A dispute whose respondent has answered.
pub const JOINED: u8 = 2;
/// The hash of the objection in a dispute that the respondent has not answered.
pub const UNANSWERED: [u8; 32] =
    Sha256::new().update(br#"{"reason":"The respondent has not joined this dispute."}"#).finalize();
/// The hash of the counter-objection in every dispute: the claim says all.
pub const UNREPLIED: [u8; 32] =
    Sha256::new().update(br#"{"reason":"The claimant relies on its claim."}"#).finalize();
/// The court takes a task whose engine was silent.
pub const COURT: u8 = 0;
/// The task's own term for undecided cases ends it.
pub const TERM: u8 = 1;
/// First come, first served.
pub const FIRST_COME: u8 = 0;
/// The reward rises with time.
pub const REVERSE_DUTCH: u8 = 1;
/// Escrow to the creator if the court decides nothing.
pub const REFUND: u8 = 1;
/// Escrow to the worker if the court decides nothing.
pub const PAY: u8 = 2;
/// Half of it each.
pub const SPLIT: u8 = 3;

/// The end of the escrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Payout {
    /// Nothing yet.
    None,
    /// It went to the worker.
    Paid,
    /// It went to the creator.
    Refunded,
    /// It was divided.
    Split,
}

/// Why a task is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Resolution {
    /// It is not.
    None,
    /// The creator accepted the result.
    Accepted,
    /// The creator did not answer the result.
    CreatorSilent,
    /// The worker did not answer the objection.
    WorkerSilent,
    /// The court decided.
    Verdict,
    /// The court decided nothing.
    Undecided,
    /// The creator cancelled it.
    Cancelled,
    /// No agent claimed it.
    Expired,
    /// Another program decided.
    Engine,
    /// It did not in its time.
    EngineSilent,
}

impl Payout {
    /// By the task's own term.
    pub fn of(on_undecided: u8) -> Payout {
        match on_undecided {
            REFUND => Payout::Refunded,
            PAY => Payout::Paid,
            _ => Payout::Split,
        }
    }
}

/// Task. The account holds rent + escrow + creator_bond + worker_bond + claim_bond.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Task {
    /// Kind, version and bump.
    pub head: Head,
    /// A [`Status`].
    pub status: u8,
    /// If another engine is silent: [`COURT`] or [`TERM`].
    pub on_silence: u8,
    /// [`FIRST_COME`] or [`REVERSE_DUTCH`].
    pub auction: u8,
    /// [`REFUND`], [`PAY`] or [`SPLIT`].
    pub on_undecided: u8,
    /// An [`Payout`].
    pub outcome: u8,
    /// A [`Resolution`].
    pub resolution: u8,
    /// Number among the creator's tasks.
    pub id: u64,
    /// The creator's authority.
    pub creator: Address,
    /// As declared when the task was created.
    pub creator_operator: Address,
    /// The worker's authority; zero: none.
    pub worker: Address,
    /// As declared when the task was claimed.
    pub worker_operator: Address,
    /// Of the task document.
    pub task_hash: [u8; 32],
    /// Of the result.
    pub result_hash: [u8; 32],
    /// Of the objection.
    pub objection_hash: [u8; 32],
    /// Of the counter-objection.
    pub counter_hash: [u8; 32],
    /// Price at the start of the auction.
    pub reward_min: u64,
    /// Price at its end.
    pub reward_max: u64,
    /// The price of the present claim; 0 if nobody claims the task.
    pub reward: u64,
    /// Held here for the reward: reward_max, and from the first result on its price.
    pub escrow: u64,
    /// Held here.
    pub creator_bond: u64,
    /// Held here.
    pub worker_bond: u64,
    /// Unix seconds, as all times.
    pub created_at: i64,
    /// From then on an unclaimed task may be expired; 0: never.
    pub claim_by: i64,
    /// Of the present status; 0: none.
    pub deadline: i64,
    /// When the present result was handed in; 0 if there was none since the claim.
    pub submitted_at: i64,
    /// Length of the auction.
    pub auction_seconds: u32,
    /// The worker's time, from the claim and from each rework.
    pub work_seconds: u32,
    /// How often the result was redone.
    pub reworks: u8,
    /// How often it was claimed, up to 255.
    pub claims: u8,
    /// The share of the Pot in the payment of the worker: that of the rules.
    pub trade_bps: u16,
    /// The bond of a claim as a share of reward_max, fixed when the task was created.
    pub claim_bps: u16,
    /// Judges of the first panel, by its terms.
    pub seats: u8,
    /// 0, or it is a dispute of others: [`ABSENT`] or [`JOINED`]. The respondent is in the place of
    /// the creator, the claimant in that of the worker, the payer in that of its operator.
    pub dispute: u8,
    /// Missed the deadline of this task, or gave it back, and may not claim it again.
    pub last_worker: Address,
    /// When it was over.
    pub finished_at: i64,
    /// The bond of the present claim, held here.
    pub claim_bond: u64,
    /// The auction counts from then on, in the time of the market
    /// ([`super::config::Config::market`]).
    pub auction_from: i64,
    /// When it was claimed the last time.
    pub claimed_at: i64,
    /// For so long claims were held that were then given back.
    pub released_seconds: u32,
    /// The number of the version of the rules that was in force when it was created.
    pub rules: u32,
    /// The program that decides a dispute; zero: this court.
    pub engine: Address,
    /// The group of the engine that decides, if the engine serves many; zero: it is but one.
    pub engine_group: Address,
    /// The agent that gets the engine's fee; zero: there is none.
    pub engine_agent: Address,
    /// Half of it comes from each bond.
    pub engine_fee: u64,
    /// From the counter-objection on; then the engine was silent.
    pub engine_seconds: u32,
    /// So long the auction had run when it was claimed the last time.
    pub auction_run: u32,
    /// Random, or the hash of a leaf: then the case is golden.
    pub seal: [u8; 32],
    /// The least cost of a seat for the loser, by its terms; 0: as the rules say.
    pub fee_min: u64,
}

impl Record for Task {
    const NAME: &'static str = "Task";
}

impl Located for Task {
    #[inline(always)]
    fn locate(&self, account: &AccountView, program: &Address) -> Outcome {
        if self.is_dispute() {
            let seeds = [DISPUTE, self.worker.as_ref(), self.creator.as_ref(), &self.task_hash];
            return pda::check(account, &seeds, self.head.bump, program);
        }
        pda::check(account, &[SEED, self.creator.as_ref(), &self.id.to_le_bytes()], self.head.bump, program)
    }
}

/// A step of a task, for [`TaskMoved`].
pub struct Step<'a> {
    /// The new status.
    pub to: Status,
    /// The actor; `None` if anyone may do it.
    pub actor: Option<&'a Address>,
    /// Deadline of the new status, or 0.
    pub deadline: i64,
    /// The document's, or zero.
    pub hash: [u8; 32],
    /// reward_max, price or bond, or 0.
    pub amount: u64,
    /// Now.
    pub at: i64,
}

impl Task {
    /// [`Error::NOT_CREATOR`] unless the key is the creator's.
    pub fn only_creator(&self, key: &Address) -> Outcome {
        require(self.creator == *key, Error::NOT_CREATOR)
    }

    /// [`Error::NOT_WORKER`] unless the key is the worker's.
    pub fn only_worker(&self, key: &Address) -> Outcome {
        require(self.worker == *key, Error::NOT_WORKER)
    }

    /// The rules of this task, or [`Error::WRONG_RULES`].
    pub fn rules<'a>(&self, account: &'a AccountView, program: &Address) -> Outcome<Ref<'a, Rules>> {
        let rules = account::read::<Rules>(account, program)?;
        rules.numbered(self.rules)?;
        Ok(rules)
    }

    /// [`Error::TOO_LATE`] from the deadline on.
    pub fn in_time(&self, now: i64) -> Outcome {
        require(now < self.deadline, Error::TOO_LATE)
    }

    /// Whether the task is over.
    pub fn over(&self) -> bool {
        self.status >= Status::Complete as u8
    }

    /// Whether there was a case.
    pub fn judged(&self) -> bool {
        self.resolution == Resolution::Verdict as u8 || self.resolution == Resolution::Undecided as u8
    }

    /// Whether another program decides its dispute, or decided it, or was silent.
    pub fn foreign(&self) -> bool {
        self.engine != Address::default()
    }

    /// Whether it is a dispute of others, without escrow, work and agents.
    pub fn is_dispute(&self) -> bool {
        self.dispute != 0
    }

    /// Who paid the rent, and gets it back.
    pub fn funder(&self) -> &Address {
        if self.is_dispute() { &self.worker_operator } else { &self.creator }
    }

    /// [`Error::WRONG_STATUS`] unless the task waits for another program, or for the respondent of
    /// a dispute. Only then a task that is in the judiciary has a deadline.
    pub fn waits(&self) -> Outcome {
        require(self.status == Status::Judiciary as u8 && self.deadline != 0, Error::WRONG_STATUS)
    }

    /// Notes the end of the escrow and the reason.
    pub fn end(&mut self, outcome: Payout, resolution: Resolution) {
        (self.outcome, self.resolution) = (outcome as u8, resolution as u8);
    }

    /// How long the present claim was held. A clock that went back counts as no time.
    fn held(&self, now: i64) -> i64 {
        now.saturating_sub(self.claimed_at).max(0)
    }

    /// [`Error::TOO_LATE`] unless the claim may be given back: in a tenth of
    /// the time for the work, less the time that earlier workers used so.
    pub fn may_give_back(&self, now: i64) -> Outcome {
        let free = (self.work_seconds / 10).saturating_sub(self.released_seconds);
        require(self.held(now) < free as i64, Error::TOO_LATE)
    }

    /// Counts the time of a claim that is given back: one second at least.
    pub fn give_back(&mut self, now: i64) {
        let held = self.held(now).clamp(1, self.work_seconds as i64) as u32;
        self.released_seconds = self.released_seconds.saturating_add(held);
    }

    /// Returns the task to the market. The auction goes on from where it was at the claim.
    pub fn reopen(&mut self, market: i64) {
        self.auction_from = market.saturating_sub(self.auction_run as i64);
        (self.reward, self.submitted_at) = (0, 0);
        self.last_worker = self.worker;
        self.worker = Address::default();
        self.worker_operator = Address::default();
        self.result_hash = [0; 32];
        self.objection_hash = [0; 32];
    }
}

impl Held<'_, Task> {
    /// Makes a step that [`crate::rule::status`] allows, and logs it.
    #[inline(never)]
    pub fn step(&mut self, step: &Step) -> Outcome {
        let from = self.status;
        self.status = step.to as u8;
        self.deadline = step.deadline;
        if self.over() {
            self.finished_at = step.at;
        }
        let task = *self.account.address();
        TaskMoved {
            task,
            actor: step.actor.copied().unwrap_or_default(),
            from,
            to: self.status,
            outcome: self.outcome,
            resolution: self.resolution,
            hash: step.hash,
            amount: step.amount,
            deadline: step.deadline,
            at: step.at,
        }
        .log()
    }
}
