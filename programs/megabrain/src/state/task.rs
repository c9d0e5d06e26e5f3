//! A task: its terms, who sits in it, what they said, and what each got.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::error::{Error, Outcome, require};
use crate::layout::Head;

/// First seed of its address; the others are the requester and the identifier.
pub const SEED: &[u8] = b"task";
/// The most workers, and the most evaluators.
pub const MAX_SEATS: usize = 8;
/// Slots after which the block comes that decides a draw.
pub const DELAY: u64 = 2;
/// Slots in which a draw can use its block.
pub const WINDOW: u64 = 512;

const _: () = assert!(DELAY + WINDOW < super::class::REST);

/// Where a task stands.
pub mod status {
    /// Waits for the draw of its workers.
    pub const DRAW_WORKERS: u8 = 1;
    /// Workers commit to results.
    pub const WORK: u8 = 2;
    /// Workers reveal results.
    pub const REVEAL: u8 = 3;
    /// Waits for the draw of evaluators.
    pub const DRAW_EVALUATORS: u8 = 4;
    /// Evaluators commit to scores.
    pub const EVALUATE: u8 = 5;
    /// Evaluators reveal scores.
    pub const REVEAL_SCORES: u8 = 6;
    /// Waits for an outcome.
    pub const OUTCOME: u8 = 7;
    /// The outcome may be disputed.
    pub const POSTED: u8 = 8;
    /// The court has the dispute.
    pub const DISPUTED: u8 = 9;
    /// May be settled.
    pub const READY: u8 = 10;
    /// Was paid by a cluster.
    pub const SETTLED: u8 = 11;
    /// Was settled without a cluster.
    pub const INCONCLUSIVE: u8 = 12;
    /// Nobody was drawn, and the budget went back.
    pub const EXPIRED: u8 = 13;
}

/// Which outcome of a task counts.
pub mod posted {
    /// None: nobody posted one.
    pub const NOBODY: u8 = 0;
    /// That of the poster.
    pub const POSTER: u8 = 1;
    /// That of the disputant.
    pub const DISPUTANT: u8 = 2;
    /// None: the court did not decide.
    pub const UNDECIDED: u8 = 3;
    /// That of the disputant, with results that were shown in the dispute alone.
    pub const SHOWN: u8 = 4;
}

/// Who is not called any more, because too few members were there; added together.
pub mod last {
    /// No further evaluator.
    pub const EVALUATOR: u8 = 1;
    /// No further worker.
    pub const WORKER: u8 = 2;
}

/// What an evaluator did in a task before; added together.
pub mod past {
    /// It revealed before further workers were called.
    pub const SPOKE: u8 = 1;
    /// It posted an outcome, and the court found another one.
    pub const LOST: u8 = 2;
    /// It was tested when the seal was opened, and was a member then.
    pub const TESTED: u8 = 4;
    /// It failed that test, and somebody stood in for it.
    pub const BACKED: u8 = 8;
    /// It failed that test.
    pub const FAILED: u8 = 16;
}

/// What is known of the seal of a task.
pub mod opened {
    /// Nothing.
    pub const SEALED: u8 = 0;
    /// It was opened, and records have learned from it.
    pub const FINAL: u8 = 1;
    /// It was opened, and who failed may appeal.
    pub const SHOWN: u8 = 2;
    /// The court has an appeal.
    pub const APPEALED: u8 = 3;
    /// An appeal was upheld: nothing is held against anybody, when somebody ends it.
    pub const OVERTURNED: u8 = 4;
    /// That was done.
    pub const VOID: u8 = 5;
}

/// States of a seat.
pub mod seat {
    /// Has said nothing.
    pub const DRAWN: u8 = 0;
    /// Has committed.
    pub const COMMITTED: u8 = 1;
    /// Has revealed.
    pub const REVEALED: u8 = 2;
    /// Did not, and cannot any more.
    pub const ABSENT: u8 = 3;
}

