//! Account data as `repr(C)` structs, without copying.
//!
//! A record begins with a [`Head`]. `bytemuck::Pod` proves at compile time that a struct has no
//! padding and is valid for every bit pattern. Head, length and alignment are checked at run
//! time. Fields are integers, byte arrays and nested records, each at a multiple of its own size.

use bytemuck::{Pod, Zeroable};
use sha2_const_stable::Sha256;

use crate::error::{Error, Outcome, require};

/// The version of every record's layout (protocol section 4).
pub const VERSION: u8 = 2;

/// The first bytes of every account of the program.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Head {
    /// [`Record::KIND`].
    pub kind: [u8; 8],
    /// [`VERSION`].
    pub version: u8,
    /// The bump of the account's address.
    pub bump: u8,
}

/// A record that fills an account, or heads one.
///
/// The implementer's first field must be `head: Head`.
pub trait Record: Pod {
    /// The record's name in protocol section 4.
    const NAME: &'static str;

    /// The header of every account of this kind.
    const KIND: [u8; 8] = discriminator("account:", Self::NAME);

    /// The record's length in bytes, without the list behind it.
    const SIZE: usize = size_of::<Self>();
}

/// A record with a list behind it that fills the rest of the account.
pub trait List: Record {
    /// The type of the list's entries.
    type Item: Pod;

    /// How many items the record says there are.
    fn items(&self) -> usize;
}

/// `sha256(space ‖ name)[0..8]`: the discriminators of accounts, instructions and events.
pub const fn discriminator(space: &str, name: &str) -> [u8; 8] {
    let hash = Sha256::new().update(space.as_bytes()).update(name.as_bytes()).finalize();
    match hash.first_chunk() {
        Some(head) => *head,
        None => panic!("a hash has 32 bytes"),
    }
}

/// Checks kind and version at the start of `data`.
#[inline(always)]
pub fn check_head<R: Record>(data: &[u8]) -> Outcome {
    match data.first_chunk::<9>() {
        Some([kind @ .., version]) => {
            let same = u64::from_le_bytes(*kind) == const { u64::from_le_bytes(R::KIND) };
            require(same && *version == VERSION, Error::WRONG_ACCOUNT)
        }
        None => Err(Error::WRONG_ACCOUNT),
    }
}

/// The record that is exactly `data`.
#[inline(always)]
pub fn record<R: Record>(data: &[u8]) -> Outcome<&R> {
    check_head::<R>(data)?;
    bytemuck::try_from_bytes(data).map_err(|_| Error::WRONG_ACCOUNT)
}

/// The record that is exactly `data`, to change.
#[inline(always)]
pub fn record_mut<R: Record>(data: &mut [u8]) -> Outcome<&mut R> {
    check_head::<R>(data)?;
    bytemuck::try_from_bytes_mut(data).map_err(|_| Error::WRONG_ACCOUNT)
}

/// The record at the start of `data` and the items that fill the rest, as many as the record says.
#[inline(always)]
pub fn list<L: List>(data: &[u8]) -> Outcome<(&L, &[L::Item])> {
    check_head::<L>(data)?;
    let (record, tail) = data.split_at_checked(L::SIZE).ok_or(Error::WRONG_ACCOUNT)?;
    let record: &L = bytemuck::try_from_bytes(record).map_err(|_| Error::WRONG_ACCOUNT)?;
    let items = bytemuck::try_cast_slice(tail).map_err(|_| Error::WRONG_ACCOUNT)?;
    require(items.len() == record.items(), Error::WRONG_ACCOUNT)?;
    Ok((record, items))
}

/// The record at the start of `data` and the items that fill the rest, to change.
#[inline(always)]
pub fn list_mut<L: List>(data: &mut [u8]) -> Outcome<(&mut L, &mut [L::Item])> {
    check_head::<L>(data)?;
    let (record, tail) = data.split_at_mut_checked(L::SIZE).ok_or(Error::WRONG_ACCOUNT)?;
    let record: &mut L = bytemuck::try_from_bytes_mut(record).map_err(|_| Error::WRONG_ACCOUNT)?;
    let items = bytemuck::try_cast_slice_mut(tail).map_err(|_| Error::WRONG_ACCOUNT)?;
    require(items.len() == record.items(), Error::WRONG_ACCOUNT)?;
    Ok((record, items))
}

/// Writes a new record's head into `data`, which must be zero: a record is created only once.
#[inline(always)]
pub fn stamp<R: Record>(data: &mut [u8], bump: u8) -> Outcome {
    let head = data.first_chunk_mut::<{ size_of::<Head>() }>().ok_or(Error::WRONG_ACCOUNT)?;
    require(*head == [0; size_of::<Head>()], Error::ALREADY_EXISTS)?;
    *bytemuck::cast_mut(head) = Head { kind: R::KIND, version: VERSION, bump };
    Ok(())
}

#[cfg(test)]
#[path = "layout_test.rs"]
mod tests;
