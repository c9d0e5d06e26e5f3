use crate::rule::court::Court;
use crate::rule::random::Random;
use crate::state::case::result::{MAJORITY, MINORITY};
use crate::state::case::{Case, MAX_SEATS};
use crate::state::roster::{ACTIVE, Entry, Roster};
use crate::sysvar::Clock;
use crate::vectors::{load, long, longs};
use bytemuck::Zeroable;
use std::vec::Vec;

const CLOCK: Clock = Clock { slot: 1, time: 1 };

/// The shares of winners with these weights; their judges are on the roster.
fn shares(pot: u64, weights: &[u64]) -> Vec<u64> {
    let (mut case, mut roster) = (Case::zeroed(), Roster::zeroed());
    let mut entries = [Entry { state: ACTIVE, ..Entry::zeroed() }; MAX_SEATS];
    case.seats = weights.len() as u8;
    for (i, (seat, weight)) in case.panel.iter_mut().zip(weights).enumerate() {
        (seat.weight, seat.index, seat.result) = (*weight, i as u16, MAJORITY);
    }
    let mut court = Court { case: &mut case, roster: &mut roster, entries: &mut entries, clock: CLOCK };
    court.share(pot, MAJORITY).unwrap();
    let rewards: Vec<u64> = entries[..weights.len()].iter().map(|entry| entry.rewards).collect();
    assert_eq!((roster.total_rewards, rewards.iter().sum::<u64>()), (pot, pot));
    assert_eq!(case.seated().iter().map(|seat| seat.earned).collect::<Vec<_>>(), rewards);
    rewards
}

#[test]
fn shares_are_those_of_the_vectors() {
    let vectors = load("arithmetic.json");
    let all = vectors["shares"].as_array().unwrap();
    assert!(all.len() >= 20);
    for case in all {
        assert_eq!(shares(long(&case["pot"]), &longs(&case["weights"])), longs(&case["shares"]));
    }
}

#[test]
fn shares_agree_with_u128() {
    let mut random = Random::new(4);
    for _ in 0..3_000 {
        let pot = random.number();
        let weights: Vec<u64> = (0..=random.below(27)).map(|_| (random.number() >> 14) + 1).collect();
        let total: u128 = weights.iter().map(|&weight| weight as u128).sum();
        let upto = |n: usize| weights[..n].iter().map(|&w| w as u128).sum::<u128>() * pot as u128 / total;
        let naive: Vec<u64> = (0..weights.len()).map(|i| (upto(i + 1) - upto(i)) as u64).collect();
        assert_eq!(shares(pot, &weights), naive);
    }
}

#[test]
fn what_nobody_can_get_is_carried() {
    let (mut case, mut roster) = (Case::zeroed(), Roster::zeroed());
    let mut entries = [Entry::zeroed(); 2];
    entries[0].state = ACTIVE;
    case.seats = 2;
    for (i, seat) in case.panel.iter_mut().enumerate() {
        (seat.weight, seat.index, seat.result) = (1, i as u16, MAJORITY);
    }
    let mut court = Court { case: &mut case, roster: &mut roster, entries: &mut entries, clock: CLOCK };
    court.share(11, MAJORITY).unwrap();
    assert_eq!((court.entries[0].rewards, court.entries[1].rewards, court.roster.carry), (5, 0, 6));
    assert_eq!((court.case.panel[0].earned, court.case.panel[1].earned), (5, 0));
    court.share(7, MINORITY).unwrap();
    assert_eq!((roster.total_rewards, roster.carry), (5, 13));
}
