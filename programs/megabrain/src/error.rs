//! The codes with which an instruction fails.
//!
//! An instruction fails with the first broken rule, in the order: arguments that cannot be
//! read, accounts, authority, status, time, arguments, money.

use core::num::NonZeroU32;

use pinocchio::error::ProgramError;

/// Lowest code of the program. Clients see a failure as `Custom(code)`.
pub const FIRST: u32 = 6000;

/// The reason why an instruction was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(NonZeroU32);

/// The result of a function that can fail.
pub type Outcome<T = ()> = Result<T, Error>;

macro_rules! codes {
    ($($code:literal $name:ident = $doc:literal,)+) => {
        impl Error {
            $(#[doc = $doc] pub const $name: Error = Error::new($code);)+
        }

        /// Every code with its name and meaning, in ascending order.
        pub const CODES: &[(u32, &str, &str)] = &[$(($code, stringify!($name), $doc)),+];
    };
}

codes! {
    6000 BAD_INSTRUCTION = "The instruction is unknown, or its data has the wrong length.",
    6001 NOT_ENOUGH_ACCOUNTS = "Fewer accounts than the instruction names.",
    6002 NOT_SIGNER = "An account that has to sign did not.",
    6003 NOT_WRITABLE = "An account that is written to was passed read-only.",
    6004 WRONG_OWNER = "Not an account of this program, or the wrong system program.",
    6005 WRONG_ACCOUNT = "Another kind of account, another version or another size.",
    6006 WRONG_ADDRESS = "Not the address that it has to be.",
    6007 DUPLICATE_ACCOUNT = "One account was passed for two writable roles.",
    6008 ALREADY_EXISTS = "The account to create exists already.",
    6009 OVERFLOW = "A number does not fit, or an account holds less than is taken from it.",
    6010 NOT_AUTHORITY = "The signer is not the authority, or not the requester.",
    6011 DATA_TOO_LARGE = "More bytes than an account may grow by.",
    6012 BAD_PARAMETER = "A parameter is out of its range.",
    6013 BAD_ROLE = "A role is 1 (worker) or 2 (evaluator).",
    6014 CLASS_FULL = "The class has as many members as it can have.",
    6015 NOT_MEMBER = "The signer is not registered for the class in this role.",
    6016 LEAVING = "The member is leaving already.",
    6017 STAKE_TOO_SMALL = "The stake is below the least of the class, or more than there can be.",
    6018 STAKE_LOCKED = "Stake is locked in a task.",
    6019 NOTHING_TO_WITHDRAW = "The member has earned nothing, and its stake is not free yet.",
    6020 WRONG_STATUS = "The status of the task does not allow this.",
    6021 TOO_EARLY = "The time for this has not come.",
    6022 TOO_LATE = "The time for this is over.",
    6023 TOO_FEW_MEMBERS = "Fewer members than the task needs are free and independent.",
    6024 NOT_SEATED = "The signer was not drawn for this task.",
    6025 ALREADY_COMMITTED = "The seat has committed.",
    6026 NOT_COMMITTED = "The seat has not committed, or is revealed.",
    6027 WRONG_OPENING = "Does not hash to the commitment.",
    6028 BAD_SUMMARY = "A summary has at most 500 characters and 700 bytes of UTF-8.",
    6029 TOO_LONG = "A description, a proof or metadata is too long.",
    6030 BAD_SCORE = "A score or a confidence is more than 100.",
    6031 BAD_OUTCOME = "The outcome contradicts the commitments, or a number is out of its range.",
    6032 BAD_STAKE = "A stake is not from the class's share of the budget to twice that, or below the bond.",
    6033 BAD_BUDGET = "The budget is below 0.001 SOL or too large, or the extension costs more.",
    6034 BAD_DEADLINE = "The deadline is not one to four submission windows after the latest draw.",
    6035 MISSING_HASH = "An all-zero hash.",
    6036 OWN_OUTCOME = "A dispute names another outcome, and is not the poster's own.",
    6037 NOT_FINAL = "The court has not decided yet.",
    6038 ALREADY_EXTENDED = "The task was extended once.",
    6039 NOT_GOLDEN = "The class has no golden tasks, no result has the answer, or it was opened.",
    6040 NO_OFFER = "The sponsor neither offers to vouch for the member, nor does.",
    6041 BAD_VOUCHER = "Nobody vouches for itself, twice, on another's word, or with over 2,500 basis points.",
    6042 NOT_FAILED = "Who appeals has failed the golden task.",
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
            ProgramError::AccountBorrowFailed => Error::DUPLICATE_ACCOUNT,
            ProgramError::NotEnoughAccountKeys => Error::NOT_ENOUGH_ACCOUNTS,
            ProgramError::InvalidRealloc => Error::DATA_TOO_LARGE,
            ProgramError::UnsupportedSysvar => Error::WRONG_OWNER,
            _ => Error::WRONG_ACCOUNT,
        }
    }
}

/// Nothing if the rule holds, or the error.
#[inline(always)]
pub fn require(holds: bool, error: Error) -> Outcome {
    if holds { Ok(()) } else { Err(error) }
}
