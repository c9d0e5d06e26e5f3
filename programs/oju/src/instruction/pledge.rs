//! `pledge_tokens` and `pay_pledge`: tokens beside the reward of a task.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Closed, Event};
use crate::instruction::tokens::{self, Sealed, Transfer};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::mint;
use crate::rule::status::Status;
use crate::state::agent::{self, Agent};
use crate::state::pledge::{self, Pledge};
use crate::state::task::Task;
use crate::wire::Reader;

/// The program of associated token accounts.
const ASSOCIATED: Address = Address::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

/// Puts tokens of the creator's vault beside the reward of an unclaimed task, once.
///
/// Arguments: amount u64. Accounts: authority sw, agent, task, pledge w, mint, source w, holding w,
/// token_program, system.
#[inline(never)]
pub fn pledge(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let amount = arguments.u64()?;
    arguments.end()?;
    let [authority, agent, task, mut at, mint, from, to, program, system] =
        account::take(cx.accounts, [SW, R, R, W, R, W, W, R, R])?;
    account::system(&system)?;
    let transfer = Transfer { program, mint, from, to, owner: agent };
    transfer.check()?;
    let seeds = [pledge::SEED, task.address().as_ref()];
    let own = pda::vacant(&at, &seeds, cx.program)?;
    holds(&to, &at, &transfer)?;
    offered(&task, &authority, cx.program)?;
    let bump = tokens::bump(&agent, &authority, cx.program)?;
    require(mint::plain(&mint.try_borrow()?), Error::BAD_MINT)?;
    require(amount > 0, Error::ZERO_AMOUNT)?;

    let birth = Birth { payer: &authority, account: &at, program: cx.program, space: Pledge::SIZE };
    birth.create::<Pledge, 2>(&seeds, own)?;
    {
        let mut pledge = account::lend::<Pledge>(&mut at)?;
        (pledge.task, pledge.mint, pledge.amount) = (*task.address(), *mint.address(), amount);
    }
    let seeds = [agent::SEED, authority.address().as_ref()];
    transfer.run(amount, &[], &Sealed { seeds, bump })
}

/// The token account is the one that the pledge is associated with. Nobody but the pledge can have
/// it, whoever made it.
#[inline(never)]
fn holds(account: &AccountView, pledge: &AccountView, of: &Transfer) -> Outcome {
    let seeds = [pledge.address().as_ref(), of.program.address().as_ref(), of.mint.address().as_ref()];
    account::address(account, &pda::find(&seeds, &ASSOCIATED)?.0)
}

/// The signer has created the task, and nobody has claimed it.
#[inline(never)]
fn offered(task: &AccountView, by: &AccountView, program: &Address) -> Outcome {
    let task = account::read::<Task>(task, program)?;
    task.only_creator(by.address())?;
    require(task.status == Status::Created as u8, Error::WRONG_STATUS)
}

/// Pays a party its part when the task is over, into its vault. Anybody may send it. The last part
/// is all that is there, and the rents go to the creator.
///
/// Accounts: task, pledge w, agent (the party's), mint, holding w, destination w, token_program,
/// wallet w (the creator's).
#[inline(never)]
pub fn pay(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [task, mut at, agent, mint, from, to, program, mut wallet] =
        account::take(cx.accounts, [R, W, R, R, W, W, R, W])?;
    let transfer = Transfer { program, mint, from, to, owner: at };
    transfer.check()?;
    let due = due(&[task, at, agent, wallet], cx.program)?;
    account::address(&mint, &due.mint)?;
    holds(&from, &at, &transfer)?;
    require(tokens::owner(&to, agent.address())?, Error::WRONG_ADDRESS)?;
    require(due.over, Error::WRONG_STATUS)?;
    require(due.units > 0, Error::NOTHING_TO_CLAIM)?;

    {
        let mut pledge = account::lend::<Pledge>(&mut at)?;
        let paid = if due.creator { &mut pledge.creator_paid } else { &mut pledge.worker_paid };
        *paid = 1;
    }
    let by = Sealed { seeds: [pledge::SEED, task.address().as_ref()], bump: due.bump };
    let units = if due.last { tokens::amount(&from)? } else { due.units };
    transfer.run(units, &[], &by)?;
    if !due.last {
        return Ok(());
    }
    transfer.close(&wallet, &by)?;
    let (account, to) = (*at.address(), *wallet.address());
    let amount = account::close(&mut at, &mut wallet)?;
    Closed { account, to, amount }.log()
}

/// What a party is due.
struct Due {
    mint: Address,
    bump: u8,
    over: bool,
    creator: bool,
    units: u64,
    /// Nobody else is due anything.
    last: bool,
}

#[inline(never)]
fn due([task, at, agent, wallet]: &[AccountView; 4], program: &Address) -> Outcome<Due> {
    let pledge = account::read::<Pledge>(at, program)?;
    account::address(task, &pledge.task)?;
    let task = account::read::<Task>(task, program)?;
    let agent = account::read::<Agent>(agent, program)?;
    account::address(wallet, &task.creator)?;
    let creator = agent.authority == task.creator;
    require(creator || agent.authority == task.worker, Error::WRONG_ADDRESS)?;
    let (own, worker) = pledge.due(&task);
    let (units, rest) = if creator { (own, worker) } else { (worker, own) };
    let (mint, bump) = (pledge.mint, pledge.head.bump);
    Ok(Due { mint, bump, over: task.over(), creator, units, last: rest == 0 })
}

/// [`Error::ALREADY_EXISTS`] if the task has a pledge, which needs it.
#[inline(never)]
pub fn none(pledge: &AccountView, task: &Address, program: &Address) -> Outcome {
    pda::vacant(pledge, &[pledge::SEED, task.as_ref()], program).map(|_| ())
}
