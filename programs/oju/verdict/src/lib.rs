//! Reads a verdict account, so that any program can pay by it. The layout is in docs/verdicts.md.
#![no_std]

use solana_address::Address;

/// Bytes of a verdict account.
pub const SIZE: usize = 256;
/// `sha256("account:VerdictAccount")[0..8]`, and the version of the layout.
const HEAD: [u8; 9] = [63, 136, 110, 60, 60, 252, 162, 97, 2];

/// What byte 14 says of a dispute of others whose respondent has not answered.
const UNANSWERED: u8 = 1;

/// An account that somebody passed to your program as a verdict.
pub struct Passed<'a> {
    /// Its address.
    pub address: &'a Address,
    /// The program that owns it.
    pub owner: &'a Address,
    /// Its data.
    pub data: &'a [u8],
}

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The worker's result stands.
    Accept,
    /// It does not.
    Reject,
    /// Nobody decided.
    Undecided,
}

/// What a verdict says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Who won.
    pub decision: Decision,
    /// Who posted the task; in a dispute of others the respondent.
    pub creator: Address,
    /// Who claimed it; in a dispute the claimant. It may be another agent of the creator.
    pub worker: Address,
    /// The result that the case was about.
    pub result_hash: [u8; 32],
    /// What the worker would get for it, in lamports. The court's judges cover no more.
    pub reward: u64,
    /// Whether it is a dispute of others, and nobody spoke for the creator.
    pub unanswered: bool,
}

/// Why an account is no verdict to pay by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Another program owns it, or nobody.
    Owner,
    /// It is another kind of account, of another version, or not as long.
    Layout,
    /// It is about another subject, or not at the address of the subject.
    Address,
    /// It may still change.
    NotFinal,
}

/// What the court `program` found about `subject`. Store both in your own account when the escrow
/// begins, and compare the parties with yours: a caller who may choose them chooses who is paid.
#[inline(always)]
pub fn verdict(program: &Address, subject: &Address, passed: &Passed) -> Result<Verdict, Refused> {
    let decision = read(program, subject, passed)?;
    let data: &[u8; SIZE] = passed.data.try_into().map_err(|_| Refused::Layout)?;
    let bytes = |at: usize| core::array::from_fn(|i| data[at + i]);
    Ok(Verdict {
        decision,
        creator: Address::new_from_array(bytes(152)),
        worker: Address::new_from_array(bytes(184)),
        result_hash: bytes(216),
        reward: u64::from_le_bytes(core::array::from_fn(|i| data[248 + i])),
        unanswered: data[14] == UNANSWERED,
    })
}

/// The decision of `program` about `subject`, whoever the parties were. Most callers want
/// [`verdict`].
#[inline(always)]
pub fn read(program: &Address, subject: &Address, passed: &Passed) -> Result<Decision, Refused> {
    read_at(program, subject, &[b"verdict", subject.as_ref()], passed)
}

/// The decision of one of the groups that `program` serves, about `subject`. Anybody may make a
/// group, so store its address beside the other two.
#[inline(always)]
pub fn read_group(
    program: &Address,
    group: &Address,
    subject: &Address,
    passed: &Passed,
) -> Result<Decision, Refused> {
    read_at(program, subject, &[b"verdict", subject.as_ref(), group.as_ref()], passed)
}

