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
/// Instruction CloseAccount of both programs.
const CLOSE: u8 = 9;
/// Where a mint has its decimals, and a token account its owner and its amount.
const DECIMALS_AT: usize = 44;
const OWNER_AT: usize = 32;
const AMOUNT_AT: usize = 64;
/// How many accounts the token program gets at most: four, and those that the mint's hook needs.
const MOST: usize = 16;

/// Moves tokens from the vault to an account of the authority. The token program checks balance and
/// mint, and that `source` is the vault's. It gets further accounts, too, which do not sign: the
/// mint's transfer hook may need them.
///
/// Arguments: amount u64. Accounts: authority s, agent, mint, source w, destination w,
/// token_program.
#[inline(never)]
pub fn withdraw(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let amount = arguments.u64()?;
    arguments.end()?;
    let [authority, agent, mint, from, to, program] =
        account::take(cx.accounts, [S, R, R, W, W, R])?;
    let transfer = Transfer { program, mint, from, to, owner: agent };
    transfer.check()?;
    let more = cx.accounts.get(6..).unwrap_or_default();
    require(more.len() <= MOST - 4, Error::WRONG_ACCOUNT)?;
    let bump = bump(&agent, &authority, cx.program)?;
    require(owner(&to, authority.address())?, Error::NOT_AUTHORITY)?;
    require(amount > 0, Error::ZERO_AMOUNT)?;

    let seeds = [agent::SEED, authority.address().as_ref()];
    transfer.run(amount, more, &Sealed { seeds, bump })
}

/// The bump of the authority's agent. The record is not held while the token program runs.
pub fn bump(agent: &AccountView, authority: &AccountView, program: &Address) -> Outcome<u8> {
    let agent = account::read::<Agent>(agent, program)?;
    require(agent.authority == *authority.address(), Error::NOT_AUTHORITY)?;
    Ok(agent.head.bump)
}

/// Whether a token account belongs to a key.
pub fn owner(account: &AccountView, key: &Address) -> Outcome<bool> {
    Ok(account.try_borrow()?.get(OWNER_AT..AMOUNT_AT) == Some(key.as_ref()))
}

/// The units in a token account.
pub fn amount(account: &AccountView) -> Outcome<u64> {
    let data = account.try_borrow()?;
    let units = data.get(AMOUNT_AT..).and_then(|rest| rest.first_chunk()).ok_or(Error::WRONG_ACCOUNT)?;
    Ok(u64::from_le_bytes(*units))
}

/// How an account of this program signs.
pub struct Sealed<'a> {
    /// Of its address.
    pub seeds: [&'a [u8]; 2],
    /// Of its address.
    pub bump: u8,
}

/// A call of a token program.
pub struct Transfer {
    /// One of [`PROGRAMS`].
    pub program: AccountView,
    /// Of the tokens.
    pub mint: AccountView,
    /// Gives them.
    pub from: AccountView,
    /// Gets them.
    pub to: AccountView,
    /// Signs by its seeds: an account of this program.
    pub owner: AccountView,
}

impl Transfer {
    /// [`Error::WRONG_OWNER`] unless the program is a token program, and owns mint and accounts.
    #[inline(never)]
    pub fn check(&self) -> Outcome {
        let program = self.program.address();
        require(PROGRAMS.contains(program), Error::WRONG_OWNER)?;
        account::owned(&self.mint, program)?;
        account::owned(&self.from, program)?;
        account::owned(&self.to, program)
    }

    /// Moves tokens. The program refuses what its rules and the mint's do not let it do.
    #[inline(never)]
    pub fn run(&self, amount: u64, more: &[AccountView], by: &Sealed) -> Outcome {
        let decimals = *self.mint.try_borrow()?.get(DECIMALS_AT).ok_or(Error::WRONG_ACCOUNT)?;
        let mut data = [0; 10];
        (data[0], data[9]) = (TRANSFER, decimals);
        data[1..9].copy_from_slice(&amount.to_le_bytes());
        let first = [self.from, self.mint, self.to, self.owner];
        let views: [AccountView; MOST] =
            from_fn(|i| *first.get(i).or_else(|| more.get(i - 4)).unwrap_or(&self.from));
        let metas: [InstructionAccount; MOST] = from_fn(|i| match &views[i] {
            mint if i == 1 => InstructionAccount::readonly(mint.address()),
            owner if i == 3 => InstructionAccount::readonly_signer(owner.address()),
            other => InstructionAccount::new(other.address(), other.is_writable(), false),
        });
        let count = 4 + more.len();
        self.call(&data, &metas[..count], &views[..count], by)
    }

    /// Closes the account that gave, which is empty. Its rent goes to a wallet.
    #[inline(never)]
    pub fn close(&self, wallet: &AccountView, by: &Sealed) -> Outcome {
        let views = [self.from, *wallet, self.owner];
        let metas = [
            InstructionAccount::writable(self.from.address()),
            InstructionAccount::writable(wallet.address()),
            InstructionAccount::readonly_signer(self.owner.address()),
        ];
        self.call(&[CLOSE], &metas, &views, by)
    }

    #[inline(always)]
    fn call(&self, data: &[u8], accounts: &[InstructionAccount], views: &[AccountView], by: &Sealed) -> Outcome {
        let bump = [by.bump];
        let seeds = [by.seeds[0], by.seeds[1], &bump].map(Seed::from);
        let call = InstructionView { program_id: self.program.address(), data, accounts };
        Ok(invoke_signed_with_bounds::<MOST, _>(&call, views, &[Signer::from(&seeds)])?)
    }
}
