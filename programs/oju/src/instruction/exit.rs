//! `begin_exit` and `withdraw_stake`: leaving the court. The cooldown outlasts
//! the longest case, so that no judge leaves before its acts can be proved.

use crate::account::{self, R, S, SW, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, JudgeExiting, RewardClaimed, StakeMoved, stake};
use crate::state::config::Config;
use crate::state::roster::{self, ACTIVE, EXITING, Entry, Roster};
use crate::sysvar::clock;
use crate::wire::Reader;
use bytemuck::Zeroable;

/// Blocks after this slot do not draw the judge. Accounts: authority s, config, roster w.
pub fn begin(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [authority, config, mut roster] = account::take(cx.accounts, [S, R, W])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let (head, entries) = listed.parts()?;
    let index = roster::place(entries, authority.address())?;
    let entry = &mut entries[index];
    require(entry.state == ACTIVE, Error::ALREADY_EXITING)?;

    let clock = clock()?;
    let exit_at = clock.time + config.cooldown_seconds as i64;
    (entry.state, entry.exit_at, entry.exit_slot) = (EXITING, exit_at, clock.slot);
    head.active -= 1;
    JudgeExiting { judge: *authority.address(), exit_at }.log()
}

/// Pays stake and rewards to the judge's wallet. Accounts: authority sw, roster w.
pub fn withdraw(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut authority, mut roster] = account::take(cx.accounts, [SW, W])?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let mut till = listed.account;
    let (head, entries) = listed.parts()?;
    let index = roster::place(entries, authority.address())?;
    let entry = entries[index];
    require(entry.state == EXITING, Error::NOT_EXITING)?;
    require(entry.live == 0, Error::STAKE_LOCKED)?;
    require(clock()?.time >= entry.exit_at, Error::TOO_EARLY)?;

    entries[index] = Entry::zeroed();
    head.total_stake = arith::sub(head.total_stake, entry.stake)?;
    head.total_rewards = arith::sub(head.total_rewards, entry.rewards)?;
    account::pay(&mut till, &mut authority, arith::add(entry.stake, entry.rewards)?)?;
    let (judge, delta) = (entry.authority, (entry.stake as i64).wrapping_neg());
    StakeMoved { judge, index: index as u16, delta, stake: 0, kind: stake::WITHDRAWN }.log()?;
    match entry.rewards {
        0 => Ok(()),
        amount => RewardClaimed { judge, amount }.log(),
    }
}
