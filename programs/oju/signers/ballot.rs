//! The verdicts that members signed about one subject, until enough of them agree.

use bytemuck::{Pod, Zeroable};
use pinocchio::{AccountView, Address};

use super::group::{Group, MAX};
use crate::account::{self, Held, R, S, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::sha256;
use crate::layout::{Head, Record};
use crate::pda::{self, Birth};
use crate::state::located;
use crate::state::case::{ACCEPT, REJECT, UNDECIDED};
use crate::state::verdict::{self, Verdict};
use crate::sysvar::clock;
use crate::wire::Reader;

/// First seed of a ballot's address; the others are group and subject.
const SEED: &[u8] = b"ballot";
/// The first bytes of what the verdict's facts hash.
const PREFIX: &[u8] = b"oju:signed:v1";

/// Ballot. No instruction closes it: who signed what stays on the chain.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Ballot {
    /// Kind, version and bump.
    pub head: Head,
    /// The verdict that enough members signed; 0: none yet.
    pub decided: u8,
    pub(crate) pad: [u8; 5],
    /// The address of the group.
    pub group: Address,
    /// What the verdict is about.
    pub subject: Address,
    /// By the place of the member: the verdict that it signed, or 0.
    pub signed: [u8; MAX],
}

located!(Ballot, "Ballot", |it| [SEED, it.group.as_ref(), it.subject.as_ref()]);

impl Ballot {
    /// How many members signed this verdict.
    fn count(&self, verdict: u8) -> usize {
        self.signed.iter().filter(|signed| **signed == verdict).count()
    }
}

/// A member says its verdict about a subject, once. The first one pays the rent of the Ballot, and
/// the one that makes it enough pays that of the verdict.
///
/// Arguments: subject, verdict u8. Accounts: payer sw, member s, group, ballot w, verdict w,
/// system.
#[inline(never)]
pub fn sign(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (subject, verdict) = (arguments.key()?, arguments.u8()?);
    arguments.end()?;
    let [payer, member, group, mut at, verdict_at, system] =
        account::take(cx.accounts, [SW, S, R, W, W, R])?;
    account::system(&system)?;
    let record = account::read::<Group>(&group, cx.program)?;
    let place = record.find(member.address())?;
    require([ACCEPT, REJECT, UNDECIDED].contains(&verdict), Error::BAD_CHOICE)?;

    if !at.owned_by(cx.program) {
        begin(cx.program, &payer, &mut at, group.address(), &subject)?;
    }
    let mut ballot = account::open::<Ballot>(&mut at, cx.program)?;
    require(ballot.group == *group.address() && ballot.subject == subject, Error::WRONG_ADDRESS)?;
    require(ballot.decided == 0, Error::WRONG_STATUS)?;
    require(ballot.signed[place] == 0, Error::ALREADY_COMMITTED)?;
    ballot.signed[place] = verdict;
    if ballot.count(verdict) < record.threshold as usize {
        return Ok(());
    }
    ballot.decided = verdict;
    write(cx.program, &payer, verdict_at, &ballot, record.count)
}

/// Makes the Ballot of a group about a subject.
#[inline(never)]
fn begin(program: &Address, payer: &AccountView, at: &mut AccountView, group: &Address, subject: &Address) -> Outcome {
    let seeds = [SEED, group.as_ref(), subject.as_ref()];
    let bump = pda::vacant(at, &seeds, program)?;
    let birth = Birth { payer, account: at, program, space: Ballot::SIZE };
    birth.create::<Ballot, 3>(&seeds, bump)?;
    let mut ballot = account::lend::<Ballot>(at)?;
    (ballot.group, ballot.subject) = (*group, *subject);
    Ok(())
}

/// Writes the verdict, which nothing changes later. The weights are numbers of members.
#[inline(never)]
fn write(program: &Address, payer: &AccountView, mut at: AccountView, ballot: &Held<Ballot>, members: u8) -> Outcome {
    let seeds = [verdict::SEED, ballot.subject.as_ref(), ballot.group.as_ref()];
    let bump = pda::vacant(&at, &seeds, program)?;
    let birth = Birth { payer, account: &at, program, space: Verdict::SIZE };
    birth.create::<Verdict, 3>(&seeds, bump)?;
    let mut told = account::lend::<Verdict>(&mut at)?;
    (told.is_final, told.verdict) = (1, ballot.decided);
    (told.subject, told.engine, told.decided_at) = (ballot.subject, *program, clock()?.time);
    told.accept_weight = ballot.count(ACCEPT) as u64;
    told.reject_weight = ballot.count(REJECT) as u64;
    told.abstain_weight = ballot.count(UNDECIDED) as u64;
    told.seated_weight = members as u64;
    told.facts = sha256(&[PREFIX, program.as_ref(), ballot.group.as_ref(), ballot.subject.as_ref(), &ballot.signed]);
    Ok(())
}
