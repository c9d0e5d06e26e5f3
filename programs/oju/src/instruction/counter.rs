//! `counter_object`: the worker goes to court.

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{CaseOpened, Event};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::price::{bond, fee};
use crate::rule::status::{self, Move, Phase};
use crate::state::agent;
use crate::state::case::{self, Case};
use crate::state::task::{Step, Task};
use crate::sysvar::{Clock, clock};
use crate::wire::Reader;

/// The worker posts a bond from the vault and opens the task's case, whose rent it pays.
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
    let bond = bond(&rules, task.reward, rules.worker_bps)?;
    let fee = fee(&rules, task.reward)?;
    agent.debit(bond)?;

    let birth = Birth { payer: &worker, account: &case, program: cx.program, space: Case::SIZE };
    birth.create::<Case, 2>(&seeds, bump)?;
    (task.counter_hash, task.worker_bond) = (hash, bond);
    account::pay(&mut agent.account, &mut task.account, bond)?;
    let actor = Some(worker.address());
    task.step(&Step { to, actor, deadline: 0, hash, amount: bond, at: clock.time })?;
    let mut case = account::lend::<Case>(&mut case)?;
    (case.task, case.payer, case.opened_at) = (task_address, *worker.address(), clock.time);
    (case.status, case.round) = (Phase::Draw as u8, 1);
    case.adopt(&rules);
    case.fee = fee;
    case.await_draw(&clock);
    opened(&case, &clock)
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
