//! `claim_reward`: judges are paid when they ask, so that no wallet can block a settlement.

use crate::account::{self, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, RewardClaimed};
use crate::state::roster::{self, Roster};
use crate::wire::Reader;

/// Pays a judge's rewards to its wallet. Arguments: judge. Accounts: roster w, wallet w.
pub fn claim(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let judge = arguments.key()?;
    arguments.end()?;
    let [mut roster, mut wallet] = account::take(cx.accounts, [W, W])?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    account::address(&wallet, &judge)?;
    let mut till = listed.account;
    let (head, entries) = listed.parts()?;
    let index = roster::place(entries, &judge)?;
    let amount = core::mem::take(&mut entries[index].rewards);
    require(amount > 0, Error::NOTHING_TO_CLAIM)?;

    head.total_rewards = arith::sub(head.total_rewards, amount)?;
    account::pay(&mut till, &mut wallet, amount)?;
    RewardClaimed { judge, amount }.log()
}