/// What the posted outcome says of a worker.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Fact {
    /// Basis points of the structure that is there.
    pub complete: u16,
    /// Results with one number mean the same; 0: alone.
    pub cluster: u8,
    /// 1: made no effort.
    pub low_effort: u8,
    /// The worker that it copied, counted from 1; 0: none.
    pub copy_of: u8,
    pub(crate) pad: u8,
}

/// What an evaluator says of a result.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Said {
    /// 0 to 100; [`SILENT`]: nothing.
    pub score: u8,
    /// 0 to 100.
    pub confidence: u8,
}

/// The score of a result that an evaluator says nothing of.
pub const SILENT: u8 = 255;

/// A worker of a task.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Worker {
    /// Its key.
    pub agent: Address,
    /// See [`crate::rule::preimage`].
    pub commitment: [u8; 32],
    /// Of the revealed result.
    pub result_hash: [u8; 32],
    /// When it committed.
    pub committed_at: i64,
    /// Lamports, with the bonus.
    pub paid: u64,
    /// Lamports.
    pub slashed: u64,
    /// Its place in the class.
    pub index: u16,
    /// Hundredths of a point.
    pub score: u16,
    /// One of [`seat`].
    pub state: u8,
    /// 1: in the paid cluster.
    pub inside: u8,
    /// 1: was called when the results of others could be read.
    pub later: u8,
    /// 1: fewer than half of the evaluators that spoke had said anything of its result when further
    /// workers were called.
    pub unheard: u8,
}

/// An evaluator of a task.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Evaluator {
    /// Its key.
    pub agent: Address,
    /// See [`crate::rule::preimage`].
    pub commitment: [u8; 32],
    /// Of the detailed evaluation.
    pub evaluation_hash: [u8; 32],
    /// Lamports.
    pub paid: u64,
    /// Lamports.
    pub slashed: u64,
    /// By the place of the worker.
    pub said: [Said; MAX_SEATS],
    /// Its place in the class.
    pub index: u16,
    /// At the draw.
    pub reputation: u16,
    /// One of [`seat`].
    pub state: u8,
    /// 1: was called when the scores of others could be read.
    pub later: u8,
    /// It was asked about so many workers before further ones were called. What it says of these
    /// does not change, because all scores of them can be read.
    pub asked: u8,
    /// What it did before, see [`past`].
    pub past: u8,
}

/// What an outcome says: everything that the chain cannot compute.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Finding {
    /// By the place of the worker.
    pub facts: [Fact; MAX_SEATS],
    /// By the place of the evaluator; 1: rubber-stamped.
    pub rubber: [u8; MAX_SEATS],
    /// Of the document that shows how it was computed.
    pub evidence: [u8; 32],
}

