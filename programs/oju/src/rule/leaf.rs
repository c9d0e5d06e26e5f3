//! The leaf of a golden case, its proof, and the task that challenges it (protocol section 13).

use pinocchio::Address;

use crate::error::{Error, Outcome, require};
use crate::event::sha256;

const LEAF: &[u8] = b"oju:leaf:v1";
const PLACE: &[u8] = b"oju:place:v1";
const BRANCH: &[u8] = b"oju:branch:v1";
const BATCH: &[u8] = b"oju:batch:v1";

/// The task that challenges a leaf, before the leaf in hex and behind it. It is canonical JSON.
const BEFORE: &[u8] = b"{\"input_data\":[\"";
const BEHIND: &[u8] = b"\"],\"instruction\":[\"input_data holds an open leaf of a golden case: \
236 bytes in hex (protocol, section 13). Run the generator that it names with its seed, and compare the four \
hashes and the answer. Is the leaf false?\"],\"output_schema\":{\"leaf_is_false\":\"boolean\"}}";
/// The result that says so, as canonical JSON.
const FALSE: &[u8] = b"{\"leaf_is_false\":true}";
/// Bytes of a leaf.
const SIZE: usize = LEAF.len() + 5 * 32 + 1 + 2 * 32;

/// The answer to a golden case, with everything that it is about.
pub struct Leaf<'a> {
    /// The account of the task.
    pub task: &'a Address,
    /// Of the task document.
    pub task_hash: &'a [u8; 32],
    /// Of the result.
    pub result_hash: &'a [u8; 32],
    /// Of the objection.
    pub objection_hash: &'a [u8; 32],
    /// Of the counter-objection.
    pub counter_hash: &'a [u8; 32],
    /// [`crate::state::case::ACCEPT`] or [`crate::state::case::REJECT`].
    pub answer: u8,
    /// The version of the generator.
    pub generator: &'a [u8; 32],
    /// From which it makes all documents and the answer.
    pub seed: &'a [u8; 32],
}

impl Leaf<'_> {
    /// The bytes of the leaf.
    fn bytes(&self) -> [u8; SIZE] {
        let answer = [self.answer];
        let parts: [&[u8]; 9] = [
            LEAF,
            self.task.as_ref(),
            self.task_hash,
            self.result_hash,
            self.objection_hash,
            self.counter_hash,
            &answer,
            self.generator,
            self.seed,
        ];
        let mut out = [0; SIZE];
        let mut rest = &mut out[..];
        for part in parts {
            let (head, tail) = rest.split_at_mut(part.len());
            head.copy_from_slice(part);
            rest = tail;
        }
        out
    }

    /// The seal of the task.
    #[inline(never)]
    pub fn seal(&self) -> [u8; 32] {
        sha256(&[&self.bytes()])
    }

    /// [`Error::NOT_IN_BATCH`] unless the leaf with this seal stands at the index of the batch. The
    /// path has the siblings from the bottom up.
    #[inline(never)]
    pub fn stands(&self, seal: &[u8; 32], at: &Place, path: &[u8]) -> Outcome {
        let (steps, rest) = path.as_chunks::<32>();
        let whole = at.index < at.leaves && rest.is_empty() && steps.len() as u32 == depth(at.leaves);
        require(whole, Error::NOT_IN_BATCH)?;
        let mut node = sha256(&[PLACE, seal, self.seed]);
        for (level, sibling) in steps.iter().enumerate() {
            let right = at.index >> level & 1 != 0;
            let (one, two) = if right { (sibling, &node) } else { (&node, sibling) };
            node = sha256(&[BRANCH, one, two]);
        }
        let root = sha256(&[BATCH, &at.leaves.to_le_bytes(), &node]);
        require(root == *at.root, Error::NOT_IN_BATCH)
    }

    /// The hash of the task that challenges the leaf.
    #[inline(never)]
    pub fn challenge(&self) -> [u8; 32] {
        let mut hex = [0; 2 * SIZE];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.bytes()) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        sha256(&[BEFORE, &hex, BEHIND])
    }
}

/// The hash of the result that says that a leaf is false.
pub fn denied() -> [u8; 32] {
    sha256(&[FALSE])
}

/// Where a leaf is said to stand.
pub struct Place<'a> {
    /// From 0.
    pub index: u32,
    /// Of the batch.
    pub leaves: u32,
    /// Of the batch.
    pub root: &'a [u8; 32],
}

/// The levels above the bottom of the tree.
fn depth(leaves: u32) -> u32 {
    u32::BITS - leaves.saturating_sub(1).leading_zeros()
}

fn digit(half: u8) -> u8 {
    if half < 10 { b'0' + half } else { b'a' + half - 10 }
}

#[cfg(test)]
#[path = "leaf_test.rs"]
mod tests;
