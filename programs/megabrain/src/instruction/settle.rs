//! `settle_task`: divides budget and stakes.

use pinocchio::Address;

use crate::account::{self, Held, Listed, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, TaskSettled};
use crate::rule::pay::{self, Deed, End, Part, Settlement};
use crate::rule::{golden, vouch};
use crate::state::class::{Class, Member, Parameters, WHOLE};
use crate::state::task::{MAX_SEATS, Task, past, posted, status};
use crate::state::treasury::Treasury;
use crate::sysvar::{Clock, clock};
use crate::wire::Reader;

/// Seconds of a day.
const DAY: i64 = 24 * 3_600;

/// Divides the budget and the stakes by the outcome that counts, after its dispute, or calls
/// further workers or a further evaluator. Anyone may send it. What members get, they withdraw from
/// the class. What is left stays in the task until the requester closes it, so that no wallet can
/// hinder the settlement.
///
/// Accounts: class w, task w, treasury w.
pub fn settle(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut class, mut at, mut treasury] = account::take(cx.accounts, [W, W, W])?;
    let class_key = *class.address();
    let mut listed = account::open_list::<Class>(&mut class, cx.program)?;
    let mut task = account::open::<Task>(&mut at, cx.program)?;
    require(task.class == class_key, Error::WRONG_ADDRESS)?;
    let mut treasury = account::open::<Treasury>(&mut treasury, cx.program)?;
    require([status::POSTED, status::READY].contains(&task.status), Error::WRONG_STATUS)?;
    let now = clock()?;
    require(task.status == status::READY || now.time >= task.deadline, Error::TOO_EARLY)?;
    give_bond_back(&mut task, &mut listed)?;
    let terms = listed.parts()?.0.parameters;
    if task.drawn == 0 {
        (task.status, task.settled_at) = (status::EXPIRED, now.time);
        return told(&task, [0; 32]);
    }
    if !task.found() {
        clear(&mut task);
    }
    let settled = pay::settle(&task, &terms)?;
    match settled.end {
        End::Workers => {
            forget(&mut task);
            task.workers = task.drawn + settled.call;
            task.await_draw(status::DRAW_WORKERS, now.time, now.slot, terms.draw);
            return Ok(());
        }
        End::Further => {
            forget(&mut task);
            task.evaluators = task.seated + settled.call;
            task.await_draw(status::DRAW_EVALUATORS, now.time, now.slot, terms.draw);
            return Ok(());
        }
        End::Paid | End::Inconclusive => {}
    }
    let forfeited = divide(&mut task, &mut listed, &settled, now)?;
    let (paid, slashed) = (task.paid, task.slashed + forfeited);
    let rest = task.budget - paid;
    account::pay(&mut task.account, &mut listed.account, paid)?;
    account::pay(&mut listed.account, &mut treasury.account, slashed)?;
    treasury.slashed = treasury.slashed.saturating_add(slashed);
    if task.undistributed != 0 {
        account::pay(&mut task.account, &mut treasury.account, rest)?;
    }
    let paid = settled.end == End::Paid;
    task.status = if paid { status::SETTLED } else { status::INCONCLUSIVE };
    task.settled_at = now.time;
    let first = task.sitting().iter().find(|seat| seat.inside != 0);
    let hash = first.map_or([0; 32], |seat| seat.result_hash);
    told(&task, hash)
}

fn told(task: &Held<Task>, winning_cluster_hash: [u8; 32]) -> Outcome {
    let (total_paid, total_slashed) = (task.paid, task.slashed);
    TaskSettled { task: *task.account.address(), winning_cluster_hash, total_paid, total_slashed }.log()
}

/// Returns the bond of the poster, unless the court found that another outcome is right.
#[inline(never)]
fn give_bond_back(task: &mut Held<Task>, listed: &mut Listed<Class>) -> Outcome {
    let (bond, poster) = (task.bond, task.poster);
    if bond == 0 {
        return Ok(());
    }
    let index = task.evaluator(&poster)?.index as usize;
    let member = listed.parts()?.1.get_mut(index).ok_or(Error::WRONG_ACCOUNT)?;
    member.earned = crate::arith::add(member.earned, bond)?;
    task.bond = 0;
    account::pay(&mut task.account, &mut listed.account, bond)
}

