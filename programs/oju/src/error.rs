//! The codes with which an instruction fails.

use core::num::NonZeroU32;

use pinocchio::error::ProgramError;

/// Lowest code of the program. Clients see a failure as `Custom(code)`.
pub const FIRST: u32 = 6000;

/// Why an instruction was refused.
///
/// It is a non-zero number, so that `Outcome<()>` is one register: a result that needs memory would take one
/// of the five argument registers of every handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(NonZeroU32);

/// What a fallible function of the program returns.
pub type Outcome<T = ()> = Result<T, Error>;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+) => {
        impl Error {
            $($(#[doc = $doc])+ pub const $name: Error = Error::new($code);)+
        }

        /// Every code with its name, in ascending order: the source of the clients' tables.
        pub const CODES: &[(u32, &str)] = &[$(($code, stringify!($name))),+];
    };
}

codes! {
    /// The first eight bytes of the instruction name no handler.
    UNKNOWN_INSTRUCTION = 6000,
    /// The instruction's arguments are too short, too long or not canonical.
    MALFORMED_ARGUMENTS = 6001,
    /// Fewer accounts than the instruction names.
    MISSING_ACCOUNT = 6002,
    /// An account that has to sign did not.
    MISSING_SIGNATURE = 6003,
    /// An account that is written to was passed read-only.
    NOT_WRITABLE = 6004,
    /// An account belongs to another program.
    WRONG_OWNER = 6005,
    /// An account is not the one that its seeds or its fixed address name.
    WRONG_ADDRESS = 6006,
    /// An account holds another kind of record, or none.
    WRONG_KIND = 6007,
    /// An account's length is not that of its record.
    WRONG_LENGTH = 6008,
    /// One account was passed for two roles.
    DUPLICATE_ACCOUNT = 6009,
    /// The account's data is in use already in this instruction.
    BORROWED = 6010,
    /// The account to create exists already.
    ALREADY_EXISTS = 6011,
    /// A sum, difference, product or quotient does not fit in 64 bits.
    OVERFLOW = 6012,
    /// An account holds fewer lamports than the instruction takes from it.
    INSUFFICIENT_LAMPORTS = 6013,
    /// A sysvar could not be read or has a form that the program does not know.
    SYSVAR = 6014,
    /// The slot asked for has no slot hash yet.
    SLOT_NOT_REACHED = 6015,
    /// The slot asked for is older than the slot hashes reach.
    SLOT_EXPIRED = 6016,
    /// The instruction named as signature check is not one of the Ed25519 program.
    NOT_ED25519 = 6017,
    /// The Ed25519 instruction is not self-contained, or has no such signature.
    MALFORMED_ED25519 = 6018,
    /// The runtime refused an operation for a reason of its own.
    RUNTIME = 6019,
}

impl Error {
    const fn new(code: u32) -> Self {
        match NonZeroU32::new(code) {
            Some(code) => Error(code),
            None => panic!("an error code is not zero"),
        }
    }

    /// The number that the transaction fails with.
    pub const fn code(self) -> u32 {
        self.0.get()
    }
}

impl From<ProgramError> for Error {
    /// Folds pinocchio's error into a code of ours, so that a client has one table only.
    fn from(error: ProgramError) -> Self {
        match error {
            ProgramError::AccountBorrowFailed => Error::BORROWED,
            ProgramError::NotEnoughAccountKeys => Error::MISSING_ACCOUNT,
            ProgramError::InvalidRealloc => Error::WRONG_LENGTH,
            ProgramError::UnsupportedSysvar => Error::SYSVAR,
            _ => Error::RUNTIME,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_from_the_first() {
        assert_eq!(CODES[0].0, FIRST);
        assert!(CODES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_result_is_one_register() {
        assert_eq!(size_of::<Outcome>(), 4);
    }

    #[test]
    fn pinocchio_errors_become_ours() {
        assert_eq!(Error::from(ProgramError::AccountBorrowFailed), Error::BORROWED);
        assert_eq!(Error::from(ProgramError::Custom(7)), Error::RUNTIME);
    }
}
