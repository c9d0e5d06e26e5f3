//! Little-endian arguments in, little-endian bytes out.

use pinocchio::Address;

use crate::error::{Error, Outcome};

/// A cursor over an instruction's arguments. Call [`Reader::end`] after the last
/// one. It refuses spare bytes, so that each instruction has only one encoding.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Starts at the first byte of `data`.
    #[inline(always)]
    pub fn new(data: &'a [u8]) -> Self {
        Reader(data)
    }

    /// The next `N` bytes.
    #[inline(always)]
    pub fn bytes<const N: usize>(&mut self) -> Outcome<&'a [u8; N]> {
        let (head, tail) = self.0.split_first_chunk().ok_or(Error::BAD_INSTRUCTION)?;
        self.0 = tail;
        Ok(head)
    }

    /// The next `length` bytes.
    #[inline(always)]
    pub fn slice(&mut self, length: usize) -> Outcome<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(length).ok_or(Error::BAD_INSTRUCTION)?;
        self.0 = tail;
        Ok(head)
    }

    /// The next byte.
    #[inline(always)]
    pub fn u8(&mut self) -> Outcome<u8> {
        self.bytes::<1>().map(|bytes| bytes[0])
    }

    /// The next two bytes as a number.
    #[inline(always)]
    pub fn u16(&mut self) -> Outcome<u16> {
        self.bytes().map(|bytes| u16::from_le_bytes(*bytes))
    }

    /// The next four bytes as a number.
    #[inline(always)]
    pub fn u32(&mut self) -> Outcome<u32> {
        self.bytes().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// The next eight bytes as a number.
    #[inline(always)]
    pub fn u64(&mut self) -> Outcome<u64> {
        self.bytes().map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// The next eight bytes as a signed number.
    #[inline(always)]
    pub fn i64(&mut self) -> Outcome<i64> {
        self.bytes().map(|bytes| i64::from_le_bytes(*bytes))
    }

    /// The next 32 bytes as a key.
    #[inline(always)]
    pub fn key(&mut self) -> Outcome<Address> {
        self.bytes().map(|bytes| Address::new_from_array(*bytes))
    }

    /// A Borsh string or byte vector: its length in four bytes, then as many bytes.
    #[inline(always)]
    pub fn vector(&mut self) -> Outcome<&'a [u8]> {
        let length = self.u32()?;
        self.slice(length as usize)
    }

    /// Checks that everything was read.
    #[inline(always)]
    pub fn end(self) -> Outcome {
        if self.0.is_empty() { Ok(()) } else { Err(Error::BAD_INSTRUCTION) }
    }
}

/// Writes into a buffer of `N` bytes on the stack, for events. `N` counts towards the
/// 4,096 bytes of the function's frame.
pub struct Writer<const N: usize> {
    bytes: [u8; N],
    used: usize,
}

impl<const N: usize> Default for Writer<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Writer<N> {
    /// An empty buffer.
    #[inline(always)]
    pub const fn new() -> Self {
        Writer { bytes: [0; N], used: 0 }
    }

    /// Appends bytes, or refuses with [`Error::OVERFLOW`] if they do not fit.
    #[inline(always)]
    pub fn put(&mut self, bytes: &[u8]) -> Outcome<&mut Self> {
        let end = self.used.checked_add(bytes.len()).ok_or(Error::OVERFLOW)?;
        let room = self.bytes.get_mut(self.used..end).ok_or(Error::OVERFLOW)?;
        room.copy_from_slice(bytes);
        self.used = end;
        Ok(self)
    }

    /// Appends a number of eight bytes, with the error of [`Writer::put`].
    #[inline(always)]
    pub fn put_u64(&mut self, number: u64) -> Outcome<&mut Self> {
        self.put(&number.to_le_bytes())
    }

    /// The written bytes.
    #[inline(always)]
    pub fn written(&self) -> &[u8] {
        &self.bytes[..self.used]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut writer = Writer::<32>::new();
        writer.put(&[1, 2, 3]).unwrap().put_u64(u64::MAX - 1).unwrap().put(&[1]).unwrap();
        let mut reader = Reader::new(writer.written());
        assert_eq!(reader.u8(), Ok(1));
        assert_eq!(reader.u16(), Ok(0x0302));
        assert_eq!(reader.u64(), Ok(u64::MAX - 1));
        assert_eq!(reader.u8(), Ok(1));
        assert_eq!(reader.end(), Ok(()));
    }

    #[test]
    fn short_and_long_arguments_are_refused() {
        let refused = Some(Error::BAD_INSTRUCTION);
        assert_eq!(Reader::new(&[1, 2, 3]).u32().err(), refused);
        assert_eq!(Reader::new(&[5, 0, 0, 0, 1, 2, 3, 4]).vector().err(), refused);
        assert_eq!(Reader::new(&[0; 31]).key().err(), refused);
        assert_eq!(Reader::new(&[0; 4]).slice(5).err(), refused);
        assert_eq!(Reader::new(&[0]).end().err(), refused);
    }

    #[test]
    fn a_vector_says_how_long_it_is() {
        let mut reader = Reader::new(&[2, 0, 0, 0, 7, 8, 9]);
        assert_eq!(reader.vector(), Ok(&[7, 8][..]));
        assert_eq!(reader.end().err(), Some(Error::BAD_INSTRUCTION));
    }

    #[test]
    fn a_full_buffer_refuses_more() {
        let mut writer = Writer::<8>::new();
        writer.put_u64(1).unwrap();
        assert_eq!(writer.put(&[0]).err(), Some(Error::OVERFLOW));
        assert_eq!(writer.written(), 1u64.to_le_bytes());
    }
}
