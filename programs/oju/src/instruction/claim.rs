//! `claim_task`: a worker takes a task at the price of the moment.

use crate::account::{self, S, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::paid;
use crate::instruction::payout;
use crate::rule::price::price;
use crate::rule::status::{self, Move};
use crate::state::agent::{self, Agent};
use crate::state::task::{Step, Task};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Claims a task. The first claim fixes the price; the rest of the escrow returns to the creator.
///
/// A creator that claims its own task passes one account twice and gets the error OwnTask.
///
/// Arguments: min_reward u64. Accounts: worker s, creator_agent w, worker_agent w, task w.
pub fn claim(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let min_reward = arguments.u64()?;
    arguments.end()?;
    let [worker, mut creator_agent, mut worker_agent, mut task] =
        account::take_any(cx.accounts, [S, W, W, W])?;
    let twice = creator_agent == worker_agent;
    require(creator_agent != task && worker_agent != task, Error::DUPLICATE_ACCOUNT)?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let worker = worker.address();
    let mut creator = agent::of(&mut creator_agent, &task.creator, cx.program)?;
    require(!twice || creator.authority != *worker, Error::OWN_TASK)?;
    require(!twice, Error::DUPLICATE_ACCOUNT)?;
    let mut agent = account::open::<Agent>(&mut worker_agent, cx.program)?;
    require(agent.authority == *worker, Error::NOT_AUTHORITY)?;
    require(task.last_worker != *worker, Error::WORKER_BARRED)?;
    let to = status::task(Move::Claim, task.status)?;
    let at = clock()?.time;
    require(task.claim_by == 0 || at < task.claim_by, Error::TOO_LATE)?;
    let price = price(&task, at)?;
    require(price >= min_reward, Error::PRICE_TOO_LOW)?;

    let excess = arith::sub(task.escrow, price)?;
    (task.reward, task.escrow) = (price, price);
    (task.worker, task.worker_operator) = (*worker, agent.operator);
    task.claims = task.claims.saturating_add(1);
    agent.tasks_claimed = agent.tasks_claimed.saturating_add(1);
    let deadline = at + task.work_seconds as i64;
    task.step(&Step { to, actor: Some(worker), deadline, hash: [0; 32], amount: price, at })?;
    payout::pay(&mut task, &mut creator, paid::EXCESS, excess)
}
