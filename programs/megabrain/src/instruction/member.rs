//! `register`, `leave` and `withdraw`.

use bytemuck::Zeroable;
use pinocchio::{AccountView, Address};

use super::{operator, vouch};
use crate::account::{self, R, S, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::pda;
use crate::rule::golden;
use crate::state::class::{Class, MAX_LAMPORTS, MAX_MEMBERS, Member, NEWCOMER, REST, role, state};
use crate::sysvar::{Rent, clock};
use crate::wire::Reader;

/// The place of the member with this key and role.
pub(super) fn find(members: &[Member], key: &Address, role: u8) -> Option<usize> {
    members.iter().position(|it| it.state != state::FREE && it.role == role && it.agent == *key)
}

/// Registers for a class in a role, or adds to the stake, at most once in [`REST`] slots. The
/// operator counts only if it signs, too.
///
/// Arguments: role u8, operator, stake u64. Accounts: agent sw, class w, system, and the operator
/// if it is another.
pub fn register(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (role, named, stake) = (arguments.u8()?, arguments.key()?, arguments.u64()?);
    arguments.end()?;
    let [agent, mut at, system] = account::take(cx.accounts, [SW, W, R])?;
    account::system(&system)?;
    let operator = operator(cx.accounts, 3, agent.address(), &named)?;
    let now = clock()?;
    let (place, least) = {
        let mut listed = account::open_list::<Class>(&mut at, cx.program)?;
        let (class, members) = listed.parts()?;
        let place = find(members, agent.address(), role);
        if let Some(place) = place {
            let member = &members[place];
            require(member.operator == operator, Error::NOT_AUTHORITY)?;
            require(member.state == state::ACTIVE, Error::LEAVING)?;
            require(now.slot.saturating_sub(member.since) > REST, Error::TOO_EARLY)?;
        }
        require([role::WORKER, role::EVALUATOR].contains(&role), Error::BAD_ROLE)?;
        let others = members.iter().filter(|it| it.state != state::FREE).count();
        let least = if place.is_some() { 1 } else { class.parameters.least_stake(others) };
        (place.or_else(|| members.iter().position(|it| it.state == state::FREE)), least)
    };
    require((least..=MAX_LAMPORTS).contains(&stake), Error::STAKE_TOO_SMALL)?;
    let place = match place {
        Some(place) => place,
        None => grow(&agent, &mut at)?,
    };
    pda::transfer(&agent, &at, stake)?;
    let mut listed = account::lend_list::<Class>(&mut at)?;
    let member = &mut listed.parts()?.1[place];
    if member.state == state::FREE {
        *member = Member {
            agent: *agent.address(),
            operator,
            role,
            state: state::ACTIVE,
            reputation: NEWCOMER,
            month: golden::month(now.time),
            since: u64::MAX,
            ..Member::zeroed()
        };
    }
    let sum = member.stake + stake;
    require(sum <= MAX_LAMPORTS, Error::STAKE_TOO_SMALL)?;
    (member.stake, member.fresh) = (sum, stake);
    (member.earlier, member.since) = (member.since, now.slot);
    Ok(())
}

/// Makes a place for a member, who pays its rent.
#[inline(never)]
fn grow(agent: &AccountView, at: &mut AccountView) -> Outcome<usize> {
    let place = account::lend_list::<Class>(at)?.parts()?.0.count as usize;
    require(place < MAX_MEMBERS, Error::CLASS_FULL)?;
    pda::transfer(agent, at, Rent::get()?.of_bytes(size_of::<Member>())?)?;
    let length = at.data_len() + size_of::<Member>();
    account::resize(at, length)?;
    let mut data = at.try_borrow_mut()?;
    let head = data.get_mut(..size_of::<Class>()).ok_or(Error::WRONG_ACCOUNT)?;
    crate::layout::record_mut::<Class>(head)?.count += 1;
    Ok(place)
}

/// Begins to leave. It is drawn only where a draw waits already, and may take its stake after the
/// time of a draw and [`REST`] slots, when no task holds it and it is not frozen. In a class with
/// golden tasks, an evaluator waits as long after its last task as it would be frozen: who leaves
/// with an alarm, or before a golden task is opened, does not begin anew at once.
///
/// Arguments: role u8. Accounts: agent s, class w.
pub fn leave(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let role = arguments.u8()?;
    arguments.end()?;
    let [agent, mut at] = account::take(cx.accounts, [S, W])?;
    let mut listed = account::open_list::<Class>(&mut at, cx.program)?;
    let (class, members) = listed.parts()?;
    let place = find(members, agent.address(), role).ok_or(Error::NOT_MEMBER)?;
    let member = &mut members[place];
    require(member.state == state::ACTIVE, Error::LEAVING)?;
    let now = clock()?;
    member.state = state::LEAVING;
    member.exit_slot = now.slot;
    member.exit_at = member.exit_at.max(now.time + class.parameters.draw as i64);
    Ok(())
}

/// Pays a member what it earned and what it put in for others until it was over, and if it left,
/// its stake, too. It stays as long as it stands in for others.
///
/// Arguments: role u8. Accounts: agent sw, class w.
pub fn withdraw(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let role = arguments.u8()?;
    arguments.end()?;
    let [mut agent, mut at] = account::take(cx.accounts, [SW, W])?;
    let mut listed = account::open_list::<Class>(&mut at, cx.program)?;
    let (class, members) = listed.parts()?;
    let place = find(members, agent.address(), role).ok_or(Error::NOT_MEMBER)?;
    let now = clock()?;
    vouch::sweep(members, place, now.time, class.parameters.draw)?;
    let sponsor = members.iter().any(|it| it.surety.by(place));
    let member = &members[place];
    let over = now.slot.saturating_sub(member.exit_slot) > REST && now.time >= member.exit_at;
    let held = member.locked > 0 || member.pending > 0;
    let free = !held && now.time >= member.frozen_until && !sponsor;
    let left = member.state == state::LEAVING && over && free;
    if left {
        vouch::forget(members, place)?;
    }
    let member = &mut members[place];
    let mut amount = member.earned;
    member.earned = 0;
    if left {
        amount += member.stake;
        *member = Member::zeroed();
    }
    require(amount > 0, Error::NOTHING_TO_WITHDRAW)?;
    account::pay(&mut listed.account, &mut agent, amount)
}
