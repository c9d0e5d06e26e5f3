//! `create_task`, `extend_task` and `close_task`.

use bytemuck::Zeroable;

use super::{named, operator, terms_of};
use crate::account::{self, R, SW, W};
use crate::arith::{mul_div, product_exceeds};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, TaskCreated};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::preimage;
use crate::state::class::{LEAST_BUDGET, MAX_LAMPORTS, Parameters, WHOLE};
use crate::state::task::{MAX_SEATS, SEED, Task, status};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Bytes of the longest description, and of the longest metadata.
const MAX_DESCRIPTION: usize = 400;
const MAX_METADATA: usize = 200;
/// The latest deadline, in submission windows of the class after the latest draw.
const WINDOWS: i64 = 4;

/// A share of a budget, rounded up.
fn share_up(budget: u64, bps: u64, of: u64) -> Outcome<u64> {
    let down = mul_div(budget, bps, of)?;
    Ok(down + product_exceeds(budget, bps, down, of) as u64)
}

/// Creates a task, with its budget. Description and metadata stay in the transaction; the task has
/// their hash. The seal is that of a golden task, or other bytes.
///
/// Arguments: task_id, worker_count u8, evaluator_count u8, total_budget u64, worker_stake u64,
/// evaluator_stake u64, submission_deadline i64, difficulty u16, undistributed u8, seal, operator,
/// description, metadata. Accounts: requester sw, class, task w, system, and the operator if it is
/// another.
pub fn create(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let mut new = Task::zeroed();
    new.id = *arguments.bytes()?;
    (new.workers, new.evaluators, new.budget) = (arguments.u8()?, arguments.u8()?, arguments.u64()?);
    (new.worker_stake, new.evaluator_stake) = (arguments.u64()?, arguments.u64()?);
    (new.submission_deadline, new.difficulty) = (arguments.i64()?, arguments.u16()?);
    (new.undistributed, new.seal) = (arguments.u8()?, *arguments.bytes()?);
    let runs = arguments.key()?;
    let (description, metadata) = (arguments.vector()?, arguments.vector()?);
    arguments.end()?;
    let [requester, class, mut at, system] = account::take(cx.accounts, [SW, R, W, R])?;
    account::system(&system)?;
    let terms = terms_of(&class, cx.program)?;
    (new.requester, new.class) = (*requester.address(), *class.address());
    new.operator = operator(cx.accounts, 4, requester.address(), &runs)?;
    let seeds = [SEED, requester.address().as_ref(), &new.id];
    let bump = pda::vacant(&at, &seeds, cx.program)?;
    let now = clock()?;
    named(&new.id)?;
    named(&new.seal)?;
    let texts = description.len() <= MAX_DESCRIPTION && metadata.len() <= MAX_METADATA;
    require(texts, Error::TOO_LONG)?;
    require(!description.is_empty(), Error::BAD_PARAMETER)?;
    new.terms = preimage::terms(description, metadata);
    // However late they are drawn, workers have the time that the class gives them.
    let (draw, window) = (now.time + terms.draw as i64, terms.submission as i64);
    let lawful = draw + window..=draw + WINDOWS.wrapping_mul(window);
    require(lawful.contains(&new.submission_deadline), Error::BAD_DEADLINE)?;
    check(&new, &terms)?;

    let birth = Birth { payer: &requester, account: &at, program: cx.program, space: Task::SIZE };
    birth.create::<Task, 3>(&seeds, bump)?;
    pda::transfer(&requester, &at, new.budget)?;
    let mut task = account::lend::<Task>(&mut at)?;
    (new.head, new.created_slot) = (task.head, now.slot);
    new.await_draw(status::DRAW_WORKERS, now.time, now.slot, terms.draw);
    *task = new;
    TaskCreated {
        task: *task.account.address(),
        requester: new.requester,
        total_budget: new.budget,
        deadline: new.submission_deadline,
    }
    .log()
}

/// Checks the numbers of a task.
#[inline(never)]
fn check(new: &Task, terms: &Parameters) -> Outcome {
    require((LEAST_BUDGET..=MAX_LAMPORTS).contains(&new.budget), Error::BAD_BUDGET)?;
    let seats = (1..=MAX_SEATS as u8).contains(&new.workers)
        && (2..=terms.max_evaluators).contains(&(new.evaluators as u16));
    let terms_ok = (50..=200).contains(&new.difficulty) && new.undistributed <= 1;
    require(seats && terms_ok, Error::BAD_PARAMETER)?;
    // A seat without a stake would not hold its member in the class. Members agreed to the shares
    // of the class when they registered, and nobody asks them again: no task takes much more.
    let worker = share_up(new.budget, terms.worker_stake as u64, WHOLE)?.max(1);
    let evaluator = share_up(new.budget, terms.evaluator_stake as u64, WHOLE)?.max(1);
    let stakes = (worker..=worker + worker).contains(&new.worker_stake)
        && (evaluator..=evaluator + evaluator).contains(&new.evaluator_stake);
    require(stakes, Error::BAD_STAKE)
}

/// More time for the workers, for more budget, once and before their deadline.
///
/// Arguments: seconds u32, budget u64. Accounts: requester sw, class, task w, system.
pub fn extend(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (seconds, more) = (arguments.u32()?, arguments.u64()?);
    arguments.end()?;
    let [requester, class, mut at, system] = account::take(cx.accounts, [SW, R, W, R])?;
    account::system(&system)?;
    {
        let terms = terms_of(&class, cx.program)?;
        let mut task = account::open::<Task>(&mut at, cx.program)?;
        account::address(&class, &task.class)?;
        require(task.requester == *requester.address(), Error::NOT_AUTHORITY)?;
        task.at(status::WORK)?;
        task.in_time(clock()?.time)?;
        require(task.extended == 0, Error::ALREADY_EXTENDED)?;
        let window = terms.submission as u64;
        require(seconds >= 1 && seconds as u64 <= window + window + window, Error::BAD_PARAMETER)?;
        // At most 2^24 seconds times 2^14 basis points.
        let part = (seconds as u64).wrapping_mul(terms.extension as u64);
        let price = share_up(task.budget, part, window.wrapping_mul(WHOLE))?;
        require(more >= price.max(1) && more <= MAX_LAMPORTS - task.budget, Error::BAD_BUDGET)?;
        task.budget += more;
        task.submission_deadline += seconds as i64;
        (task.deadline, task.extended) = (task.submission_deadline, 1);
    }
    pda::transfer(&requester, &at, more)
}

/// Closes a task that is over and not open to appeals. The rest and the rent go to the requester.
///
/// Accounts: requester sw, task w.
pub fn close(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut requester, mut at] = account::take(cx.accounts, [SW, W])?;
    {
        let task = account::read::<Task>(&at, cx.program)?;
        require(task.requester == *requester.address(), Error::NOT_AUTHORITY)?;
        require(task.status >= status::SETTLED && !task.open(), Error::WRONG_STATUS)?;
    }
    account::close(&mut at, &mut requester).map(|_| ())
}

