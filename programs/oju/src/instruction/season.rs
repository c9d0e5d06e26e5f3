//! `begin_season`: anyone fixes the weights of all judges, once a season.

use crate::account::{self, R, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, SeasonBegun};
use crate::state::roster::Roster;
use crate::state::rules::Rules;
use crate::sysvar::clock;
use crate::wire::Reader;

/// Takes the stakes of this moment as the weights of the next season. A draw sees the last season
/// that began before its seed slot, so nobody who begins one knows a panel that it changes.
///
/// Accounts: rules (in force), roster w.
pub fn begin(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [rules, mut roster] = account::take(cx.accounts, [R, W])?;
    let rules = account::read::<Rules>(&rules, cx.program)?;
    let clock = clock()?;
    rules.in_force(clock.time)?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let (head, entries) = listed.parts()?;
    require(head.season_over(entries, &rules, &clock), Error::SEASON_RUNS)?;

    let few = head.begin_season(entries, &rules, &clock)?;
    SeasonBegun { weight: head.weight, at: clock.time, few: few as u8 }.log()
}
