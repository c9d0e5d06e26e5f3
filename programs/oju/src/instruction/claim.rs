//! `claim_task` and `release_task`: a worker takes a task at the price of the moment, or leaves it.

use crate::account::{self, R, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::instruction::payout;
use crate::rule::draw::Parties;
use crate::rule::price;
use crate::rule::status::{self, Move};
use crate::state::agent::{self, Agent};
use crate::state::config::Config;
use crate::state::roster::Roster;
use crate::state::task::{Step, Task};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Claims a task with a bond from the worker's vault, which a missed deadline costs.
///
/// It is refused if too few judges would be left for a dispute between these two: who declares
/// an operator with most judges would choose the panel, or get none.
///
/// Arguments: min_reward u64. Accounts: worker s, config, rules, worker_agent w, task w, roster.
pub fn claim(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let min_reward = arguments.u64()?;
    arguments.end()?;
    let [worker, config, rules, mut worker_agent, mut task, mut roster] =
        account::take(cx.accounts, [S, R, R, W, W, R])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let rules = task.rules(&rules, cx.program)?;
    let mut judges = account::open_list::<Roster>(&mut roster, cx.program)?; // nothing in it is changed
    let mut agent = account::open::<Agent>(&mut worker_agent, cx.program)?;
    let worker = worker.address();
    require(agent.authority == *worker, Error::NOT_AUTHORITY)?;
    require(task.creator != *worker, Error::OWN_TASK)?;
    require(task.engine_agent != *worker, Error::WRONG_ENGINE)?;
    require(task.last_worker != *worker, Error::WORKER_BARRED)?;
    config.open()?;
    let to = status::task(Move::Claim, task.status)?;
    let clock = clock()?;
    let at = clock.time;
    require(task.claim_by == 0 || at < task.claim_by, Error::TOO_LATE)?;
    let market = config.market(at);
    let price = price::price(&task, market)?;
    require(price >= min_reward, Error::PRICE_TOO_LOW)?;
    let parties = Parties::with(&task, worker, &agent.operator);
    require(parties.have_judges(judges.parts()?.1, &rules), Error::TOO_FEW_IMPARTIAL)?;
    let bond = price::claim(task.reward_max, task.claim_bps)?;
    agent.debit(bond)?;

    task.auction_run = price::run(&task, market);
    (task.reward, task.claim_bond, task.claimed_at) = (price, bond, at);
    (task.worker, task.worker_operator) = (*worker, agent.operator);
    task.claims = task.claims.saturating_add(1);
    agent.tasks_claimed = agent.tasks_claimed.saturating_add(1);
    account::pay(&mut agent.account, &mut task.account, bond)?;
    let deadline = at + task.work_seconds as i64;
    task.step(&Step { to, actor: Some(worker), deadline, hash: [0; 32], amount: price, at })
}

/// Gives a claim back soon after it, and with it the task. Nothing is lost.
///
/// Accounts: worker s, config, worker_agent w, task w.
pub fn release(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [worker, config, mut worker_agent, mut task] = account::take(cx.accounts, [S, R, W, W])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let mut agent = agent::of(&mut worker_agent, &task.worker, cx.program)?;
    task.only_worker(worker.address())?;
    let to = status::task(Move::Release, task.status)?;
    require(task.submitted_at == 0, Error::WRONG_STATUS)?;
    let at = clock()?.time;
    task.may_give_back(at)?;

    task.give_back(at);
    task.reopen(config.market(at));
    task.step(&Step { to, actor: Some(worker.address()), deadline: 0, hash: [0; 32], amount: 0, at })?;
    payout::claim_bond(&mut task, &mut agent)
}
