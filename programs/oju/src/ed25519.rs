//! The signatures that the Ed25519 program verified in this transaction, from the sysvar.
//!
//! The precompile's instruction names its key, signature and message by offset and by the
//! index of the instruction that holds them. Only self-contained instructions are accepted,
//! with all indices 0xffff. Otherwise the verified bytes could differ from the ones that
//! are read here. If a signature is wrong, the runtime has already refused the transaction.

use pinocchio::account::Ref;
use pinocchio::sysvars::instructions::{Instructions, IntrospectedInstruction};
use pinocchio::{AccountView, Address};

use crate::error::Outcome;

/// `Ed25519SigVerify111111111111111111111111111`.
pub const PROGRAM: Address = Address::new_from_array([
    0x03, 0x7d, 0x46, 0xd6, 0x7c, 0x93, 0xfb, 0xbe, 0x12, 0xf9, 0x42, 0x8f, 0x83, 0x8d, 0x40, 0xff, 0x05,
    0x70, 0x74, 0x49, 0x27, 0xf4, 0x8a, 0x64, 0xfc, 0xca, 0x70, 0x44, 0x80, 0x00, 0x00, 0x00,
]);

/// Bytes before the first signature's entry: the count and a pad.
const HEADER_BYTES: usize = 2;
/// Bytes of an entry: seven 16-bit numbers.
const ENTRY_BYTES: usize = 14;
/// The index that means "in this instruction".
const SELF: u16 = u16::MAX;

/// A key that signed a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed<'a> {
    /// The Ed25519 public key.
    pub key: &'a [u8; 32],
    /// The bytes it signed.
    pub message: &'a [u8],
}

/// The transaction's instructions. [`Error::WRONG_OWNER`] if this is not the instructions sysvar.
#[inline]
pub fn instructions(sysvar: &AccountView) -> Outcome<Instructions<Ref<'_, [u8]>>> {
    Ok(Instructions::try_from(sysvar)?)
}

/// The instruction just before this one, if it is one of the Ed25519 program.
#[inline]
pub fn before<'a>(instructions: &'a Instructions<Ref<'a, [u8]>>) -> Option<IntrospectedInstruction<'a>> {
    let index = (instructions.load_current_index() as usize).checked_sub(1)?;
    let instruction = instructions.load_instruction_at(index).ok()?;
    (instruction.get_program_id() == &PROGRAM).then_some(instruction)
}

/// The signatures of an Ed25519 instruction's data, if there are exactly `N`, all self-contained.
pub fn exactly<const N: usize>(data: &[u8]) -> Option<[Signed<'_>; N]> {
    if *data.first()? as usize != N {
        return None;
    }
    let mut all = [Signed { key: &[0; 32], message: &[] }; N];
    for (i, one) in all.iter_mut().enumerate() {
        *one = signed(data, i)?;
    }
    Some(all)
}

/// Signature number `i` of an Ed25519 instruction's data; `None` if missing or not self-contained.
fn signed(data: &[u8], i: usize) -> Option<Signed<'_>> {
    if i >= *data.first()? as usize {
        return None;
    }
    let start = HEADER_BYTES + i.wrapping_mul(ENTRY_BYTES);
    let entry = chunk::<ENTRY_BYTES>(data, start)?;
    let [_, signature_in, key_at, key_in, message_at, message_length, message_in] = numbers(entry);
    if signature_in != SELF || key_in != SELF || message_in != SELF {
        return None;
    }
    let message = data.get(message_at as usize..).and_then(|tail| tail.get(..message_length as usize));
    Some(Signed { key: chunk(data, key_at as usize)?, message: message? })
}

#[inline(always)]
fn chunk<const N: usize>(data: &[u8], start: usize) -> Option<&[u8; N]> {
    data.get(start..)?.first_chunk()
}

#[inline(always)]
fn numbers(entry: &[u8; ENTRY_BYTES]) -> [u16; 7] {
    core::array::from_fn(|i| u16::from_le_bytes([entry[2 * i], entry[2 * i + 1]]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// An instruction's data with one message a signature, laid out as the clients' libraries do.
    fn instruction(messages: &[&[u8]]) -> Vec<u8> {
        let mut data = [messages.len() as u8, 0].to_vec();
        let mut at = HEADER_BYTES + messages.len() * ENTRY_BYTES;
        for message in messages {
            let (key, signature, text) = (at, at + 32, at + 96);
            let entry = [signature, SELF as usize, key, SELF as usize, text, message.len(), SELF as usize];
            data.extend(entry.iter().flat_map(|number| (*number as u16).to_le_bytes()));
            at = text + message.len();
        }
        for (i, message) in messages.iter().enumerate() {
            data.extend([i as u8 + 1; 32]);
            data.extend([0xee; 64]);
            data.extend(*message);
        }
        data
    }

    #[test]
    fn each_signature_is_read() {
        let data = instruction(&[b"yes", b""]);
        assert_eq!(signed(&data, 0), Some(Signed { key: &[1; 32], message: b"yes" }));
        assert_eq!(signed(&data, 1), Some(Signed { key: &[2; 32], message: b"" }));
        assert_eq!(signed(&data, 2), None);
    }

    #[test]
    fn a_number_of_signatures_is_exact() {
        let data = instruction(&[b"yes", b"no"]);
        let both = exactly::<2>(&data).unwrap();
        assert_eq!((both[0].message, both[1].message), (&b"yes"[..], &b"no"[..]));
        assert_eq!((exactly::<1>(&data), exactly::<3>(&data), exactly::<0>(&[])), (None, None, None));
    }

    #[test]
    fn an_entry_beyond_the_count_was_not_verified() {
        let mut data = instruction(&[b"yes", b"no"]);
        data[0] = 1;
        assert!(signed(&data, 0).is_some());
        assert_eq!(signed(&data, 1), None);
        data[0] = 0;
        assert_eq!(signed(&data, 0), None);
    }

    #[test]
    fn bytes_of_another_instruction_are_refused() {
        for field in [1, 3, 6] {
            let mut data = instruction(&[b"yes"]);
            data[HEADER_BYTES + 2 * field..][..2].copy_from_slice(&0u16.to_le_bytes());
            assert_eq!(signed(&data, 0), None, "field {field}");
        }
    }

    #[test]
    fn no_truncation_or_offset_panics() {
        let whole = instruction(&[b"yes"]);
        for length in 0..whole.len() {
            assert_eq!(signed(&whole[..length], 0), None, "{length} bytes");
        }
        for field in [2, 4, 5] {
            let mut data = whole.clone();
            data[HEADER_BYTES + 2 * field..][..2].copy_from_slice(&u16::MAX.to_le_bytes());
            assert_eq!(signed(&data, 0), None, "field {field}");
        }
    }
}
