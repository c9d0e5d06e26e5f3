//! `dispute_result` and `resolve_dispute`: another outcome goes to the court, which decides between
//! the two.

use pinocchio::AccountView;
use pinocchio::cpi::invoke;
use pinocchio::instruction::{InstructionAccount, InstructionView};

use super::outcome::{check, read};
use super::terms_of;
use crate::account::{self, R, SW, W};
use crate::court;
use crate::entry::{Cx, word};
use crate::error::{Error, Outcome, require};
use crate::event::{DisputeOpened, DisputeResolved, Event};
use crate::pda;
use crate::rule::{golden, preimage};
use crate::rule::withheld::withheld;
use crate::state::class::{Class, MAX_LAMPORTS, Parameters};
use crate::state::task::{Finding, Task, opened, past, posted, status};
use crate::state::treasury::Treasury;
use crate::sysvar::clock;
use crate::verdict::{Decision, Passed, Refused, verdict};
use crate::wire::{Reader, Writer};

/// Bytes of the longest rationale.
const MAX_RATIONALE: usize = 200;
/// Bytes of `open_dispute`: discriminator, respondent, terms_hash, claim_hash, amount, seats.
pub const OPEN_DISPUTE: usize = 8 + 3 * 32 + 8 + 1;
/// The number of seats by which `open_dispute` takes the panel of the rules.
pub const RULES_PANEL: u8 = 0;

/// Brings another outcome to the court, by its `open_dispute`: the disputant is the claimant and
/// pays the fee, the poster is the respondent, and an accept is for the disputant. The rationale
/// stays in the transaction; the claim is the evidence of the disputant's outcome. The panel is the
/// largest of the court's rules: no party chooses a smaller one.
///
/// Arguments: disputed_worker, outcome, rationale, arbitration_stake u64. Accounts: disputant sw,
/// class, task w, treasury, system, court program, and those of `open_dispute`: config, rules,
/// roster, task w, verdict w.
pub fn open(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let worker = arguments.key()?;
    let counter = read(&mut arguments)?;
    let rationale = arguments.vector()?;
    let stake = arguments.u64()?;
    arguments.end()?;
    let [disputant, class, mut at, treasury, system, judiciary, config, rules, roster, dispute, told] =
        account::take(cx.accounts, [SW, R, W, R, R, R, R, R, R, W, W])?;
    account::system(&system)?;
    let terms = terms_of(&class, cx.program)?;
    account::address(&judiciary, &account::read::<Treasury>(&treasury, cx.program)?.court)?;
    let mut data = Writer::<OPEN_DISPUTE>::new();
    {
        let mut task = account::open::<Task>(&mut at, cx.program)?;
        account::address(&class, &task.class)?;
        task.at(status::POSTED)?;
        let now = clock()?.time;
        task.in_time(now)?;
        let place = task.sitting().iter().position(|seat| seat.agent == worker).ok_or(Error::NOT_SEATED)?;
        require(rationale.len() <= MAX_RATIONALE, Error::TOO_LONG)?;
        check(&task, &counter)?;
        let other = Finding { evidence: task.finding.evidence, ..counter.0 };
        let differs = bytemuck::bytes_of(&other) != bytemuck::bytes_of(&task.finding);
        require(differs && task.poster != *disputant.address(), Error::OWN_OUTCOME)?;
        let least = terms.dispute_stake(task.rejected, task.budget)?;
        require((least..=MAX_LAMPORTS).contains(&stake), Error::BAD_STAKE)?;
        let amount = court::amount(&rules, &roster, task.budget)?;
        let (posted, new) = (bytemuck::bytes_of(&task.finding), bytemuck::bytes_of(&counter.0));
        let calls = [task.drawn, task.seated, task.last];
        let hash = preimage::dispute(task.account.address(), task.created_slot, &calls, posted, new);
        data.put(&word("open_dispute").to_le_bytes())?.put(task.poster.as_ref())?;
        data.put(&hash)?.put(&counter.0.evidence)?.put_u64(amount)?.put(&[RULES_PANEL])?;
        (task.counter, task.disputant, task.counter_bond) = (counter.0, *disputant.address(), stake);
        (task.dispute, task.disputed) = (*dispute.address(), place as u8 + 1);
        task.enter(status::DISPUTED, now, terms.arbitration);
        let arbitration_deadline = task.deadline;
        DisputeOpened { task: *task.account.address(), disputant: *disputant.address(), arbitration_deadline }
            .log()?;
    }
    pda::transfer(&disputant, &at, stake)?;
    ask(&judiciary, &disputant, [&config, &rules, &roster, &dispute, &told, &system], data.written())
}

/// Calls `open_dispute` of the court. The disputant is its claimant and its payer.
#[inline(never)]
pub fn ask(
    judiciary: &AccountView,
    disputant: &AccountView,
    [config, rules, roster, dispute, told, system]: [&AccountView; 6],
    data: &[u8],
) -> Outcome {
    let called = InstructionView {
        program_id: judiciary.address(),
        accounts: &[
            InstructionAccount::new(disputant.address(), true, true),
            InstructionAccount::new(disputant.address(), false, true),
            InstructionAccount::new(config.address(), false, false),
            InstructionAccount::new(rules.address(), false, false),
            InstructionAccount::new(roster.address(), false, false),
            InstructionAccount::new(dispute.address(), true, false),
            InstructionAccount::new(told.address(), true, false),
            InstructionAccount::new(system.address(), false, false),
        ],
        data,
    };
    let views = [disputant, disputant, config, rules, roster, dispute, told, system];
    Ok(invoke(&called, &views)?)
}

