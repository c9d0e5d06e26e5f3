//! `open_dispute`, `join_dispute` and `settle_dispute`: a dispute of others, without a task (ADR
//! 0061).

use pinocchio::Address;

use crate::account::{self, Held, Listed, R, S, SW, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, Paid, RoundSettled, paid};
use crate::instruction::counter::opened;
use crate::instruction::offer::sizes;
use crate::instruction::settle::{court, event};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::draw::Parties;
use crate::rule::price;
use crate::rule::settle::{Bonds, Next, Settled, settleable};
use crate::rule::status::{self, Move, Phase, Turn};
use crate::state::case::{ACCEPT, Case, Hearing, UNDECIDED};
use crate::state::config::Config;
use crate::state::pot::Pot;
use crate::state::roster::Roster;
use crate::state::rules::Rules;
use crate::state::task::{self, ABSENT, JOINED, Payout, Resolution, SPLIT, Step, Task};
use crate::state::verdict::{self, Verdict};
use crate::sysvar::{Clock, clock};
use crate::wire::Reader;
use bytemuck::Zeroable;

/// Brings a dispute about the terms of others to the court. The claimant says that the respondent
/// owes something by these terms. The respondent need not sign, and has time to answer. The payer,
/// who may be the claimant, pays for the panel. A program can be claimant or payer by a call.
///
/// The address of the dispute follows from claimant, respondent and terms, so an escrow knows it
/// from its beginning. Its verdict account is made at once, not final, and is there for ever: no
/// dispute is brought twice.
///
/// Arguments: respondent, terms_hash, claim_hash, amount u64, seats u8 (0: those of the rules).
/// Accounts: payer sw, claimant s, config, rules (in force), roster, task w, verdict w, system.
pub fn open(cx: &mut Cx) -> Outcome {
    let mut new = claim(cx.data)?;
    let [payer, claimant, config, rules, mut roster, mut at, mut told, system] =
        account::take(cx.accounts, [SW, S, R, R, R, W, W, R])?;
    account::system(&system)?;
    let config = account::read::<Config>(&config, cx.program)?;
    let rules = account::read::<Rules>(&rules, cx.program)?;
    let now = clock()?.time;
    rules.in_force(now)?;
    let mut judges = account::open_list::<Roster>(&mut roster, cx.program)?; // nothing in it is changed
    (new.worker, new.worker_operator) = (*claimant.address(), *payer.address());
    let (respondent, terms, subject) = (new.creator, new.task_hash, *at.address());
    let seeds = [task::DISPUTE, claimant.address().as_ref(), respondent.as_ref(), &terms];
    let bump = pda::vacant(&at, &seeds, cx.program)?;
    let verdict_seeds = [verdict::SEED, subject.as_ref()];
    let verdict_bump = pda::vacant(&told, &verdict_seeds, cx.program)?;
    require(respondent != new.worker, Error::OWN_TASK)?;
    config.open()?;
    if new.seats == 0 {
        new.seats = rules.panel_seats;
    }
    require(new.reward >= rules.min_reward, Error::BAD_REWARD)?;
    require(sizes(&rules).contains(&new.seats), Error::BAD_TERM)?;
    let named = respondent != Address::default() && terms != [0; 32] && new.result_hash != [0; 32];
    require(named, Error::MISSING_HASH)?;
    let (roster, entries) = judges.parts()?;
    require(Parties::of(&new).have_judges(entries, &rules), Error::TOO_FEW_IMPARTIAL)?;
    require(price::covered(new.reward, roster.weight, rules.cover_bps), Error::NOT_COVERED)?;
    let fee = arith::mul(price::fee(&rules, &new)?, new.seats as u64)?;

    let birth = Birth { payer: &payer, account: &at, program: cx.program, space: Task::SIZE };
    birth.create::<Task, 4>(&seeds, bump)?;
    let birth = Birth { payer: &payer, account: &told, program: cx.program, space: Verdict::SIZE };
    birth.create::<Verdict, 2>(&verdict_seeds, verdict_bump)?;
    pda::transfer(&payer, &at, fee)?;
    let mut task = account::lend::<Task>(&mut at)?;
    (new.head, new.created_at, new.worker_bond) = (task.head, now, fee);
    (new.rules, new.trade_bps) = (rules.number, rules.trade_bps);
    *task = new;
    account::lend::<Verdict>(&mut told)?.begin(&subject, &task);
    let deadline = now + rules.answer_seconds as i64;
    let actor = Some(claimant.address());
    task.step(&Step { to: status::Status::Judiciary, actor, deadline, hash: new.result_hash, amount: fee, at: now })
}

/// Reads the arguments. The respondent is in the place of the creator, and the claimant in that of
/// the worker: an accept is for the claim.
#[inline(never)]
fn claim(data: &[u8]) -> Outcome<Task> {
    let mut arguments = Reader::new(data);
    let mut task = Task::zeroed();
    task.creator = arguments.key()?;
    (task.task_hash, task.result_hash) = (*arguments.bytes()?, *arguments.bytes()?);
    (task.reward, task.seats) = (arguments.u64()?, arguments.u8()?);
    arguments.end()?;
    (task.reward_min, task.reward_max) = (task.reward, task.reward);
    (task.dispute, task.on_undecided) = (ABSENT, SPLIT);
    (task.objection_hash, task.counter_hash) = (task::UNANSWERED, task::UNREPLIED);
    Ok(task)
}

