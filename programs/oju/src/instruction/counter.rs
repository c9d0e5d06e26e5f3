//! `counter_object` and `open_case`: the worker goes to court.

use pinocchio::{AccountView, Address};

use crate::account::{self, Held, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{CaseOpened, Event};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::price::{bond, fee};
use crate::rule::status::{self, Move, Phase};
use crate::state::agent;
use crate::state::case::{self, Case, Seat};
use crate::state::rules::Rules;
use crate::state::task::{COURT, Step, Task};
use crate::sysvar::{Clock, clock};
use crate::wire::Reader;

/// The worker posts a bond from the vault and opens the task's case, whose rent it pays. If another
/// engine decides the task, it has time to do so instead, and there is no case.
///
/// Arguments: counter_hash. Accounts: worker sw, rules, worker_agent w, task w, case w, system.
pub fn counter_object(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let hash = *arguments.bytes::<32>()?;
    arguments.end()?;
    let [worker, rules, mut worker_agent, mut at, mut case, system] =
        account::take(cx.accounts, [SW, R, W, W, W, R])?;
    account::system(&system)?;
    let mut task = account::open::<Task>(&mut at, cx.program)?;
    let rules = task.rules(&rules, cx.program)?;
    let mut agent = agent::of(&mut worker_agent, &task.worker, cx.program)?;
    let task_address = *task.account.address();
    let seeds = [case::SEED, task_address.as_ref()];
    let bump = pda::vacant(&case, &seeds, cx.program)?;
    task.only_worker(worker.address())?;
    let to = status::task(Move::Counter, task.status)?;
    let clock = clock()?;
    task.in_time(clock.time)?;
    require(hash != [0; 32], Error::MISSING_HASH)?;
    let bond = bond(&rules, &task, rules.worker_bps)?;
    agent.debit(bond)?;

    (task.counter_hash, task.worker_bond) = (hash, bond);
    let deadline = if task.foreign() { clock.time + task.engine_seconds as i64 } else { 0 };
    if !task.foreign() {
        let birth = Birth { payer: &worker, account: &case, program: cx.program, space: room(&task) };
        birth.create::<Case, 2>(&seeds, bump)?;
    }
    account::pay(&mut agent.account, &mut task.account, bond)?;
    let actor = Some(worker.address());
    task.step(&Step { to, actor, deadline, hash, amount: bond, at: clock.time })?;
    if task.foreign() {
        return Ok(());
    }
    begin(&mut case, &task, worker.address(), &rules, &clock)
}

/// Opens the case of a task after the silence of another engine. The sender pays the rent, and gets
/// it back.
///
/// Accounts: payer sw, rules, task w, case w, system.
pub fn open_case(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [payer, rules, mut at, mut case, system] = account::take(cx.accounts, [SW, R, W, W, R])?;
    account::system(&system)?;
    let mut task = account::open::<Task>(&mut at, cx.program)?;
    let rules = task.rules(&rules, cx.program)?;
    let task_address = *task.account.address();
    let seeds = [case::SEED, task_address.as_ref()];
    let bump = pda::vacant(&case, &seeds, cx.program)?;
    let to = status::task(Move::Appoint, task.status)?;
    task.waits()?;
    require(task.on_silence == COURT, Error::WRONG_STATUS)?;
    let clock = clock()?;
    require(clock.time >= task.deadline, Error::TOO_EARLY)?;

    let birth = Birth { payer: &payer, account: &case, program: cx.program, space: room(&task) };
    birth.create::<Case, 2>(&seeds, bump)?;
    task.step(&Step { to, actor: None, deadline: 0, hash: [0; 32], amount: 0, at: clock.time })?;
    begin(&mut case, &task, payer.address(), &rules, &clock)
}

/// Bytes of a case with the panel of the task's terms.
fn room(task: &Task) -> usize {
    Case::SIZE + task.seats as usize * size_of::<Seat>()
}

/// Fills in a new case, in Draw of round 1.
#[inline(never)]
fn begin(account: &mut AccountView, task: &Held<Task>, payer: &Address, rules: &Rules, clock: &Clock) -> Outcome {
    let mut data = account.try_borrow_mut()?;
    let head = data.get_mut(..Case::SIZE).ok_or(Error::WRONG_ACCOUNT)?;
    let case = bytemuck::from_bytes_mut::<Case>(head);
    (case.task, case.payer, case.opened_at) = (*task.account.address(), *payer, clock.time);
    (case.status, case.round) = (Phase::Draw as u8, 1);
    case.adopt(rules, task);
    case.fee = fee(rules, task)?;
    case.await_draw(clock);
    opened(case, clock)
}

/// Tells that a round waits for its draw.
pub fn opened(case: &Case, clock: &Clock) -> Outcome {
    CaseOpened {
        task: case.task,
        round: case.round,
        seed_slot: case.seed_slot,
        draw_by: case.draw_by,
        at: clock.time,
    }
    .log()
}
