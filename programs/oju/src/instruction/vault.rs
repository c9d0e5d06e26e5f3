//! `deposit` and `withdraw`: an agent's vault, which pays rewards and bonds.

use crate::account::{self, Held, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, VaultMoved};
use crate::pda;
use crate::state::agent::Agent;
use crate::wire::Reader;

/// From any wallet to an agent's vault. Arguments: amount u64. Accounts: from sw, agent w, system.
pub fn deposit(cx: &mut Cx) -> Outcome {
    let amount = amount(cx.data)?;
    let [from, mut agent, system] = account::take(cx.accounts, [SW, W, R])?;
    account::system(&system)?;
    let to = agent;
    let mut agent = account::open::<Agent>(&mut agent, cx.program)?;
    require(amount > 0, Error::ZERO_AMOUNT)?;

    agent.credit(amount)?;
    moved(&agent, amount as i64)?;
    drop(agent);
    pda::transfer(&from, &to, amount)
}

/// From the vault to the agent's wallet. Arguments: amount u64. Accounts: authority sw, agent w.
pub fn withdraw(cx: &mut Cx) -> Outcome {
    let amount = amount(cx.data)?;
    let [mut authority, mut agent] = account::take(cx.accounts, [SW, W])?;
    let mut agent = account::open::<Agent>(&mut agent, cx.program)?;
    require(agent.authority == *authority.address(), Error::NOT_AUTHORITY)?;
    require(amount > 0, Error::ZERO_AMOUNT)?;

    agent.debit(amount)?;
    account::pay(&mut agent.account, &mut authority, amount)?;
    moved(&agent, (amount as i64).wrapping_neg())
}

fn amount(data: &[u8]) -> Outcome<u64> {
    let mut arguments = Reader::new(data);
    let amount = arguments.u64()?;
    arguments.end()?;
    Ok(amount)
}

fn moved(agent: &Held<Agent>, delta: i64) -> Outcome {
    VaultMoved { authority: agent.authority, delta, vault: agent.vault }.log()
}