/// The decision in the account at the address of these seeds.
#[inline(always)]
fn read_at<const N: usize>(
    program: &Address,
    subject: &Address,
    seeds: &[&[u8]; N],
    passed: &Passed,
) -> Result<Decision, Refused> {
    if passed.owner != program {
        return Err(Refused::Owner);
    }
    let data: &[u8; SIZE] = passed.data.try_into().map_err(|_| Refused::Layout)?;
    if !data.starts_with(&HEAD) {
        return Err(Refused::Layout);
    }
    let place = Address::try_derive_address(seeds, Some(data[9]), program);
    if data[16..48] != *subject.as_ref() || place.as_ref() != Ok(passed.address) {
        return Err(Refused::Address);
    }
    match data[10..12] {
        [1, 1] => Ok(Decision::Accept),
        [1, 2] => Ok(Decision::Reject),
        [1, 3] => Ok(Decision::Undecided),
        [0, _] => Err(Refused::NotFinal),
        _ => Err(Refused::Layout),
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    const PROGRAM: Address = Address::new_from_array([3; 32]);
    const SUBJECT: Address = Address::new_from_array([5; 32]);

    /// A verdict account with that decision, and its address.
    fn account(decision: u8) -> (Address, Vec<u8>) {
        let (address, bump) = Address::find_program_address(&[b"verdict", SUBJECT.as_ref()], &PROGRAM);
        let mut data = [HEAD.to_vec(), std::vec![bump, 1, decision, 1, 1, 0, 0], SUBJECT.as_ref().to_vec()].concat();
        data.resize(SIZE, 0);
        (address, data)
    }

    fn reads(address: &Address, owner: &Address, data: &[u8]) -> Result<Decision, Refused> {
        read(&PROGRAM, &SUBJECT, &Passed { address, owner, data })
    }

    #[test]
    fn a_final_verdict_is_read() {
        for (decision, expected) in [(1, Decision::Accept), (2, Decision::Reject), (3, Decision::Undecided)] {
            let (at, data) = account(decision);
            assert_eq!(reads(&at, &PROGRAM, &data), Ok(expected));
        }
    }

    #[test]
    fn it_says_whether_the_respondent_of_a_dispute_answered() {
        for (joined, unanswered) in [(0, false), (1, true), (2, false)] {
            let (address, mut data) = account(1);
            data[14] = joined;
            let told = verdict(&PROGRAM, &SUBJECT, &Passed { address: &address, owner: &PROGRAM, data: &data });
            assert_eq!(told.map(|it| it.unanswered), Ok(unanswered));
        }
    }

    #[test]
    fn a_verdict_is_that_of_one_group() {
        let (ours, theirs) = (Address::new_from_array([7; 32]), Address::new_from_array([8; 32]));
        let seeds = [b"verdict", SUBJECT.as_ref(), ours.as_ref()];
        let (address, bump) = Address::find_program_address(&seeds, &PROGRAM);
        let mut data = account(2).1;
        data[9] = bump;
        let passed = Passed { address: &address, owner: &PROGRAM, data: &data };
        assert_eq!(read_group(&PROGRAM, &ours, &SUBJECT, &passed), Ok(Decision::Reject));
        assert_eq!(read_group(&PROGRAM, &theirs, &SUBJECT, &passed), Err(Refused::Address), "another group");
        assert_eq!(read(&PROGRAM, &SUBJECT, &passed), Err(Refused::Address), "no group");
    }

    #[test]
    fn nothing_else_is_paid_by() {
        let (at, good) = account(1);
        let other = Address::new_from_array([9; 32]);
        assert_eq!(reads(&at, &other, &good), Err(Refused::Owner), "an account that mallory's program owns");
        assert_eq!(reads(&other, &PROGRAM, &good), Err(Refused::Address), "elsewhere");
        let of = |program: &Address, subject: &Address| {
            read(program, subject, &Passed { address: &at, owner: program, data: &good })
        };
        assert_eq!(of(&PROGRAM, &other), Err(Refused::Address), "another subject");
        assert_eq!(of(&other, &SUBJECT), Err(Refused::Address), "another court");
        for (place, value, why) in [
            (0, 0, Refused::Layout),
            (8, 1, Refused::Layout),
            (9, good[9].wrapping_sub(1), Refused::Address),
            (10, 0, Refused::NotFinal),
            (10, 2, Refused::Layout),
            (11, 0, Refused::Layout),
            (11, 4, Refused::Layout),
            (16, 6, Refused::Address),
        ] {
            let mut data = good.clone();
            data[place] = value;
            assert_eq!(reads(&at, &PROGRAM, &data), Err(why), "{place}");
        }
        for length in [0, 8, 16, SIZE - 1] {
            assert_eq!(reads(&at, &PROGRAM, &good[..length]), Err(Refused::Layout), "{length} bytes");
        }
        assert_eq!(reads(&at, &PROGRAM, &[&good[..], &[0]].concat()), Err(Refused::Layout), "a byte more");
    }
}
