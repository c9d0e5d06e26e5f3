//! `close_task` and `close_case`: the rent returns to its payer when the account has no more use.

use crate::account::{self, R, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Closed, Event};
use crate::instruction::pledge;
use crate::rule::status::is_over;
use crate::state::case::Case;
use crate::state::task::Task;
use crate::sysvar::clock;
use crate::wire::Reader;
use pinocchio::AccountView;

/// Closes a task that is over; after a case, when the time for evidence is over too. A pledge
/// beside it has to be paid before.
///
/// Accounts: rules, task w, wallet w (the creator's; of a dispute the payer's), pledge.
pub fn task(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [rules, mut account, wallet, pledge] = account::take(cx.accounts, [R, W, W, R])?;
    pledge::none(&pledge, account.address(), cx.program)?;
    let task = account::open::<Task>(&mut account, cx.program)?;
    let rules = task.rules(&rules, cx.program)?;
    account::address(&wallet, task.funder())?;
    require(task.over(), Error::WRONG_STATUS)?;
    let open_until = task.finished_at + rules.evidence_seconds as i64;
    require(!task.judged() || clock()?.time >= open_until, Error::TOO_EARLY)?;
    drop(task);
    close(account, wallet)
}

/// Closes a finished case after the time for evidence. Who appealed gets the rent of the appeal
/// back.
///
/// Accounts: case w, wallet w (the payer's), appellant w (only if another wallet paid for an
/// appeal).
pub fn case(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut account, wallet] = account::take(cx.accounts, [W, W])?;
    let mut view = account;
    let mut docket = account::open_list::<Case>(&mut account, cx.program)?;
    let case = docket.parts()?.0;
    account::address(&wallet, &case.payer)?;
    let (appellant, rent) = (case.appellant, case.appeal_rent);
    let mut other = None;
    if rent > 0 && appellant != case.payer {
        let [_, _, paid] = account::take(cx.accounts, [W, W, W])?;
        account::address(&paid, &appellant)?;
        other = Some(paid);
    }
    require(is_over(case.status), Error::WRONG_STATUS)?;
    let open_until = case.settled_at + case.evidence_seconds as i64;
    require(clock()?.time >= open_until, Error::TOO_EARLY)?;
    if let Some(mut other) = other {
        account::pay(&mut view, &mut other, rent)?;
        Closed { account: *view.address(), to: appellant, amount: rent }.log()?;
    }
    drop(docket);
    close(account, wallet)
}

fn close(mut account: AccountView, mut wallet: AccountView) -> Outcome {
    let (at, to) = (*account.address(), *wallet.address());
    let amount = account::close(&mut account, &mut wallet)?;
    Closed { account: at, to, amount }.log()
}
