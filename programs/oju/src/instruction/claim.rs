//! `claim_task`: a worker takes a task at the price of the moment.

use crate::account::{self, R, S, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::paid;
use crate::instruction::payout;
use crate::rule::draw::Parties;
use crate::rule::price::price;
use crate::rule::status::{self, Move};
use crate::state::agent::{self, Agent};
use crate::state::config::Config;
use crate::state::roster::Roster;
use crate::state::task::{Step, Task};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Claims a task. The first claim fixes the price; the rest of the escrow returns to the creator.
///
/// A creator that claims its own task passes one account twice and gets the error OwnTask.
///
/// It is refused if too few judges would be left for a dispute between these two: who declares
/// an operator with most judges would choose the panel, or get none.
///
/// Arguments: min_reward u64. Accounts: worker s, config, creator_agent w, worker_agent w, task w, roster.
pub fn claim(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let min_reward = arguments.u64()?;
    arguments.end()?;
    let [worker, config, mut creator_agent, mut worker_agent, mut task, mut roster] =
        account::take_any(cx.accounts, [S, R, W, W, W, R])?;
    let twice = creator_agent == worker_agent;
    require(creator_agent != task && worker_agent != task, Error::DUPLICATE_ACCOUNT)?;
    let config = account::read::<Config>(&config, cx.program)?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let mut judges = account::open_list::<Roster>(&mut roster, cx.program)?; // nothing in it is changed
    let worker = worker.address();
    let mut creator = agent::of(&mut creator_agent, &task.creator, cx.program)?;
    require(!twice || creator.authority != *worker, Error::OWN_TASK)?;
    require(!twice, Error::DUPLICATE_ACCOUNT)?;
    let mut agent = account::open::<Agent>(&mut worker_agent, cx.program)?;
    require(agent.authority == *worker, Error::NOT_AUTHORITY)?;
    require(task.last_worker != *worker, Error::WORKER_BARRED)?;
    let to = status::task(Move::Claim, task.status)?;
    let clock = clock()?;
    let at = clock.time;
    require(task.claim_by == 0 || at < task.claim_by, Error::TOO_LATE)?;
    let price = price(&task, at)?;
    require(price >= min_reward, Error::PRICE_TOO_LOW)?;
    let seed_slot = clock.slot + config.draw_delay_slots as u64; // of a case that opened now
    let parties = Parties::with(&task, worker, &agent.operator);
    require(parties.have_judges(judges.parts()?.1, seed_slot, &config), Error::TOO_FEW_IMPARTIAL)?;

    let excess = arith::sub(task.escrow, price)?;
    (task.reward, task.escrow) = (price, price);
    (task.worker, task.worker_operator) = (*worker, agent.operator);
    task.claims = task.claims.saturating_add(1);
    agent.tasks_claimed = agent.tasks_claimed.saturating_add(1);
    let deadline = at + task.work_seconds as i64;
    task.step(&Step { to, actor: Some(worker), deadline, hash: [0; 32], amount: price, at })?;
    payout::pay(&mut task, &mut creator, paid::EXCESS, excess)
}