/// The outcome that counted called further ones, and counts no more. Nor does the dispute about it.
fn forget(task: &mut Task) {
    (task.posted, task.disputed) = (posted::NOBODY, 0);
    task.dispute = Address::default();
}

/// Without an outcome, no result means the same as another.
fn clear(task: &mut Task) {
    for fact in &mut task.finding.facts {
        (fact.complete, fact.cluster, fact.low_effort, fact.copy_of) = (WHOLE as u16, 0, 0, 0);
    }
    task.finding.rubber = [0; MAX_SEATS];
}

/// Writes what each member got, in the class and in the task. Returns what sponsors lost. A poster
/// whose outcome the court did not find has lost a dispute.
#[inline(never)]
fn divide(
    task: &mut Task,
    listed: &mut Listed<Class>,
    settled: &Settlement,
    now: Clock,
) -> Outcome<u64> {
    let (class, members) = listed.parts()?;
    let terms = &class.parameters;
    let (worker_stake, evaluator_stake) = (task.worker_stake, task.evaluator_stake);
    let (mut paid, mut slashed, mut forfeited) = (0, 0, 0);
    for (seat, part) in task.sitting().iter_mut().zip(&settled.workers) {
        let member = members.get_mut(seat.index as usize).ok_or(Error::WRONG_ACCOUNT)?;
        if give(member, part, worker_stake, terms, now)? {
            forfeited += vouch::lose(members, seat.index as usize, now.time);
        }
        (seat.paid, seat.slashed) = (part.paid + part.bonus, part.slashed);
        (seat.score, seat.inside) = (part.score, part.inside as u8);
        (paid, slashed) = (paid + seat.paid, slashed + seat.slashed);
    }
    for (seat, part) in task.judging().iter_mut().zip(&settled.evaluators) {
        let member = members.get_mut(seat.index as usize).ok_or(Error::WRONG_ACCOUNT)?;
        let mut loses = give(member, part, evaluator_stake, terms, now)?;
        if terms.golden > 0 && seat.past & past::LOST != 0 {
            golden::outcome(member, Deed::Bad, terms, now.time);
            loses = true;
        }
        if loses {
            forfeited += vouch::lose(members, seat.index as usize, now.time);
        }
        (seat.paid, seat.slashed) = (part.paid, part.slashed);
        (paid, slashed) = (paid + seat.paid, slashed + seat.slashed);
    }
    require(paid <= task.budget, Error::OVERFLOW)?;
    (task.paid, task.slashed) = (paid, slashed);
    Ok(forfeited)
}

/// Pays a member, takes the slash, frees its stake, and tells its reputation. Whether what its
/// sponsor put in is lost.
fn give(member: &mut Member, part: &Part, stake: u64, terms: &Parameters, now: Clock) -> Outcome<bool> {
    member.locked = crate::arith::sub(member.locked, stake)?;
    member.stake = crate::arith::sub(member.stake, part.slashed)?;
    member.earned = crate::arith::add(member.earned, part.paid + part.bonus)?;
    member.fresh = member.fresh.min(member.stake);
    member.last_active = now.time;
    if terms.golden > 0 {
        golden::outcome(member, part.deed, terms, now.time);
        return Ok(matches!(part.deed, Deed::Bad | Deed::Lazy | Deed::Stamped));
    }
    match part.deed {
        Deed::Nothing | Deed::Outside => {}
        Deed::Good => member.praise(),
        Deed::Bad | Deed::Far => member.blame(4, 0),
        Deed::Lazy => member.blame(2, terms.restore_tasks),
        Deed::Stamped => {
            member.blame(2, 0);
            // At most 365 days.
            let frozen = (terms.freeze_days as u64).wrapping_mul(DAY as u64) as i64;
            member.frozen_until = now.time + frozen;
        }
    }
    Ok(false)
}
