//! The verdict of a round; protocol section 6, Tally.

use crate::arith::product_exceeds;
use crate::state::case::{ABSTAIN, ACCEPT, Case, NONE, REJECT};

/// The verdict of the round: [`ACCEPT`], [`REJECT`], or [`NONE`] without a quorum.
///
/// Quorum: `3·(accept + reject) ≥ 2·seated`. Accept wins if `100·accept > 66·(accept + reject)`.
/// No sum can wrap, because 28 seats weigh at most 28·2^50.
pub fn verdict(case: &Case) -> u8 {
    let sides = case.accept_weight + case.reject_weight;
    if sides == 0 || product_exceeds(2, case.seated_weight, 3, sides) {
        return NONE;
    }
    if product_exceeds(100, case.accept_weight, 66, sides) { ACCEPT } else { REJECT }
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

    fn of(accept: u64, reject: u64, seated: u64) -> u8 {
        let mut case = Case::zeroed();
        (case.accept_weight, case.reject_weight, case.seated_weight) = (accept, reject, seated);
        verdict(&case)
    }

    #[test]
    fn verdicts_are_those_of_the_vectors() {
        let vectors = load("arithmetic.json");
        let verdicts = vectors["verdicts"].as_array().unwrap();
        assert!(verdicts.len() >= 10);
        for case in verdicts {
            let found = of(long(&case["accept"]), long(&case["reject"]), long(&case["seated"]));
            assert_eq!(found as u64, small(&case["verdict"]), "{case}");
            assert_eq!(found != NONE, case["quorum"].as_bool().unwrap(), "{case}");
        }
    }

    #[test]
    fn nineteen_of_28_pay_and_eighteen_do_not() {
        for accept in 0..=28 {
            assert_eq!(of(accept, 28 - accept, 28), if accept >= 19 { ACCEPT } else { REJECT });
        }
        assert_eq!((of(18, 0, 28), of(19, 0, 28), of(0, 19, 28), of(0, 0, 28)), (NONE, ACCEPT, REJECT, NONE));
    }

    #[test]
    fn verdicts_agree_with_u128() {
        let mut random = Random::new(3);
        for _ in 0..50_000 {
            let [a, r, rest] = [0; 3].map(|_| random.number() >> 9);
            let (accept, reject, seated) = (a as u128, r as u128, a as u128 + r as u128 + rest as u128);
            let naive = if accept + reject == 0 || 3 * (accept + reject) < 2 * seated {
                NONE
            } else if 100 * accept > 66 * (accept + reject) {
                ACCEPT
            } else {
                REJECT
            };
            assert_eq!(of(a, r, seated as u64), naive, "{a} {r} {rest}");
        }
    }
}
