//! Vouching: one member, the sponsor, stands in for another with a surety: a stake and a share of
//! its reputation. What members are worth in a draw follows from that and from their records, also
//! those in near classes. It is that of megabrain/reputation, number by number.

use super::golden::{self, DAY};
use crate::arith;
use crate::error::Outcome;
use crate::state::class::{MAX_MEMBERS, MAX_NEAR, Member, Surety, WHOLE};

/// Basis points of its reputation that a sponsor puts in at most, for all together.
pub const MOST: u64 = 2_500;
/// Seconds from the end of a surety until it counts no more.
pub const RELEASE: i64 = 30 * DAY as i64;

/// Basis points of a record in a near class that count.
const NEAR: u64 = 2_500;

/// When reputations are looked at: for a draw, since when it waits.
pub struct Moment<'a> {
    /// The members of the near classes, in the order of the class.
    pub near: [&'a [Member]; MAX_NEAR],
    /// Whether the class has golden tasks. Without, nobody vouches, and records are not read.
    pub golden: bool,
    /// What began in this slot or later does not count.
    pub slot: u64,
    /// Unix seconds.
    pub time: i64,
}

impl Surety {
    /// Whether there is one, and it is not over.
    pub fn stands(&self, time: i64) -> bool {
        self.place > 0 && (self.ends == 0 || time < self.ends)
    }

    /// Whether it is over for every draw, also for one that began to wait before it ended.
    pub fn over(&self, now: i64, draw: u32) -> bool {
        self.ends != 0 && now >= self.ends + draw as i64
    }

    /// Whether it is that of the member at this place.
    pub fn by(&self, place: usize) -> bool {
        self.place as usize == place + 1
    }
}

/// What a member is worth by its own record and a quarter of those in near classes; 0 while it is
/// frozen in any of them.
fn value(member: &Member, at: &Moment) -> u16 {
    let mut frozen = member.frozen_until > at.time;
    let (mut golden, mut outcomes) = golden::decayed(member, at.time);
    for (link, members) in member.links.iter().zip(&at.near) {
        // A link that is not there, or too young for this draw, points to no place.
        let place = if link.since < at.slot { link.place as usize } else { 0 };
        let Some(it) = members.get(place.wrapping_sub(1)) else { continue };
        if it.agent != member.agent || it.role != member.role {
            continue; // it has left, and another one has its place
        }
        frozen |= it.frozen_until > at.time; // also if it leaves
        if it.restore == 0 && it.here(at.slot) {
            let near = golden::decayed(it, at.time);
            golden.plus(near.0, NEAR);
            outcomes.plus(near.1, NEAR);
        }
    }
    if frozen { 0 } else { golden::worth(member.restore, (golden, outcomes)) }
}

/// What all members of a class are worth, 0 to 10,000: its own reputation, without what it lends,
/// and with what is lent to it. A surety counts if the other agreed before and has not left.
#[inline(never)]
pub fn reputations(members: &[Member], at: &Moment) -> [u16; MAX_MEMBERS] {
    let mut own = [0; MAX_MEMBERS];
    for (own, member) in own.iter_mut().zip(members) {
        *own = if at.golden { value(member, at) } else { member.reputation };
    }
    let mut worth = own;
    if !at.golden {
        return worth;
    }
    for (i, member) in members.iter().enumerate().take(MAX_MEMBERS) {
        let surety = &member.surety;
        if !surety.stands(at.time) || surety.since >= at.slot || !member.here(at.slot) {
            continue;
        }
        let sponsor = surety.place as usize - 1;
        let Some(all) = own.get(sponsor) else { continue };
        // At most 2^14 times 2^12, in 64 bits.
        let lent = ((*all as u64).wrapping_mul(surety.share as u64) / WHOLE) as u16;
        worth[sponsor] = worth[sponsor].saturating_sub(lent);
        // Who is frozen has nothing, whoever vouches for it.
        worth[i] += if own[i] == 0 { 0 } else { lent };
    }
    for worth in &mut worth {
        *worth = (*worth).min(WHOLE as u16);
    }
    worth
}

/// The shares that a member has put in for others.
pub fn shares(members: &[Member], place: usize, now: i64) -> u64 {
    let mine = members.iter().filter(|it| it.surety.by(place) && it.surety.stands(now));
    mine.map(|it| it.surety.share as u64).sum()
}

/// Ends what stands for the member at this place, if it stamped, was slashed or lost a dispute:
/// the sponsor loses its share of each record. Returns the stake, which is the treasury's.
#[inline(never)]
pub fn lose(members: &mut [Member], place: usize, now: i64) -> u64 {
    let stands = members.get(place).is_some_and(|it| it.surety.stands(now));
    if stands { forfeit(members, place, now) } else { 0 }
}

/// The same of what stood when a golden task was opened, though it may have ended since.
pub fn forfeit(members: &mut [Member], place: usize, now: i64) -> u64 {
    let Some(member) = members.get_mut(place) else { return 0 };
    let surety = core::mem::take(&mut member.surety);
    if surety.place > 0
        && let Some(sponsor) = members.get_mut(surety.place as usize - 1)
    {
        golden::decay(sponsor, now);
        sponsor.golden.lose(surety.share);
        sponsor.outcomes.lose(surety.share);
        sponsor.reputation = golden::value(sponsor);
    }
    surety.stake
}

/// Gives the stake of what stands for the member at this place back to its sponsor.
pub fn give_back(members: &mut [Member], place: usize) -> Outcome {
    let surety = members[place].surety;
    members[place].surety = Surety::default();
    if surety.place > 0
        && let Some(sponsor) = members.get_mut(surety.place as usize - 1)
    {
        sponsor.earned = arith::add(sponsor.earned, surety.stake)?;
    }
    Ok(())
}

/// Takes the offer of a member back.
pub fn take_back(member: &mut Member) -> Outcome {
    member.earned = arith::add(member.earned, member.offer.stake)?;
    member.offer = Surety::default();
    Ok(())
}
