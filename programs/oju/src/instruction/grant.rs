//! `grant` and `revoke`: access to an agent's data for the length of a task.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, GrantSet};
use crate::state::data::{AgentData, READ, WRITE};
use crate::state::task::Task;
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
/// Arguments: task, grantee. Accounts: signer s, data w, task.
pub fn revoke(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (task, grantee) = (arguments.key()?, arguments.key()?);
    arguments.end()?;
    let [signer, mut data, at] = account::take(cx.accounts, [S, W, R])?;
    let mut listed = account::open_list::<AgentData>(&mut data, cx.program)?;
    let place = *listed.account.address();
    let (record, _) = listed.parts()?;
    account::address(&at, &task)?;
    let may = record.authority == *signer.address() || over(&at, cx.program)?;
    require(may, Error::NOT_AUTHORITY)?;

    record.revoke(&task, &grantee)?;
    GrantSet { data: place, task, grantee, flags: 0 }.log()
}

/// A task is over when it says so, or when its account is gone.
fn over(task: &AccountView, program: &Address) -> Outcome<bool> {
    if !task.owned_by(program) {
        return Ok(true);
    }
    Ok(account::read::<Task>(task, program)?.over())
}
