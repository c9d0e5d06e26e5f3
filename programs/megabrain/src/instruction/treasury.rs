//! `init` and `withdraw_treasury`.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, S, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::state::treasury::{SEED, Treasury};
use crate::sysvar::Rent;
use crate::wire::Reader;

/// `BPFLoaderUpgradeab1e11111111111111111111111`.
const LOADER: Address = Address::new_from_array([
    0x02, 0xa8, 0xf6, 0x91, 0x4e, 0x88, 0xa1, 0xb0, 0xe2, 0x10, 0x15, 0x3e, 0xf7, 0x63, 0xae, 0x2b, 0x00,
    0xc2, 0xb9, 0x3d, 0x16, 0xc1, 0x24, 0xd2, 0xc0, 0x53, 0x7a, 0x10, 0x04, 0x80, 0x00, 0x00,
]);
/// The loader's kind of an account that holds a program's code.
const PROGRAM_DATA: [u8; 4] = 3u32.to_le_bytes();
/// Kind u32, slot u64, a flag whether an authority follows.
const AUTHORITY_AT: usize = 13;

/// Makes the Treasury, once, and names the court. Only the program's upgrade authority may.
///
/// Arguments: court. Accounts: authority sw, treasury w, program_data, system.
pub fn init(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let court = arguments.key()?;
    arguments.end()?;
    let [authority, mut at, program_data, system] = account::take(cx.accounts, [SW, W, R, R])?;
    account::system(&system)?;
    let upgrader = upgrade_authority(&program_data, cx.program)?;
    let bump = pda::vacant(&at, &[SEED], cx.program)?;
    require(upgrader.as_ref() == Some(authority.address()), Error::NOT_AUTHORITY)?;
    require(court != Address::default() && court != *cx.program, Error::BAD_PARAMETER)?;

    let birth = Birth { payer: &authority, account: &at, program: cx.program, space: Treasury::SIZE };
    birth.create::<Treasury, 1>(&[SEED], bump)?;
    let mut treasury = account::lend::<Treasury>(&mut at)?;
    (treasury.authority, treasury.court) = (*authority.address(), court);
    Ok(())
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

/// Pays slashes out.
///
/// Arguments: amount u64. Accounts: authority s, treasury w, to w.
pub fn withdraw(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let amount = arguments.u64()?;
    arguments.end()?;
    let [authority, mut at, mut to] = account::take(cx.accounts, [S, W, W])?;
    let mut treasury = account::open::<Treasury>(&mut at, cx.program)?;
    account::wallet(&to, &treasury.authority)?;
    require(treasury.authority == *authority.address(), Error::NOT_AUTHORITY)?;
    let kept = Rent::get()?.minimum(Treasury::SIZE)?;
    let spare = treasury.account.lamports().saturating_sub(kept);
    require(amount > 0 && amount <= spare, Error::OVERFLOW)?;
    account::pay(&mut treasury.account, &mut to, amount)
}
