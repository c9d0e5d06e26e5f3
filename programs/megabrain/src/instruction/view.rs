//! The four views (C.5). They write nothing and return data: simulate a transaction to read it.

use super::near::Nearby;
use super::terms_of;
use crate::account::{self, R};
use crate::entry::Cx;
use crate::error::{Error, Outcome};
use crate::event::give;
use crate::rule::vouch::{Moment, reputations};
use crate::state::class::{Class, role, state};
use crate::state::task::{MAX_SEATS, Task, status};
use crate::sysvar::clock;
use crate::wire::{Reader, Writer};

/// The status of the specification: Created, Open, Evaluating, Settled, Disputed.
fn stage(at: u8) -> u8 {
    match at {
        status::DRAW_WORKERS => 0,
        status::WORK | status::REVEAL => 1,
        status::DISPUTED => 4,
        status::SETTLED.. => 3,
        _ => 2,
    }
}

/// Gives status u8, submission_deadline i64, evaluation_deadline i64 (0: no evaluators yet), and
/// remaining_budget u64.
///
/// Accounts: task.
pub fn state(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [at] = account::take(cx.accounts, [R])?;
    let task = account::read::<Task>(&at, cx.program)?;
    let left = if task.status >= status::SETTLED { 0 } else { task.budget };
    let mut told = Writer::<25>::new();
    told.put(&[stage(task.status)])?.put(&task.submission_deadline.to_le_bytes())?;
    told.put(&task.evaluation_deadline.to_le_bytes())?.put_u64(left)?;
    give(told.written());
    Ok(())
}

/// Gives the keys of the workers, and those of the evaluators: each a number u32, and as many keys.
///
/// Accounts: task.
pub fn participants(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [at] = account::take(cx.accounts, [R])?;
    let task = account::read::<Task>(&at, cx.program)?;
    let mut told = Writer::<{ 8 + 2 * MAX_SEATS * 32 }>::new();
    told.put(&(task.drawn as u32).to_le_bytes())?;
    for seat in task.work.iter().take(task.drawn as usize) {
        told.put(seat.agent.as_ref())?;
    }
    told.put(&(task.seated as u32).to_le_bytes())?;
    for seat in task.judges.iter().take(task.seated as usize) {
        told.put(seat.agent.as_ref())?;
    }
    give(told.written());
    Ok(())
}

/// Gives result_hash, final_score u8, in_consensus u8 and payment u64 of a worker.
///
/// Arguments: worker. Accounts: task.
pub fn result(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let worker = arguments.key()?;
    arguments.end()?;
    let [at] = account::take(cx.accounts, [R])?;
    let task = account::read::<Task>(&at, cx.program)?;
    let mut seats = task.work.iter().take(task.drawn as usize);
    let seat = seats.find(|seat| seat.agent == worker).ok_or(Error::NOT_SEATED)?;
    if task.status < status::SETTLED {
        return Err(Error::WRONG_STATUS);
    }
    let mut told = Writer::<42>::new();
    told.put(&seat.result_hash)?.put(&[(seat.score / 100) as u8, seat.inside])?.put_u64(seat.paid)?;
    give(told.written());
    Ok(())
}

/// Gives worker_score u64, evaluator_score u64 (0 to 10,000, as in a draw that begins now; 0: not
/// registered, or frozen) and last_active i64 of an agent in a class.
///
/// Arguments: agent. Accounts: class, and the near classes behind it.
pub fn reputation(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let agent = arguments.key()?;
    arguments.end()?;
    let [at] = account::take(cx.accounts, [R])?;
    let terms = terms_of(&at, cx.program)?;
    let data = at.try_borrow()?;
    let (class, members) = crate::layout::list::<Class>(&data)?;
    let now = clock()?;
    let near = Nearby::take(&cx.accounts[1..], &class.near, cx.program)?;
    let moment = Moment { near: near.members(), golden: terms.golden > 0, slot: now.slot + 1, time: now.time };
    let worth = reputations(members, &moment);
    let (mut scores, mut active) = ([0; 2], 0);
    for (member, worth) in members.iter().zip(worth) {
        if member.state == state::FREE || member.agent != agent {
            continue;
        }
        scores[(member.role == role::EVALUATOR) as usize] = worth as u64;
        active = active.max(member.last_active);
    }
    let mut told = Writer::<24>::new();
    told.put_u64(scores[0])?.put_u64(scores[1])?.put(&active.to_le_bytes())?;
    give(told.written());
    Ok(())
}
