//! `uphold_challenge` and `appeal_challenge`: a leaf is false by a verdict, and its batch is over,
//! unless its proctor has the verdict reversed.

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{BatchClosed, ChallengeUpheld, Event, closed};
use crate::instruction::appeal::{Asked, hear, hearable};
use crate::rule::appeal::{FIRST, LEAST, SECOND, suffices};
use crate::rule::leaf::{Leaf, denied};
use crate::rule::status::Phase;
use crate::state::agent;
use crate::state::batch::Batch;
use crate::state::case::{ACCEPT, Case, Hearing, MAX_SEATS, Seat};
use crate::state::pot::Pot;
use crate::state::roster::Roster;
use crate::state::task::Task;
use crate::sysvar::clock;
use crate::wire::Reader;
use pinocchio::{AccountView, Address};

/// So much of the deposit is the worker's that showed the lie: a tenth.
const BOUNTY: u64 = 10;

/// The seats of a challenge at least: half of the largest panel.
const HALF: u8 = MAX_SEATS as u8 / 2;

/// Ends a batch before it is applied. A case has accepted the result that says that a leaf is
/// false, of the task that asks about this leaf. Its panel was large, and the proctor could appeal.
/// The worker gets a tenth of the deposit, at most the reward of its task: so the court covers it,
/// as any other. The rest is the Pot's. If an appeal decided nothing, half of the rest is.
///
/// Arguments: generator, seed. Accounts: batch w, golden_task, golden_case, task, case,
/// worker_agent w, pot w, wallet w (the proctor's). Anyone may send it.
pub fn uphold(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (generator, seed) = (arguments.bytes::<32>()?, arguments.bytes::<32>()?);
    arguments.end()?;
    let [mut at, golden_task, golden_case, task, mut case, mut worker, mut pot, mut wallet] =
        account::take(cx.accounts, [W, R, R, R, R, W, W, W])?;
    let batch = account::open::<Batch>(&mut at, cx.program)?;
    let suspect =
        Suspect { batch: batch.number, task: &golden_task, case: &golden_case, generator, seed };
    let asked = suspect.question(cx.program)?;
    let challenge = account::read::<Task>(&task, cx.program)?;
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?; // nothing in it is changed
    let (case, seats) = docket.parts()?;
    account::address(&task, &case.task)?;
    let mut worker = agent::of(&mut worker, &challenge.worker, cx.program)?;
    let mut pot = account::open::<Pot>(&mut pot, cx.program)?;
    account::address(&wallet, &batch.proctor)?;
    require(batch.applied == 0, Error::TOO_LATE)?;
    let accepted = case.status == Phase::Decided as u8 && case.verdict == ACCEPT;
    let outcome = if accepted && challenges(&challenge, &asked) { end(case, seats) } else { 0 };
    require(outcome != 0, Error::NOT_FALSE)?;
    let (number, proctor, deposit) = (batch.number, batch.proctor, batch.deposit);
    drop(batch);

    let amount = (deposit / BOUNTY).min(challenge.reward);
    worker.credit(amount)?;
    account::pay(&mut at, &mut worker.account, amount)?;
    let rest = deposit - amount;
    pot.take(&mut at, if outcome == closed::FALSE { rest } else { rest / 2 })?;
    let (golden, to) = (*golden_task.address(), challenge.worker);
    ChallengeUpheld { batch: number, golden, task: *task.address(), to, amount }.log()?;
    let amount = account::close(&mut at, &mut wallet)?;
    BatchClosed { batch: number, proctor, outcome, amount }.log()
}

/// Whether the result of the task says that the leaf with this question is false.
fn challenges(task: &Task, question: &[u8; 32]) -> bool {
    task.task_hash == *question && task.result_hash == denied() && !task.is_dispute()
}

/// How a verdict that a leaf is false ends the batch: one of [`closed`], or 0 if it does not count.
/// If it was appealed, both panels gave it, or the appeal decided nothing and half of a full panel
/// or more gave it: then nothing is certain, and the leaves are not applied. If it could have been
/// appealed, such a panel gave it, and it waited for that to the end: its loser may be the
/// challenger itself, and cannot give up what is the proctor's. Without an appeal it takes a full
/// panel, which is all judges of a small court, and one that could not have been two. If the rules
/// have no appeals, a full panel is enough.
fn end(case: &Case, seats: &[Seat]) -> u8 {
    let half = case.panel_seats >= HALF;
    if case.appealed() {
        return match case.level {
            SECOND if case.first_verdict == ACCEPT => closed::FALSE,
            FIRST if half => closed::DOUBTED,
            _ => 0,
        };
    }
    let full = case.panel_seats as usize == MAX_SEATS;
    let tried = if case.appeal_by != 0 {
        half && case.settled_at >= case.appeal_by
    } else {
        full && (case.appeal_seconds == 0 || !divisible(&seats[..(case.seats as usize).min(seats.len())]))
    };
    if tried { closed::FALSE } else { 0 }
}

