//! The codes with which an instruction fails (protocol section 8).
//!
//! An instruction fails with the first broken rule, in the order: arguments that cannot be
//! read, accounts, authority, status, time, arguments, money. Every handler has this order.

use core::num::NonZeroU32;

use pinocchio::error::ProgramError;

/// Lowest code of the program. Clients see a failure as `Custom(code)`.
pub const FIRST: u32 = 6000;

/// The reason why an instruction was refused.
///
/// It is a non-zero number, so that `Outcome<()>` fits into one register. A result
/// in memory would take one of the five argument registers of every handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(NonZeroU32);

/// The result of a function that can fail.
pub type Outcome<T = ()> = Result<T, Error>;

macro_rules! codes {
    ($($code:literal $name:ident = $doc:literal,)+) => {
        impl Error {
            $(#[doc = $doc] pub const $name: Error = Error::new($code);)+
        }

        /// Every code with its name, in ascending order.
        pub const CODES: &[(u32, &str)] = &[$(($code, stringify!($name))),+];
    };
}

codes! {
    6000 BAD_INSTRUCTION = "Unknown discriminator, or data too short or too long.",
    6001 NOT_ENOUGH_ACCOUNTS = "Fewer accounts than the instruction names.",
    6002 NOT_SIGNER = "An account that has to sign did not.",
    6003 NOT_WRITABLE = "An account that is written to was passed read-only.",
    6004 WRONG_OWNER = "Not an account of this program, or the wrong system program or sysvar.",
    6005 WRONG_ACCOUNT = "Discriminator, version or size.",
    6006 WRONG_ADDRESS = "Not the PDA, or the wallet, that it has to be.",
    6007 DUPLICATE_ACCOUNT = "One account was passed for two writable roles.",
    6008 ALREADY_EXISTS = "The account to create exists already.",
    6009 OVERFLOW = "A number does not fit, or an account holds less than is taken from it.",
    6010 NOT_AUTHORITY = "The signer is not the account's authority.",
    6011 BAD_CONFIG = "A parameter is out of its range.",
    6012 PAUSED = "New tasks, claims and judges are refused at present.",
    6013 WRONG_PAGE = "The registry's present page is another one.",
    6014 NOT_ENOUGH_IN_VAULT = "The agent owns less than that here.",
    6015 ZERO_AMOUNT = "Nothing would move.",
    6016 BAD_NAME = "A name is 1 to 32 bytes of `[a-z0-9._-]`.",
    6017 DATA_TOO_LARGE = "More than 9,216 bytes in all, 900 in one call, or beyond the length given.",
    6018 GRANTS_FULL = "All eight grants are in use.",
    6019 NO_GRANT = "No such grant, or it is not in force.",
    6020 BAD_FLAGS = "A grant's flags are 1, 2 or 3.",
    6021 WRONG_STATUS = "The task's or case's status does not allow this.",
    6022 BAD_REWARD = "Rewards are ordered and not below min_reward; without an auction they are equal.",
    6023 BAD_DURATION = "A duration is out of its range, or claim_by is not in the future.",
    6024 BAD_TERM = "No such auction, or no such on_undecided.",
    6025 WRONG_ENGINE = "The engine is this program, or its terms contradict each other, or its agent is a party.",
    6026 MISSING_HASH = "An all-zero hash.",
    6027 NOT_CREATOR = "The signer is not the task's creator.",
    6028 NOT_WORKER = "The signer is not the task's worker.",
    6029 OWN_TASK = "Nobody works for themselves.",
    6030 WORKER_BARRED = "The worker missed this task's deadline the last time, or gave it back.",
    6031 PRICE_TOO_LOW = "The price is below what the worker asks.",
    6032 TOO_LATE = "The time for this is over.",
    6033 TOO_EARLY = "The time for this has not come.",
    6034 REWORKS_EXHAUSTED = "The result was redone as often as is allowed.",
    6035 ALREADY_ON_ROSTER = "The authority is a judge already.",
    6036 PEER_TAKEN = "Another judge has this node key.",
    6037 BAD_PEER_PROOF = "The instruction before is not the node key's join proof.",
    6038 STAKE_TOO_SMALL = "Below min_stake.",
    6039 ROSTER_FULL = "max_judges are on the roster.",
    6040 NOT_ON_ROSTER = "No such judge.",
    6041 ALREADY_EXITING = "The judge is leaving already.",
    6042 NOT_EXITING = "The judge has not begun to leave.",
    6043 STAKE_LOCKED = "Seated in a live round.",
    6044 WRONG_ROUND = "The case is in another round.",
    6045 TOO_FEW_JUDGES = "Fewer eligible judges than min_seats.",
    6046 NOT_SEATED = "No such seat in this round.",
    6047 ALREADY_COMMITTED = "The seat has committed.",
    6048 NOT_COMMITTED = "The seat has not committed.",
    6049 ALREADY_REVEALED = "The seat has revealed.",
    6050 WRONG_OPENING = "Does not hash to the commitment.",
    6051 BAD_CHOICE = "A choice is 1, 2 or 3.",
    6052 BAD_SEALED = "A sealed opening has 93 bytes, or none.",
    6053 NOT_YET_SETTLEABLE = "The round is running and not everybody has revealed.",
    6054 BAD_EVIDENCE = "The instruction before does not prove equivocation.",
    6055 EQUIVOCATED = "The seat equivocated.",
    6056 NOTHING_TO_CLAIM = "The judge has no rewards.",
    6057 BAD_VOUCHER = "The instruction before is not the payer's voucher for this payee.",
    6058 VOUCHER_EXPIRED = "The time to pull the voucher is over.",
    6059 VOUCHER_SPENT = "All that the voucher promises is paid.",
    6060 VAULT_EMPTY = "The payer's vault holds nothing.",
    6061 BAD_RELAY = "The instruction before is not the judge's relay request for this commitment.",
    6062 SEASON_RUNS = "The season is not over yet.",
    6063 TOO_FEW_IMPARTIAL = "Fewer than min_seats judges are left who may judge these parties.",
    6064 NO_WITHDRAW_KEY = "The withdraw key is zero: nobody could take the stake.",
    6065 WRONG_RULES = "Another version of the rules applies: the task's, or the one in force.",
    6066 RULES_ANNOUNCED = "The version announced last is not in force yet.",
    6067 NOT_ADMITTED = "The court is listed, and its authority has not admitted this judge.",
    6068 COURT_LISTED = "The court is listed: without an authority nobody could admit judges.",
    6069 COURT_OPEN = "The court is open: nobody is admitted, and it is never listed again.",
    6070 NOT_COVERED = "The reward is more than cover_bps of the weight of all judges.",
    6071 NOT_FINAL = "The engine has not decided: its verdict may still change.",
    6072 NOT_PROCTOR = "The authority has not admitted this proctor, or the batch is another's.",
    6073 BAD_BATCH = "A batch has 2 to 256 leaves and a root, and these rules may have no batches.",
    6074 TOO_MANY_LEAVES = "More leaves than golden_bps of the cases that ended.",
    6075 DEPOSIT_TOO_SMALL = "The leaves can take more from judges than the deposit.",
    6076 NOT_IN_BATCH = "Leaf and path do not lead to the root of the batch.",
    6077 LEAF_OPEN = "The leaf is open already.",
    6078 NOT_GOLDEN = "The case has no open leaf of this batch, or it was applied.",
    6079 BATCH_INCOMPLETE = "Leaves are not open, too many are void, or the answers are out of balance.",
    6080 NOT_FALSE = "No case has accepted that this leaf is false.",
    6081 NOT_LOSER = "Only the party that the verdict is against may do this.",
    6082 BAD_MINT = "No mint, or one by which somebody could take or stop what a worker is to get.",
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    #[test]
    fn codes_are_consecutive_from_the_first() {
        assert!(CODES.iter().enumerate().all(|(i, (code, _))| *code == FIRST + i as u32));
    }

    #[test]
    fn codes_are_those_of_the_protocol() {
        let named = crate::vectors::load("names.json");
        let named = named["errors"].as_array().unwrap();
        assert_eq!(named.len(), CODES.len());
        for (error, (code, name)) in named.iter().zip(CODES) {
            assert_eq!(error["code"].as_u64().unwrap(), *code as u64);
            let snake: String = name.to_lowercase().replace('_', "");
            assert_eq!(error["name"].as_str().unwrap().to_lowercase(), snake);
        }
    }

    #[test]
    fn a_result_is_one_register() {
        assert_eq!(size_of::<Outcome>(), 4);
    }

    #[test]
    fn pinocchio_errors_become_ours() {
        assert_eq!(Error::from(ProgramError::AccountBorrowFailed), Error::DUPLICATE_ACCOUNT);
        assert_eq!(Error::from(ProgramError::Custom(7)), Error::WRONG_ACCOUNT);
    }
}
