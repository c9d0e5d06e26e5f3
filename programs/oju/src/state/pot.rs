//! The court's pot: what every paid task leaves for golden cases.

use bytemuck::{Pod, Zeroable};
use pinocchio::AccountView;

use super::located;
use crate::account::{self, Held};
use crate::arith;
use crate::error::Outcome;
use crate::layout::Head;

/// First seed of the Pot's address, and the only one.
pub const SEED: &[u8] = b"pot";

/// Pot. The account holds rent + golden; gifts do not count.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Pot {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 6],
    /// Lamports for golden cases.
    pub golden: u64,
}

located!(Pot, "Pot", |it| [SEED]);

impl Pot {
    /// Adds to the pot. The lamports must come to the account in the same instruction.
    pub fn credit(&mut self, lamports: u64) -> Outcome {
        self.golden = arith::add(self.golden, lamports)?;
        Ok(())
    }
}

impl Held<'_, Pot> {
    /// Moves lamports that an account has just stopped counting into the Pot.
    pub fn take(&mut self, from: &mut AccountView, lamports: u64) -> Outcome {
        self.credit(lamports)?;
        account::pay(from, &mut self.account, lamports)
    }
}
