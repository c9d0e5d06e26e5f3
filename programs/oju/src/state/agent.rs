//! An agent and its vault.

use bytemuck::{Pod, Zeroable};
use pinocchio::{AccountView, Address};

use super::located;
use crate::account::{self, Held};
use crate::arith;
use crate::error::{Error, Outcome, require};
use crate::layout::Head;

/// First seed of an agent's address; the second is its authority.
pub const SEED: &[u8] = b"agent";

/// Agent.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Agent {
    /// Kind, version and bump.
    pub head: Head,
    pub(crate) pad: [u8; 2],
    /// The registry page that lists it.
    pub page: u32,
    /// Its key.
    pub authority: Address,
    /// The key that runs it; zero if none is declared.
    pub operator: Address,
    /// Hash of its card.
    pub card_hash: [u8; 32],
    /// The agent's lamports here. The account holds rent + vault; gifts do not count.
    pub vault: u64,
    /// Unix seconds.
    pub registered_at: i64,
    /// Also the id of its next task, so that no two tasks ever have one address.
    pub tasks_created: u64,
    /// Tasks claimed as worker.
    pub tasks_claimed: u32,
    /// Tasks paid as worker.
    pub tasks_paid: u32,
    /// Deadlines missed as worker.
    pub tasks_missed: u32,
    /// Verdicts in its favour.
    pub cases_won: u32,
    /// Verdicts against it.
    pub cases_lost: u32,
    pub(crate) pad_end: [u8; 36],
}

located!(Agent, "Agent", |it| [SEED, it.authority.as_ref()]);

impl Agent {
    /// Adds to the vault. The lamports must come to the account in the same instruction.
    pub fn credit(&mut self, lamports: u64) -> Outcome {
        self.vault = arith::add(self.vault, lamports)?;
        Ok(())
    }

    /// Takes from the vault, or [`Error::NOT_ENOUGH_IN_VAULT`]. The
    /// lamports must leave the account in the same instruction.
    pub fn debit(&mut self, lamports: u64) -> Outcome {
        self.vault = self.vault.checked_sub(lamports).ok_or(Error::NOT_ENOUGH_IN_VAULT)?;
        Ok(())
    }
}

/// The account that must be the agent of `authority`, because a task or a signer says so.
#[inline(never)]
pub fn of<'a>(
    account: &'a mut AccountView,
    authority: &Address,
    program: &Address,
) -> Outcome<Held<'a, Agent>> {
    let agent = account::open::<Agent>(account, program)?;
    require(agent.authority == *authority, Error::WRONG_ADDRESS)?;
    Ok(agent)
}
