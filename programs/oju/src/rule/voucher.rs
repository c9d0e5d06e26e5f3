//! How much of a voucher is paid: the rule of `pull_payment` as a function of numbers.

use crate::error::{Error, Outcome, require};

/// The signed content of a voucher, without payer and payee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Voucher {
    /// Lamports that are promised in all, those of earlier vouchers included.
    pub cumulative: u64,
    /// Unix seconds from which on it cannot be pulled.
    pub expires: i64,
}

impl Voucher {
    /// The lamports to move now: the difference between `paid` and the promise, as far as
    /// `vault` goes. More than 0, and at most `vault` and the rest up to `cumulative`.
    pub fn pull(&self, now: i64, paid: u64, vault: u64) -> Outcome<u64> {
        require(now < self.expires, Error::VOUCHER_EXPIRED)?;
        require(paid < self.cumulative, Error::VOUCHER_SPENT)?;
        require(vault > 0, Error::VAULT_EMPTY)?;
        Ok(vault.min(self.cumulative - paid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::random::Random;

    const MAX: u64 = u64::MAX;

    #[test]
    fn what_lacks_moves_as_far_as_the_vault_goes() {
        let voucher = Voucher { cumulative: 100, expires: 50 };
        for (now, paid, vault, expected) in [
            (49, 0, 1_000, Ok(100)),
            (49, 0, 100, Ok(100)),
            (49, 0, 99, Ok(99)),
            (49, 99, 1_000, Ok(1)),
            (49, 99, 1, Ok(1)),
            (i64::MIN, 40, 1_000, Ok(60)),
            (50, 0, 1_000, Err(Error::VOUCHER_EXPIRED)),
            (i64::MAX, 0, 1_000, Err(Error::VOUCHER_EXPIRED)),
            (49, 100, 1_000, Err(Error::VOUCHER_SPENT)),
            (49, 101, 1_000, Err(Error::VOUCHER_SPENT)),
            (49, MAX, 1_000, Err(Error::VOUCHER_SPENT)),
            (49, 0, 0, Err(Error::VAULT_EMPTY)),
        ] {
            assert_eq!(voucher.pull(now, paid, vault), expected, "{now} {paid} {vault}");
        }
    }

    #[test]
    fn the_first_rule_that_is_broken_is_told() {
        let voucher = Voucher { cumulative: 1, expires: 0 };
        assert_eq!(voucher.pull(0, 1, 0), Err(Error::VOUCHER_EXPIRED));
        assert_eq!(voucher.pull(-1, 1, 0), Err(Error::VOUCHER_SPENT));
        assert_eq!(voucher.pull(-1, 0, 0), Err(Error::VAULT_EMPTY));
    }

    #[test]
    fn a_voucher_of_nothing_or_of_all_there_can_be() {
        let never = i64::MAX;
        assert_eq!(Voucher { cumulative: 0, expires: never }.pull(0, 0, 9), Err(Error::VOUCHER_SPENT));
        assert_eq!(Voucher { cumulative: MAX, expires: never }.pull(0, 0, MAX), Ok(MAX));
        assert_eq!(Voucher { cumulative: MAX, expires: never }.pull(0, MAX - 1, MAX), Ok(1));
        assert_eq!(
            Voucher { cumulative: 9, expires: i64::MIN }.pull(i64::MIN, 0, 9),
            Err(Error::VOUCHER_EXPIRED)
        );
    }

    /// Vouchers in any order, any number of times, against a vault
    /// that is refilled now and then, pay exactly the highest of them.
    #[test]
    fn whatever_the_order_the_highest_is_paid_once() {
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let (mut paid, mut vault, mut filled) = (0, 0, 0);
            let mut highest = 0;
            for _ in 0..20 {
                let more = random.below(60);
                (vault, filled) = (vault + more, filled + more);
                let cumulative = random.below(200);
                highest = highest.max(cumulative);
                if let Ok(amount) = (Voucher { cumulative, expires: 1 }).pull(0, paid, vault) {
                    assert!(amount > 0 && amount <= vault);
                    (paid, vault) = (paid + amount, vault - amount);
                }
                assert!(paid <= highest);
                assert_eq!(paid + vault, filled);
            }
            if let Ok(rest) = (Voucher { cumulative: highest, expires: 1 }).pull(0, paid, MAX) {
                paid += rest;
            }
            assert_eq!(paid, highest);
        }
    }
}
