//! `publish_verdict`: the lasting result of a case, for whoever pays by it.

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::status::is_over;
use crate::state::case::{Case, Hearing};
use crate::state::task::Task;
use crate::state::verdict::{self, Verdict};
use crate::wire::Reader;

/// Writes down how a case ended, once. The sender pays the rent, for good: settling a case costs
/// nobody more because somebody else pays by it, and nobody can keep a case from being settled.
///
/// Accounts: payer sw, task, case, verdict w, system.
pub fn publish(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [payer, task_account, mut case, mut at, system] = account::take(cx.accounts, [SW, R, R, W, R])?;
    account::system(&system)?;
    let task = account::read::<Task>(&task_account, cx.program)?;
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?; // nothing in it is changed
    let case = Hearing::of(&mut docket)?;
    account::address(&task_account, &case.task)?;
    let seeds = [verdict::SEED, case.task.as_ref()];
    let bump = pda::vacant(&at, &seeds, cx.program)?;
    require(is_over(case.status), Error::WRONG_STATUS)?;

    let birth = Birth { payer: &payer, account: &at, program: cx.program, space: Verdict::SIZE };
    birth.create::<Verdict, 2>(&seeds, bump)?;
    account::lend::<Verdict>(&mut at)?.note(cx.program, &task, &case)
}
