//! The treasury, which slashes go to, and the court that decides disputes.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::layout::Head;

/// The seed of its address.
pub const SEED: &[u8] = b"treasury";

/// Treasury. There is one.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Treasury {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 6],
    /// May withdraw.
    pub authority: Address,
    /// The program of the court, which disputes are brought to.
    pub court: Address,
    /// All slashes so far, in lamports.
    pub slashed: u64,
}

located!(Treasury, |_it| [SEED]);
