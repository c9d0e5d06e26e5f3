//! `init_config`: the court's first instruction, and the program's upgrade authority's only one.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{ConfigSet, Event, RulesSet};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::params;
use crate::state::config::{self, Config, NOBODY};
use crate::state::pot::{self, Pot};
use crate::state::roster::{self, Roster};
use crate::state::rules::{self, Rules};
use crate::sysvar::clock;
use crate::wire::Reader;
use bytemuck::Zeroable;

/// `BPFLoaderUpgradeab1e11111111111111111111111`.
const LOADER: Address = Address::new_from_array([
    0x02, 0xa8, 0xf6, 0x91, 0x4e, 0x88, 0xa1, 0xb0, 0xe2, 0x10, 0x15, 0x3e, 0xf7, 0x63, 0xae, 0x2b, 0x00,
    0xc2, 0xb9, 0x3d, 0x16, 0xc1, 0x24, 0xd2, 0xc0, 0x53, 0x7a, 0x10, 0x04, 0x80, 0x00, 0x00,
]);
/// The loader's kind of an account that holds a program's code.
const PROGRAM_DATA: [u8; 4] = 3u32.to_le_bytes();
/// Kind u32, slot u64, a flag whether an authority follows.
const AUTHORITY_AT: usize = 13;

/// Creates Config, an empty Roster, an empty Pot and the first rules, once. Only the program's
/// upgrade authority may do it. It says whether the court begins listed.
///
/// Arguments: network, listed u8, params. Accounts: authority sw, config w, roster w, pot w, rules
/// w, program, program_data, system.
pub fn init(cx: &mut Cx) -> Outcome {
    let mut first = Rules::zeroed();
    let mut arguments = Reader::new(cx.data);
    let (network, listed) = (*arguments.bytes::<32>()?, arguments.u8()?);
    params::read(&mut arguments, &mut first)?;
    arguments.end()?;
    let [authority, mut config, roster, pot, mut rules, program, program_data, system] =
        account::take(cx.accounts, [SW, W, W, W, W, R, R, R])?;
    account::system(&system)?;
    account::address(&program, cx.program)?;
    let upgrader = upgrade_authority(&program_data, cx.program)?;
    let config_bump = pda::vacant(&config, &[config::SEED], cx.program)?;
    let roster_bump = pda::vacant(&roster, &[roster::SEED], cx.program)?;
    let pot_bump = pda::vacant(&pot, &[pot::SEED], cx.program)?;
    let number = rules::FIRST.to_le_bytes();
    let rules_bump = pda::vacant(&rules, &[rules::SEED, &number], cx.program)?;
    require(upgrader.as_ref() == Some(authority.address()), Error::NOT_AUTHORITY)?;
    let now = clock()?.time;
    require(listed <= 1, Error::BAD_CONFIG)?;
    params::check(&first)?;

    let birth = Birth { payer: &authority, account: &config, program: cx.program, space: Config::SIZE };
    birth.create::<Config, 1>(&[config::SEED], config_bump)?;
    let birth = Birth { payer: &authority, account: &roster, program: cx.program, space: Roster::SIZE };
    birth.create::<Roster, 1>(&[roster::SEED], roster_bump)?;
    let birth = Birth { payer: &authority, account: &pot, program: cx.program, space: Pot::SIZE };
    birth.create::<Pot, 1>(&[pot::SEED], pot_bump)?;
    let birth = Birth { payer: &authority, account: &rules, program: cx.program, space: Rules::SIZE };
    birth.create::<Rules, 2>(&[rules::SEED, &number], rules_bump)?;
    let mut rules = account::lend::<Rules>(&mut rules)?;
    (first.head, first.number, first.from) = (rules.head, rules::FIRST, now);
    *rules = first;
    let mut config = account::lend::<Config>(&mut config)?;
    (config.authority, config.network, config.rules) = (*authority.address(), network, rules::FIRST);
    config.listed = listed;
    ConfigSet { authority: config.authority, pending_authority: NOBODY, paused: 0, listed }.log()?;
    RulesSet { number: rules::FIRST, from: now }.log()
}

/// The upgrade authority of the program, from the loader's account; `None` if immutable.
fn upgrade_authority(program_data: &AccountView, program: &Address) -> Outcome<Option<Address>> {
    account::owned(program_data, &LOADER)?;
    let data = program_data.try_borrow()?;
    let head = data.first_chunk::<AUTHORITY_AT>().ok_or(Error::WRONG_ACCOUNT)?;
    require(head.starts_with(&PROGRAM_DATA), Error::WRONG_ACCOUNT)?;
    let (expected, _) = pda::find(&[program.as_ref()], &LOADER)?;
    account::address(program_data, &expected)?;
    let authority = data[AUTHORITY_AT..].first_chunk::<32>();
    Ok(authority.filter(|_| head[AUTHORITY_AT - 1] == 1).map(|key| Address::new_from_array(*key)))
}
