//! What is hashed.

use pinocchio::Address;

use crate::event::sha256;

/// Of a result: its commitment. Nobody who sees it learns the result, or can commit to the same.
pub fn result(
    task: &Address,
    worker: &Address,
    hash: &[u8; 32],
    said: (&[u8], &[u8]),
    salt: &[u8; 32],
) -> [u8; 32] {
    let (summary, proof) = (sha256(&[said.0]), sha256(&[said.1]));
    sha256(&[b"megabrain:result:v1", task.as_ref(), worker.as_ref(), hash, &summary, &proof, salt])
}

/// Of all evaluations of one evaluator: their commitment. `scores` are pairs of score and
/// confidence, in the order of the workers.
pub fn evaluation(
    task: &Address,
    evaluator: &Address,
    hash: &[u8; 32],
    said: (&[u8], &[u8]),
    salt: &[u8; 32],
) -> [u8; 32] {
    let (scores, metadata) = (sha256(&[said.0]), sha256(&[said.1]));
    sha256(&[b"megabrain:evaluation:v1", task.as_ref(), evaluator.as_ref(), hash, &scores, &metadata, salt])
}

/// Of description and metadata: the terms of a task.
pub fn terms(description: &[u8], metadata: &[u8]) -> [u8; 32] {
    let (description, metadata) = (sha256(&[description]), sha256(&[metadata]));
    sha256(&[b"megabrain:terms:v1", &description, &metadata])
}

/// Of the right result of a golden task: its seal. Tasks that are not golden have other bytes, so
/// that nobody tells them apart.
pub fn golden(task: &Address, answer: &[u8; 32], salt: &[u8; 32]) -> [u8; 32] {
    sha256(&[b"megabrain:golden:v1", task.as_ref(), answer, salt])
}

/// Of two outcomes: the terms of the dispute between them. The slot of the creation tells tasks
/// apart that had one address. Who was called until then (workers, evaluators, who is not any more)
/// tells outcomes apart that were posted one after the other.
pub fn dispute(task: &Address, created: u64, calls: &[u8; 3], posted: &[u8], counter: &[u8]) -> [u8; 32] {
    let (posted, counter) = (sha256(&[posted]), sha256(&[counter]));
    sha256(&[b"megabrain:dispute:v1", task.as_ref(), &created.to_le_bytes(), calls, &posted, &counter])
}

/// Of an opened golden task and a worker, counted from 1: the terms of an appeal about its result.
pub fn appeal(task: &Address, created: u64, answer: &[u8; 32], worker: u8) -> [u8; 32] {
    sha256(&[b"megabrain:appeal:v2", task.as_ref(), &created.to_le_bytes(), answer, &[worker]])
}

/// The seed of a draw: `seated` tells the draws of one task apart.
pub fn draw(program: &Address, task: &Address, seated: u8, slot: u64, hash: &[u8; 32]) -> [u8; 32] {
    sha256(&[b"megabrain:draw:v1", program.as_ref(), task.as_ref(), &[seated], &slot.to_le_bytes(), hash])
}
