//! The parameters as an instruction brings them, and their ranges (protocol sections 4 and 5).

use crate::error::{Error, Outcome, require};
use crate::rule::price::BPS;
use crate::state::case::{MAJORITY, MAX_SEATS, TRUTH};
use crate::state::roster::{APART, MAX_JUDGES};
use crate::state::rules::Rules;
use crate::wire::Reader;

const DAY: u32 = 86_400;
const HALF_DAY: u32 = DAY / 2;
const WEEK: u32 = 7 * DAY;
const MONTH: u32 = 30 * DAY;
/// The longest notice of a change, and the longest time that a judge's exit can take.
const MAX_COOLDOWN: u32 = MONTH;
/// No version may shorten a time below this, or below what its predecessor has if that is less.
const LEAST_SECONDS: u32 = 60;
/// No version may shorten a season below this, or below what its predecessor has if that is less:
/// in shorter ones, draws may forget their seed slot. Nor may it lengthen one above half of its
/// predecessor's cooldown: a stake leaves when two seasons have turned.
const LEAST_SEASON: u32 = 600;
/// No version may raise what one mistake costs above this share of a seat's weight, or above what
/// its predecessor has if that is more. It bounds every loss but that of equivocation. Likewise for
/// the share of the stake that covers a reward, and no version may lift that limit.
const MOST_BPS: u16 = 1_000;
/// No version may raise the least reward above this, a hundredth of a SOL, or above twice what its
/// predecessor has: else one announcement could stop all new tasks. Likewise for the least stake, a
/// SOL, which takes judges off the panels, for the cooldown, a week, and for the least fee of a
/// seat, a hundredth of a SOL, without which nobody can object.
const MOST_MIN_REWARD: u64 = 10_000_000;
const MOST_MIN_STAKE: u64 = 1_000_000_000;
const MOST_COOLDOWN: u32 = WEEK;
const MOST_FEE_MIN: u64 = 10_000_000;
/// No version may lower the share of the stake that covers a reward below this, or below what its
/// predecessor has if that is less: else no task is covered.
const LEAST_COVER: u16 = 100;
/// A slot takes 0.4 s. A draw must come after the slots that it waits for, and before draw_seconds
/// are over, so these are at least as many slots and half a minute more.
const DRAW_MARGIN: u32 = 30;
/// No version may let fewer judges sit than this, or than its predecessor if those are fewer.
const LEAST_SEATS: u8 = 7;
/// The most that a seat may weigh.
pub const MAX_WEIGHT: u64 = 1 << 50;
const MAX_FEE: u64 = 1 << 50;
const MAX_ROUNDS: u8 = 3;
const MAX_DELAY: u16 = 256;
/// So much of a payment, a tenth, is the Pot's at most.
const MAX_TRADE: u16 = 1_000;
/// So many cases of those that ended, a half, may be golden at most.
const MAX_GOLDEN: u16 = 5_000;
/// So much of the highest reward, a fifth, is the bond of a claim at most.
const MAX_CLAIM: u16 = 2_000;

/// Reads the parameters into a version, whose other fields stay.
pub fn read(arguments: &mut Reader, rules: &mut Rules) -> Outcome {
    rules.min_stake = arguments.u64()?;
    rules.max_seat_weight = arguments.u64()?;
    rules.fee_min = arguments.u64()?;
    rules.min_reward = arguments.u64()?;
    rules.leaf_fee = arguments.u64()?;
    rules.commit_seconds = arguments.u32()?;
    rules.reveal_seconds = arguments.u32()?;
    rules.verify_seconds = arguments.u32()?;
    rules.answer_seconds = arguments.u32()?;
    rules.cooldown_seconds = arguments.u32()?;
    rules.draw_seconds = arguments.u32()?;
    rules.evidence_seconds = arguments.u32()?;
    rules.min_work_seconds = arguments.u32()?;
    rules.season_seconds = arguments.u32()?;
    rules.batch_seconds = arguments.u32()?;
    rules.challenge_seconds = arguments.u32()?;
    rules.appeal_seconds = arguments.u32()?;
    rules.fee_bps = arguments.u16()?;
    rules.creator_bps = arguments.u16()?;
    rules.worker_bps = arguments.u16()?;
    rules.risk_bps = arguments.u16()?;
    rules.golden_gain = arguments.u16()?;
    rules.golden_loss = arguments.u16()?;
    rules.absence = arguments.u16()?;
    rules.minority = arguments.u16()?;
    rules.max_judges = arguments.u16()?;
    rules.draw_delay_slots = arguments.u16()?;
    rules.trade_bps = arguments.u16()?;
    rules.claim_bps = arguments.u16()?;
    rules.cover_bps = arguments.u16()?;
    rules.golden_bps = arguments.u16()?;
    rules.reversal = arguments.u16()?;
    rules.max_rounds = arguments.u8()?;
    rules.preset = arguments.u8()?;
    rules.panel_seats = arguments.u8()?;
    rules.min_seats = arguments.u8()?;
    rules.max_reworks = arguments.u8()?;
    rules.credential = arguments.u8()?;
    Ok(())
}

/// [`Error::BAD_CONFIG`] unless every parameter is in its range.
pub fn check(rules: &Rules) -> Outcome {
    let shares = [rules.fee_bps, rules.creator_bps, rules.worker_bps, rules.risk_bps, rules.cover_bps];
    let fine = amounts(rules)
        && panel(rules)
        && durations(rules)
        && shares.iter().all(|&bps| bps as u64 <= BPS)
        && losses(rules)
        && golden(rules)
        && outlasts(rules);
    require(fine, Error::BAD_CONFIG)
}

