//! The court's pot: what every paid task leaves for golden cases.

use bytemuck::{Pod, Zeroable};
use pinocchio::AccountView;

use super::located;
use crate::account::{self, Held};
use crate::arith;
use crate::error::Outcome;
use crate::layout::Head;
use crate::rule::golden::{MOST, WHOLE};

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
    /// Batches committed so far: also the number of the next one.
    pub batches: u64,
    /// The leaves that may be committed, in 1/10,000.
    pub allowance: u64,
}

located!(Pot, "Pot", |it| [SEED]);

impl Pot {
    /// A case ended: so much of a leaf more may be committed.
    pub fn settled(&mut self, bps: u16) {
        self.allowance = self.allowance.saturating_add(bps as u64).min(MOST);
    }

    /// Takes the leaves of a batch from the allowance, if it has so many.
    pub fn spend(&mut self, leaves: u32) -> bool {
        let left = self.allowance.checked_sub(leaves as u64 * WHOLE);
        self.allowance = left.unwrap_or(self.allowance);
        left.is_some()
    }

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

    /// Moves lamports out of the Pot. The other account must count them.
    pub fn give(&mut self, to: &mut AccountView, lamports: u64) -> Outcome {
        self.golden = arith::sub(self.golden, lamports)?;
        account::pay(&mut self.account, to, lamports)
    }
}
