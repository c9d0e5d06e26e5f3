//! Checks of the accounts that a caller passes, and the few
//! operations on them: lending records, resizing, moving lamports.
//!
//! The caller chooses every account. A handler states its demands with [`take`], opens the
//! program's accounts with [`open`] or [`read`], and only then reads them. These functions
//! are not inlined, because handlers call them often and the program pays rent by the byte.

use core::ops::{Deref, DerefMut};

use pinocchio::account::{Ref, RefMut};
use pinocchio::{AccountView, Address, Resize};

use crate::error::{Error, Outcome, require};
use crate::layout::{self, List, Record};

/// The demands of an instruction on an account that a caller passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    signer: bool,
    writable: bool,
}

/// Only read.
pub const R: Role = Role { signer: false, writable: false };
/// Written to.
pub const W: Role = Role { signer: false, writable: true };
/// Signs.
pub const S: Role = Role { signer: true, writable: false };
/// Signs and is written to.
pub const SW: Role = Role { signer: true, writable: true };

/// A record of the program that knows its own address.
pub trait Located: Record {
    /// [`Error::WRONG_ADDRESS`] if it is not the PDA of the record's fields and stored bump.
    fn locate(&self, account: &AccountView, program: &Address) -> Outcome;
}

/// Returns the first accounts, one for each role, after it checked number,
/// signers, writables and duplicates, in this order. It ignores further accounts.
#[inline(always)]
pub fn take<const N: usize>(accounts: &[AccountView], roles: [Role; N]) -> Outcome<[AccountView; N]> {
    let taken = take_any(accounts, roles)?;
    distinct(&taken, roles)?;
    Ok(taken)
}

/// [`take`] without the check of duplicates. The caller must do that check.
#[inline(always)]
fn take_any<const N: usize>(accounts: &[AccountView], roles: [Role; N]) -> Outcome<[AccountView; N]> {
    let taken = accounts.first_chunk::<N>().ok_or(Error::NOT_ENOUGH_ACCOUNTS)?;
    for (account, role) in taken.iter().zip(roles) {
        require(account.is_signer() || !role.signer, Error::NOT_SIGNER)?;
    }
    for (account, role) in taken.iter().zip(roles) {
        require(account.is_writable() || !role.writable, Error::NOT_WRITABLE)?;
    }
    Ok(*taken)
}

/// Checks that no account has two writable roles. The runtime passes a
/// duplicate as the same memory, so two views of one account are equal.
#[inline(always)]
fn distinct<const N: usize>(accounts: &[AccountView; N], roles: [Role; N]) -> Outcome {
    for i in 0..N {
        for j in 0..i {
            let both = roles[i].writable && roles[j].writable;
            require(!both || accounts[i] != accounts[j], Error::DUPLICATE_ACCOUNT)?;
        }
    }
    Ok(())
}

/// Checks that `key` signs: its account stands behind the `behind` others. It is for a
/// key that counts only if it agrees, and that an instruction does not always need.
#[inline(never)]
pub fn cosigned(accounts: &[AccountView], behind: usize, key: &Address) -> Outcome {
    let account = accounts.get(behind).ok_or(Error::NOT_ENOUGH_ACCOUNTS)?;
    require(account.is_signer(), Error::NOT_SIGNER)?;
    address(account, key)
}

/// Checks that lamports of this owner may go to the account: it is the owner's, or
/// another wallet. An account of a program could not give them back.
#[inline(never)]
pub fn wallet(account: &AccountView, owner: &Address) -> Outcome {
    if account.address() == owner {
        return Ok(());
    }
    owned(account, &pinocchio_system::ID)
}

/// Checks that the account belongs to `program`.
#[inline(always)]
pub fn owned(account: &AccountView, program: &Address) -> Outcome {
    require(account.owned_by(program), Error::WRONG_OWNER)
}

/// Checks that the account is `expected`.
#[inline(always)]
pub fn address(account: &AccountView, expected: &Address) -> Outcome {
    require(account.address() == expected, Error::WRONG_ADDRESS)
}

/// Checks that the account is the System program.
#[inline(always)]
pub fn system(account: &AccountView) -> Outcome {
    require(account.address() == &pinocchio_system::ID, Error::WRONG_OWNER)
}

