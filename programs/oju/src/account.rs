//! Checks of the accounts that a caller passes, and the two things done to them: resizing and moving lamports.
//!
//! Every account is the caller's choice. A handler checks what it relies on before it changes anything:
//! signer, writable, owner, kind, length, address, and that no account plays two roles.

use pinocchio::account::{Ref, RefMut};
use pinocchio::{AccountView, Address, Resize};

use crate::error::{Error, Outcome};
use crate::layout::{self, Record};

/// The first `N` accounts, or [`Error::MISSING_ACCOUNT`]. More accounts are allowed and ignored.
#[inline(always)]
pub fn first<const N: usize>(accounts: &mut [AccountView]) -> Outcome<&mut [AccountView; N]> {
    accounts.first_chunk_mut().ok_or(Error::MISSING_ACCOUNT)
}

/// Checks that the account signed the transaction.
#[inline(always)]
pub fn signer(account: &AccountView) -> Outcome {
    if account.is_signer() { Ok(()) } else { Err(Error::MISSING_SIGNATURE) }
}

/// Checks that the account was passed as writable.
#[inline(always)]
pub fn writable(account: &AccountView) -> Outcome {
    if account.is_writable() { Ok(()) } else { Err(Error::NOT_WRITABLE) }
}

/// Checks that the account belongs to `program`.
#[inline(always)]
pub fn owned(account: &AccountView, program: &Address) -> Outcome {
    if account.owned_by(program) { Ok(()) } else { Err(Error::WRONG_OWNER) }
}

/// Checks that the account is `expected`.
#[inline(always)]
pub fn address(account: &AccountView, expected: &Address) -> Outcome {
    if account.address() == expected { Ok(()) } else { Err(Error::WRONG_ADDRESS) }
}

/// Checks that the account's data has `length` bytes.
#[inline(always)]
pub fn length(account: &AccountView, length: usize) -> Outcome {
    if account.data_len() == length { Ok(()) } else { Err(Error::WRONG_LENGTH) }
}

/// Checks that no account was passed twice. The runtime passes a duplicate as the same memory, so two views
/// of one account are equal.
pub fn distinct(accounts: &[AccountView]) -> Outcome {
    for (i, account) in accounts.iter().enumerate() {
        if accounts[..i].contains(account) {
            return Err(Error::DUPLICATE_ACCOUNT);
        }
    }
    Ok(())
}

/// The account's record: owner, kind and length are checked, and the data is borrowed until it is dropped.
#[inline(always)]
pub fn record<'a, R: Record>(account: &'a AccountView, program: &Address) -> Outcome<Ref<'a, R>> {
    owned(account, program)?;
    Ref::try_map(account.try_borrow()?, layout::record::<R>).map_err(|(_, error)| error)
}

/// The account's record to change: writable, owner, kind and length are checked.
#[inline(always)]
pub fn record_mut<'a, R: Record>(account: &'a mut AccountView, program: &Address) -> Outcome<RefMut<'a, R>> {
    writable(account)?;
    owned(account, program)?;
    RefMut::try_map(account.try_borrow_mut()?, layout::record_mut::<R>).map_err(|(_, error)| error)
}

/// The data of an account headed by a record, for [`layout::list`]: owner and kind are checked.
#[inline(always)]
pub fn data<'a, R: Record>(account: &'a AccountView, program: &Address) -> Outcome<Ref<'a, [u8]>> {
    owned(account, program)?;
    let data = account.try_borrow()?;
    layout::check_kind::<R>(&data)?;
    Ok(data)
}

/// The data of an account headed by a record, for [`layout::list_mut`]: writable, owner and kind are checked.
#[inline(always)]
pub fn data_mut<'a, R: Record>(account: &'a mut AccountView, program: &Address) -> Outcome<RefMut<'a, [u8]>> {
    writable(account)?;
    owned(account, program)?;
    let data = account.try_borrow_mut()?;
    layout::check_kind::<R>(&data)?;
    Ok(data)
}

/// Makes the account's data `more` bytes longer; the new bytes are zero. At most 10,240 bytes in one
/// instruction. The caller pays the rent of the new bytes into the account.
#[inline]
pub fn grow(account: &mut AccountView, more: usize) -> Outcome {
    let length = account.data_len().checked_add(more).ok_or(Error::OVERFLOW)?;
    Ok(account.resize(length)?)
}

/// Moves lamports out of an account of this program. Nothing happens between an account and itself.
#[inline]
pub fn pay(from: &mut AccountView, to: &mut AccountView, lamports: u64) -> Outcome {
    if from == to {
        return Ok(());
    }
    let left = from.lamports().checked_sub(lamports).ok_or(Error::INSUFFICIENT_LAMPORTS)?;
    let sum = to.lamports().checked_add(lamports).ok_or(Error::OVERFLOW)?;
    from.set_lamports(left);
    to.set_lamports(sum);
    Ok(())
}

/// Pays everything the account holds to `to` and gives the account back to the System program. The runtime
/// zeroes the data when the instruction ends.
#[inline]
pub fn close(account: &mut AccountView, to: &mut AccountView) -> Outcome {
    if account == to {
        return Err(Error::DUPLICATE_ACCOUNT);
    }
    let lamports = account.lamports();
    pay(account, to, lamports)?;
    Ok(account.close()?)
}

#[cfg(test)]
#[path = "account_test.rs"]
mod tests;
