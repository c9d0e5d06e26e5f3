//! `appeal`: the loser of a case asks for other judges.

use crate::account::{self, R, SW, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Appealed, Event};
use crate::instruction::counter::opened;
use crate::pda;
use crate::rule::appeal::{self, bond, seats};
use crate::rule::status::{self, Turn};
use crate::state::agent;
use crate::state::case::{ACCEPT, Case, Hearing, Seat, UNDECIDED};
use crate::state::roster::{Entry, Roster, Season};
use crate::state::task::{PAY, SPLIT, Task};
use crate::sysvar::{Clock, Rent, clock};
use crate::wire::Reader;
use pinocchio::{AccountView, Address};

/// Opens the second level of a case. The bond goes from the vault to the one that the party has
/// posted already, and shares its fate. The party pays the rent of the new seats.
///
/// Accounts: party sw, roster, agent w, task w, case w, system.
pub fn appeal(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [party, mut roster, mut agent, mut task, mut at, system] =
        account::take(cx.accounts, [SW, R, W, W, W, R])?;
    account::system(&system)?;
    let mut judges = account::open_list::<Roster>(&mut roster, cx.program)?; // nothing in it is changed
    let mut docket = account::open_list::<Case>(&mut at, cx.program)?;
    let case = Hearing::of(&mut docket)?;
    let mut task = account::open::<Task>(&mut task, cx.program)?;
    account::address(&task.account, &case.task)?;
    let loser = loser(&case, &task, party.address());
    let mut agent = agent::of(&mut agent, &loser, cx.program)?;
    require(*party.address() == loser, Error::NOT_LOSER)?;
    let clock = clock()?;
    let (roster, entries) = judges.parts()?;
    let seats = hearable(&case, &task, (roster, entries), &clock)?;
    let bond = bond(&case)?;
    agent.debit(bond)?;
    drop(docket);

    let posted = if loser == task.creator { &mut task.creator_bond } else { &mut task.worker_bond };
    *posted = arith::add(*posted, bond)?;
    account::pay(&mut agent.account, &mut task.account, bond)?;
    hear(&party, &mut at, &Asked { seats, bond, clock })
}

/// The seats of the appeal, if it may be filed now.
#[inline(never)]
pub fn hearable(case: &Hearing, task: &Task, (roster, entries): (&Roster, &[Entry]), clock: &Clock) -> Outcome<u8> {
    status::case(Turn::Appeal, case.status)?;
    require(clock.time < case.appeal_by, Error::TOO_LATE)?;
    let season = roster.numbered(case.season).unwrap_or(Season::Now);
    let seats = seats(case, case.verdict, task, (season, entries));
    require(seats > 0, Error::TOO_FEW_IMPARTIAL)?;
    Ok(seats)
}

/// An appeal that may be filed.
pub struct Asked {
    /// Its seats.
    pub seats: u8,
    /// What the appellant has posted for it.
    pub bond: u64,
    /// Now.
    pub clock: Clock,
}

/// Opens the second level of a case for the signer, which pays the rent of its seats.
#[inline(never)]
pub fn hear(by: &AccountView, at: &mut AccountView, asked: &Asked) -> Outcome {
    let &Asked { seats, bond, clock } = asked;
    let rent = make_room(by, at, seats)?;
    let mut docket = account::lend_list::<Case>(at)?;
    let mut case = Hearing::of(&mut docket)?;
    case.appeal(&clock)?;
    appeal::empty(&mut case);
    (case.appeal_rent, case.appellant) = (rent, *by.address());
    Appealed { task: case.task, party: case.appellant, seats, bond, at: clock.time }.log()?;
    opened(&case, &clock)
}

/// The party that the verdict is against. If the case is undecided, its task's own term is: then it
/// is the one that gets nothing, or either of them if the escrow is divided.
pub fn loser(case: &Case, task: &Task, by: &Address) -> Address {
    let creator = match case.verdict {
        ACCEPT => true,
        UNDECIDED => task.on_undecided == PAY || task.on_undecided == SPLIT && *by == task.creator,
        _ => false,
    };
    if creator { task.creator } else { task.worker }
}

/// Whether both parties lose by the verdict, so that neither can give the appeal up for both.
pub fn shared(case: &Case, task: &Task) -> bool {
    case.verdict == UNDECIDED && task.on_undecided == SPLIT
}

/// Lengthens the case by the seats of the appeal, and returns their rent.
fn make_room(payer: &AccountView, case: &mut AccountView, seats: u8) -> Outcome<u64> {
    let more = seats as usize * size_of::<Seat>();
    let rent = Rent::get()?.of_bytes(more)?;
    pda::transfer(payer, case, rent)?;
    account::resize(case, case.data_len() + more)?;
    let mut data = case.try_borrow_mut()?;
    let head = data.get_mut(..size_of::<Case>()).ok_or(Error::WRONG_ACCOUNT)?;
    bytemuck::from_bytes_mut::<Case>(head).appeal_seats = seats;
    Ok(rent)
}
