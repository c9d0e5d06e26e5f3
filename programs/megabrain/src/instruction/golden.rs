//! `open_golden`: the creator of a class shows that a task was a golden one.

use crate::account::{self, S, W};
use crate::arith::mul_div;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::rule::{golden, preimage, vouch};
use crate::state::class::{Class, Member, WHOLE, role};
use crate::state::task::{Task, status};
use crate::state::treasury::Treasury;
use crate::sysvar::clock;
use crate::wire::Reader;
use pinocchio::Address;

/// The member that sat there, if it still has its place.
fn sitter<'a>(members: &'a mut [Member], index: u16, agent: &Address, role: u8) -> Option<&'a mut Member> {
    members.get_mut(index as usize).filter(|it| it.agent == *agent && it.role == role)
}

/// Opens the seal of a task that was paid. Nobody but the creator of the class may open it. It
/// is the hash of the right result, which is in the paid cluster. Records of workers and evaluators
/// of the first draws learn from it. An evaluator whose alarm reaches the class's limit has
/// stamped: it is slashed, as far as no task holds its stake, and so is its sponsor.
///
/// Arguments: answer, salt. Accounts: creator s, class w, task w, treasury w.
pub fn open(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (answer, salt) = (*arguments.bytes::<32>()?, *arguments.bytes::<32>()?);
    arguments.end()?;
    let [creator, mut class, mut at, mut treasury] = account::take(cx.accounts, [S, W, W, W])?;
    let class_key = *class.address();
    let mut listed = account::open_list::<Class>(&mut class, cx.program)?;
    let mut task = account::open::<Task>(&mut at, cx.program)?;
    require(task.class == class_key, Error::WRONG_ADDRESS)?;
    let mut treasury = account::open::<Treasury>(&mut treasury, cx.program)?;
    let (class, members) = listed.parts()?;
    let terms = class.parameters;
    require(class.creator == *creator.address(), Error::NOT_AUTHORITY)?;
    require(task.status == status::SETTLED && task.found(), Error::WRONG_STATUS)?;
    require(terms.golden > 0 && task.opened == 0, Error::NOT_GOLDEN)?;
    let seal = preimage::golden(task.account.address(), &answer, &salt);
    require(seal == task.seal, Error::WRONG_OPENING)?;
    let truth = golden::truth(&task, &answer).ok_or(Error::NOT_GOLDEN)?;
    let now = clock()?.time;

    task.opened = 1;
    for (w, seat) in task.sitting().iter().enumerate() {
        let Some(right) = truth.worker(w).filter(|_| seat.later == 0) else { continue };
        if let Some(member) = sitter(members, seat.index, &seat.agent, role::WORKER) {
            golden::passed(member, right, &terms, now, false);
        }
    }
    let slash = mul_div(task.evaluator_stake, terms.rubber_stamp as u64, WHOLE)?;
    let mut slashed = 0;
    for e in 0..task.judging().len() {
        let Some(tells) = truth.evaluator(&task, e, &terms) else { continue };
        let seat = &task.judges[e];
        let Some(member) = sitter(members, seat.index, &seat.agent, role::EVALUATOR) else { continue };
        if golden::passed(member, tells, &terms, now, true) {
            let lost = slash.min(member.free());
            member.stake -= lost;
            member.fresh = member.fresh.min(member.stake);
            slashed += lost + vouch::lose(members, seat.index as usize, now);
        }
    }
    account::pay(&mut listed.account, &mut treasury.account, slashed)?;
    treasury.slashed = treasury.slashed.saturating_add(slashed);
    Ok(())
}
