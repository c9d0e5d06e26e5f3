//! `update_config`. An open case keeps the parameters that it began with.

use crate::account::{self, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{ConfigSet, Event};
use crate::rule::params;
use crate::state::config::Config;
use crate::wire::Reader;
use bytemuck::Zeroable;

/// Sets the parameters, the pause and the authority. `network` cannot change.
///
/// Arguments: params, paused u8, authority. Accounts: authority s, config w.
pub fn update(cx: &mut Cx) -> Outcome {
    let mut new = Config::zeroed();
    let mut arguments = Reader::new(cx.data);
    params::read(&mut arguments, &mut new)?;
    (new.paused, new.authority) = (arguments.u8()?, arguments.key()?);
    arguments.end()?;
    let [authority, mut config] = account::take(cx.accounts, [S, W])?;
    let mut config = account::open::<Config>(&mut config, cx.program)?;
    require(config.authority == *authority.address(), Error::NOT_AUTHORITY)?;
    params::check(&new)?;
    require(new.network == config.network, Error::BAD_CONFIG)?;

    (new.head, new.agent_count) = (config.head, config.agent_count);
    *config = new;
    ConfigSet { authority: new.authority, paused: new.paused }.log()
}
