//! `propose_rules`, `withdraw_rules`: the next version of the rules. It changes nothing that has
//! begun.

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Closed, Event, RulesSet};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::params;
use crate::state::config::Config;
use crate::state::rules::{self, Rules};
use crate::sysvar::clock;
use crate::wire::Reader;
use bytemuck::Zeroable;

/// Announces the next version. It is in force after the cooldown of its predecessor, so a judge
/// that disagrees can leave before. No cooldown is shorter than an earlier one, so this is the
/// longest of all.
///
/// Arguments: params. Accounts: authority sw, config w, rules w (the latest), next w, system.
pub fn propose(cx: &mut Cx) -> Outcome {
    let mut new = Rules::zeroed();
    let mut arguments = Reader::new(cx.data);
    params::read(&mut arguments, &mut new)?;
    arguments.end()?;
    let [authority, mut config, mut rules, mut next, system] = account::take(cx.accounts, [SW, W, W, W, R])?;
    account::system(&system)?;
    let mut config = account::open::<Config>(&mut config, cx.program)?;
    let mut last = account::open::<Rules>(&mut rules, cx.program)?;
    last.numbered(config.rules)?;
    let number = last.number + 1;
    let number_bytes = number.to_le_bytes();
    let seeds = [rules::SEED, &number_bytes];
    let bump = pda::vacant(&next, &seeds, cx.program)?;
    config.only_authority(authority.address())?;
    let now = clock()?.time;
    require(last.from <= now, Error::RULES_ANNOUNCED)?;
    params::check(&new)?;
    params::follows(&new, &last)?;

    let birth = Birth { payer: &authority, account: &next, program: cx.program, space: Rules::SIZE };
    birth.create::<Rules, 2>(&seeds, bump)?;
    let mut next = account::lend::<Rules>(&mut next)?;
    (new.head, new.number, new.from) = (next.head, number, now + last.cooldown_seconds as i64);
    *next = new;
    (last.until, config.rules) = (new.from, number);
    RulesSet { number, from: new.from }.log()
}

/// Takes back the announced version before it is in force, with its account and its number. Until
/// then no task, case or exit goes by it. Whatever is announced next waits for a whole cooldown.
///
/// Accounts: authority sw, config w, rules w (in force), next w (the announced version).
pub fn withdraw(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [mut authority, mut config, mut rules, mut next] = account::take(cx.accounts, [SW, W, W, W])?;
    let mut config = account::open::<Config>(&mut config, cx.program)?;
    let mut last = account::open::<Rules>(&mut rules, cx.program)?;
    let announced = account::open::<Rules>(&mut next, cx.program)?;
    announced.numbered(config.rules)?;
    announced.numbered(last.number + 1)?;
    config.only_authority(authority.address())?;
    require(clock()?.time < announced.from, Error::TOO_LATE)?;
    drop(announced);

    (last.until, config.rules) = (0, last.number);
    let (at, to) = (*next.address(), *authority.address());
    let amount = account::close(&mut next, &mut authority)?;
    RulesSet { number: last.number, from: last.from }.log()?;
    Closed { account: at, to, amount }.log()
}
