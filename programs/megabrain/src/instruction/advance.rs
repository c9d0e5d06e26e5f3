//! `advance`: anyone ends a phase whose time is over.

use crate::account::{self, R, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::rule::pay;
use crate::state::class::Parameters;
use crate::state::task::{MAX_SEATS, Task, last, past, seat, status};
use crate::sysvar::{Clock, clock};
use crate::wire::Reader;

/// Ends a phase whose deadline is over, however few have spoken.
///
/// Accounts: class, task w.
pub fn advance(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [class, mut at] = account::take(cx.accounts, [R, W])?;
    let terms = super::terms_of(&class, cx.program)?;
    let mut task = account::open::<Task>(&mut at, cx.program)?;
    account::address(&class, &task.class)?;
    let phases = [
        status::DRAW_WORKERS,
        status::WORK,
        status::REVEAL,
        status::DRAW_EVALUATORS,
        status::EVALUATE,
        status::REVEAL_SCORES,
        status::OUTCOME,
        status::POSTED,
    ];
    require(phases.contains(&task.status), Error::WRONG_STATUS)?;
    let now = clock()?;
    require(now.time >= task.deadline, Error::TOO_EARLY)?;
    end(&mut task, &terms, now);
    Ok(())
}

/// Ends the phase that the task is in.
pub fn end(task: &mut Task, terms: &Parameters, now: Clock) {
    match task.status {
        status::DRAW_WORKERS => {
            if task.drawn > 0 {
                // Further workers were not found: those who are there count.
                (task.workers, task.last) = (task.drawn, task.last | last::WORKER);
            }
            conclude(task, terms, now);
        }
        status::WORK => {
            missed(task, seat::DRAWN);
            if task.sitting().iter().any(|seat| seat.state == seat::COMMITTED) {
                task.enter(status::REVEAL, now.time, terms.reveal);
            } else {
                conclude(task, terms, now);
            }
        }
        status::REVEAL => {
            missed(task, seat::COMMITTED);
            evaluate(task, terms, now);
        }
        status::DRAW_EVALUATORS => {
            // A further evaluator was not found: those who are there decide.
            (task.evaluators, task.last) = (task.seated, task.last | last::EVALUATOR);
            conclude(task, terms, now);
        }
        status::EVALUATE => {
            absent(task, seat::DRAWN);
            let any = task.judging().iter().any(|seat| seat.state == seat::COMMITTED);
            let next = if any { status::REVEAL_SCORES } else { status::OUTCOME };
            task.enter(next, now.time, terms.reveal);
        }
        status::REVEAL_SCORES => {
            absent(task, seat::COMMITTED);
            task.enter(status::OUTCOME, now.time, terms.reveal);
        }
        _ => task.enter(status::READY, now.time, 0),
    }
}

/// Waits for an outcome, if there are evaluators to post one.
fn conclude(task: &mut Task, terms: &Parameters, now: Clock) {
    let next = if task.seated > 0 { status::OUTCOME } else { status::READY };
    task.enter(next, now.time, terms.reveal);
}

/// Lets evaluators score the results that were revealed since they were asked. Those who sit are
/// asked again about further workers.
fn evaluate(task: &mut Task, terms: &Parameters, now: Clock) {
    let asked = task.judging().first().map_or(0, |seat| seat.asked) as usize;
    if task.sitting().iter().skip(asked).all(|seat| seat.state != seat::REVEALED) {
        return conclude(task, terms, now);
    }
    if task.seated == 0 {
        return task.await_draw(status::DRAW_EVALUATORS, now.time, now.slot, terms.draw);
    }
    let seats = task.judging().iter();
    let spoke = seats.filter(|it| it.state == seat::REVEALED || it.past & past::SPOKE != 0).count();
    for w in 0..asked.min(MAX_SEATS) {
        let told = (0..(task.seated as usize).min(MAX_SEATS)).filter(|e| pay::heard(task, *e, w)).count();
        task.work[w].unheard = (2 * told < spoke.max(1)) as u8;
    }
    for seat in task.judging() {
        if seat.state == seat::REVEALED {
            seat.past |= past::SPOKE;
        }
        seat.state = seat::DRAWN;
    }
    task.enter(status::EVALUATE, now.time, terms.evaluation);
    task.evaluation_deadline = task.deadline;
}

/// Workers in this state have missed their deadline.
fn missed(task: &mut Task, state: u8) {
    for seat in task.sitting() {
        if seat.state == state {
            seat.state = seat::ABSENT;
        }
    }
}

/// Evaluators in this state are absent from now on. What they revealed before counts.
fn absent(task: &mut Task, state: u8) {
    for seat in task.judging() {
        if seat.state == state {
            seat.state = if seat.past & past::SPOKE == 0 { seat::ABSENT } else { seat::REVEALED };
        }
    }
}

/// Ends the phase at once if everybody has spoken.
pub fn end_if_complete(task: &mut Task, terms: &Parameters, now: Clock) {
    let complete = match task.status {
        status::WORK => task.sitting().iter().all(|seat| seat.state != seat::DRAWN),
        status::REVEAL => task.sitting().iter().all(|seat| seat.state != seat::COMMITTED),
        status::EVALUATE => task.judging().iter().all(|seat| seat.state != seat::DRAWN),
        status::REVEAL_SCORES => task.judging().iter().all(|seat| seat.state != seat::COMMITTED),
        _ => false,
    };
    if complete {
        end(task, terms, now);
    }
}