/// The respondent answers. Then the case may be opened at once.
///
/// Arguments: answer_hash. Accounts: respondent s, task w.
pub fn join(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let hash = *arguments.bytes::<32>()?;
    arguments.end()?;
    let [respondent, mut at] = account::take(cx.accounts, [S, W])?;
    let mut task = account::open::<Task>(&mut at, cx.program)?;
    task.only_creator(respondent.address())?;
    let to = status::task(Move::Join, task.status)?;
    task.waits()?;
    require(task.dispute == ABSENT, Error::WRONG_STATUS)?;
    let at = clock()?.time;
    task.in_time(at)?;
    require(hash != [0; 32], Error::MISSING_HASH)?;

    (task.objection_hash, task.dispute) = (hash, JOINED);
    task.step(&Step { to, actor: Some(respondent.address()), deadline: at, hash, amount: 0, at })
}

/// The accounts of [`settle`], opened and checked.
struct Bench<'a> {
    roster: Listed<'a, Roster>,
    docket: Listed<'a, Case>,
    task: Held<'a, Task>,
    pot: Held<'a, Pot>,
    verdict: Held<'a, Verdict>,
    clock: Clock,
}

/// Settles a round of a dispute, or ends one whose round was not drawn in time. The fee pays the
/// judges whatever the verdict is, and goes back to the payer only if no judge was ever drawn. At
/// the end the verdict account is final.
///
/// Accounts: roster w, case w, task w, pot w, verdict w, payer w. Anyone may send it.
pub fn settle(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut roster, mut case, mut at, mut pot, mut told, mut payer] =
        account::take(cx.accounts, [W, W, W, W, W, W])?;
    let roster = account::open_list::<Roster>(&mut roster, cx.program)?;
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?;
    let task = account::open::<Task>(&mut at, cx.program)?;
    account::address(&task.account, &docket.parts()?.0.task)?;
    let pot = account::open::<Pot>(&mut pot, cx.program)?;
    // While a case is live, only a dispute has a verdict account.
    let verdict = account::open::<Verdict>(&mut told, cx.program)?;
    account::address(&task.account, &verdict.subject)?;
    account::address(&payer, &task.worker_operator)?;
    let mut bench = Bench { roster, docket, task, pot, verdict, clock: clock()? };
    let (settled, back) = bench.round()?;
    if settled.next == Next::Draw {
        opened(bench.docket.parts()?.0, &bench.clock)?;
    } else {
        bench.end(&settled)?;
        bench.verdict.note(cx.program, &bench.task, &Hearing::of(&mut bench.docket)?)?;
    }
    account::pay(&mut bench.task.account, &mut bench.roster.account, settled.bond)?;
    bench.pot.take(&mut bench.roster.account, settled.golden)?;
    if back == 0 {
        return Ok(());
    }
    account::pay(&mut bench.task.account, &mut payer, back)?;
    Paid { task: *bench.task.account.address(), to: *payer.address(), kind: paid::BOND_BACK, amount: back }.log()
}

impl Bench<'_> {
    /// Settles the round, or lets it expire. Returns what goes back to the payer, too.
    #[inline(never)]
    fn round(&mut self) -> Outcome<(Settled, u64)> {
        let (fee, now) = (self.task.worker_bond, self.clock.time);
        let case = Hearing::of(&mut self.docket)?;
        let (round, waits, drawn) = (case.round, case.status == Phase::Draw as u8, case.seats > 0);
        if waits {
            require(now >= case.draw_by, Error::TOO_EARLY)?;
            let kept = if drawn { fee } else { 0 };
            let bonds = Bonds { creator: kept, worker: kept, undecided: kept };
            let settled = court(&mut self.roster, &mut self.docket, self.clock)?.expire(&bonds, &self.task)?;
            self.log(round, &settled, true)?;
            return Ok((settled, fee - kept));
        }
        status::case(Turn::Void, case.status)?;
        require(settleable(&case, now), Error::NOT_YET_SETTLEABLE)?;
        let bonds = Bonds { creator: fee, worker: fee, undecided: fee };
        let settled = court(&mut self.roster, &mut self.docket, self.clock)?.settle(&bonds, &self.task)?;
        self.log(round, &settled, false)?;
        Ok((settled, 0))
    }

    #[inline(never)]
    fn log(&mut self, round: u8, settled: &Settled, expired: bool) -> Outcome {
        let at = self.clock.time;
        let case = Hearing::of(&mut self.docket)?;
        let weights = [case.accept_weight, case.reject_weight, case.abstain_weight, case.seated_weight];
        let told: RoundSettled = event(case.task, round, settled, if expired { [0; 4] } else { weights }, at);
        told.log_seats(&case, expired)
    }

    /// Ends the task of the dispute. It has no escrow, and nobody's record changes.
    #[inline(never)]
    fn end(&mut self, settled: &Settled) -> Outcome {
        let (by, outcome, resolution) = match settled.verdict {
            UNDECIDED => (Move::GiveUp, Payout::Split, Resolution::Undecided),
            ACCEPT => (Move::Decide, Payout::Paid, Resolution::Verdict),
            _ => (Move::Decide, Payout::Refunded, Resolution::Verdict),
        };
        let to = status::task(by, self.task.status)?;
        self.task.worker_bond = 0;
        self.task.end(outcome, resolution);
        let at = self.clock.time;
        self.task.step(&Step { to, actor: None, deadline: 0, hash: [0; 32], amount: 0, at })
    }
}
