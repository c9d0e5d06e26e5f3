//! Clock, rent and slot hashes, read through `sol_get_sysvar`, so that no sysvar account is passed.
//!
//! pinocchio 0.11.2's own `Clock::get` and `Rent::get` look at `target_os` alone: built by upstream Rust they
//! compile to the host's stub and fail on chain. `get_sysvar` has the right gate. Never call `Sysvar::get`,
//! nor pinocchio-system's helpers that fetch the rent themselves.

use pinocchio::Address;
use pinocchio::sysvars::clock::CLOCK_ID;
use pinocchio::sysvars::get_sysvar;
use pinocchio::sysvars::rent::RENT_ID;
use pinocchio::sysvars::slot_hashes::SLOTHASHES_ID;

use crate::arith;
use crate::error::{Error, Outcome};

/// Bytes that every account pays rent for besides its data.
const ACCOUNT_OVERHEAD: u64 = 128;
/// Entries that the slot-hashes sysvar keeps.
const MAX_SLOT_HASHES: u64 = 512;
/// Bytes of one entry: slot and hash.
const SLOT_HASH_BYTES: usize = 40;
/// Bytes of the entry count.
const COUNT_BYTES: usize = 8;

/// The chain's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The slot being built.
    pub slot: u64,
    /// Seconds since 1970, as the validators estimate it.
    pub time: u64,
}

/// Reads the clock: slot at byte 0, time as `i64` at byte 32. A time before 1970 is [`Error::SYSVAR`].
#[inline]
pub fn clock() -> Outcome<Clock> {
    let bytes = read::<40>(&CLOCK_ID, 0)?;
    let time = i64::from_le_bytes(chunk(&bytes, 32)?);
    Ok(Clock {
        slot: u64::from_le_bytes(chunk(&bytes, 0)?),
        time: u64::try_from(time).map_err(|_| Error::SYSVAR)?,
    })
}

/// What an account's bytes cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rent {
    lamports_per_byte: u64,
}

impl Rent {
    /// Reads the rate: lamports a byte at byte 0, the exemption threshold as `f64` at byte 8. Clusters older
    /// than SIMD-0194 state half the rate and a threshold of 2.0; any other threshold is [`Error::SYSVAR`].
    #[inline]
    pub fn get() -> Outcome<Rent> {
        Self::parse(&read::<16>(&RENT_ID, 0)?)
    }

    fn parse(bytes: &[u8; 16]) -> Outcome<Rent> {
        let rate = u64::from_le_bytes(chunk(bytes, 0)?);
        let lamports_per_byte = match u64::from_le_bytes(chunk(bytes, 8)?) {
            ONE => rate,
            TWO => arith::add(rate, rate)?,
            _ => return Err(Error::SYSVAR),
        };
        Ok(Rent { lamports_per_byte })
    }

    /// The lamports that an account with `space` bytes of data must hold.
    #[inline]
    pub fn minimum(&self, space: usize) -> Outcome<u64> {
        arith::mul(arith::add(space as u64, ACCOUNT_OVERHEAD)?, self.lamports_per_byte)
    }

    /// The lamports by which the minimum rises with `more` bytes.
    #[inline]
    pub fn of_bytes(&self, more: usize) -> Outcome<u64> {
        arith::mul(more as u64, self.lamports_per_byte)
    }
}

/// The bits of 1.0 and 2.0: there is no floating point on chain.
const ONE: u64 = 0x3ff0_0000_0000_0000;
const TWO: u64 = 0x4000_0000_0000_0000;

/// A past block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotHash {
    /// The slot of the block.
    pub slot: u64,
    /// The block's bank hash.
    pub hash: [u8; 32],
}

/// The first block at or after `slot`.
///
/// The answer for a slot never changes: [`Error::SLOT_NOT_REACHED`] until such a block exists, and
/// [`Error::SLOT_EXPIRED`] once the sysvar, which keeps 512 blocks, may have dropped it. Costs about ten reads.
pub fn slot_hash(slot: u64) -> Outcome<SlotHash> {
    let count = u64::from_le_bytes(read(&SLOTHASHES_ID, 0)?);
    search(&Chain, count, slot)
}

/// The entries of the slot-hashes sysvar, the newest first.
trait Entries {
    fn entry(&self, index: u64) -> Outcome<SlotHash>;
}

struct Chain;

impl Entries for Chain {
    fn entry(&self, index: u64) -> Outcome<SlotHash> {
        let offset = COUNT_BYTES.wrapping_add((index as usize).wrapping_mul(SLOT_HASH_BYTES));
        let bytes = read::<SLOT_HASH_BYTES>(&SLOTHASHES_ID, offset)?;
        Ok(SlotHash { slot: u64::from_le_bytes(chunk(&bytes, 0)?), hash: chunk(&bytes, 8)? })
    }
}

