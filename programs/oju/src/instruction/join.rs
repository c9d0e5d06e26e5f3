//! `join_roster` and `top_up`: becoming a judge, and having more at stake.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, SW, W};
use crate::arith;
use crate::ed25519;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, StakeMoved, stake};
use crate::instruction::admission;
use crate::layout::Record;
use crate::pda;
use crate::rule::preimage::is_join_proof;
use crate::state::config::Config;
use crate::state::roster::{self, ACTIVE, Entry, FREE, PEER, Roster};
use crate::state::rules::Rules;
use crate::sysvar::{Rent, clock};
use crate::wire::Reader;
use bytemuck::Zeroable;

/// Takes the first free entry of the Roster, or appends one. The join
/// proof is just before it. An operator counts only if it signs.
///
/// Arguments: peer, operator, withdraw, stake. Accounts: authority sw, config, rules (in force),
/// roster w, admission (looked at in a listed court), instructions, system, operator s (only if
/// one is declared).
pub fn join(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (peer, operator) = (arguments.key()?, arguments.key()?);
    let (withdraw, stake) = (arguments.key()?, arguments.u64()?);
    arguments.end()?;
    let [authority, config, rules, mut roster, admission, instructions, system] =
        account::take(cx.accounts, [SW, R, R, W, R, R, R])?;
    if operator != Address::default() {
        account::cosigned(cx.accounts, 7, &operator)?;
    }
    account::system(&system)?;
    let config = account::read::<Config>(&config, cx.program)?;
    let rules = account::read::<Rules>(&rules, cx.program)?;
    let clock = clock()?;
    rules.in_force(clock.time)?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let proof = ed25519::instructions(&instructions)?;
    config.open()?;
    let judge = *authority.address();
    if config.listed != 0 {
        admission::of(&admission, &judge, cx.program)?;
    }
    let place = find_place(listed.parts()?.1, &judge, &peer, rules.max_judges)?;
    let proven = ed25519::before(&proof).is_some_and(|before| {
        ed25519::exactly::<1>(before.get_instruction_data()).is_some_and(|[signed]| {
            signed.key == peer.as_array()
                && is_join_proof(signed.message, &config.network, cx.program, &judge)
        })
    });
    require(proven, Error::BAD_PEER_PROOF)?;
    require(place != Place::Full, Error::ROSTER_FULL)?;
    require(withdraw != Address::default(), Error::NO_WITHDRAW_KEY)?;
    require(stake >= rules.min_stake, Error::STAKE_TOO_SMALL)?;
    drop(listed);

    let index = make_room(&authority, &mut roster, place, stake)?;
    let mut listed = account::lend_list::<Roster>(&mut roster)?;
    let (head, entries) = listed.parts()?;
    let entry = entries.get_mut(index).ok_or(Error::ROSTER_FULL)?;
    let joined_at = clock.time;
    let who = Entry { authority: judge, peer, operator, withdraw, ..Entry::zeroed() };
    entry.replace(Entry { stake, joined_at, state: ACTIVE, ..who });
    head.active += 1;
    head.total_stake = arith::add(head.total_stake, stake)?;
    StakeMoved { judge, index: index as u16, delta: stake as i64, stake, kind: stake::JOINED }.log()
}

/// Where a new judge goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A free entry.
    Free(usize),
    /// Behind the last.
    Behind(usize),
    /// Nowhere.
    Full,
}

#[inline(always)]
fn find_place(entries: &[Entry], judge: &Address, peer: &Address, most: u16) -> Outcome<Place> {
    let listed = |entry: &Entry| entry.state != FREE;
    require(roster::place(entries, judge).is_err(), Error::ALREADY_ON_ROSTER)?;
    let word = roster::word(peer);
    let taken = |entry: &Entry| entry.word(PEER) == word && entry.peer == *peer && listed(entry);
    require(!entries.iter().any(taken), Error::PEER_TAKEN)?;
    let used = entries.iter().fold(0usize, |used, entry| used.wrapping_add(listed(entry) as usize));
    let free = if used < entries.len() { entries.iter().position(|entry| !listed(entry)) } else { None };
    Ok(match free {
        _ if used >= most as usize => Place::Full,
        Some(index) => Place::Free(index),
        None => Place::Behind(entries.len()),
    })
}

/// Takes the stake, and the rent of a new entry if one is appended, and returns the index.
fn make_room(payer: &AccountView, roster: &mut AccountView, place: Place, stake: u64) -> Outcome<usize> {
    let index = match place {
        Place::Full => return Err(Error::ROSTER_FULL),
        Place::Free(index) => {
            pda::transfer(payer, roster, stake)?;
            return Ok(index);
        }
        Place::Behind(index) => index,
    };
    let more = size_of::<Entry>();
    pda::transfer(payer, roster, arith::add(stake, Rent::get()?.of_bytes(more)?)?)?;
    account::resize(roster, roster.data_len() + more)?;
    let mut data = roster.try_borrow_mut()?;
    let head = data.get_mut(..Roster::SIZE).ok_or(Error::WRONG_ACCOUNT)?;
    bytemuck::from_bytes_mut::<Roster>(head).count += 1;
    Ok(index)
}

/// Adds to the signer's own stake. Live seats keep their weight, and the judge's weight waits for
/// the next season.
///
/// Arguments: amount u64. Accounts: authority sw, roster w, system.
pub fn top_up(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let amount = arguments.u64()?;
    arguments.end()?;
    let [authority, mut roster, system] = account::take(cx.accounts, [SW, W, R])?;
    account::system(&system)?;
    let to = roster;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let (head, entries) = listed.parts()?;
    let judge = *authority.address();
    let index = roster::place(entries, &judge)?;
    require(amount > 0, Error::ZERO_AMOUNT)?;

    let entry = &mut entries[index];
    entry.stake = arith::add(entry.stake, amount)?;
    head.total_stake = arith::add(head.total_stake, amount)?;
    let (index, delta, stake) = (index as u16, amount as i64, entry.stake);
    StakeMoved { judge, index, delta, stake, kind: stake::TOPPED_UP }.log()?;
    drop(listed);
    pda::transfer(&authority, &to, amount)
}
