//! What accounts of the court say. Its program checks them itself in the call that follows, so they
//! are read by offset: a number from another account ends in a refusal.

use pinocchio::AccountView;

use crate::arith::mul_div;
use crate::error::{Error, Outcome};
use crate::state::class::WHOLE;

/// `min_reward` u64 and `cover_bps` u16 of the court's Rules, and `weight` u64 of its Roster.
const MIN_REWARD: usize = 64;
const COVER_BPS: usize = 124;
const WEIGHT: usize = 40;

fn bytes<const N: usize>(account: &AccountView, at: usize) -> Outcome<[u8; N]> {
    let data = account.try_borrow()?;
    data.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(Error::WRONG_ACCOUNT)
}

/// The amount that the court is asked about: the budget, within what the court takes. A budget that
/// it does not cover, or below its least reward, can be disputed like any other.
#[inline(never)]
pub fn amount(rules: &AccountView, roster: &AccountView, budget: u64) -> Outcome<u64> {
    let least = u64::from_le_bytes(bytes(rules, MIN_REWARD)?);
    let share = u16::from_le_bytes(bytes(rules, COVER_BPS)?);
    let weight = u64::from_le_bytes(bytes(roster, WEIGHT)?);
    let cover = if share == 0 { budget } else { mul_div(weight, share as u64, WHOLE)? };
    Ok(budget.min(cover).max(least))
}
