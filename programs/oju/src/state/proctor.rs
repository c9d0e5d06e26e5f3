//! Who may make golden cases: the court's authority says so.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::layout::Head;

/// First seed of a proctor's address; the second is its key.
pub const SEED: &[u8] = b"proctor";

/// Proctor. Batches that run when it is revoked go on.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Proctor {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 6],
    /// The key that commits batches.
    pub proctor: Address,
    /// Gets the rent back.
    pub payer: Address,
}

located!(Proctor, "Proctor", |it| [SEED, it.proctor.as_ref()]);
