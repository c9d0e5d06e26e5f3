//! A batch of golden cases: what its proctor committed to, and how far it is open.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use super::task::Task;
use crate::account::Held;
use crate::arith;
use crate::error::{Error, Outcome, require};
use crate::layout::Head;
use crate::rule::leaf::Leaf;

/// First seed of a batch's address; the second is its number, u64.
pub const SEED: &[u8] = b"batch";
/// Leaves at most.
pub const MAX_LEAVES: u32 = 256;
/// Leaves at least: one alone has no balance.
pub const MIN_LEAVES: u32 = 2;
/// From so many leaves on, a void one never costs the deposit. With fewer it would leave 60 % of
/// one answer, and always giving this answer would break even.
const SPARE_LEAVES: u32 = 8;

/// Batch. The account holds rent + deposit + earned; gifts do not count.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Batch {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 2],
    /// [`MIN_LEAVES`] to [`MAX_LEAVES`].
    pub leaves: u32,
    /// Among all batches of the court.
    pub number: u64,
    /// Who committed it, and gets deposit, fees and rent.
    pub proctor: Address,
    /// What was committed to, see [`crate::rule::leaf`].
    pub root: [u8; 32],
    /// Lost if the batch is not open in time, out of balance or false.
    pub deposit: u64,
    /// The proctor's fees.
    pub earned: u64,
    /// The most that the open leaves can take from seats.
    pub exposed: u64,
    /// Unix seconds, as all times. Older tasks do not count.
    pub committed_at: i64,
    /// All leaves must be open before.
    pub open_by: i64,
    /// When the last leaf was opened; 0: not all are open.
    pub complete_at: i64,
    /// Until then the cases of all leaves exist.
    pub keep_until: i64,
    /// The proctor's fee for a leaf that was applied.
    pub leaf_fee: u64,
    /// From complete_at until leaves may be applied.
    pub challenge_seconds: u32,
    /// Leaves that are open.
    pub opened: u32,
    /// Of these: they have no golden case.
    pub void: u32,
    /// Of the others: they say accept.
    pub accepts: u32,
    /// Of the others: they were applied.
    pub applied: u32,
    /// The seconds of all pauses of the court until it was committed.
    pub paused_before: u32,
    /// A bit for each open leaf.
    pub open: [u8; 32],
}

located!(Batch, "Batch", |it| [SEED, &it.number.to_le_bytes()]);

impl Batch {
    /// Whether all leaves are open.
    pub fn complete(&self) -> bool {
        self.opened == self.leaves
    }

    /// The leaves that have a golden case.
    pub fn counting(&self) -> u32 {
        self.opened - self.void
    }

    /// Whether the leaves may be applied when the time to challenge is over: all are open, few are
    /// void, and the others are in balance.
    pub fn fair(&self) -> bool {
        self.complete() && self.hardly_void() && self.balanced()
    }

    /// At most a tenth is void, or one of eight or nine.
    fn hardly_void(&self) -> bool {
        let spare = self.void == 1 && self.leaves >= SPARE_LEAVES;
        10 * self.void <= self.leaves || spare
    }

    /// Of the leaves that count, 45 to 55 % say accept, or the void ones would make both sides
    /// equal.
    fn balanced(&self) -> bool {
        let (accepts, counting) = (self.accepts as u64, self.counting() as u64);
        let share = 100 * accepts >= 45 * counting && 100 * accepts <= 55 * counting;
        share || accepts.abs_diff(counting - accepts) <= self.void as u64
    }

    /// Whether a pause can be why the batch is not fair, if the pauses of the court took so long
    /// until now. It stops new tasks and claims, and so makes leaves void. It does not stop anybody
    /// from opening all leaves. A pause of less than a tenth of the time explains no more void
    /// leaves than a fair batch may have.
    pub fn stopped(&self, paused: u32) -> bool {
        let meanwhile = paused.saturating_sub(self.paused_before) as i64;
        let long = meanwhile.saturating_mul(10) >= self.open_by.saturating_sub(self.committed_at);
        self.complete() && self.void > 0 && long
    }

    /// Marks a leaf as open, or [`Error::LEAF_OPEN`].
    pub fn mark(&mut self, index: u32, now: i64) -> Outcome {
        let byte = self.open.get_mut(index as usize / 8).ok_or(Error::NOT_IN_BATCH)?;
        let bit = 1 << (index % 8);
        require(*byte & bit == 0, Error::LEAF_OPEN)?;
        *byte |= bit;
        self.opened += 1;
        if self.complete() {
            self.complete_at = now;
        }
        Ok(())
    }

    /// Counts what a golden case can take from its seats, as far as the deposit goes.
    pub fn expose(&mut self, loss: u64) -> Outcome {
        self.exposed = arith::add(self.exposed, loss)?;
        require(self.exposed <= self.deposit, Error::DEPOSIT_TOO_SMALL)
    }

    /// Whether this is the task of the leaf, with the leaf's documents, and for this court. It does
    /// not change any more when the counter-objection is there, so before the first vote.
    pub fn has(&self, task: &Task, leaf: &Leaf, seal: &[u8; 32]) -> bool {
        task.seal == *seal
            && task.task_hash == *leaf.task_hash
            && task.result_hash == *leaf.result_hash
            && task.objection_hash == *leaf.objection_hash
            && task.counter_hash == *leaf.counter_hash
            && task.created_at >= self.committed_at
            && !task.foreign()
    }

    /// When leaves may be applied, if the pauses of the court took so long until now. A pause stops
    /// challenges, so it extends the time by its length. To begin the time again would let short
    /// pauses hold it for ever.
    pub fn apply_from(&self, paused: u32) -> i64 {
        let meanwhile = paused.saturating_sub(self.paused_before) as i64;
        self.complete_at.saturating_add(self.challenge_seconds as i64).saturating_add(meanwhile)
    }
}

impl Held<'_, Batch> {
    /// [`Error::NOT_PROCTOR`] unless the key committed the batch.
    pub fn only_proctor(&self, key: &Address) -> Outcome {
        require(self.proctor == *key, Error::NOT_PROCTOR)
    }
}

#[cfg(test)]
#[path = "batch_test.rs"]
mod tests;
