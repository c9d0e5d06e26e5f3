//! `withdraw_tokens`: tokens that an agent's vault holds in accounts of the token programs.

use core::array::from_fn;

use pinocchio::cpi::{Seed, Signer, invoke_signed_with_bounds};
use pinocchio::instruction::{InstructionAccount, InstructionView};
use pinocchio::{AccountView, Address};

use crate::account::{self, R, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::state::agent::{self, Agent};
use crate::wire::Reader;

/// SPL Token and Token-2022. The vault signs calls of no other program.
const PROGRAMS: [Address; 2] = [
    Address::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
    Address::from_str_const("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"),
];

/// Instruction TransferChecked of both programs.
const TRANSFER: u8 = 12;
/// Where a mint has its decimals, and a token account its owner.
const DECIMALS_AT: usize = 44;
const OWNER_AT: usize = 32;
/// How many accounts the token program gets at most: four, and those that the mint's hook needs.
const MOST: usize = 16;

/// Moves tokens from the vault to an account of the authority. The token program checks balance and
/// mint, and that `source` is the vault's. It gets further accounts, too, which do not sign there: the
/// mint's transfer hook may need them.
///
/// Arguments: amount u64. Accounts: authority s, agent, mint, source w, destination w, token_program.
#[inline(never)]
pub fn withdraw(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let amount = arguments.u64()?;
    arguments.end()?;
    let [authority, agent, mint, source, destination, program] =
        account::take(cx.accounts, [S, R, R, W, W, R])?;
    require(PROGRAMS.contains(program.address()), Error::WRONG_OWNER)?;
    account::owned(&mint, program.address())?;
    account::owned(&source, program.address())?;
    account::owned(&destination, program.address())?;
    let more = cx.accounts.get(6..).unwrap_or_default();
    let count = 4 + more.len();
    require(count <= MOST, Error::WRONG_ACCOUNT)?;
    let bump = bump(&agent, &authority, cx.program)?;
    let decimals = *mint.try_borrow()?.get(DECIMALS_AT).ok_or(Error::WRONG_ACCOUNT)?;
    let owner = authority.address().as_ref();
    let own = destination.try_borrow()?.get(OWNER_AT..OWNER_AT + 32) == Some(owner);
    require(own, Error::NOT_AUTHORITY)?;
    require(amount > 0, Error::ZERO_AMOUNT)?;

    let mut data = [0; 10];
    (data[0], data[9]) = (TRANSFER, decimals);
    data[1..9].copy_from_slice(&amount.to_le_bytes());
    let first = [source, mint, destination, agent];
    let views: [AccountView; MOST] =
        from_fn(|i| *first.get(i).or_else(|| more.get(i - 4)).unwrap_or(&source));
    let metas: [InstructionAccount; MOST] = from_fn(|i| match &views[i] {
        mint if i == 1 => InstructionAccount::readonly(mint.address()),
        agent if i == 3 => InstructionAccount::readonly_signer(agent.address()),
        other => InstructionAccount::new(other.address(), other.is_writable(), false),
    });
    let bump = [bump];
    let seeds = [agent::SEED, authority.address().as_ref(), &bump].map(Seed::from);
    let call = InstructionView { program_id: program.address(), data: &data, accounts: &metas[..count] };
    Ok(invoke_signed_with_bounds::<MOST, _>(&call, &views[..count], &[Signer::from(&seeds)])?)
}

/// The bump of the authority's agent. The record is not held while the token program runs.
fn bump(agent: &AccountView, authority: &AccountView, program: &Address) -> Outcome<u8> {
    let agent = account::read::<Agent>(agent, program)?;
    require(agent.authority == *authority.address(), Error::NOT_AUTHORITY)?;
    Ok(agent.head.bump)
}
