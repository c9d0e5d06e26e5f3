//! The amount that one agent has paid another for data.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::located;
use crate::layout::Head;

/// First seed of a channel's address; then the authorities of payer and payee.
pub const SEED: &[u8] = b"channel";

/// Channel. Nothing closes it: one that began again at 0 would pay old vouchers once more.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Channel {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 6],
    /// Authority of the agent that pays.
    pub payer: Address,
    /// Authority of the agent that is paid.
    pub payee: Address,
    /// Lamports pulled so far, of all vouchers together. It never falls.
    pub paid: u64,
}

located!(Channel, "Channel", |it| [SEED, it.payer.as_ref(), it.payee.as_ref()]);
