//! Clock, rent and slot hashes, read through `sol_get_sysvar`, so that no sysvar account is passed.
//!
//! pinocchio 0.11.2's own `Clock::get` and `Rent::get` check only `target_os`. Built by upstream
//! Rust, they compile to the host's stub and fail on chain. `get_sysvar` has the right gate.
//! Never call `Sysvar::get`, or pinocchio-system's helpers that fetch the rent themselves.

use pinocchio::Address;
use pinocchio::sysvars::clock::CLOCK_ID;
use pinocchio::sysvars::get_sysvar;
use pinocchio::sysvars::rent::RENT_ID;
use pinocchio::sysvars::slot_hashes::SLOTHASHES_ID;

use crate::arith;
use crate::error::{Error, Outcome};

/// Bytes that every account pays rent for in addition to its data.
const ACCOUNT_OVERHEAD: u64 = 128;
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
    pub time: i64,
}

/// Reads the clock: slot at byte 0, time at byte 32.
#[inline(never)]
pub fn clock() -> Outcome<Clock> {
    let bytes = read::<40>(&CLOCK_ID, 0)?;
    Ok(Clock { slot: u64::from_le_bytes(chunk(&bytes, 0)?), time: i64::from_le_bytes(chunk(&bytes, 32)?) })
}

/// The rent of an account's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rent {
    lamports_per_byte: u64,
}

impl Rent {
    /// Reads the rate: lamports for each byte at byte 0, the exemption threshold as `f64` at byte
    /// 8. Before SIMD-0194 the threshold is 2.0 and the rate half. Else [`Error::WRONG_OWNER`].
    #[inline]
    pub fn get() -> Outcome<Rent> {
        Self::parse(&read::<16>(&RENT_ID, 0)?)
    }

    fn parse(bytes: &[u8; 16]) -> Outcome<Rent> {
        let rate = u64::from_le_bytes(chunk(bytes, 0)?);
        let lamports_per_byte = match u64::from_le_bytes(chunk(bytes, 8)?) {
            ONE => rate,
            TWO => arith::add(rate, rate)?,
            _ => return Err(Error::WRONG_OWNER),
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

/// The answer of the slot-hashes sysvar about the blocks at or after a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// There is none yet.
    NotYet,
    /// The first one.
    At(SlotHash),
    /// The oldest block known is later than the slot: there may have been an earlier one.
    Forgotten,
}

/// The first block at or after `slot`. It does not change from block to block. About ten reads.
pub fn slot_hash(slot: u64) -> Outcome<Block> {
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

/// Binary search for the oldest entry at or after `slot`. Slots fall with the index, with gaps.
fn search(entries: &impl Entries, count: u64, slot: u64) -> Outcome<Block> {
    if count == 0 {
        return Ok(Block::NotYet);
    }
    let mut found = entries.entry(0)?;
    if found.slot < slot {
        return Ok(Block::NotYet);
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
    Ok(if high == count && found.slot != slot { Block::Forgotten } else { Block::At(found) })
}

/// `N` bytes of a sysvar from `offset` on.
#[inline(always)]
fn read<const N: usize>(sysvar: &Address, offset: usize) -> Outcome<[u8; N]> {
    let mut bytes = [0; N];
    get_sysvar(&mut bytes, sysvar, offset).map_err(|_| Error::WRONG_OWNER)?;
    Ok(bytes)
}

#[inline(always)]
fn chunk<const N: usize>(bytes: &[u8], offset: usize) -> Outcome<[u8; N]> {
    let tail = bytes.get(offset..).ok_or(Error::WRONG_OWNER)?;
    tail.first_chunk().copied().ok_or(Error::WRONG_OWNER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    impl Entries for Vec<u64> {
        fn entry(&self, index: u64) -> Outcome<SlotHash> {
            let slot = *self.get(index as usize).ok_or(Error::WRONG_OWNER)?;
            Ok(SlotHash { slot, hash: [slot as u8; 32] })
        }
    }

    /// Every third slot has no block.
    fn blocks(newest: u64, count: usize) -> Vec<u64> {
        (0..=newest).rev().filter(|slot| slot % 3 != 0).take(count).collect()
    }

    fn find(slots: &Vec<u64>, slot: u64) -> Block {
        search(slots, slots.len() as u64, slot).unwrap()
    }

    fn at(slot: u64) -> Block {
        Block::At(SlotHash { slot, hash: [slot as u8; 32] })
    }

    #[test]
    fn the_first_block_at_or_after_a_slot_is_found() {
        for count in [1, 2, 3, 7, 100, 511, 512] {
            let slots = blocks(5_000, count);
            for slot in slots[count - 1]..=5_000 {
                let naive = slots.iter().rev().find(|&&block| block >= slot).copied();
                assert_eq!(
                    find(&slots, slot),
                    naive.map_or(Block::NotYet, at),
                    "{count} blocks, slot {slot}"
                );
            }
        }
    }

    #[test]
    fn a_slot_without_a_later_block_is_not_reached() {
        assert_eq!(find(&blocks(5_000, 512), 5_001), Block::NotYet);
        assert_eq!(find(&Vec::new(), 1), Block::NotYet);
    }

    #[test]
    fn a_slot_before_the_oldest_block_is_forgotten() {
        for count in [1, 3, 512] {
            let slots = blocks(5_000, count);
            let oldest = slots[count - 1];
            assert_eq!(find(&slots, oldest), at(oldest));
            assert_eq!(find(&slots, oldest - 1), Block::Forgotten);
            assert_eq!(find(&slots, 0), Block::Forgotten);
        }
    }

    #[test]
    fn the_answer_is_the_same_as_long_as_there_is_one() {
        let answers: Vec<_> = (4_200..5_600).map(|newest| find(&blocks(newest, 512), 4_501)).collect();
        let known = answers.iter().filter(|&&answer| answer == at(4_501)).count();
        let rest = |answer: &&Block| matches!(answer, Block::NotYet | Block::Forgotten);
        assert!(known > 500 && answers.iter().filter(rest).count() == answers.len() - known);
        assert_eq!(answers.first(), Some(&Block::NotYet));
        assert_eq!(answers.last(), Some(&Block::Forgotten));
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
        assert_eq!(form(6_960, 1.5), Err(Error::WRONG_OWNER));
        assert_eq!(form(u64::MAX, 1.0).unwrap().minimum(1), Err(Error::OVERFLOW));
    }
}
