//! `start_task`, `submit_result` and `accept`: a task without a dispute.

use crate::account::{self, R, S, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::paid;
use crate::instruction::payout;
use crate::rule::status::{self, Move};
use crate::state::agent;
use crate::state::pot::Pot;
use crate::state::task::{Payout, Resolution, Step, Task};
use crate::sysvar::clock;
use crate::wire::Reader;

/// The worker begins. Accounts: worker s, task w.
pub fn start(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [worker, mut task] = account::take(cx.accounts, [S, W])?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    task.only_worker(worker.address())?;
    let to = status::task(Move::Start, task.status)?;
    let at = clock()?.time;
    task.in_time(at)?;

    let (actor, deadline) = (Some(worker.address()), task.deadline);
    task.step(&Step { to, actor, deadline, hash: [0; 32], amount: 0, at })
}

/// The worker hands in a result, and the creator's time to answer begins.
///
/// The price is final: the rest of an auction returns to the creator.
///
/// Arguments: result_hash. Accounts: worker s, rules, creator_agent w, task w.
pub fn submit(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let hash = *arguments.bytes::<32>()?;
    arguments.end()?;
    let [worker, rules, mut creator_agent, mut task] = account::take(cx.accounts, [S, R, W, W])?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let rules = task.rules(&rules, cx.program)?;
    let mut creator = agent::of(&mut creator_agent, &task.creator, cx.program)?;
    task.only_worker(worker.address())?;
    let to = status::task(Move::Submit, task.status)?;
    let at = clock()?.time;
    task.in_time(at)?;
    require(hash != [0; 32], Error::MISSING_HASH)?;

    let excess = arith::sub(task.escrow, task.reward)?;
    (task.result_hash, task.submitted_at, task.escrow) = (hash, at, task.reward);
    let deadline = at + rules.verify_seconds as i64;
    task.step(&Step { to, actor: Some(worker.address()), deadline, hash, amount: 0, at })?;
    payout::pay(&mut task, &mut creator, paid::EXCESS, excess)
}

/// The creator accepts the result.
///
/// Accounts: creator s, creator_agent w, worker_agent w, task w, pot w.
pub fn accept(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [creator, mut creator_agent, mut worker_agent, mut task, mut pot] =
        account::take(cx.accounts, [S, W, W, W, W])?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    agent::of(&mut creator_agent, &task.creator, cx.program)?;
    let mut worker = agent::of(&mut worker_agent, &task.worker, cx.program)?;
    let mut pot = account::open::<Pot>(&mut pot, cx.program)?;
    task.only_creator(creator.address())?;
    let to = status::task(Move::Accept, task.status)?;
    let at = clock()?.time;

    task.end(Payout::Paid, Resolution::Accepted);
    task.step(&Step { to, actor: Some(creator.address()), deadline: 0, hash: [0; 32], amount: 0, at })?;
    payout::reward(&mut task, &mut worker, &mut pot)?;
    payout::claim_bond(&mut task, &mut worker)
}
