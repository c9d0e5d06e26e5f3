//! The price of a claim, the bond of an objection and the fee of a payment; protocol section 6.

use crate::arith;
use crate::error::Outcome;
use crate::state::case::MAX_SEATS;
use crate::state::rules::Rules;
use crate::state::task::{FIRST_COME, Task};

/// Basis points in a whole.
pub const BPS: u64 = 10_000;

/// The price at a time of the market: `reward` while the task is claimed, else from reward_min to
/// reward_max, and never more than the escrow.
pub fn price(task: &Task, market: i64) -> Outcome<u64> {
    if task.reward != 0 {
        return Ok(task.reward);
    }
    if task.auction == FIRST_COME {
        return Ok(task.reward_max.min(task.escrow));
    }
    let (elapsed, seconds) = (run(task, market) as u64, task.auction_seconds as u64);
    let span = arith::sub(task.reward_max, task.reward_min)?;
    let price = arith::add(task.reward_min, arith::mul_div(span, elapsed, seconds)?)?;
    Ok(price.min(task.escrow))
}

/// How long the auction of an unclaimed task has run, at most its length. A clock that went back
/// counts as no time.
pub fn run(task: &Task, market: i64) -> u32 {
    market.saturating_sub(task.auction_from).clamp(0, task.auction_seconds as i64) as u32
}

/// The cost of a seat for the loser of a dispute about this task. Its terms may raise it.
pub fn fee(rules: &Rules, task: &Task) -> Outcome<u64> {
    Ok(arith::mul_div(task.reward, rules.fee_bps as u64, BPS)?.max(rules.fee_min).max(task.fee_min))
}

/// A party's bond: its share of the reward, at least the fees of the panel and of an appeal.
pub fn bond(rules: &Rules, task: &Task, bps: u16) -> Outcome<u64> {
    let least = arith::mul(fee(rules, task)?, bonded(task.seats))?;
    Ok(arith::mul_div(task.reward, bps as u64, BPS)?.max(least))
}

/// The seats whose fees a bond covers: those of the panel, and of the largest appeal.
fn bonded(seats: u8) -> u64 {
    seats as u64 + MAX_SEATS as u64
}

/// Whether the bonds that the terms' fee asks for stay within the least reward. Otherwise a creator
/// could make a counter-objection dearer than any worker can pay.
pub fn affordable(fee_min: u64, seats: u8, reward_min: u64) -> bool {
    !arith::product_exceeds(fee_min, bonded(seats), reward_min, 1)
}

/// The bond of a claim.
pub fn claim(reward_max: u64, bps: u16) -> Outcome<u64> {
    arith::mul_div(reward_max, bps as u64, BPS)
}

/// The Pot's share of a payment of a worker.
pub fn trade(payment: u64, bps: u16) -> Outcome<u64> {
    arith::mul_div(payment, bps as u64, BPS)
}

/// Whether a share of the weight of all judges covers the reward. 0: there is no limit.
pub fn covered(reward_max: u64, weight: u64, bps: u16) -> bool {
    bps == 0 || !arith::product_exceeds(reward_max, BPS, weight, bps as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::random::Random;
    use crate::vectors::{load, long, small};
    use bytemuck::Zeroable;

    fn task(auction: u8, min: u64, max: u64, seconds: u32) -> Task {
        let (reward_min, reward_max, escrow) = (min, max, max);
        Task { auction, reward_min, reward_max, escrow, auction_seconds: seconds, ..Task::zeroed() }
    }

    #[test]
    fn prices_are_those_of_the_vectors() {
        let vectors = load("arithmetic.json");
        let prices = vectors["prices"].as_array().unwrap();
        assert!(prices.len() >= 20);
        for case in prices {
            let mut task = task(
                small(&case["auction"]) as u8,
                long(&case["reward_min"]),
                long(&case["reward_max"]),
                small(&case["auction_seconds"]) as u32,
            );
            (task.reward, task.escrow) = (long(&case["reward"]), long(&case["escrow"]));
            task.auction_from = small(&case["auction_from"]) as i64;
            assert_eq!(price(&task, small(&case["now"]) as i64), Ok(long(&case["price"])), "{case}");
        }
    }

    #[test]
    fn bonds_are_those_of_the_vectors() {
        let vectors = load("arithmetic.json");
        let bonds = vectors["bonds"].as_array().unwrap();
        assert!(bonds.len() >= 20);
        for case in bonds {
            let word = |name: &str| small(&case[name]) as u16;
            let (mut rules, mut task) = (Rules::zeroed(), Task::zeroed());
            (rules.fee_min, rules.fee_bps) = (long(&case["fee_min"]), word("fee_bps"));
            (task.seats, task.reward, task.fee_min) =
                (word("seats") as u8, long(&case["reward"]), long(&case["raised"]));
            assert_eq!(fee(&rules, &task), Ok(long(&case["fee"])), "{case}");
            assert_eq!(bond(&rules, &task, word("creator_bps")), Ok(long(&case["creator"])), "{case}");
            assert_eq!(bond(&rules, &task, word("worker_bps")), Ok(long(&case["worker"])), "{case}");
        }
    }

    #[test]
    fn fees_are_those_of_the_vectors() {
        let vectors = load("arithmetic.json");
        let fees = vectors["fees"].as_array().unwrap();
        assert!(fees.len() >= 20);
        for case in fees {
            let (payment, bps) = (long(&case["payment"]), small(&case["trade_bps"]) as u16);
            assert_eq!(trade(payment, bps), Ok(long(&case["fee"])), "{case}");
            assert!(long(&case["fee"]) <= payment);
        }
    }

    #[test]
    fn prices_agree_with_u128() {
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let (one, two) = (random.number(), random.number());
            let (min, max) = (one.min(two), one.max(two));
            let seconds = (random.number() % 2_592_000) as u32 + 1;
            let elapsed = (random.number() % 4_000_000) as i64 - 1_000;
            let counted = (elapsed.max(0) as u128).min(seconds as u128);
            let naive = min as u128 + (max - min) as u128 * counted / seconds as u128;
            let now = 1_800_000_000;
            let mut task = task(1, min, max, seconds);
            task.auction_from = now - elapsed;
            assert_eq!(price(&task, now), Ok(naive as u64));
        }
    }
}