/// Whether half of a full panel, however it is drawn from these judges, leaves the others enough
/// for an appeal against all its votes: so many judges, and half of the weight of the 14 heaviest.
#[inline(never)]
fn divisible(seats: &[Seat]) -> bool {
    let (half, mut taken) = (HALF as usize, 0u32);
    let (mut heavy, mut rest) = (0, 0);
    for _ in 0..half {
        let left = seats.iter().enumerate().filter(|(i, _)| taken & 1 << i == 0);
        if let Some((i, seat)) = left.max_by_key(|(_, seat)| seat.weight) {
            taken |= 1 << i;
            heavy += seat.weight;
        }
    }
    for (_, seat) in seats.iter().enumerate().filter(|(i, _)| taken & 1 << i == 0) {
        rest += seat.weight;
    }
    seats.len() >= half + LEAST as usize && suffices(rest, heavy)
}

/// The proctor of a batch appeals the verdict that one of its leaves is false, although it is no
/// party. It posts no bond: it would lose its deposit.
///
/// Arguments: generator, seed. Accounts: authority sw (the proctor), batch, golden_task,
/// golden_case, roster, task, case w, system.
pub fn appeal(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (generator, seed) = (arguments.bytes::<32>()?, arguments.bytes::<32>()?);
    arguments.end()?;
    let [authority, batch, golden_task, golden_case, mut roster, task, mut at, system] =
        account::take(cx.accounts, [SW, R, R, R, R, R, W, R])?;
    account::system(&system)?;
    let batch = account::read::<Batch>(&batch, cx.program)?;
    let suspect =
        Suspect { batch: batch.number, task: &golden_task, case: &golden_case, generator, seed };
    let asked = suspect.question(cx.program)?;
    let mut judges = account::open_list::<Roster>(&mut roster, cx.program)?; // nothing in it is changed
    let mut docket = account::open_list::<Case>(&mut at, cx.program)?;
    let case = Hearing::of(&mut docket)?;
    let challenge = account::read::<Task>(&task, cx.program)?;
    account::address(&task, &case.task)?;
    require(batch.proctor == *authority.address(), Error::NOT_PROCTOR)?;
    let loses = case.verdict == ACCEPT && challenges(&challenge, &asked);
    require(loses && challenge.creator != batch.proctor, Error::NOT_LOSER)?;
    let clock = clock()?;
    let (roster, entries) = judges.parts()?;
    let seats = hearable(&case, &challenge, (roster, entries), &clock)?;
    drop(docket);
    hear(&authority, &mut at, &Asked { seats, bond: 0, clock })
}

/// A leaf that may be false, by its golden case.
struct Suspect<'a> {
    batch: u64,
    task: &'a AccountView,
    case: &'a AccountView,
    generator: &'a [u8; 32],
    seed: &'a [u8; 32],
}

impl Suspect<'_> {
    /// The hash of the task that asks about the leaf, which must be an open one of the batch.
    #[inline(never)]
    fn question(&self, program: &Address) -> Outcome<[u8; 32]> {
        let golden = account::read::<Task>(self.task, program)?;
        let mut view = *self.case;
        let mut docket = account::open_list::<Case>(&mut view, program)?; // nothing in it is changed
        let case = docket.parts()?.0;
        account::address(self.task, &case.task)?;
        require(case.golden != 0 && case.batch == self.batch, Error::NOT_GOLDEN)?;
        let leaf = Leaf {
            task: self.task.address(),
            task_hash: &golden.task_hash,
            result_hash: &golden.result_hash,
            objection_hash: &golden.objection_hash,
            counter_hash: &golden.counter_hash,
            answer: case.golden,
            generator: self.generator,
            seed: self.seed,
        };
        require(leaf.seal() == golden.seal, Error::NOT_IN_BATCH)?;
        Ok(leaf.challenge())
    }
}
