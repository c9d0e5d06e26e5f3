//! `init_config`: the court's first instruction, and the program's upgrade authority's only one.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{ConfigSet, Event};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::params;
use crate::state::config::{self, Config};
use crate::state::pot::{self, Pot};
use crate::state::roster::{self, Roster};
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

/// Creates Config, an empty Roster and an empty Pot, once. Only the program's upgrade authority may do it.
///
/// Arguments: params. Accounts: authority sw, config w, roster w, pot w, program, program_data, system.
pub fn init(cx: &mut Cx) -> Outcome {
    let mut new = Config::zeroed();
    let mut arguments = Reader::new(cx.data);
    params::read(&mut arguments, &mut new)?;
    arguments.end()?;
    let [authority, mut config, roster, pot, program, program_data, system] =
        account::take(cx.accounts, [SW, W, W, W, R, R, R])?;
    account::system(&system)?;
    account::address(&program, cx.program)?;
    let upgrader = upgrade_authority(&program_data, cx.program)?;
    let config_bump = pda::vacant(&config, &[config::SEED], cx.program)?;
    let roster_bump = pda::vacant(&roster, &[roster::SEED], cx.program)?;
    let pot_bump = pda::vacant(&pot, &[pot::SEED], cx.program)?;
    require(upgrader.as_ref() == Some(authority.address()), Error::NOT_AUTHORITY)?;
    params::check(&new)?;

    let birth = Birth { payer: &authority, account: &config, program: cx.program, space: Config::SIZE };
    birth.create::<Config, 1>(&[config::SEED], config_bump)?;
    let birth = Birth { payer: &authority, account: &roster, program: cx.program, space: Roster::SIZE };
    birth.create::<Roster, 1>(&[roster::SEED], roster_bump)?;
    let birth = Birth { payer: &authority, account: &pot, program: cx.program, space: Pot::SIZE };
    birth.create::<Pot, 1>(&[pot::SEED], pot_bump)?;
    let mut config = account::lend::<Config>(&mut config)?;
    (new.head, new.authority) = (config.head, *authority.address());
    *config = new;
    ConfigSet { authority: new.authority, paused: 0 }.log()
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
