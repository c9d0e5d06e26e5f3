//! `claim_reward`: judges are paid when they ask, so that no wallet can block a settlement.

use crate::account::{self, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, RewardClaimed};
use crate::state::roster::{self, Roster};
use crate::wire::Reader;

/// Pays a judge's rewards: for anybody to the account of its
/// withdraw key, and if that key signs, to any wallet.
///
/// Arguments: judge. Accounts: roster w, wallet w, withdraw s (only for another wallet).
pub fn claim(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let judge = arguments.key()?;
    arguments.end()?;
    let [mut roster, mut wallet] = account::take(cx.accounts, [W, W])?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let mut till = listed.account;
    let (head, entries) = listed.parts()?;
    let index = roster::place(entries, &judge)?;
    let withdraw = entries[index].withdraw;
    if withdraw != *wallet.address() {
        account::cosigned(cx.accounts, 2, &withdraw)?;
        account::wallet(&wallet, &withdraw)?;
    }
    let amount = core::mem::take(&mut entries[index].rewards);
    require(amount > 0, Error::NOTHING_TO_CLAIM)?;

    head.total_rewards = arith::sub(head.total_rewards, amount)?;
    account::pay(&mut till, &mut wallet, amount)?;
    RewardClaimed { judge, amount }.log()
}
