//! `link`: the record of a member in a near class counts in part.

use pinocchio::account::Ref;
use pinocchio::{AccountView, Address};

use super::member::find;
use crate::account::{self, R, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::layout;
use crate::state::class::{Class, Link, MAX_NEAR, Member};
use crate::sysvar::clock;
use crate::wire::Reader;

/// Shows where a member's record in a near class is. Anyone may, because a bad record counts, too.
/// Nothing is copied: each draw reads the record there, so that it counts once, as it is then.
///
/// Arguments: role u8, agent. Accounts: class w, near.
pub fn link(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (role, agent) = (arguments.u8()?, arguments.key()?);
    arguments.end()?;
    let [mut at, mut near] = account::take(cx.accounts, [W, R])?;
    let mut listed = account::open_list::<Class>(&mut at, cx.program)?;
    let (class, members) = listed.parts()?;
    let which = class.near.iter().position(|it| it == near.address() && *it != Address::default());
    let which = which.ok_or(Error::WRONG_ADDRESS)?;
    let mut other = account::open_list::<Class>(&mut near, cx.program)?;
    let there = find(other.parts()?.1, &agent, role).ok_or(Error::NOT_MEMBER)? as u16 + 1;
    let place = find(members, &agent, role).ok_or(Error::NOT_MEMBER)?;
    let link = &mut members[place].links[which];
    // Who shows it again could take it out of a draw that waits.
    require(link.place != there, Error::ALREADY_EXISTS)?;
    *link = Link { since: clock()?.slot, place: there, ..Link::default() };
    Ok(())
}

/// The data of the near classes of a class: their accounts stand behind the others.
pub struct Nearby<'a>([Option<Ref<'a, [u8]>>; MAX_NEAR]);

impl<'a> Nearby<'a> {
    /// Takes the accounts that the class names. One that is no class has no members.
    #[inline(never)]
    pub fn take(accounts: &'a [AccountView], keys: &[Address; MAX_NEAR], program: &Address) -> Outcome<Self> {
        let mut held = [const { None }; MAX_NEAR];
        let named = keys.iter().take_while(|key| **key != Address::default());
        for (i, key) in named.enumerate() {
            let view = accounts.get(i).ok_or(Error::NOT_ENOUGH_ACCOUNTS)?;
            account::address(view, key)?;
            held[i] = if view.owned_by(program) { view.try_borrow().ok() } else { None };
        }
        Ok(Nearby(held))
    }

    /// The members of each.
    pub fn members(&self) -> [&[Member]; MAX_NEAR] {
        let mut all: [&[Member]; MAX_NEAR] = [&[]; MAX_NEAR];
        for (members, held) in all.iter_mut().zip(&self.0) {
            let data = held.as_ref().and_then(|data| layout::list::<Class>(data).ok());
            *members = data.map_or(&[], |(_, members)| members);
        }
        all
    }
}