/// Ends a dispute by the court's verdict. If the disputant is right, its outcome counts, and it has
/// the poster's bond, unless the poster could not have the results that it lacked: then each keeps
/// what it put in, and the disputant has paid the judges. If not, its stake goes to the treasury,
/// and the outcome may be disputed again in a new window, for twice the stake, so that a dispute
/// that is meant to fail makes no false outcome final. If the court has not decided, or too late,
/// no outcome counts, and both get back what they put in; the poster when the task is settled.
///
/// An appeal against a golden task ends in the same way, with the creator of the class for the
/// poster: if it is upheld, and the result was opened as right, nobody learns from the task. If the
/// result was opened as wrong, it tests nobody, and the bond stays: a worker that says the right
/// thing in another form frees no stamp, and gains nothing. If the court has not decided, the
/// answer stands, and the appellant gets back what it put in: else whoever stamps would bring its
/// golden tasks to a court that cannot say what is right.
///
/// Accounts: class, task w, treasury w, verdict, disputant w. Anyone may send it.
pub fn resolve(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut class, mut at, mut treasury, told, mut disputant] =
        account::take(cx.accounts, [R, W, W, R, W])?;
    let (creator, terms) = {
        let mut listed = account::open_list::<Class>(&mut class, cx.program)?;
        let class = listed.parts()?.0;
        (class.creator, class.parameters)
    };
    let mut task = account::open::<Task>(&mut at, cx.program)?;
    account::address(&class, &task.class)?;
    let mut treasury = account::open::<Treasury>(&mut treasury, cx.program)?;
    let golden = task.opened == opened::APPEALED;
    require(golden || task.status == status::DISPUTED, Error::WRONG_STATUS)?;
    let (claimant, respondent, dispute) = if golden {
        (task.appellant, creator, task.appeal)
    } else {
        (task.disputant, task.poster, task.dispute)
    };
    account::address(&disputant, &claimant)?;
    let now = clock()?.time;
    let decision = {
        let data = told.try_borrow()?;
        let passed = Passed { address: told.address(), owner: told.owner(), data: &data };
        match verdict(&treasury.court, &dispute, &passed) {
            Ok(it) => {
                let same = it.worker == claimant && it.creator == respondent;
                require(same, Error::WRONG_ACCOUNT)?;
                it.decision
            }
            Err(Refused::NotFinal) if now >= task.deadline => Decision::Undecided,
            Err(Refused::NotFinal) => return Err(Error::NOT_FINAL),
            Err(Refused::Owner) => return Err(Error::WRONG_OWNER),
            Err(Refused::Layout) => return Err(Error::WRONG_ACCOUNT),
            Err(Refused::Address) => return Err(Error::WRONG_ADDRESS),
        }
    };
    let stake = core::mem::take(&mut task.counter_bond);
    if !golden {
        task.enter(status::READY, now, 0);
    }
    match decision {
        Decision::Accept if golden && !right(&task)? => {
            task.cleared |= 1 << (task.named - 1);
            shown(&mut task, &terms, now);
            account::pay(&mut task.account, &mut disputant, stake)?;
        }
        Decision::Accept if golden => {
            let won = core::mem::take(&mut task.bond);
            (task.opened, task.deadline) = (opened::OVERTURNED, now);
            account::pay(&mut task.account, &mut disputant, won + stake)?;
        }
        Decision::Accept => {
            let (mut won, mut by) = (task.bond, posted::DISPUTANT);
            if withheld(&task, &terms) {
                (won, by) = (0, posted::SHOWN);
            }
            task.bond -= won;
            (task.finding, task.posted) = (task.counter, by);
            if by == posted::DISPUTANT {
                let poster = task.poster;
                task.evaluator(&poster)?.past |= past::LOST;
            }
            account::pay(&mut task.account, &mut disputant, won + stake)?;
        }
        Decision::Reject => {
            if golden {
                task.refused = task.refused.saturating_add(1);
                shown(&mut task, &terms, now);
            } else {
                task.rejected = task.rejected.saturating_add(1);
                task.enter(status::POSTED, now, terms.dispute);
            }
            account::pay(&mut task.account, &mut treasury.account, stake)?;
        }
        Decision::Undecided => {
            if golden {
                shown(&mut task, &terms, now);
            } else {
                task.posted = posted::UNDECIDED;
            }
            account::pay(&mut task.account, &mut disputant, stake)?;
        }
    }
    let upheld = (decision == Decision::Accept) as u8;
    DisputeResolved { task: *task.account.address(), upheld, arbitrator: treasury.court }.log()
}

/// Others who failed a golden task may appeal now.
fn shown(task: &mut Task, terms: &Parameters, now: i64) {
    (task.opened, task.deadline) = (opened::SHOWN, now + terms.dispute as i64);
}

/// Whether the result that an appeal is about was opened as right.
fn right(task: &Task) -> Outcome<bool> {
    let truth = golden::truth(task, &task.seal).ok_or(Error::NOT_GOLDEN)?;
    Ok(truth.worker((task.named as usize).saturating_sub(1)) == Some(true))
}
