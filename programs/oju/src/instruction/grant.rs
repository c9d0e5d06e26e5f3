//! `grant` and `revoke`: access to an agent's data for the length of a task.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, GrantSet};
use crate::pda;
use crate::state::agent::Agent;
use crate::state::data::{AgentData, READ, WRITE};
use crate::state::task::{self, Task};
use crate::wire::Reader;

/// Sets a grant. Arguments: task, grantee, flags u8. Accounts: authority s, data w.
pub fn grant(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (task, grantee, flags) = (arguments.key()?, arguments.key()?, arguments.u8()?);
    arguments.end()?;
    let [authority, mut data] = account::take(cx.accounts, [S, W])?;
    let mut listed = account::open_list::<AgentData>(&mut data, cx.program)?;
    let at = *listed.account.address();
    let (record, _) = listed.parts()?;
    require(record.authority == *authority.address(), Error::NOT_AUTHORITY)?;
    require((READ..=READ | WRITE).contains(&flags), Error::BAD_FLAGS)?;

    record.grant(&task, &grantee, flags)?;
    GrantSet { data: at, task, grantee, flags }.log()
}

/// Removes a grant: the agent at any time, anyone when the task is over.
///
/// Arguments: task, grantee, id u64. Accounts: signer s, data w, task, creator_agent.
pub fn revoke(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (task, grantee, id) = (arguments.key()?, arguments.key()?, arguments.u64()?);
    arguments.end()?;
    let [signer, mut data, at, creator_agent] = account::take(cx.accounts, [S, W, R, R])?;
    let mut listed = account::open_list::<AgentData>(&mut data, cx.program)?;
    let place = *listed.account.address();
    let (record, _) = listed.parts()?;
    account::address(&at, &task)?;
    let may = record.authority == *signer.address() || over(&at, &creator_agent, id, cx.program)?;
    require(may, Error::NOT_AUTHORITY)?;

    record.revoke(&task, &grantee)?;
    GrantSet { data: place, task, grantee, flags: 0 }.log()
}

/// A task is over when it says so, or when its account is gone. An empty address is no proof of
/// that: the task may not be there yet. It was there if it has a number that its creator used.
fn over(task: &AccountView, creator_agent: &AccountView, id: u64, program: &Address) -> Outcome<bool> {
    if task.owned_by(program) {
        return Ok(account::read::<Task>(task, program)?.over());
    }
    let creator = account::read::<Agent>(creator_agent, program)?;
    let (numbered, _) = pda::find(&[task::SEED, creator.authority.as_ref(), &id.to_le_bytes()], program)?;
    Ok(id < creator.tasks_created && numbered == *task.address())
}
