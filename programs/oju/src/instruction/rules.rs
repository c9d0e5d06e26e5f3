//! `propose_rules`: the next version of the rules. It changes nothing that has begun.

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, RulesSet};
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
