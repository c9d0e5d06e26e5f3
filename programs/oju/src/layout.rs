//! Account data as `repr(C)` structs, without copying.
//!
//! A record's first eight bytes are its kind. `bytemuck::Pod` proves at compile time that a struct has no
//! padding and is valid for every bit pattern; here the kind, the length and the alignment are checked at run
//! time. Fields are integers, byte arrays and nested records; 64-bit fields first, so that nothing is padded.

use bytemuck::Pod;

use crate::error::{Error, Outcome};

/// Bytes of a record's kind.
pub const KIND_BYTES: usize = 8;

/// A record that fills an account, or heads one.
///
/// The implementer's first field must be `kind: [u8; 8]`, and no two kinds of the program may be equal.
pub trait Record: Pod {
    /// The first eight bytes.
    const KIND: [u8; KIND_BYTES];

    /// The record's length in bytes.
    const SIZE: usize = size_of::<Self>();
}

/// Checks the kind at the start of `data`.
#[inline(always)]
pub fn check_kind<R: Record>(data: &[u8]) -> Outcome {
    match data.first_chunk::<KIND_BYTES>() {
        Some(kind) if u64::from_le_bytes(*kind) == u64::from_le_bytes(R::KIND) => Ok(()),
        _ => Err(Error::WRONG_KIND),
    }
}

/// The record that is exactly `data`.
#[inline(always)]
pub fn record<R: Record>(data: &[u8]) -> Outcome<&R> {
    check_kind::<R>(data)?;
    bytemuck::try_from_bytes(data).map_err(|_| Error::WRONG_LENGTH)
}

/// The record that is exactly `data`, to change.
#[inline(always)]
pub fn record_mut<R: Record>(data: &mut [u8]) -> Outcome<&mut R> {
    check_kind::<R>(data)?;
    bytemuck::try_from_bytes_mut(data).map_err(|_| Error::WRONG_LENGTH)
}

/// The record at the start of `data` and the items that fill the rest.
#[inline(always)]
pub fn list<R: Record, T: Pod>(data: &[u8]) -> Outcome<(&R, &[T])> {
    check_kind::<R>(data)?;
    let (head, tail) = data.split_at_checked(R::SIZE).ok_or(Error::WRONG_LENGTH)?;
    let head = bytemuck::try_from_bytes(head).map_err(|_| Error::WRONG_LENGTH)?;
    let tail = bytemuck::try_cast_slice(tail).map_err(|_| Error::WRONG_LENGTH)?;
    Ok((head, tail))
}

/// The record at the start of `data` and the items that fill the rest, to change.
#[inline(always)]
pub fn list_mut<R: Record, T: Pod>(data: &mut [u8]) -> Outcome<(&mut R, &mut [T])> {
    check_kind::<R>(data)?;
    let (head, tail) = data.split_at_mut_checked(R::SIZE).ok_or(Error::WRONG_LENGTH)?;
    let head = bytemuck::try_from_bytes_mut(head).map_err(|_| Error::WRONG_LENGTH)?;
    let tail = bytemuck::try_cast_slice_mut(tail).map_err(|_| Error::WRONG_LENGTH)?;
    Ok((head, tail))
}

/// Writes a fresh record's kind into `data`, which must be all zeroes: a record is never made twice.
#[inline(always)]
pub fn stamp<R: Record>(data: &mut [u8]) -> Outcome {
    let kind = data.first_chunk_mut::<KIND_BYTES>().ok_or(Error::WRONG_LENGTH)?;
    if u64::from_le_bytes(*kind) != 0 {
        return Err(Error::ALREADY_EXISTS);
    }
    *kind = R::KIND;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    #[repr(C)]
    #[derive(Clone, Copy, Pod, Zeroable)]
    struct Head {
        kind: [u8; 8],
        count: u64,
    }

    impl Record for Head {
        const KIND: [u8; 8] = *b"testhead";
    }

    #[repr(C)]
    #[derive(Clone, Copy, Pod, Zeroable)]
    struct Item {
        stake: u64,
        key: [u8; 32],
    }

    /// Data aligned as the runtime aligns it, of `N` words.
    fn fresh<const N: usize>() -> [u64; N] {
        let mut words = [0; N];
        stamp::<Head>(bytemuck::cast_slice_mut(&mut words)).unwrap();
        words
    }

    #[test]
    fn a_record_is_a_view_of_the_data() {
        let mut words = fresh::<2>();
        let data = bytemuck::cast_slice_mut(&mut words);
        record_mut::<Head>(data).unwrap().count = 7;
        assert_eq!(record::<Head>(data).unwrap().count, 7);
        assert_eq!(data[8], 7);
    }

    #[test]
    fn a_list_ends_where_the_data_ends() {
        let mut words = fresh::<12>();
        let data: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        let (_, items) = list_mut::<Head, Item>(data).unwrap();
        items[1].stake = 9;
        assert_eq!(items.len(), 2);
        assert_eq!(list::<Head, Item>(data).unwrap().1[1].stake, 9);
        assert!(list::<Head, Item>(&data[..88]).is_err());
        assert!(list::<Head, Item>(&data[..12]).is_err());
    }

    #[test]
    fn another_kind_length_or_alignment_is_refused() {
        let mut words = fresh::<3>();
        let data: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        assert_eq!(record::<Head>(data).err(), Some(Error::WRONG_LENGTH));
        assert_eq!(record::<Head>(&data[..4]).err(), Some(Error::WRONG_KIND));
        assert_eq!(record::<Head>(&data[1..17]).err(), Some(Error::WRONG_KIND));
        data.copy_within(0..8, 1);
        assert_eq!(record::<Head>(&data[1..17]).err(), Some(Error::WRONG_LENGTH));
    }

    #[test]
    fn a_record_is_stamped_once() {
        let mut words = fresh::<2>();
        let data = bytemuck::cast_slice_mut(&mut words);
        assert_eq!(stamp::<Head>(data), Err(Error::ALREADY_EXISTS));
    }
}
