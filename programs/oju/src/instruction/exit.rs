//! `begin_exit` and `withdraw_stake`: leaving the court. The cooldown outlasts
//! the longest case, so that no judge leaves before its acts can be proved. And a stake stays as
//! long as a draw may see its weight.
//!
//! Only the judge's withdraw key can do this: the voting key is on a node, and a thief may get it.

use crate::account::{self, R, S, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, JudgeExiting, RewardClaimed, StakeMoved, WithdrawKeySet, stake};
use crate::state::roster::{self, ACTIVE, EXITING, Entry, Roster};
use crate::state::rules::Rules;
use crate::sysvar::clock;
use crate::wire::Reader;
use bytemuck::Zeroable;
use pinocchio::Address;

/// The next season has no weight of the judge. Until then panels seat it as before, and so do the
/// appeals of cases whose first panel that season gave.
///
/// Arguments: judge. Accounts: withdraw s, rules (in force), roster w.
pub fn begin(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let judge = arguments.key()?;
    arguments.end()?;
    let [withdraw, rules, mut roster] = account::take(cx.accounts, [S, R, W])?;
    let rules = account::read::<Rules>(&rules, cx.program)?;
    let clock = clock()?;
    rules.in_force(clock.time)?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let (head, entries) = listed.parts()?;
    let entry = &mut entries[roster::place(entries, &judge)?];
    require(entry.withdraw == *withdraw.address(), Error::NOT_AUTHORITY)?;
    require(entry.state == ACTIVE, Error::ALREADY_EXITING)?;

    let exit_at = clock.time + rules.cooldown_seconds as i64;
    (entry.state, entry.exit_at, entry.exit_slot) = (EXITING, exit_at, clock.slot);
    head.active -= 1;
    JudgeExiting { judge, exit_at }.log()
}

/// Pays stake and rewards to any wallet that the withdraw key names.
///
/// Arguments: judge. Accounts: withdraw s, roster w, wallet w.
pub fn withdraw(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let judge = arguments.key()?;
    arguments.end()?;
    let [withdraw, mut roster, mut wallet] = account::take(cx.accounts, [S, W, W])?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let mut till = listed.account;
    let (head, entries) = listed.parts()?;
    let index = roster::place(entries, &judge)?;
    let entry = entries[index];
    account::wallet(&wallet, withdraw.address())?;
    require(entry.withdraw == *withdraw.address(), Error::NOT_AUTHORITY)?;
    require(entry.state == EXITING, Error::NOT_EXITING)?;
    require(entry.live == 0, Error::STAKE_LOCKED)?;
    require(clock()?.time >= entry.exit_at, Error::TOO_EARLY)?;
    require(!entry.counted(), Error::SEASON_RUNS)?;

    entries[index].replace(Entry::zeroed());
    head.total_stake = arith::sub(head.total_stake, entry.stake)?;
    head.total_rewards = arith::sub(head.total_rewards, entry.rewards)?;
    account::pay(&mut till, &mut wallet, arith::add(entry.stake, entry.rewards)?)?;
    let delta = (entry.stake as i64).wrapping_neg();
    StakeMoved { judge, index: index as u16, delta, stake: 0, kind: stake::WITHDRAWN }.log()?;
    match entry.rewards {
        0 => Ok(()),
        amount => RewardClaimed { judge, amount }.log(),
    }
}

/// Replaces the withdraw key. Only the present one can.
///
/// Arguments: judge, withdraw. Accounts: withdraw s, roster w.
pub fn change_withdraw(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (judge, new) = (arguments.key()?, arguments.key()?);
    arguments.end()?;
    let [withdraw, mut roster] = account::take(cx.accounts, [S, W])?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let entries = listed.parts()?.1;
    let entry = &mut entries[roster::place(entries, &judge)?];
    require(entry.withdraw == *withdraw.address(), Error::NOT_AUTHORITY)?;
    require(new != Address::default(), Error::NO_WITHDRAW_KEY)?;

    entry.withdraw = new;
    WithdrawKeySet { judge, withdraw: new }.log()
}
