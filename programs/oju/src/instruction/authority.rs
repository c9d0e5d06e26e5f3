//! `propose_authority`, `accept_authority`, `give_up`, `pause`, `open_court`: what the authority
//! may do at once.

use crate::account::{self, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{ConfigSet, Event};
use crate::state::config::{Config, NOBODY};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Names the key that may accept the authority; zero withdraws the offer.
///
/// Arguments: authority. Accounts: authority s, config w.
pub fn propose(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let next = arguments.key()?;
    arguments.end()?;
    by_authority(cx, |config| {
        config.pending_authority = next;
        Ok(())
    })
}

/// The key that was named takes the authority. So a wrong key cannot get it by a slip.
///
/// Accounts: authority s (the new one), config w.
pub fn accept(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [next, mut config] = account::take(cx.accounts, [S, W])?;
    let mut config = account::open::<Config>(&mut config, cx.program)?;
    let named = config.pending_authority == *next.address() && *next.address() != NOBODY;
    require(named, Error::NOT_AUTHORITY)?;

    (config.authority, config.pending_authority) = (config.pending_authority, NOBODY);
    told(&config)
}

/// From now on nobody has the authority. A paused court would be paused for ever, and a listed
/// one could never replace a judge that leaves: both are refused.
///
/// Accounts: authority s, config w.
pub fn give_up(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    by_authority(cx, |config| {
        config.open()?;
        require(config.listed == 0, Error::COURT_LISTED)?;
        (config.authority, config.pending_authority) = (NOBODY, NOBODY);
        Ok(())
    })
}

/// Stops or resumes new tasks, claims, judges. Argument: paused u8. Accounts: authority s, config
/// w.
pub fn pause(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let paused = arguments.u8()?;
    arguments.end()?;
    by_authority(cx, |config| {
        require(paused <= 1, Error::BAD_CONFIG)?;
        config.pause(paused, clock()?.time);
        Ok(())
    })
}

/// From now on anyone may join. Nothing lists the court again. Accounts: authority s, config w.
pub fn open_court(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    by_authority(cx, |config| {
        config.only_listed()?;
        config.listed = 0;
        Ok(())
    })
}

#[inline(always)]
fn by_authority(cx: &mut Cx, change: impl FnOnce(&mut Config) -> Outcome) -> Outcome {
    let [authority, mut config] = account::take(cx.accounts, [S, W])?;
    let mut config = account::open::<Config>(&mut config, cx.program)?;
    config.only_authority(authority.address())?;
    change(&mut config)?;
    told(&config)
}

fn told(config: &Config) -> Outcome {
    let (authority, pending_authority) = (config.authority, config.pending_authority);
    ConfigSet { authority, pending_authority, paused: config.paused, listed: config.listed }.log()
}
