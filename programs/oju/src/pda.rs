//! Program-derived addresses: finding, checking and creating accounts at them.

use pinocchio::cpi::{Seed, Signer};
use pinocchio::{AccountView, Address};
use pinocchio_system::instructions::{Allocate, Assign, CreateAccount, Transfer};

use crate::account;
use crate::error::{Error, Outcome, require};
use crate::layout::{self, Record};
use crate::sysvar::Rent;

/// The largest number of seeds of an address, without the bump.
const MAX_SEEDS: usize = 5;

/// Checks that the address follows from the seeds and a bump that the program stored when
/// it created the account. This takes one hash, a tenth of `create_program_address`. It
/// does not check that the address is off the curve; [`vacant`] did.
#[inline(never)]
pub fn check<const N: usize>(
    account: &AccountView,
    seeds: &[&[u8]; N],
    bump: u8,
    program: &Address,
) -> Outcome {
    let expected =
        Address::try_derive_address(seeds, Some(bump), program).map_err(|_| Error::WRONG_ADDRESS)?;
    account::address(account, &expected)
}

/// The address of the seeds with its canonical bump, the highest one with
/// an address off the curve. Each tried bump costs 1,500 compute units.
#[inline]
pub fn find(seeds: &[&[u8]], program: &Address) -> Outcome<(Address, u8)> {
    Address::try_find_program_address(seeds, program).ok_or(Error::WRONG_ADDRESS)
}

/// Checks that the account is at the seeds' address and does not exist yet. Returns the
/// bump for [`Birth::create`]. Lamports that a stranger sent to the address do not count.
#[inline(never)]
pub fn vacant(account: &AccountView, seeds: &[&[u8]], program: &Address) -> Outcome<u8> {
    let (expected, bump) = find(seeds, program)?;
    account::address(account, &expected)?;
    require(account.owned_by(&pinocchio_system::ID) && account.is_data_empty(), Error::ALREADY_EXISTS)?;
    Ok(bump)
}

/// An account to be made.
pub struct Birth<'a> {
    /// The payer of the rent: a wallet that signed, writable.
    pub payer: &'a AccountView,
    /// The [`vacant`] address to make it at: writable.
    pub account: &'a AccountView,
    /// This program, which will own it.
    pub program: &'a Address,
    /// Its length in bytes.
    pub space: usize,
}

impl Birth<'_> {
    /// Makes the account, rent-exempt and zeroed but for its head.
    #[inline(never)]
    pub fn create<R: Record, const N: usize>(&self, seeds: &[&[u8]; N], bump: u8) -> Outcome {
        const { assert!(N <= MAX_SEEDS, "too many seeds") };
        let bump_seed = [bump];
        let with_bump: [Seed; MAX_SEEDS + 1] =
            core::array::from_fn(|i| Seed::from(seeds.get(i).copied().unwrap_or(&bump_seed)));
        self.fund(&[Signer::from(&with_bump[..=N])])?;
        let mut account = *self.account;
        layout::stamp::<R>(&mut account.try_borrow_mut()?, bump)
    }

    /// Creates it in one call. If the address holds lamports, it takes up to three, because
    /// `CreateAccount` then refuses it and `CreateAccountAllowPrefund` is not on every cluster.
    #[inline(never)]
    fn fund(&self, signers: &[Signer]) -> Outcome {
        let (minimum, space, held) =
            (Rent::get()?.minimum(self.space)?, self.space as u64, self.account.lamports());
        let (from, to, owner) = (self.payer, self.account, self.program);
        if held == 0 {
            let create = CreateAccount { from, to, lamports: minimum, space, owner };
            return Ok(create.invoke_signed(signers)?);
        }
        if held < minimum {
            transfer(from, to, minimum - held)?;
        }
        Allocate { account: to, space }.invoke_signed(signers)?;
        Ok(Assign { account: to, owner }.invoke_signed(signers)?)
    }
}

/// Moves lamports from a wallet that the System program owns and
/// that signed. The caller must not hold a record of either account.
#[inline(never)]
pub fn transfer(from: &AccountView, to: &AccountView, lamports: u64) -> Outcome {
    Ok(Transfer { from, to, lamports }.invoke()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_found_address_is_the_one_that_its_bump_derives() {
        let program = Address::new_from_array([9; 32]);
        let seeds: [&[u8]; 2] = [b"task", &7u64.to_le_bytes()];
        let (address, bump) = find(&seeds, &program).unwrap();
        assert_eq!(Address::derive_address(&seeds, Some(bump), &program), address);
        assert_ne!(Address::derive_address(&seeds, Some(bump - 1), &program), address);
    }

    #[test]
    fn a_seed_of_more_than_32_bytes_has_no_address() {
        let program = Address::default();
        assert_eq!(find(&[&[0; 33]], &program), Err(Error::WRONG_ADDRESS));
    }
}
