//! `draw`: anyone seats workers or evaluators when the block that decides it is there.

use super::near::Nearby;
use crate::account::{self, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{EvaluatorSelected, Event, WorkerSelected};
use crate::rule::draw::Urn;
use crate::rule::preimage;
use crate::rule::vouch::{self, Moment};
use crate::state::class::{Class, MAX_MEMBERS, Member, role};
use crate::state::task::{DELAY, MAX_SEATS, SILENT, Said, Task, WINDOW, status};
use crate::sysvar::{Block, clock, slot_hash};
use crate::wire::Reader;

/// Seats the workers of a task, its evaluators, or further ones of either. None shares a key with
/// the requester or with another seat. Further workers have a whole submission window. If the block
/// is older than [`WINDOW`] slots, or the chain has forgotten it, another one decides.
///
/// Accounts: class w, task w, and the near classes behind them.
pub fn draw(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut class, mut at] = account::take(cx.accounts, [W, W])?;
    let class_key = *class.address();
    let mut listed = account::open_list::<Class>(&mut class, cx.program)?;
    let mut task = account::open::<Task>(&mut at, cx.program)?;
    require(task.class == class_key, Error::WRONG_ADDRESS)?;
    let workers = task.status == status::DRAW_WORKERS;
    require(workers || task.status == status::DRAW_EVALUATORS, Error::WRONG_STATUS)?;
    let now = clock()?;
    task.in_time(now.time)?;
    let block = match slot_hash(task.seed_slot)? {
        Block::NotYet => return Err(Error::TOO_EARLY),
        Block::At(block) if now.slot - task.seed_slot <= WINDOW => block,
        Block::At(_) | Block::Forgotten => {
            task.seed_slot = now.slot + DELAY;
            return Ok(());
        }
    };
    task.slot_hash = block.hash;
    let seed = preimage::draw(cx.program, task.account.address(), task.seated, block.slot, &block.hash);
    let (class, members) = listed.parts()?;
    let key = *task.account.address();
    let role = if workers { role::WORKER } else { role::EVALUATOR };
    let time = task.deadline - class.parameters.draw as i64;
    let slot = task.seed_slot.saturating_sub(DELAY);
    let near = Nearby::take(&cx.accounts[2..], &class.near, cx.program)?;
    let moment = Moment { near: near.members(), golden: class.parameters.golden > 0, slot, time };
    let worth = vouch::reputations(members, &moment);
    let search = Search { role, seed, slot, time, worth };
    if workers {
        let before = task.drawn as usize;
        seat_workers(&mut task, members, &search)?;
        if before > 0 {
            task.submission_deadline = now.time + class.parameters.submission as i64;
            for seat in task.judging() {
                seat.asked = before as u8;
            }
        }
        (task.status, task.deadline) = (status::WORK, task.submission_deadline);
        let stake_locked = task.worker_stake;
        for seat in &task.sitting()[before..] {
            WorkerSelected { task: key, worker: seat.agent, stake_locked }.log()?;
        }
        return Ok(());
    }
    let before = task.seated as usize;
    seat_evaluators(&mut task, members, &search)?;
    task.enter(status::EVALUATE, now.time, class.parameters.evaluation);
    task.evaluation_deadline = task.deadline;
    let stake_locked = task.evaluator_stake;
    for seat in &task.judging()[before..] {
        EvaluatorSelected { task: key, evaluator: seat.agent, stake_locked }.log()?;
    }
    Ok(())
}

/// Who is drawn, by what, and since when the draw waits. What members do later does not count: they
/// know the block then.
struct Search {
    role: u8,
    seed: [u8; 32],
    slot: u64,
    time: i64,
    worth: [u16; MAX_MEMBERS],
}

/// The members that may sit, by weight. Those who share a key with requester or seats do not, nor
/// those who vouch for them, or for whom they vouch. Who put something in after the task was made
/// gets no seat of further ones: it could read the results.
#[inline(never)]
fn urn(task: &Task, members: &[Member], search: &Search) -> Outcome<Urn> {
    let worker = search.role == role::WORKER;
    let stake = if worker { task.worker_stake } else { task.evaluator_stake };
    let further = if worker { task.drawn > 0 } else { task.seated > 0 };
    let known = if further { task.created_slot } else { u64::MAX };
    let mut urn = Urn::new(search.seed, members, (search.slot, search.time), |i, member| {
        if member.deposited(search.slot) < known && member.may_sit(search.role, search.slot, search.time, stake) {
            member.weight(search.slot, search.worth[i])
        } else {
            Ok(0)
        }
    })?;
    urn.exclude(members, &task.requester, &task.operator);
    let workers = task.work[..(task.drawn as usize).min(MAX_SEATS)].iter().map(|seat| seat.index);
    let judges = task.judges[..(task.seated as usize).min(MAX_SEATS)].iter().map(|seat| seat.index);
    for index in workers.chain(judges) {
        urn.take(members, index as usize)?;
    }
    for (i, member) in members.iter().enumerate() {
        if member.related(&task.requester, &task.operator) {
            urn.part(i);
        }
    }
    Ok(urn)
}

#[inline(never)]
fn seat_workers(task: &mut Task, members: &mut [Member], search: &Search) -> Outcome {
    let mut places = [0u16; MAX_SEATS];
    let wanted = task.workers.saturating_sub(task.drawn) as usize;
    let places = places.get_mut(..wanted).ok_or(Error::WRONG_ACCOUNT)?;
    urn(task, members, search)?.draw(members, places)?;
    let later = (task.drawn > 0) as u8;
    for index in places {
        let member = members.get_mut(*index as usize).ok_or(Error::WRONG_ACCOUNT)?;
        member.locked += task.worker_stake;
        let seat = task.work.get_mut(task.drawn as usize).ok_or(Error::WRONG_ACCOUNT)?;
        (seat.agent, seat.index, seat.later) = (member.agent, *index, later);
        task.drawn += 1;
    }
    Ok(())
}

#[inline(never)]
fn seat_evaluators(task: &mut Task, members: &mut [Member], search: &Search) -> Outcome {
    let mut places = [0u16; MAX_SEATS];
    let wanted = task.evaluators.saturating_sub(task.seated) as usize;
    let places = places.get_mut(..wanted).ok_or(Error::WRONG_ACCOUNT)?;
    urn(task, members, search)?.draw(members, places)?;
    let later = (task.seated > 0) as u8;
    for index in places {
        let member = members.get_mut(*index as usize).ok_or(Error::WRONG_ACCOUNT)?;
        member.locked += task.evaluator_stake;
        let place = task.seated as usize;
        let seat = task.judges.get_mut(place).ok_or(Error::WRONG_ACCOUNT)?;
        (seat.agent, seat.index, seat.reputation) = (member.agent, *index, search.worth[*index as usize]);
        seat.later = later;
        seat.said = [Said { score: SILENT, confidence: 0 }; MAX_SEATS];
        task.seated += 1;
    }
    Ok(())
}