/// A record to change, and the account that it is in.
pub struct Held<'a, R> {
    /// The account, for its address and lamports.
    pub account: AccountView,
    record: RefMut<'a, R>,
}

impl<R> Deref for Held<'_, R> {
    type Target = R;
    #[inline(always)]
    fn deref(&self) -> &R {
        &self.record
    }
}

impl<R> DerefMut for Held<'_, R> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut R {
        &mut self.record
    }
}

/// A record with its list, to change, and the account that they are in.
pub struct Listed<'a, L> {
    /// The account, for its address and lamports.
    pub account: AccountView,
    data: RefMut<'a, [u8]>,
    kind: core::marker::PhantomData<L>,
}

impl<L: List> Listed<'_, L> {
    /// The record and its items.
    #[inline(always)]
    pub fn parts(&mut self) -> Outcome<(&mut L, &mut [L::Item])> {
        layout::list_mut(&mut self.data)
    }
}

/// The account's record to read: owner, size, kind, version and address are checked.
#[inline(never)]
pub fn read<'a, R: Located>(account: &'a AccountView, program: &Address) -> Outcome<Ref<'a, R>> {
    owned(account, program)?;
    let record = Ref::try_map(account.try_borrow()?, layout::record::<R>).map_err(|(_, error)| error)?;
    record.locate(account, program)?;
    Ok(record)
}

/// The account's record to change, after the checks of [`read`].
#[inline(never)]
pub fn open<'a, R: Located>(account: &'a mut AccountView, program: &Address) -> Outcome<Held<'a, R>> {
    owned(account, program)?;
    let held = lend::<R>(account)?;
    held.locate(&held.account, program)?;
    Ok(held)
}

/// The account's record and list to change, after the checks of [`read`].
#[inline(never)]
pub fn open_list<'a, L: List + Located>(
    account: &'a mut AccountView,
    program: &Address,
) -> Outcome<Listed<'a, L>> {
    owned(account, program)?;
    let mut listed = lend_list::<L>(account)?;
    let at = listed.account;
    listed.parts()?.0.locate(&at, program)?;
    Ok(listed)
}

/// A record that this instruction made or checked already.
#[inline(never)]
pub fn lend<R: Record>(account: &mut AccountView) -> Outcome<Held<'_, R>> {
    let view = *account;
    let data = account.try_borrow_mut()?;
    let record = RefMut::try_map(data, layout::record_mut::<R>).map_err(|(_, error)| error)?;
    Ok(Held { account: view, record })
}

/// A record with its list that this instruction made or checked already.
#[inline(always)]
pub fn lend_list<L: List>(account: &mut AccountView) -> Outcome<Listed<'_, L>> {
    let view = *account;
    Ok(Listed { account: view, data: account.try_borrow_mut()?, kind: core::marker::PhantomData })
}

/// Changes the length of the account's data; new bytes are zero. One
/// instruction can add at most 10,240 bytes. The caller pays the rent.
#[inline(never)]
pub fn resize(account: &mut AccountView, length: usize) -> Outcome {
    Ok(account.resize(length)?)
}

/// Moves lamports out of an account of this program. Nothing happens between an account and itself.
#[inline(never)]
pub fn pay(from: &mut AccountView, to: &mut AccountView, lamports: u64) -> Outcome {
    if from == to {
        return Ok(());
    }
    let left = from.lamports().checked_sub(lamports).ok_or(Error::OVERFLOW)?;
    let sum = to.lamports().checked_add(lamports).ok_or(Error::OVERFLOW)?;
    from.set_lamports(left);
    to.set_lamports(sum);
    Ok(())
}

/// Pays all lamports of the account to `to`, assigns it to the System program and
/// returns the amount. The runtime zeroes the data when the instruction ends.
#[inline(never)]
pub fn close(account: &mut AccountView, to: &mut AccountView) -> Outcome<u64> {
    require(account != to, Error::DUPLICATE_ACCOUNT)?;
    let lamports = account.lamports();
    pay(account, to, lamports)?;
    account.close()?;
    Ok(lamports)
}

#[cfg(test)]
#[path = "account_test.rs"]
mod tests;
