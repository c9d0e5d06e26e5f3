//! `close_task` and `close_case`: the rent returns to its payer when the account has no more use.

use crate::account::{self, R, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Closed, Event};
use crate::rule::status::is_over;
use crate::state::case::Case;
use crate::state::task::Task;
use crate::sysvar::clock;
use crate::wire::Reader;
use pinocchio::AccountView;

/// Closes a task that is over; after a case, when the time for evidence is over too.
///
/// Accounts: rules, task w, wallet w (the creator's).
pub fn task(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [rules, mut account, wallet] = account::take(cx.accounts, [R, W, W])?;
    let task = account::open::<Task>(&mut account, cx.program)?;
    let rules = task.rules(&rules, cx.program)?;
    account::address(&wallet, &task.creator)?;
    require(task.over(), Error::WRONG_STATUS)?;
    let open_until = task.finished_at + rules.evidence_seconds as i64;
    require(!task.judged() || clock()?.time >= open_until, Error::TOO_EARLY)?;
    drop(task);
    close(account, wallet)
}

/// Closes a finished case after the time for evidence. Accounts: case w, wallet w (the payer's).
pub fn case(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut account, wallet] = account::take(cx.accounts, [W, W])?;
    let case = account::open::<Case>(&mut account, cx.program)?;
    account::address(&wallet, &case.payer)?;
    require(is_over(case.status), Error::WRONG_STATUS)?;
    let open_until = case.settled_at + case.evidence_seconds as i64;
    require(clock()?.time >= open_until, Error::TOO_EARLY)?;
    drop(case);
    close(account, wallet)
}

fn close(mut account: AccountView, mut wallet: AccountView) -> Outcome {
    let (at, to) = (*account.address(), *wallet.address());
    let amount = account::close(&mut account, &mut wallet)?;
    Closed { account: at, to, amount }.log()
}
