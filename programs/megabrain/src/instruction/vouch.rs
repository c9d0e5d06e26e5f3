//! `vouch`, `agree` and `release`: a member stands in for another one, which agrees.

use super::member::find;
use crate::account::{self, R, S, SW, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::pda;
use crate::rule::vouch::{MOST, RELEASE, give_back, shares, take_back};
use crate::state::class::{Class, MAX_LAMPORTS, Member, Surety, state};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Offers to stand in for another member of the class with a stake and a share of its reputation.
/// It takes the place of the offer that the sponsor made before, and counts when the other agrees.
///
/// Arguments: role u8, agent, stake u64, share u16. Accounts: sponsor sw, class w, system.
pub fn vouch(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (role, agent, stake) = (arguments.u8()?, arguments.key()?, arguments.u64()?);
    let share = arguments.u16()?;
    arguments.end()?;
    let [sponsor, mut at, system] = account::take(cx.accounts, [SW, W, R])?;
    account::system(&system)?;
    let now = clock()?.time;
    let (place, other, bond) = {
        let mut listed = account::open_list::<Class>(&mut at, cx.program)?;
        let (class, members) = listed.parts()?;
        let place = find(members, sponsor.address(), role).ok_or(Error::NOT_MEMBER)?;
        let other = find(members, &agent, role).ok_or(Error::NOT_MEMBER)?;
        require(class.parameters.golden > 0, Error::NOT_GOLDEN)?;
        both_active(members, place, other)?;
        let surety = &members[other].surety;
        let again = surety.by(place) && surety.stands(now);
        let sum = shares(members, place, now) + share as u64;
        let lawful = place != other && !again && share > 0 && sum <= MOST;
        require(lawful && !members[place].surety.stands(now), Error::BAD_VOUCHER)?;
        (place, other, class.parameters.bond)
    };
    require((bond..=MAX_LAMPORTS).contains(&stake), Error::STAKE_TOO_SMALL)?;
    pda::transfer(&sponsor, &at, stake)?;
    let mut listed = account::lend_list::<Class>(&mut at)?;
    let member = &mut listed.parts()?.1[place];
    take_back(member)?;
    member.offer = Surety { stake, place: other as u16 + 1, share, ..Surety::default() };
    Ok(())
}

/// Takes the offer of a sponsor. From the next draw on, the share of the reputation moves.
///
/// Arguments: role u8, sponsor. Accounts: agent s, class w.
pub fn agree(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (role, sponsor) = (arguments.u8()?, arguments.key()?);
    arguments.end()?;
    let [agent, mut at] = account::take(cx.accounts, [S, W])?;
    let mut listed = account::open_list::<Class>(&mut at, cx.program)?;
    let (class, members) = listed.parts()?;
    let place = find(members, agent.address(), role).ok_or(Error::NOT_MEMBER)?;
    let by = find(members, &sponsor, role).ok_or(Error::NOT_MEMBER)?;
    require(members[by].offer.by(place), Error::NO_OFFER)?;
    both_active(members, place, by)?;
    let now = clock()?;
    let old = members[place].surety;
    let has = old.place > 0 && !members[place].lets_go(now.time, class.parameters.draw);
    require(!has && !members[by].surety.stands(now.time), Error::BAD_VOUCHER)?;
    give_back(members, place)?;
    let offer = members[by].offer;
    members[by].offer = Surety::default();
    members[place].surety = Surety { since: now.slot, place: by as u16 + 1, ..offer };
    Ok(())
}

/// Takes an offer back at once, or ends a surety in 30 days: until then it can be lost, so that
/// nobody leaves when the alarm of the other rises. Sponsor and agent both may.
///
/// Arguments: role u8, sponsor, agent. Accounts: signer s, class w.
pub fn release(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (role, sponsor, agent) = (arguments.u8()?, arguments.key()?, arguments.key()?);
    arguments.end()?;
    let [signer, mut at] = account::take(cx.accounts, [S, W])?;
    let mut listed = account::open_list::<Class>(&mut at, cx.program)?;
    let (_, members) = listed.parts()?;
    require(*signer.address() == sponsor || *signer.address() == agent, Error::NOT_AUTHORITY)?;
    let place = find(members, &agent, role).ok_or(Error::NOT_MEMBER)?;
    let by = find(members, &sponsor, role).ok_or(Error::NOT_MEMBER)?;
    if members[by].offer.by(place) {
        return take_back(&mut members[by]);
    }
    let now = clock()?.time;
    let surety = &mut members[place].surety;
    require(surety.by(by) && surety.stands(now), Error::NO_OFFER)?;
    if surety.ends == 0 {
        surety.ends = now + RELEASE;
    }
    Ok(())
}

fn both_active(members: &[Member], a: usize, b: usize) -> Outcome {
    require([a, b].iter().all(|it| members[*it].state == state::ACTIVE), Error::LEAVING)
}

/// Gives a sponsor the stakes of all that is over back.
pub fn sweep(members: &mut [Member], place: usize, now: i64, draw: u32) -> Outcome {
    for i in 0..members.len() {
        if members[i].surety.by(place) && members[i].lets_go(now, draw) {
            give_back(members, i)?;
        }
    }
    Ok(())
}

/// Forgets what others put in for a member that leaves, and what they offered it.
pub fn forget(members: &mut [Member], place: usize) -> Outcome {
    give_back(members, place)?;
    for member in members.iter_mut().filter(|it| it.offer.by(place)) {
        take_back(member)?;
    }
    let member = &mut members[place];
    member.earned = arith::add(member.earned, member.offer.stake)?;
    Ok(())
}
