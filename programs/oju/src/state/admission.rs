//! That the authority of a listed court lets a judge join.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::layout::Head;

/// First seed of an admission's address; the second is the judge's authority.
pub const SEED: &[u8] = b"admission";

/// Admission. It is not used up: a judge that left may join again until it is revoked.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Admission {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 6],
    /// The authority of the judge, its voting key.
    pub judge: Address,
    /// Gets the rent back.
    pub payer: Address,
}

located!(Admission, "Admission", |it| [SEED, it.judge.as_ref()]);
