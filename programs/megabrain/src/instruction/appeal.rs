//! `appeal_golden`: who failed a golden task brings its answer to the court.

use super::dispute::{OPEN_DISPUTE, RULES_PANEL, ask};
use super::named;
use crate::account::{self, R, SW, W};
use crate::court;
use crate::entry::{Cx, word};
use crate::error::{Error, Outcome, require};
use crate::event::{DisputeOpened, Event};
use crate::pda;
use crate::rule::{golden, preimage};
use crate::state::class::{Class, MAX_LAMPORTS};
use crate::state::task::{Task, opened};
use crate::state::treasury::Treasury;
use crate::sysvar::clock;
use crate::wire::{Reader, Writer};

/// Brings what a golden task shows to the court, by its `open_dispute`: who failed is the claimant
/// and pays the fee, the creator of the class is the respondent, and an accept is for the claimant.
/// It is about the result of one worker, counted from 1: one that was opened as right and is wrong,
/// or the other way round. The claim is a document that shows it. Each appeals once
/// about a result, because such an appeal has one address.
///
/// Arguments: worker u8, claim, stake u64. Accounts: those of `dispute_result`.
pub fn appeal(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (worker, claim, stake) = (arguments.u8()?, *arguments.bytes::<32>()?, arguments.u64()?);
    arguments.end()?;
    named(&claim)?;
    let [appellant, mut class, mut at, treasury, system, judiciary, config, rules, roster, dispute, told] =
        account::take(cx.accounts, [SW, R, W, R, R, R, R, R, R, W, W])?;
    account::system(&system)?;
    account::address(&judiciary, &account::read::<Treasury>(&treasury, cx.program)?.court)?;
    let mut data = Writer::<OPEN_DISPUTE>::new();
    {
        let class_key = *class.address();
        let mut listed = account::open_list::<Class>(&mut class, cx.program)?;
        let mut task = account::open::<Task>(&mut at, cx.program)?;
        require(task.class == class_key, Error::WRONG_ADDRESS)?;
        let class = listed.parts()?.0;
        let terms = &class.parameters;
        require(task.opened == opened::SHOWN, Error::WRONG_STATUS)?;
        let now = clock()?.time;
        task.in_time(now)?;
        let truth = golden::truth(&task, &task.seal).ok_or(Error::NOT_GOLDEN)?;
        require(truth.failed(&task, appellant.address(), terms), Error::NOT_FAILED)?;
        let place = (worker as usize).checked_sub(1).filter(|it| *it < task.drawn as usize);
        require(place.is_some_and(|it| truth.worker(it).is_some()), Error::NOT_SEATED)?;
        let least = terms.dispute_stake(task.refused, task.budget)?;
        require((least..=MAX_LAMPORTS).contains(&stake), Error::BAD_STAKE)?;
        let amount = court::amount(&rules, &roster, task.budget)?;
        let hash = preimage::appeal(task.account.address(), task.created_slot, &task.seal, worker);
        data.put(&word("open_dispute").to_le_bytes())?.put(class.creator.as_ref())?;
        data.put(&hash)?.put(&claim)?.put_u64(amount)?.put(&[RULES_PANEL])?;
        (task.appellant, task.counter_bond) = (*appellant.address(), stake);
        (task.appeal, task.opened, task.named) = (*dispute.address(), opened::APPEALED, worker);
        task.deadline = now + terms.arbitration as i64;
        let arbitration_deadline = task.deadline;
        DisputeOpened { task: *task.account.address(), disputant: *appellant.address(), arbitration_deadline }
            .log()?;
    }
    pda::transfer(&appellant, &at, stake)?;
    ask(&judiciary, &appellant, [&config, &rules, &roster, &dispute, &told, &system], data.written())
}
