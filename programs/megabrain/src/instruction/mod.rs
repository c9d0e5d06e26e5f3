//! The instructions. Each function names its arguments and accounts.

pub mod advance;
pub mod appeal;
pub mod class;
pub mod dispute;
pub mod draw;
pub mod golden;
pub mod member;
pub mod near;
pub mod outcome;
pub mod settle;
pub mod submit;
pub mod task;
pub mod treasury;
pub mod view;
pub mod vouch;

use pinocchio::{AccountView, Address};

use crate::account;
use crate::error::{Error, Outcome};
use crate::state::class::{Class, Parameters};

/// Who runs an agent: its own key, or another that signs, too. It stands behind the other accounts.
fn operator(accounts: &[AccountView], behind: usize, agent: &Address, named: &Address) -> Outcome<Address> {
    if *named == Address::default() || named == agent {
        return Ok(*agent);
    }
    account::cosigned(accounts, behind, named)?;
    Ok(*named)
}

/// The nonzero hash, or [`Error::MISSING_HASH`].
fn named(hash: &[u8; 32]) -> Outcome {
    crate::error::require(*hash != [0; 32], Error::MISSING_HASH)
}

/// The numbers of a class.
#[inline(never)]
fn terms_of(class: &AccountView, program: &Address) -> Outcome<Parameters> {
    let mut view = *class;
    let mut listed = account::open_list::<Class>(&mut view, program)?;
    Ok(listed.parts()?.0.parameters)
}
