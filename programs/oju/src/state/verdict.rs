//! The lasting result of a case. Any program may pay by it; the crate `oju-verdict` reads it.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::case::{Hearing, MAX_SEATS, Seat};
use super::located;
use super::task::Task;
use crate::error::Outcome;
use crate::event::sha256;
use crate::layout::Head;
use crate::wire::Writer;

/// First seed of a verdict's address; the second is its subject.
pub const SEED: &[u8] = b"verdict";
/// The first bytes of what [`facts`] hashes.
const PREFIX: &[u8] = b"oju:facts:v1";
/// Bytes of a case with all seats: the documents' hashes, the draw, the end, the seats, and what is
/// left of a first panel whose verdict was appealed.
const MAX_FACTS: usize = 4 * 32 + 1 + 8 + 32 + 1 + 8 + 1 + MAX_SEATS * SEAT + 3 + 32;
/// Bytes of a seat among the facts.
const SEAT: usize = 32 + 32 + 8 + 1;

/// Verdict. No instruction changes or closes it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Verdict {
    /// Kind, version and bump.
    pub head: Head,
    /// 1: nothing changes it any more.
    pub is_final: u8,
    /// [`super::case::ACCEPT`], [`super::case::REJECT`] or [`super::case::UNDECIDED`].
    pub verdict: u8,
    /// Which panel gave the verdict: 1 the first, 2 that of the appeal.
    pub level: u8,
    /// The last round of the case.
    pub round: u8,
    /// 0: the verdict of a task. Else that of a dispute of others: [`super::task::ABSENT`] or
    /// [`super::task::JOINED`].
    pub joined: u8,
    pub(crate) pad: u8,
    /// The address of the task.
    pub subject: Address,
    /// The program that decided; zero: this court.
    pub engine: Address,
    /// Unix seconds.
    pub decided_at: i64,
    /// The tallies of the last seats.
    pub accept_weight: u64,
    /// Of rejects.
    pub reject_weight: u64,
    /// Of abstentions.
    pub abstain_weight: u64,
    /// Of all seats.
    pub seated_weight: u64,
    /// See [`facts`].
    pub facts: [u8; 32],
    /// A party of the task.
    pub creator: Address,
    /// The other one.
    pub worker: Address,
    /// What the case was about.
    pub result_hash: [u8; 32],
    /// Of the claim, in lamports.
    pub reward: u64,
}

located!(Verdict, "VerdictAccount", |it| [SEED, it.subject.as_ref()]);

impl Verdict {
    /// Begins the verdict of a dispute, which is not final.
    pub fn begin(&mut self, subject: &Address, task: &Task) {
        (self.subject, self.creator, self.worker) = (*subject, task.creator, task.worker);
        (self.result_hash, self.reward, self.joined) = (task.result_hash, task.reward, task.dispute);
    }

    /// Writes down how a case that is over ended.
    pub fn note(&mut self, program: &Address, task: &Task, case: &Hearing) -> Outcome {
        (self.is_final, self.verdict, self.level, self.round) = (1, case.verdict, case.level, case.round);
        (self.subject, self.decided_at) = (case.task, case.settled_at);
        (self.accept_weight, self.reject_weight) = (case.accept_weight, case.reject_weight);
        (self.abstain_weight, self.seated_weight) = (case.abstain_weight, case.seated_weight);
        (self.creator, self.worker) = (task.creator, task.worker);
        (self.result_hash, self.reward) = (task.result_hash, task.reward);
        self.joined = task.dispute;
        self.facts = facts(program, task, case)?;
        Ok(())
    }
}

fn put_seats<const N: usize>(all: &mut Writer<N>, seats: &[Seat]) -> Outcome {
    seats.iter().try_for_each(|Seat { judge, commitment, weight, choice, .. }| {
        all.put(judge.as_ref())?.put(commitment)?.put_u64(*weight)?.put(&[*choice]).map(|_| ())
    })
}

/// The hash of the seats of a first panel, so that no frame holds the seats of two.
#[inline(never)]
fn first_seats(case: &Hearing) -> Outcome<[u8; 32]> {
    let mut all = Writer::<{ MAX_SEATS * SEAT }>::new();
    put_seats(&mut all, case.level(true))?;
    Ok(sha256(&[all.written()]))
}

/// The hash over what the chain knows of a case (protocol section 6, Facts). Nothing in it changes
/// when the case is over: later evidence of equivocation changes flags, results and slashes only.
#[inline(never)]
pub fn facts(program: &Address, task: &Task, case: &Hearing) -> Outcome<[u8; 32]> {
    let mut all = Writer::<MAX_FACTS>::new();
    all.put(&task.task_hash)?.put(&task.result_hash)?.put(&task.objection_hash)?.put(&task.counter_hash)?;
    all.put(&[case.round])?.put_u64(case.drawn_slot)?.put(&case.slot_hash)?;
    all.put(&[case.verdict])?.put(&case.settled_at.to_le_bytes())?.put(&[case.seats])?;
    put_seats(&mut all, case.seated())?;
    if case.appealed() {
        all.put(&[case.first_round, case.first_verdict, case.first_seats])?.put(&first_seats(case)?)?;
    }
    Ok(sha256(&[PREFIX, program.as_ref(), case.task.as_ref(), all.written()]))
}
