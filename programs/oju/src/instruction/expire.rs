//! `expire`: the consequences of silence and missed deadlines. Anyone may send it then.

use crate::account::{self, Held, R, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::instruction::payout::{self, Parties};
use crate::rule::status::{self, Move, Status};
use crate::state::agent::{self, Agent};
use crate::state::config::Config;
use crate::state::pot::Pot;
use crate::state::task::{Payout, Resolution, Step, TERM, Task};
use crate::sysvar::clock;
use crate::wire::Reader;
use pinocchio::Address;

/// Accounts: config, task w, creator_agent w, pot w, worker_agent w (only when the task has a
/// worker).
pub fn expire(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [config, mut task, mut creator_agent, mut pot] = account::take(cx.accounts, [R, W, W, W])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let mut creator = agent::of(&mut creator_agent, &task.creator, cx.program)?;
    let pot = account::open::<Pot>(&mut pot, cx.program)?;
    if task.worker == Address::default() {
        return unclaimed(&mut task, &mut creator);
    }
    let [_, _, _, _, mut worker_agent] = account::take(cx.accounts, [R, W, W, W, W])?;
    let worker = agent::of(&mut worker_agent, &task.worker, cx.program)?;
    claimed(&mut task, &config, &mut Parties { creator, worker, pot })
}

/// No agent claimed it: the creator is refunded.
#[inline(never)]
fn unclaimed(task: &mut Held<Task>, creator: &mut Held<Agent>) -> Outcome {
    let to = status::task(Move::Expire, task.status)?;
    let at = clock()?.time;
    require(task.claim_by != 0 && at >= task.claim_by, Error::TOO_EARLY)?;

    task.end(Payout::Refunded, Resolution::Expired);
    step(task, to, at)?;
    payout::refund(task, creator)
}

/// Somebody was silent for too long.
#[inline(never)]
fn claimed(task: &mut Held<Task>, config: &Config, parties: &mut Parties) -> Outcome {
    let to = status::task(Move::Expire, task.status)?;
    let waiting = task.status == Status::Judiciary as u8;
    if waiting {
        task.waits()?;
        require(task.on_silence == TERM, Error::WRONG_STATUS)?;
    }
    let at = clock()?.time;
    require(at >= task.deadline, Error::TOO_EARLY)?;

    if to == Status::Created {
        parties.worker.tasks_missed = parties.worker.tasks_missed.saturating_add(1);
        task.reopen(config.market(at));
        step(task, to, at)?;
        return payout::missed(task, &mut parties.creator, &mut parties.pot);
    }
    let (outcome, resolution) = if waiting {
        (Payout::of(task.on_undecided), Resolution::EngineSilent)
    } else if task.status == Status::Verification as u8 {
        (Payout::Paid, Resolution::CreatorSilent)
    } else {
        (Payout::Refunded, Resolution::WorkerSilent)
    };
    task.end(outcome, resolution);
    step(task, to, at)?;
    payout::escrow(task, parties, outcome)?;
    if waiting {
        payout::silence(task, &mut parties.pot, outcome)?;
    }
    payout::bonds(task, parties)
}

fn step(task: &mut Held<Task>, to: Status, at: i64) -> Outcome {
    task.step(&Step { to, actor: None, deadline: 0, hash: [0; 32], amount: 0, at })
}
