//! Moves lamports of a task into vaults and into the Pot. A payee is always the agent
//! account of a party, so that nobody can redirect or block a payment.

use oju_verdict::Decision;
use pinocchio::Address;

use crate::account::{self, Held};
use crate::error::Outcome;
use crate::event::{Event, Paid, paid};
use crate::rule::price::trade;
use crate::state::agent::Agent;
use crate::state::pot::Pot;
use crate::state::task::{Payout, Task};

/// The accounts that a task's money goes to.
pub struct Parties<'a> {
    /// The creator's agent.
    pub creator: Held<'a, Agent>,
    /// The worker's.
    pub worker: Held<'a, Agent>,
    /// The court's.
    pub pot: Held<'a, Pot>,
}

/// Moves lamports that the task has just stopped counting. Nothing is logged of nothing.
#[inline(never)]
pub fn pay(task: &mut Held<Task>, to: &mut Held<Agent>, kind: u8, amount: u64) -> Outcome {
    if amount == 0 {
        return Ok(());
    }
    to.credit(amount)?;
    account::pay(&mut task.account, &mut to.account, amount)?;
    Paid { task: *task.account.address(), to: to.authority, kind, amount }.log()
}

/// Returns the bond of the claim.
pub fn claim_bond(task: &mut Held<Task>, worker: &mut Held<Agent>) -> Outcome {
    let bond = core::mem::take(&mut task.claim_bond);
    pay(task, worker, paid::CLAIM_BACK, bond)
}

/// Pays the bond of the claim to the creator, because the worker missed the deadline. If others
/// used the time in which it could have given the task back, the bond goes to the Pot, because the
/// creator may be one of them.
pub fn missed(task: &mut Held<Task>, creator: &mut Held<Agent>, pot: &mut Held<Pot>) -> Outcome {
    let bond = core::mem::take(&mut task.claim_bond);
    if task.released_seconds > 0 {
        return give(task, pot, paid::CLAIM_LOST, bond);
    }
    pay(task, creator, paid::CLAIM_LOST, bond)
}

/// Pays the worker the whole escrow, less the Pot's share.
pub fn reward(task: &mut Held<Task>, worker: &mut Held<Agent>, pot: &mut Held<Pot>) -> Outcome {
    let escrow = core::mem::take(&mut task.escrow);
    worker.tasks_paid = worker.tasks_paid.saturating_add(1);
    share(task, worker, pot, escrow)
}

/// Pays the worker an amount that the task has just stopped counting, less the Pot's share.
#[inline(never)]
pub fn share(task: &mut Held<Task>, worker: &mut Held<Agent>, pot: &mut Held<Pot>, amount: u64) -> Outcome {
    let fee = trade(amount, task.trade_bps)?;
    pay(task, worker, paid::REWARD, amount - fee)?;
    give(task, pot, paid::TRADE, fee)
}

/// Pays the escrow as the task ended.
#[inline(never)]
pub fn escrow(task: &mut Held<Task>, parties: &mut Parties, outcome: Payout) -> Outcome {
    let Parties { creator, worker, pot } = parties;
    match outcome {
        Payout::Refunded => refund(task, creator),
        Payout::Paid => reward(task, worker, pot),
        _ => {
            let half = task.escrow / 2;
            task.escrow -= half;
            share(task, worker, pot, half)?;
            refund(task, creator)
        }
    }
}

/// Returns all bonds.
pub fn bonds(task: &mut Held<Task>, parties: &mut Parties) -> Outcome {
    worker_bond(task, &mut parties.worker)?;
    creator_bond(task, &mut parties.creator)?;
    claim_bond(task, &mut parties.worker)
}

/// Pays another engine's fee from the bond of who lost, as far as it reaches; half of it from each
/// bond if nobody did.
pub fn engine_fee(task: &mut Held<Task>, told: Decision, agent: &mut Held<Agent>) -> Outcome {
    let half = task.engine_fee / 2;
    let (creator, worker) = match told {
        Decision::Accept => (task.engine_fee, 0),
        Decision::Reject => (0, task.engine_fee),
        Decision::Undecided => (half, half),
    };
    let (creator, worker) = (creator.min(task.creator_bond), worker.min(task.worker_bond));
    (task.creator_bond, task.worker_bond) = (task.creator_bond - creator, task.worker_bond - worker);
    pay(task, agent, paid::ENGINE_FEE, creator + worker)
}

/// Takes from the bonds what nobody's decision costs, and returns it: the side that profits by the
/// task's own term pays, and if the escrow is divided, both pay half.
pub fn forfeit(task: &mut Held<Task>, outcome: Payout) -> u64 {
    let (creator, worker) = match outcome {
        Payout::Refunded => (task.creator_bond, 0),
        Payout::Paid => (0, task.worker_bond),
        _ => (task.creator_bond / 2, task.worker_bond / 2),
    };
    (task.creator_bond, task.worker_bond) = (task.creator_bond - creator, task.worker_bond - worker);
    creator.saturating_add(worker)
}

/// Moves to the Pot what an engine's silence costs. No judge has worked for it.
pub fn silence(task: &mut Held<Task>, pot: &mut Held<Pot>, outcome: Payout) -> Outcome {
    let lost = forfeit(task, outcome);
    give(task, pot, paid::SILENCE, lost)
}

/// Moves lamports that the task has just stopped counting into the Pot.
#[inline(never)]
fn give(task: &mut Held<Task>, pot: &mut Held<Pot>, kind: u8, amount: u64) -> Outcome {
    if amount == 0 {
        return Ok(());
    }
    pot.credit(amount)?;
    account::pay(&mut task.account, &mut pot.account, amount)?;
    Paid { task: *task.account.address(), to: Address::default(), kind, amount }.log()
}

/// Returns the whole escrow to the creator.
pub fn refund(task: &mut Held<Task>, creator: &mut Held<Agent>) -> Outcome {
    let escrow = core::mem::take(&mut task.escrow);
    pay(task, creator, paid::REFUND, escrow)
}

/// Returns the creator's bond.
pub fn creator_bond(task: &mut Held<Task>, creator: &mut Held<Agent>) -> Outcome {
    let bond = core::mem::take(&mut task.creator_bond);
    pay(task, creator, paid::BOND_BACK, bond)
}

/// Returns the worker's bond.
pub fn worker_bond(task: &mut Held<Task>, worker: &mut Held<Agent>) -> Outcome {
    let bond = core::mem::take(&mut task.worker_bond);
    pay(task, worker, paid::BOND_BACK, bond)
}
