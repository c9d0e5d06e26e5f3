//! Checked 64-bit arithmetic without the 128-bit type.
//!
//! LLVM 22's BPF back end cannot call `__multi3` or `__udivti3`, so `u128` products
//! and quotients, `u64::checked_mul` and a plain `*` under overflow checks do not
//! compile. Products use 32-bit limbs instead. The compiler checks `+` and `-` on
//! `u64`, which panic. Money uses [`add`] and [`sub`], which return an error code.

use crate::error::{Error, Outcome};

const LIMB: u64 = 0xffff_ffff;

/// `a + b`, or [`Error::OVERFLOW`].
#[inline(always)]
pub fn add(a: u64, b: u64) -> Outcome<u64> {
    a.checked_add(b).ok_or(Error::OVERFLOW)
}

/// `a - b`, or [`Error::OVERFLOW`].
#[inline(always)]
pub fn sub(a: u64, b: u64) -> Outcome<u64> {
    a.checked_sub(b).ok_or(Error::OVERFLOW)
}

/// `a * b`, or [`Error::OVERFLOW`].
#[inline]
pub fn mul(a: u64, b: u64) -> Outcome<u64> {
    match wide(a, b) {
        (0, low) => Ok(low),
        _ => Err(Error::OVERFLOW),
    }
}

/// `a * b / c` rounded down, with a 128-bit product.
/// [`Error::OVERFLOW`] if `c` is zero or the quotient does not fit.
#[inline]
pub fn mul_div(a: u64, b: u64, c: u64) -> Outcome<u64> {
    divide(wide(a, b), c)
}

/// Whether `a * b > c * d`, exactly.
#[inline]
pub fn product_exceeds(a: u64, b: u64, c: u64, d: u64) -> bool {
    wide(a, b) > wide(c, d)
}

/// The 128-bit product as `(high, low)`. No sum below can wrap: each is at most 2^64 - 1.
#[inline(always)]
fn wide(a: u64, b: u64) -> (u64, u64) {
    let (a1, a0, b1, b0) = (a >> 32, a & LIMB, b >> 32, b & LIMB);
    let low = a0.wrapping_mul(b0);
    let (mid1, mid2) = (a0.wrapping_mul(b1), a1.wrapping_mul(b0));
    let mid = (low >> 32).wrapping_add(mid1 & LIMB).wrapping_add(mid2 & LIMB);
    let high = a1.wrapping_mul(b1).wrapping_add(mid1 >> 32).wrapping_add(mid2 >> 32);
    (high.wrapping_add(mid >> 32), (mid << 32) | (low & LIMB))
}

/// Quotient of a 128-bit number by a 64-bit one, rounded down.
#[inline(never)]
fn divide(number: (u64, u64), divisor: u64) -> Outcome<u64> {
    let (high, low) = number;
    if high >= divisor {
        return Err(Error::OVERFLOW);
    }
    if high == 0 {
        return Ok(low / divisor);
    }
    if divisor <= LIMB {
        return Ok(divide_by_limb(high, low, divisor));
    }
    Ok(divide_by_two_limbs(high, low, divisor))
}

/// School division with a divisor of one limb: every partial dividend fits in 64 bits.
#[inline(always)]
fn divide_by_limb(high: u64, low: u64, divisor: u64) -> u64 {
    let upper = (high << 32) | (low >> 32);
    let lower = ((upper % divisor) << 32) | (low & LIMB);
    ((upper / divisor) << 32) | (lower / divisor)
}

/// Knuth's algorithm D (The Art of Computer Programming 2, 4.3.1) with a divisor of two limbs,
/// shifted until its top bit is set, so that an estimated digit is at most two too large.
#[inline(always)]
fn divide_by_two_limbs(high: u64, low: u64, divisor: u64) -> u64 {
    let shift = divisor.leading_zeros();
    let divisor = divisor << shift;
    // `low >> 1 >> (63 - shift)` is `low >> (64 - shift)` that is also right for a shift of zero.
    let high = (high << shift) | (low >> 1 >> (63 - shift));
    let low = low << shift;
    let (upper, rest) = digit(high, low >> 32, divisor);
    let (lower, _) = digit(rest, low & LIMB, divisor);
    (upper << 32) | lower
}

/// One 32-bit digit of `(high * 2^32 + next) / divisor`, with the rest. A guess of over 32 bits
/// needs no test, because `high < divisor` makes its `rest` so small that the comparison holds.
#[inline(always)]
fn digit(high: u64, next: u64, divisor: u64) -> (u64, u64) {
    let (top, bottom) = (divisor >> 32, divisor & LIMB);
    let mut guess = high / top;
    let mut rest = high % top;
    while guess.wrapping_mul(bottom) > ((rest << 32) | next) {
        guess = guess.wrapping_sub(1);
        rest = rest.wrapping_add(top);
        if rest > LIMB {
            break;
        }
    }
    let left = ((high << 32) | next).wrapping_sub(guess.wrapping_mul(divisor));
    (guess, left)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at which limbs carry, and the ends.
    const EDGES: [u64; 15] = [
        0,
        1,
        2,
        3,
        66,
        10_000,
        LIMB - 1,
        LIMB,
        LIMB + 1,
        LIMB << 32,
        1 << 63,
        (1 << 63) - 1,
        (1 << 63) | 1,
        u64::MAX - 1,
        u64::MAX,
    ];

    /// SplitMix64 with random leading zeros, because plain random numbers miss short cases.
    struct Random(u64);

    impl Random {
        fn bits(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        fn number(&mut self) -> u64 {
            let shift = self.bits() % 64;
            self.bits() >> shift
        }
    }

    fn oracle(a: u64, b: u64, c: u64) -> Outcome<u64> {
        if c == 0 {
            return Err(Error::OVERFLOW);
        }
        u64::try_from(a as u128 * b as u128 / c as u128).map_err(|_| Error::OVERFLOW)
    }

    fn agree(a: u64, b: u64, c: u64) {
        assert_eq!(mul_div(a, b, c), oracle(a, b, c), "{a} * {b} / {c}");
        assert_eq!(mul(a, b), a.checked_mul(b).ok_or(Error::OVERFLOW), "{a} * {b}");
    }

    #[test]
    fn edges_agree_with_u128() {
        for a in EDGES {
            for b in EDGES {
                for c in EDGES {
                    agree(a, b, c);
                    let exceeds = a as u128 * b as u128 > c as u128 * a as u128;
                    assert_eq!(product_exceeds(a, b, c, a), exceeds);
                }
            }
        }
    }

    #[test]
    fn random_numbers_agree_with_u128() {
        let mut random = Random(1);
        for _ in 0..2_000_000 {
            let (a, b, c) = (random.number(), random.number(), random.number());
            agree(a, b, c);
        }
    }

    #[test]
    fn quotients_just_below_the_limit_agree_with_u128() {
        let mut random = Random(2);
        for _ in 0..500_000 {
            let (a, c) = (random.number() | 1, random.number() | 1);
            let b = c.saturating_add(random.bits() % 3).saturating_sub(1);
            agree(a, b, c);
        }
    }

    #[test]
    fn sums_and_differences_are_checked() {
        assert_eq!(add(u64::MAX, 0), Ok(u64::MAX));
        assert_eq!(add(u64::MAX, 1), Err(Error::OVERFLOW));
        assert_eq!(sub(1, 1), Ok(0));
        assert_eq!(sub(0, 1), Err(Error::OVERFLOW));
    }
}