/// Binary search for the oldest entry that is not older than `slot`. Slots fall with the index, with gaps.
fn search(entries: &impl Entries, count: u64, slot: u64) -> Outcome<SlotHash> {
    if count == 0 || count > MAX_SLOT_HASHES {
        return Err(Error::SYSVAR);
    }
    let mut found = entries.entry(0)?;
    if found.slot < slot {
        return Err(Error::SLOT_NOT_REACHED);
    }
    // The entry at `low` is not older than `slot`; the one at `high` is, or does not exist.
    let (mut low, mut high) = (0, count);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let entry = entries.entry(middle)?;
        if entry.slot < slot {
            high = middle;
        } else {
            (low, found) = (middle, entry);
        }
    }
    if high == MAX_SLOT_HASHES && found.slot != slot {
        return Err(Error::SLOT_EXPIRED);
    }
    Ok(found)
}

/// `N` bytes of a sysvar from `offset` on.
#[inline(always)]
fn read<const N: usize>(sysvar: &Address, offset: usize) -> Outcome<[u8; N]> {
    let mut bytes = [0; N];
    get_sysvar(&mut bytes, sysvar, offset).map_err(|_| Error::SYSVAR)?;
    Ok(bytes)
}

#[inline(always)]
fn chunk<const N: usize>(bytes: &[u8], offset: usize) -> Outcome<[u8; N]> {
    let tail = bytes.get(offset..).ok_or(Error::SYSVAR)?;
    tail.first_chunk().copied().ok_or(Error::SYSVAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    impl Entries for Vec<u64> {
        fn entry(&self, index: u64) -> Outcome<SlotHash> {
            let slot = *self.get(index as usize).ok_or(Error::SYSVAR)?;
            Ok(SlotHash { slot, hash: [slot as u8; 32] })
        }
    }

    /// Every third slot has no block.
    fn blocks(newest: u64, count: usize) -> Vec<u64> {
        (0..=newest).rev().filter(|slot| slot % 3 != 0).take(count).collect()
    }

    fn find(slots: &Vec<u64>, slot: u64) -> Outcome<u64> {
        search(slots, slots.len() as u64, slot).map(|found| found.slot)
    }

    #[test]
    fn the_first_block_at_or_after_a_slot_is_found() {
        for count in [1, 2, 3, 7, 100, 511] {
            let slots = blocks(5_000, count);
            for slot in slots[count - 1]..=5_000 {
                let naive = slots.iter().rev().find(|&&block| block >= slot).copied();
                assert_eq!(find(&slots, slot).ok(), naive, "{count} blocks, slot {slot}");
            }
        }
    }

    #[test]
    fn a_slot_without_a_later_block_is_not_reached() {
        assert_eq!(find(&blocks(5_000, 512), 5_001), Err(Error::SLOT_NOT_REACHED));
        assert_eq!(find(&Vec::new(), 1), Err(Error::SYSVAR));
    }

    #[test]
    fn a_dropped_block_is_expired() {
        let slots = blocks(5_000, 512);
        let oldest = slots[511];
        assert_eq!(find(&slots, oldest), Ok(oldest));
        assert_eq!(find(&slots, oldest - 1), Err(Error::SLOT_EXPIRED));
        assert_eq!(find(&blocks(20, 14), 0), Ok(1));
    }

    #[test]
    fn the_answer_is_the_same_as_long_as_there_is_one() {
        let answers: Vec<_> = (4_200..5_600).map(|newest| find(&blocks(newest, 512), 4_500)).collect();
        let found: Vec<_> = answers.iter().filter_map(|answer| answer.ok()).collect();
        assert!(found.len() > 500 && found.iter().all(|&slot| slot == 4_501));
        assert_eq!(answers.first(), Some(&Err(Error::SLOT_NOT_REACHED)));
        assert_eq!(answers.last(), Some(&Err(Error::SLOT_EXPIRED)));
    }

    #[test]
    fn both_forms_of_the_rent_are_one_rate() {
        let form = |rate: u64, threshold: f64| {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&rate.to_le_bytes());
            bytes[8..].copy_from_slice(&threshold.to_le_bytes());
            Rent::parse(&bytes)
        };
        assert_eq!(form(3_480, 2.0), form(6_960, 1.0));
        assert_eq!(form(6_960, 1.0).unwrap().minimum(256), Ok(2_672_640));
        assert_eq!(form(6_960, 1.5), Err(Error::SYSVAR));
        assert_eq!(form(u64::MAX, 1.0).unwrap().minimum(1), Err(Error::OVERFLOW));
    }
}
