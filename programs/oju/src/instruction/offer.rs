//! `create_task` and `cancel_task`: the creator's side of the market.

use pinocchio::Address;

use crate::account::{self, R, S, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::instruction::payout;
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::price;
use crate::rule::status::{self, Move, Status};
use crate::state::agent::{self, Agent};
use crate::state::config::Config;
use crate::state::roster::Roster;
use crate::state::rules::Rules;
use crate::state::task::{self, COURT, FIRST_COME, Payout, REFUND, Resolution, SPLIT, Step, TERM, Task};
use crate::sysvar::clock;
use crate::wire::Reader;
use bytemuck::Zeroable;

const MAX_AUCTION: u32 = 2_592_000;
const MAX_WORK: u32 = 31_536_000;
const MAX_ENGINE: u32 = 2_592_000;
/// Another engine's fee is at most this part of the lowest reward. Else the creator, whose second
/// agent gets it, takes the bond of a worker that is right.
const ENGINE_SHARE: u64 = 10;
/// Of the accounts of [`create`].
const ENGINE_AGENT: usize = 7;

/// Offers a task; the highest possible reward goes from the creator's vault into escrow.
///
/// Arguments: [`terms`]. Accounts: authority sw, config, rules (in force), agent w, task w, roster,
/// system, engine_agent (only with a fee for another engine).
pub fn create(cx: &mut Cx) -> Outcome {
    let mut new = terms(cx.data)?;
    let [authority, config, rules, mut agent, mut at, mut roster, system] =
        account::take(cx.accounts, [SW, R, R, W, W, R, R])?;
    account::system(&system)?;
    let config = account::read::<Config>(&config, cx.program)?;
    let rules = account::read::<Rules>(&rules, cx.program)?;
    let now = clock()?.time;
    rules.in_force(now)?;
    let mut agent = account::open::<Agent>(&mut agent, cx.program)?;
    let weight = account::open_list::<Roster>(&mut roster, cx.program)?.parts()?.0.weight;
    let (creator, id) = (agent.authority, agent.tasks_created);
    let id_bytes = id.to_le_bytes();
    let seeds = [task::SEED, creator.as_ref(), &id_bytes];
    let bump = pda::vacant(&at, &seeds, cx.program)?;
    require(creator == *authority.address(), Error::NOT_AUTHORITY)?;
    config.open()?;
    if new.seats == 0 {
        new.seats = rules.panel_seats;
    }
    check(&new, &rules, now)?;
    require(price::covered(new.reward_max, weight, rules.cover_bps), Error::NOT_COVERED)?;
    require(new.engine != *cx.program, Error::WRONG_ENGINE)?;
    if new.engine_fee != 0 {
        payee(cx, &new, &creator)?;
    }
    agent.debit(new.reward_max)?;

    let birth = Birth { payer: &authority, account: &at, program: cx.program, space: Task::SIZE };
    birth.create::<Task, 3>(&seeds, bump)?;
    let mut task = account::lend::<Task>(&mut at)?;
    (new.head, new.id, new.creator, new.creator_operator) = (task.head, id, creator, agent.operator);
    (new.escrow, new.created_at, new.auction_from) = (new.reward_max, now, config.market(now));
    (new.rules, new.trade_bps, new.claim_bps) = (rules.number, rules.trade_bps, rules.claim_bps);
    *task = new;
    agent.tasks_created += 1;
    account::pay(&mut agent.account, &mut task.account, new.escrow)?;
    let (hash, amount) = (new.task_hash, new.reward_max);
    task.step(&Step { to: Status::Created, actor: Some(&creator), deadline: 0, hash, amount, at: now })
}

/// The agent that another engine's fee goes to is there, so that nobody can keep a task from being
/// settled; and it is not the creator, which would earn by its own disputes.
#[inline(never)]
fn payee(cx: &Cx, task: &Task, creator: &Address) -> Outcome {
    require(task.engine_agent != *creator, Error::WRONG_ENGINE)?;
    let account = cx.accounts.get(ENGINE_AGENT).ok_or(Error::NOT_ENOUGH_ACCOUNTS)?;
    let agent = account::read::<Agent>(account, cx.program)?;
    require(agent.authority == task.engine_agent, Error::WRONG_ADDRESS)
}

/// Reads the terms: task_hash, reward_min u64, reward_max u64, auction u8,
/// auction_seconds u32, work_seconds u32, claim_by i64, on_undecided u8, seal, engine,
/// engine_group, engine_agent, engine_fee u64, engine_seconds u32, on_silence u8,
/// seats u8 (0: those of the rules), fee_min u64.
fn terms(data: &[u8]) -> Outcome<Task> {
    let mut arguments = Reader::new(data);
    let mut task = Task::zeroed();
    task.task_hash = *arguments.bytes()?;
    (task.reward_min, task.reward_max) = (arguments.u64()?, arguments.u64()?);
    task.auction = arguments.u8()?;
    (task.auction_seconds, task.work_seconds) = (arguments.u32()?, arguments.u32()?);
    task.claim_by = arguments.i64()?;
    task.on_undecided = arguments.u8()?;
    task.seal = *arguments.bytes()?;
    (task.engine, task.engine_group) = (arguments.key()?, arguments.key()?);
    task.engine_agent = arguments.key()?;
    (task.engine_fee, task.engine_seconds) = (arguments.u64()?, arguments.u32()?);
    task.on_silence = arguments.u8()?;
    (task.seats, task.fee_min) = (arguments.u8()?, arguments.u64()?);
    arguments.end()?;
    Ok(task)
}

/// In the order of the codes.
fn check(task: &Task, rules: &Rules, now: i64) -> Outcome {
    let first_come = task.auction == FIRST_COME;
    let ordered = rules.min_reward <= task.reward_min && task.reward_min <= task.reward_max;
    require(ordered && (!first_come || task.reward_min == task.reward_max), Error::BAD_REWARD)?;
    let auction = if first_come { 0..=0 } else { 1..=MAX_AUCTION };
    let work = rules.min_work_seconds..=MAX_WORK;
    let fits = auction.contains(&task.auction_seconds) && work.contains(&task.work_seconds);
    require(fits && (task.claim_by == 0 || task.claim_by > now), Error::BAD_DURATION)?;
    let known = task.auction <= task::REVERSE_DUTCH && (REFUND..=SPLIT).contains(&task.on_undecided);
    let affordable = price::affordable(task.fee_min, task.seats, task.reward_min);
    require(known && sizes(rules).contains(&task.seats) && affordable, Error::BAD_TERM)?;
    engine(task, rules)?;
    // A zero seal would say that the case is not golden.
    require(task.task_hash != [0; 32] && task.seal != [0; 32], Error::MISSING_HASH)
}

/// What the terms say of another engine. Without one they say nothing. It has at least the time
/// that our judges have, so that its silence is not the creator's choice.
fn engine(task: &Task, rules: &Rules) -> Outcome {
    let paid = task.engine_agent != Address::default();
    if !task.foreign() {
        let named = paid || task.engine_group != Address::default();
        let nothing = !named && task.engine_fee == 0 && task.engine_seconds == 0 && task.on_silence == COURT;
        return require(nothing, Error::WRONG_ENGINE);
    }
    let seconds = rules.commit_seconds + rules.reveal_seconds..=MAX_ENGINE;
    require(seconds.contains(&task.engine_seconds), Error::BAD_DURATION)?;
    require(task.on_silence <= TERM, Error::BAD_TERM)?;
    let dear = task.engine_fee > task.reward_min / ENGINE_SHARE;
    require(paid == (task.engine_fee != 0) && !dear, Error::WRONG_ENGINE)
}

/// The sizes of a first panel. Others would ask for a larger part of the votes than those do: the
/// worker needs five of seven seats and ten of 14, but six of eight.
pub fn sizes(rules: &Rules) -> [u8; 3] {
    let smaller = |seats: u8| {
        if rules.min_seats <= seats && seats < rules.panel_seats { seats } else { rules.panel_seats }
    };
    [smaller(7), smaller(14), rules.panel_seats]
}

/// Takes an unclaimed task back. Accounts: authority s, agent w, task w.
pub fn cancel(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [authority, mut agent, mut task] = account::take(cx.accounts, [S, W, W])?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    let mut agent = agent::of(&mut agent, &task.creator, cx.program)?;
    let creator: &Address = authority.address();
    task.only_creator(creator)?;
    let to = status::task(Move::Cancel, task.status)?;
    let at = clock()?.time;

    task.end(Payout::Refunded, Resolution::Cancelled);
    task.step(&Step { to, actor: Some(creator), deadline: 0, hash: [0; 32], amount: 0, at })?;
    payout::refund(&mut task, &mut agent)
}