/// Task.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Task {
    /// Kind, version and bump.
    pub head: Head,
    /// One of [`status`].
    pub status: u8,
    /// How many workers it needs.
    pub workers: u8,
    /// How many evaluators it needs.
    pub evaluators: u8,
    /// How many evaluators were drawn.
    pub seated: u8,
    /// How many workers were drawn.
    pub drawn: u8,
    /// 1: what nobody earned goes to the treasury, and not to the requester.
    pub undistributed: u8,
    /// Who pays and gets back.
    pub requester: Address,
    /// Who runs the requester; its own key if no other signed.
    pub operator: Address,
    /// The address of the class.
    pub class: Address,
    /// Its identifier.
    pub id: [u8; 32],
    /// Of description and metadata.
    pub terms: [u8; 32],
    /// Of the right result, if the task is a golden one; see [`crate::rule::preimage::golden`].
    /// Once it is opened, the hash of the right result itself.
    pub seal: [u8; 32],
    /// Of the block that decided the last draw.
    pub slot_hash: [u8; 32],
    /// Who posted the outcome.
    pub poster: Address,
    /// Who disputes it.
    pub disputant: Address,
    /// The dispute in the court.
    pub dispute: Address,
    /// With the extension.
    pub budget: u64,
    /// Of each worker.
    pub worker_stake: u64,
    /// Of each evaluator.
    pub evaluator_stake: u64,
    /// Of the poster, while the task holds it.
    pub bond: u64,
    /// Of the disputant, while the task holds it.
    pub counter_bond: u64,
    /// What workers and evaluators got.
    pub paid: u64,
    /// What they lost.
    pub slashed: u64,
    /// The slot of its creation.
    pub created_slot: u64,
    /// The block at or after this slot decides the draw.
    pub seed_slot: u64,
    /// The end of this phase.
    pub deadline: i64,
    /// Results have to be committed before.
    pub submission_deadline: i64,
    /// Evaluations have to be committed before.
    pub evaluation_deadline: i64,
    /// When it was settled.
    pub settled_at: i64,
    /// Hundredths, 50 to 200.
    pub difficulty: u16,
    /// 1: was extended.
    pub extended: u8,
    /// Whether nobody is called any more, see [`last`].
    pub last: u8,
    /// One of [`posted`].
    pub posted: u8,
    /// The worker that the dispute names, counted from 1.
    pub disputed: u8,
    /// How many disputes of this outcome the court rejected.
    pub rejected: u8,
    /// One of [`opened`].
    pub opened: u8,
    /// Who appeals against what a golden task showed.
    pub appellant: Address,
    /// The appeal in the court.
    pub appeal: Address,
    /// How many appeals the court rejected.
    pub refused: u8,
    /// The worker whose result the appeal is about, counted from 1.
    pub named: u8,
    /// A bit for each worker whose result was opened as wrong, and is not: it tests nobody.
    pub cleared: u8,
    pub(crate) pad: [u8; 5],
    /// In the order of the draw.
    pub work: [Worker; MAX_SEATS],
    /// In the order of the draw.
    pub judges: [Evaluator; MAX_SEATS],
    /// The outcome that counts.
    pub finding: Finding,
    /// The outcome of the disputant.
    pub counter: Finding,
}

located!(Task, |it| [SEED, it.requester.as_ref(), &it.id]);

impl Task {
    /// [`Error::WRONG_STATUS`] unless it stands here.
    pub fn at(&self, status: u8) -> Outcome {
        require(self.status == status, Error::WRONG_STATUS)
    }

    /// [`Error::TOO_LATE`] if this phase is over.
    pub fn in_time(&self, now: i64) -> Outcome {
        require(now < self.deadline, Error::TOO_LATE)
    }

    /// Enters a phase that ends so many seconds from now.
    pub fn enter(&mut self, status: u8, now: i64, seconds: u32) {
        (self.status, self.deadline) = (status, now + seconds as i64);
    }

    /// Whether an evaluator was asked about a result before further workers were called, and not
    /// again: a consensus on it can be read.
    pub fn asked(&self, e: usize, w: usize) -> bool {
        w < self.judges[e].asked as usize && self.work[w].unheard == 0
    }

    /// Whether its seal was opened, and that is not final.
    pub fn open(&self) -> bool {
        [opened::SHOWN, opened::APPEALED, opened::OVERTURNED].contains(&self.opened)
    }

    /// Whether an outcome counts.
    pub fn found(&self) -> bool {
        [posted::POSTER, posted::DISPUTANT, posted::SHOWN].contains(&self.posted)
    }

    /// Waits for a draw.
    pub fn await_draw(&mut self, status: u8, now: i64, slot: u64, seconds: u32) {
        self.enter(status, now, seconds);
        self.seed_slot = slot + DELAY;
    }

    /// The workers that were drawn.
    pub fn sitting(&mut self) -> &mut [Worker] {
        &mut self.work[..(self.drawn as usize).min(MAX_SEATS)]
    }

    /// The evaluators that were drawn.
    pub fn judging(&mut self) -> &mut [Evaluator] {
        &mut self.judges[..(self.seated as usize).min(MAX_SEATS)]
    }

    /// The seat of a worker.
    pub fn worker(&mut self, key: &Address) -> Outcome<&mut Worker> {
        self.sitting().iter_mut().find(|seat| seat.agent == *key).ok_or(Error::NOT_SEATED)
    }

    /// The seat of an evaluator.
    pub fn evaluator(&mut self, key: &Address) -> Outcome<&mut Evaluator> {
        self.judging().iter_mut().find(|seat| seat.agent == *key).ok_or(Error::NOT_SEATED)
    }
}
