//! `settle_by_engine`: another program decides a dispute.

use oju_verdict::{Decision, Passed, Refused, read, read_group};
use pinocchio::{AccountView, Address};

use crate::account::{self, Held, R, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::instruction::payout::{self, Parties};
use crate::rule::status::{self, Move};
use crate::state::agent;
use crate::state::pot::Pot;
use crate::state::task::{Payout, Resolution, Step, Task};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Ends a task by the verdict of the program that it names, before the engine's time is over. Both
/// bonds come back, less the engine's fee. Whatever the engine writes later, nobody reads it.
///
/// Accounts: task w, creator_agent w, worker_agent w, pot w, verdict, engine_agent w (only with a
/// fee).
pub fn settle(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut task, mut creator, mut worker, mut pot, verdict] =
        account::take(cx.accounts, [W, W, W, W, R])?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let creator = agent::of(&mut creator, &task.creator, cx.program)?;
    let worker = agent::of(&mut worker, &task.worker, cx.program)?;
    let mut parties = Parties { creator, worker, pot: account::open::<Pot>(&mut pot, cx.program)? };
    status::task(Move::Decide, task.status)?;
    task.waits()?;
    require(task.foreign(), Error::WRONG_STATUS)?;
    let at = clock()?.time;
    task.in_time(at)?;
    let decision = decision(&task, &verdict)?;

    let (by, outcome) = match decision {
        Decision::Accept => (Move::Decide, Payout::Paid),
        Decision::Reject => (Move::Decide, Payout::Refunded),
        Decision::Undecided => (Move::GiveUp, Payout::of(task.on_undecided)),
    };
    let to = status::task(by, task.status)?;
    task.end(outcome, Resolution::Engine);
    task.step(&Step { to, actor: None, deadline: 0, hash: [0; 32], amount: 0, at })?;
    payout::escrow(&mut task, &mut parties, outcome)?;
    if task.engine_fee != 0 {
        let [.., mut payee] = account::take(cx.accounts, [W, W, W, W, R, W])?;
        let mut agent = agent::of(&mut payee, &task.engine_agent, cx.program)?;
        payout::engine_fee(&mut task, decision, &mut agent)?;
    }
    payout::bonds(&mut task, &mut parties)
}

/// What the engine says about the task. Its group is in the address of the verdict, so no other
/// group of the same program has a word.
#[inline(never)]
fn decision(task: &Held<Task>, verdict: &AccountView) -> Outcome<Decision> {
    let data = verdict.try_borrow()?;
    let passed = Passed { address: verdict.address(), owner: verdict.owner(), data: &data };
    let (engine, group, subject) = (&task.engine, &task.engine_group, task.account.address());
    let told = match *group == Address::default() {
        true => read(engine, subject, &passed),
        false => read_group(engine, group, subject, &passed),
    };
    told.map_err(|why| match why {
        Refused::Owner => Error::WRONG_OWNER,
        Refused::Layout => Error::WRONG_ACCOUNT,
        Refused::Address => Error::WRONG_ADDRESS,
        Refused::NotFinal => Error::NOT_FINAL,
    })
}
