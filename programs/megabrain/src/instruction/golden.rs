//! `open_golden` and `end_golden`: the creator of a class shows that a task was a golden one, and
//! if no appeal changes that, records learn from it.

use crate::account::{self, R, SW, W};
use crate::arith::mul_div;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::pda;
use crate::rule::{golden, preimage, vouch};
use crate::state::class::{Class, Member, WHOLE, role};
use crate::state::task::{Task, opened, past, status};
use crate::state::treasury::Treasury;
use crate::sysvar::clock;
use crate::wire::Reader;
use pinocchio::Address;

/// The member that sat there, if it still has its place.
fn sitter<'a>(members: &'a mut [Member], index: u16, agent: &Address, role: u8) -> Option<&'a mut Member> {
    members.get_mut(index as usize).filter(|it| it.agent == *agent && it.role == role)
}

/// Opens the seal of a task that was paid. Nobody but the creator of the class may open it, with
/// the bond of an outcome. It is the hash of the right result, which is in the paid cluster. Who
/// failed may appeal for as long as an outcome may be disputed. An evaluator that failed does not
/// go until it is over, nor does what was put in for it.
///
/// Arguments: answer, salt. Accounts: creator sw, class w, task w, system.
pub fn open(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (answer, salt) = (*arguments.bytes::<32>()?, *arguments.bytes::<32>()?);
    arguments.end()?;
    let [creator, mut class, mut at, system] = account::take(cx.accounts, [SW, W, W, R])?;
    account::system(&system)?;
    let class_key = *class.address();
    let bond = {
        let mut listed = account::open_list::<Class>(&mut class, cx.program)?;
        let mut task = account::open::<Task>(&mut at, cx.program)?;
        require(task.class == class_key, Error::WRONG_ADDRESS)?;
        let (class, members) = listed.parts()?;
        let terms = class.parameters;
        require(class.creator == *creator.address(), Error::NOT_AUTHORITY)?;
        require(task.status == status::SETTLED && task.found(), Error::WRONG_STATUS)?;
        require(terms.golden > 0 && task.opened == opened::SEALED, Error::NOT_GOLDEN)?;
        let seal = preimage::golden(task.account.address(), &answer, &salt);
        require(seal == task.seal, Error::WRONG_OPENING)?;
        let truth = golden::truth(&task, &answer).ok_or(Error::NOT_GOLDEN)?;
        let now = clock()?.time;
        for e in 0..task.judging().len() {
            let Some(tells) = truth.evaluator(&task, e, &terms) else { continue };
            let seat = &mut task.judges[e];
            let Some(member) = sitter(members, seat.index, &seat.agent, role::EVALUATOR) else { continue };
            seat.past |= past::TESTED;
            if !tells {
                member.pending = member.pending.checked_add(1).ok_or(Error::OVERFLOW)?;
                seat.past |= past::FAILED;
                seat.past |= if member.surety.stands(now) { past::BACKED } else { 0 };
            }
        }
        let bond = terms.outcome_bond(task.budget)?;
        (task.opened, task.seal, task.bond) = (opened::SHOWN, answer, bond);
        task.deadline = now + terms.dispute as i64;
        bond
    };
    pda::transfer(&creator, &at, bond)
}

/// Ends what was opened, when nobody may appeal any more. Records of workers and evaluators of the
/// first draws learn from it. An evaluator whose alarm reaches the class's limit has stamped: it is
/// slashed, as far as no task holds its stake, and so is its sponsor. Who passed when it was opened
/// does not fail by what was cleared since: nobody told it to appeal. If an appeal was upheld,
/// nobody learns from it. What is left of the bond goes back.
///
/// Accounts: class w, task w, treasury w, creator w. Anyone may send it.
pub fn end(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut class, mut at, mut treasury, mut creator] = account::take(cx.accounts, [W, W, W, W])?;
    let class_key = *class.address();
    let mut listed = account::open_list::<Class>(&mut class, cx.program)?;
    let mut task = account::open::<Task>(&mut at, cx.program)?;
    require(task.class == class_key, Error::WRONG_ADDRESS)?;
    let mut treasury = account::open::<Treasury>(&mut treasury, cx.program)?;
    let (class, members) = listed.parts()?;
    let terms = class.parameters;
    account::address(&creator, &class.creator)?;
    let counts = task.opened == opened::SHOWN;
    require(counts || task.opened == opened::OVERTURNED, Error::WRONG_STATUS)?;
    let now = clock()?.time;
    require(now >= task.deadline, Error::TOO_EARLY)?;
    let truth = golden::truth(&task, &task.seal).ok_or(Error::NOT_GOLDEN)?;

    task.opened = if counts { opened::FINAL } else { opened::VOID };
    for (w, seat) in task.sitting().iter().enumerate().filter(|it| counts && it.1.later == 0) {
        let Some(right) = truth.worker(w) else { continue };
        if let Some(member) = sitter(members, seat.index, &seat.agent, role::WORKER) {
            golden::passed(member, right, &terms, now, false);
        }
    }
    let slash = mul_div(task.evaluator_stake, terms.rubber_stamp as u64, WHOLE)?;
    let mut slashed = 0;
    for e in 0..task.judging().len() {
        let seat = &task.judges[e];
        if seat.past & past::TESTED == 0 {
            continue;
        }
        let Some(member) = sitter(members, seat.index, &seat.agent, role::EVALUATOR) else { continue };
        let bound = seat.past & past::FAILED != 0;
        member.pending = member.pending.saturating_sub(bound as u8);
        let Some(tells) = truth.evaluator(&task, e, &terms) else { continue };
        if !tells && !bound {
            continue;
        }
        if counts && golden::passed(member, tells, &terms, now, true) {
            let lost = slash.min(member.free());
            member.stake -= lost;
            member.fresh = member.fresh.min(member.stake);
            slashed += lost;
            if seat.past & past::BACKED != 0 {
                slashed += vouch::forfeit(members, seat.index as usize, now);
            }
        }
    }
    let bond = core::mem::take(&mut task.bond);
    account::pay(&mut task.account, &mut creator, bond)?;
    account::pay(&mut listed.account, &mut treasury.account, slashed)?;
    treasury.slashed = treasury.slashed.saturating_add(slashed);
    Ok(())
}
