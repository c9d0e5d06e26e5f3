use super::*;
use crate::rule::random::Random;
use bytemuck::Zeroable;
use std::vec::Vec;

/// A change of a judge, and its slot.
#[derive(Clone, Copy)]
enum Move {
    Added(u64),
    Lost(u64),
    Left,
}

/// The view of a draw with a seed slot, from the full list of changes: the rule of the protocol.
fn naive(moves: &[(u64, Move)], seed: u64) -> (u64, bool) {
    let (mut stake, mut sits) = (0, true);
    for (slot, done) in moves {
        match done {
            Move::Added(amount) if *slot < seed => stake += amount,
            Move::Lost(amount) if *slot < seed / WINDOW * WINDOW => stake -= amount,
            Move::Left if *slot < seed => sits = false,
            _ => {}
        }
    }
    (stake, sits)
}

#[test]
fn a_draw_sees_what_was_whatever_comes_after() {
    let mut random = Random::new(20);
    let (mut refused, mut taken) = (0, 0);
    for _ in 0..300 {
        let mut slot = 10_000 + random.below(WINDOW);
        let stake = 1_000_000 + random.below(1_000);
        let mut entry = Entry { state: ACTIVE, stake, fresh: stake, fresh_slot: slot, ..Entry::zeroed() };
        let mut moves: Vec<(u64, Move)> = std::vec![(slot, Move::Added(stake))];
        for _ in 0..60 {
            slot += [0, 1, 30, 200, 600][random.below(5) as usize];
            let amount = 1 + random.below(3_000);
            match random.below(12) {
                0..5 => match entry.add(amount, slot) {
                    Ok(()) => moves.push((slot, Move::Added(amount))),
                    Err(error) => {
                        assert_eq!(error, Error::STILL_FRESH);
                        refused += 1;
                    }
                },
                5..11 => moves.push((slot, Move::Lost(entry.lose(amount, slot).unwrap()))),
                _ if entry.state == ACTIVE => {
                    (entry.state, entry.exit_slot) = (EXITING, slot);
                    moves.push((slot, Move::Left));
                }
                _ => {}
            }
            taken += 1;
            // Draws are made in the slot after the seed slot, or up to a window later.
            for seed in [slot - 1, slot, slot - random.below(WINDOW), slot - WINDOW] {
                assert!(!outdated(seed, slot));
                assert_eq!(
                    (entry.stake_at(seed), entry.sits_at(seed)),
                    naive(&moves, seed),
                    "{seed} in {slot}"
                );
            }
        }
    }
    assert!(refused > 1_000 && taken > 10_000, "{refused} {taken}");
}

#[test]
fn stake_is_added_once_in_a_window() {
    let mut entry = Entry { state: ACTIVE, stake: 5, fresh: 5, fresh_slot: 100, ..Entry::zeroed() };
    assert_eq!(entry.add(1, 100), Ok(()));
    assert_eq!((entry.stake, entry.fresh), (6, 6));
    assert_eq!([entry.add(1, 101), entry.add(1, 612)], [Err(Error::STILL_FRESH); 2]);
    assert_eq!(entry.add(1, 613), Ok(()));
    assert_eq!((entry.stake, entry.fresh, entry.fresh_slot), (7, 1, 613));
    assert_eq!(entry.add(u64::MAX, 613), Err(Error::OVERFLOW));
}

#[test]
fn a_seed_slot_is_good_for_a_window() {
    assert_eq!([outdated(100, 99), outdated(100, 612), outdated(100, 613)], [false, false, true]);
}
