//! `object` and `rework`: the creator's answer to a result, and the worker's to that.

use crate::account::{self, R, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::instruction::payout;
use crate::rule::price::bond;
use crate::rule::status::{self, Move};
use crate::state::agent;
use crate::state::task::{Step, Task};
use crate::sysvar::clock;
use crate::wire::Reader;

/// The creator objects and posts a bond from the vault.
///
/// Arguments: objection_hash. Accounts: creator s, rules, creator_agent w, task w.
pub fn object(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let hash = *arguments.bytes::<32>()?;
    arguments.end()?;
    let [creator, rules, mut creator_agent, mut task] = account::take(cx.accounts, [S, R, W, W])?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let rules = task.rules(&rules, cx.program)?;
    let mut agent = agent::of(&mut creator_agent, &task.creator, cx.program)?;
    task.only_creator(creator.address())?;
    let to = status::task(Move::Object, task.status)?;
    let at = clock()?.time;
    task.in_time(at)?;
    require(hash != [0; 32], Error::MISSING_HASH)?;
    let bond = bond(&rules, &task, rules.creator_bps)?;
    agent.debit(bond)?;

    (task.objection_hash, task.creator_bond) = (hash, bond);
    account::pay(&mut agent.account, &mut task.account, bond)?;
    let deadline = at + rules.answer_seconds as i64;
    task.step(&Step { to, actor: Some(creator.address()), deadline, hash, amount: bond, at })
}

/// Rework: the creator's bond goes back. Accounts: worker s, rules, creator_agent w, task w.
pub fn rework(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [worker, rules, mut creator_agent, mut task] = account::take(cx.accounts, [S, R, W, W])?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let rules = task.rules(&rules, cx.program)?;
    let mut creator = agent::of(&mut creator_agent, &task.creator, cx.program)?;
    task.only_worker(worker.address())?;
    let to = status::task(Move::Rework, task.status)?;
    let at = clock()?.time;
    task.in_time(at)?;
    require(task.reworks < rules.max_reworks, Error::REWORKS_EXHAUSTED)?;

    task.reworks += 1;
    let deadline = at + task.work_seconds as i64;
    task.step(&Step { to, actor: Some(worker.address()), deadline, hash: [0; 32], amount: 0, at })?;
    payout::creator_bond(&mut task, &mut creator)
}