fn amounts(rules: &Rules) -> bool {
    let weights = 1 <= rules.min_stake && rules.min_stake <= rules.max_seat_weight;
    let shares = rules.trade_bps <= MAX_TRADE && rules.claim_bps <= MAX_CLAIM;
    let fees = rules.min_reward >= 1 && rules.fee_min <= MAX_FEE;
    weights && rules.max_seat_weight <= MAX_WEIGHT && fees && shares
}

/// Withholding a vote costs more than being outvoted or reversed, and at least as much as not
/// committing, so that it never pays.
fn losses(rules: &Rules) -> bool {
    let withheld = rules.golden_gain as u32 * rules.golden_loss as u32;
    (TRUTH..=MAJORITY).contains(&rules.preset)
        && rules.absence as u32 <= withheld
        && (rules.minority as u32) < withheld
        && (rules.reversal as u32) < withheld
}

fn panel(rules: &Rules) -> bool {
    (1..=MAX_ROUNDS).contains(&rules.max_rounds)
        && (1..=MAX_SEATS as u8).contains(&rules.panel_seats)
        && (1..=rules.panel_seats).contains(&rules.min_seats)
        && (rules.min_seats as u16..=MAX_JUDGES as u16).contains(&rules.max_judges)
        && (1..=MAX_DELAY).contains(&rules.draw_delay_slots)
}

fn durations(rules: &Rules) -> bool {
    let day = [rules.commit_seconds, rules.reveal_seconds, rules.draw_seconds, rules.min_work_seconds];
    let month = [rules.verify_seconds, rules.answer_seconds];
    day.iter().all(|seconds| (1..=DAY).contains(seconds))
        && month.iter().all(|seconds| (1..=MONTH).contains(seconds))
        && rules.evidence_seconds <= MONTH
        && rules.appeal_seconds <= MONTH
        && (1..=WEEK).contains(&rules.season_seconds)
}

/// A batch ends, is challenged and is applied while its cases exist. A challenge is a case.
fn golden(rules: &Rules) -> bool {
    let after = rules.challenge_seconds.checked_mul(2).and_then(|time| time.checked_add(rules.batch_seconds));
    let times =
        rules.challenge_seconds >= longest(rules) && after.is_some_and(|time| time <= rules.evidence_seconds);
    let fee = rules.leaf_fee <= rules.fee_min * MAX_SEATS as u64;
    let none = rules.batch_seconds == 0;
    (none || times && fee && rules.batch_seconds <= HALF_DAY) && rules.golden_bps <= MAX_GOLDEN && rules.credential <= APART
}

/// The time of a case with all its rounds, and those of its appeal, in seconds.
pub fn longest(rules: &Rules) -> u32 {
    let round = rules.draw_seconds + rules.commit_seconds + rules.reveal_seconds;
    let levels = if rules.appeal_seconds > 0 { 2 } else { 1 };
    rules.appeal_seconds + (0..levels * rules.max_rounds).map(|_| round).sum::<u32>()
}

/// The cooldown outlasts the longest case, the time for evidence, and the two seasons that may have
/// the weight of a judge that leaves. If a case seats it later, its end sets a new time.
fn outlasts(rules: &Rules) -> bool {
    let least = (rules.evidence_seconds + longest(rules)).max(2 * rules.season_seconds);
    (least..=MAX_COOLDOWN).contains(&rules.cooldown_seconds)
}

/// The seconds in which a draw is possible, with some to spare.
fn draw_time(rules: &Rules) -> u32 {
    rules.draw_delay_slots as u32 * 2 / 5 + DRAW_MARGIN
}

/// [`Error::BAD_CONFIG`] unless the version may follow its predecessor. As each version is held
/// to the one before, all are held to the first: a court that began with real times keeps them.
pub fn follows(new: &Rules, old: &Rules) -> Outcome {
    let times = |rules: &Rules| {
        [
            rules.commit_seconds,
            rules.reveal_seconds,
            rules.verify_seconds,
            rules.answer_seconds,
            rules.draw_seconds,
            rules.evidence_seconds,
        ]
    };
    let slow = times(new).iter().zip(times(old)).all(|(new, old)| *new >= old.min(LEAST_SECONDS));
    let mild = new.risk_bps <= old.risk_bps.max(MOST_BPS);
    let covered = old.cover_bps == 0 || (old.cover_bps.min(LEAST_COVER)..=old.cover_bps.max(MOST_BPS)).contains(&new.cover_bps);
    let appeals = old.appeal_seconds == 0 || new.appeal_seconds >= old.appeal_seconds.min(LEAST_SECONDS);
    let seasons = new.season_seconds >= old.season_seconds.min(LEAST_SEASON)
        && new.season_seconds <= old.season_seconds.max(old.cooldown_seconds / 2);
    let longest = old.cooldown_seconds.saturating_mul(2).max(MOST_COOLDOWN);
    let exits = (old.cooldown_seconds..=longest).contains(&new.cooldown_seconds);
    let reward = new.min_reward <= old.min_reward.saturating_mul(2).max(MOST_MIN_REWARD);
    let stake = new.min_stake <= old.min_stake.saturating_mul(2).max(MOST_MIN_STAKE);
    let seats = new.min_seats >= old.min_seats.min(LEAST_SEATS);
    let fee = new.fee_min <= old.fee_min.saturating_mul(2).max(MOST_FEE_MIN);
    let most = old.max_seat_weight;
    let weight = (most / 2..=most.saturating_mul(2)).contains(&new.max_seat_weight);
    let drawn = new.draw_seconds >= old.draw_seconds.min(draw_time(new));
    let open = reward && stake && seats && fee && weight && drawn;
    require(slow && mild && covered && appeals && seasons && exits && open, Error::BAD_CONFIG)
}

#[cfg(test)]
#[path = "params_test.rs"]
mod tests;
