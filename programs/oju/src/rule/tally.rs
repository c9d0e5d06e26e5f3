//! The verdict of a round; protocol section 6, Tally.

use core::cmp::Ordering;

use crate::arith::product_exceeds;
use crate::state::case::{ABSTAIN, ACCEPT, Case, NONE, REJECT};

/// The verdict of the round: [`ACCEPT`], [`REJECT`], or [`NONE`] without a quorum.
///
/// Quorum: two thirds of the seated weight revealed any choice, and 51 % of it took a side, so a
/// third alone cannot accept. Accept wins if `100·accept > 66·(accept + reject)`, where the votes
/// of a first panel that decided nothing count with those of the appeal. No sum can wrap, because
/// 56 seats weigh at most 56·2^50.
pub fn verdict(case: &Case) -> u8 {
    let sides = case.accept_weight + case.reject_weight;
    let few = product_exceeds(2, case.seated_weight, 3, sides + case.abstain_weight)
        || product_exceeds(51, case.seated_weight, 100, sides);
    if sides == 0 || few {
        return NONE;
    }
    // Only after a quorum of its own does an appeal count the votes of the first panel.
    let (accept, reject) = case.sides();
    if product_exceeds(100, accept, 66, accept + reject) { ACCEPT } else { REJECT }
}

/// The side with more weight, or [`NONE`].
pub fn larger(case: &Case) -> u8 {
    match case.accept_weight.cmp(&case.reject_weight) {
        Ordering::Greater => ACCEPT,
        Ordering::Less => REJECT,
        Ordering::Equal => NONE,
    }
}

/// Whether one side has more than two thirds of both. It is then the side of the verdict. If the
/// votes of two panels decide, that side is clear in both together and among those of this panel,
/// so that no seat loses for what most of its panel said.
pub fn clear(case: &Case) -> bool {
    let (own, all) = ((case.accept_weight, case.reject_weight), case.sides());
    let beyond = |(accept, reject): (u64, u64)| product_exceeds(3, accept.max(reject), 2, accept + reject);
    beyond(own) && beyond(all) && (own.0 > own.1) == (all.0 > all.1)
}

/// The tally that a choice counts for.
pub fn side(case: &mut Case, choice: u8) -> Option<&mut u64> {
    match choice {
        ACCEPT => Some(&mut case.accept_weight),
        REJECT => Some(&mut case.reject_weight),
        ABSTAIN => Some(&mut case.abstain_weight),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::random::Random;
    use crate::vectors::{load, long, small};
    use bytemuck::Zeroable;

    fn tally(accept: u64, reject: u64, abstain: u64, seated: u64) -> Case {
        let mut case = Case::zeroed();
        (case.accept_weight, case.reject_weight) = (accept, reject);
        (case.abstain_weight, case.seated_weight) = (abstain, seated);
        case
    }

    #[test]
    fn verdicts_are_those_of_the_vectors() {
        let vectors = load("arithmetic.json");
        let verdicts = vectors["verdicts"].as_array().unwrap();
        assert!(verdicts.len() >= 20);
        for case in verdicts {
            let weight = |name: &str| long(&case[name]);
            let found = tally(weight("accept"), weight("reject"), weight("abstain"), weight("seated"));
            assert_eq!(verdict(&found) as u64, small(&case["verdict"]), "{case}");
            assert_eq!(clear(&found), case["clear"].as_bool().unwrap(), "{case}");
        }
    }

    #[test]
    fn nineteen_of_28_pay_and_eighteen_do_not() {
        for accept in 0..=28 {
            let found = verdict(&tally(accept, 28 - accept, 0, 28));
            assert_eq!(found, if accept >= 19 { ACCEPT } else { REJECT });
        }
        let alone = |accept, reject, abstain| verdict(&tally(accept, reject, abstain, 28));
        assert_eq!(
            (alone(18, 0, 0), alone(19, 0, 0), alone(0, 19, 0), alone(0, 0, 0)),
            (NONE, ACCEPT, REJECT, NONE)
        );
        assert_eq!((alone(14, 0, 14), alone(15, 0, 4), alone(10, 5, 13)), (NONE, ACCEPT, ACCEPT));
    }

    #[test]
    fn verdicts_agree_with_u128() {
        let mut random = Random::new(3);
        for _ in 0..50_000 {
            let [a, r, b, rest] = [0; 4].map(|_| random.number() >> 9 >> random.below(9));
            let (accept, reject, seated) =
                (a as u128, r as u128, [a, r, b, rest].map(|x| x as u128).iter().sum::<u128>());
            let sides = accept + reject;
            let naive = if sides == 0 || 3 * (sides + b as u128) < 2 * seated || 100 * sides < 51 * seated {
                NONE
            } else if 100 * accept > 66 * sides {
                ACCEPT
            } else {
                REJECT
            };
            let found = tally(a, r, b, seated as u64);
            assert_eq!(verdict(&found), naive, "{a} {r} {b} {rest}");
            assert_eq!(clear(&found), 3 * accept.max(reject) > 2 * sides);
            assert_eq!(
                larger(&found),
                if a > r {
                    ACCEPT
                } else if a < r {
                    REJECT
                } else {
                    NONE
                }
            );
        }
    }
}
