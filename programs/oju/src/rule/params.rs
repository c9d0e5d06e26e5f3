//! The parameters as an instruction brings them, and their ranges (protocol sections 4 and 5).

use crate::error::{Error, Outcome, require};
use crate::rule::price::BPS;
use crate::state::case::MAX_SEATS;
use crate::state::config::Config;
use crate::state::roster::MAX_JUDGES;
use crate::wire::Reader;

const DAY: u32 = 86_400;
const MONTH: u32 = 30 * DAY;
const MAX_WEIGHT: u64 = 1 << 50;
const MAX_ROUNDS: u8 = 3;
const MAX_DELAY: u16 = 256;
/// So much of a payment, a tenth, is the Pot's at most.
const MAX_TRADE: u16 = 1_000;
/// So much of the highest reward, a fifth, is the bond of a claim at most.
const MAX_CLAIM: u16 = 2_000;

/// Reads the parameters into a Config, whose other fields stay.
pub fn read(arguments: &mut Reader, config: &mut Config) -> Outcome {
    config.network = *arguments.bytes()?;
    config.min_stake = arguments.u64()?;
    config.max_seat_weight = arguments.u64()?;
    config.min_bond = arguments.u64()?;
    config.min_reward = arguments.u64()?;
    config.commit_seconds = arguments.u32()?;
    config.reveal_seconds = arguments.u32()?;
    config.verify_seconds = arguments.u32()?;
    config.answer_seconds = arguments.u32()?;
    config.cooldown_seconds = arguments.u32()?;
    config.draw_seconds = arguments.u32()?;
    config.evidence_seconds = arguments.u32()?;
    config.min_work_seconds = arguments.u32()?;
    config.bond_bps = arguments.u16()?;
    config.absent_bps = arguments.u16()?;
    config.minority_bps = arguments.u16()?;
    config.equivocation_bps = arguments.u16()?;
    config.abstain_bps = arguments.u16()?;
    config.abstain_free = arguments.u16()?;
    config.max_judges = arguments.u16()?;
    config.draw_delay_slots = arguments.u16()?;
    config.trade_bps = arguments.u16()?;
    config.claim_bps = arguments.u16()?;
    config.max_rounds = arguments.u8()?;
    config.panel_seats = arguments.u8()?;
    config.min_seats = arguments.u8()?;
    config.max_reworks = arguments.u8()?;
    Ok(())
}

/// [`Error::BAD_CONFIG`] unless every parameter is in its range.
pub fn check(config: &Config) -> Outcome {
    let shares = [
        config.bond_bps,
        config.absent_bps,
        config.minority_bps,
        config.equivocation_bps,
        config.abstain_bps,
    ];
    let fine = config.paused <= 1
        && amounts(config)
        && panel(config)
        && durations(config)
        && shares.iter().all(|&bps| bps as u64 <= BPS)
        && outlasts(config);
    require(fine, Error::BAD_CONFIG)
}

fn amounts(config: &Config) -> bool {
    let weights = 1 <= config.min_stake && config.min_stake <= config.max_seat_weight;
    let shares = config.trade_bps <= MAX_TRADE && config.claim_bps <= MAX_CLAIM;
    weights && config.max_seat_weight <= MAX_WEIGHT && config.min_reward >= 1 && shares
}

fn panel(config: &Config) -> bool {
    (1..=MAX_ROUNDS).contains(&config.max_rounds)
        && (1..=MAX_SEATS as u8).contains(&config.panel_seats)
        && (1..=config.panel_seats).contains(&config.min_seats)
        && (config.min_seats as u16..=MAX_JUDGES as u16).contains(&config.max_judges)
        && (1..=MAX_DELAY).contains(&config.draw_delay_slots)
}

fn durations(config: &Config) -> bool {
    let day = [config.commit_seconds, config.reveal_seconds, config.draw_seconds, config.min_work_seconds];
    let month = [config.verify_seconds, config.answer_seconds];
    day.iter().all(|seconds| (1..=DAY).contains(seconds))
        && month.iter().all(|seconds| (1..=MONTH).contains(seconds))
        && config.evidence_seconds <= MONTH
}

/// The cooldown outlasts the longest case and the time for evidence, so no judge leaves unpunished.
fn outlasts(config: &Config) -> bool {
    let round = config.draw_seconds + config.commit_seconds + config.reveal_seconds;
    let case = (0..config.max_rounds).map(|_| round).sum::<u32>();
    config.cooldown_seconds >= config.evidence_seconds + case
}

#[cfg(test)]
#[path = "params_test.rs"]
mod tests;
