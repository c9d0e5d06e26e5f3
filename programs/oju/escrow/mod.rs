//! Somebody else's escrow, which pays by the court's verdict and knows nothing else of the court.

use oju_verdict::{Decision, Passed, verdict};
use pinocchio::Address;

use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::layout::{Head, Record};
use crate::pda::{self, Birth};
use crate::wire::Reader;
use bytemuck::{Pod, Zeroable};

crate::entry::routes! {
    "open_escrow" => self::open,
    "pay_escrow" => self::pay,
}

const SEED: &[u8] = b"escrow";

/// The account holds rent + amount.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Escrow {
    head: Head,
    pad: [u8; 6],
    court: Address,
    subject: Address,
    seller: Address,
    buyer: Address,
    amount: u64,
}

impl Record for Escrow {
    const NAME: &'static str = "Escrow";
}

/// Arguments: court, subject, seller, amount u64. Accounts: buyer sw, escrow w, system.
pub fn open(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (court, subject, seller) = (arguments.key()?, arguments.key()?, arguments.key()?);
    let amount = arguments.u64()?;
    arguments.end()?;
    let [buyer, mut at, system] = account::take(cx.accounts, [SW, W, R])?;
    account::system(&system)?;
    let bump = pda::vacant(&at, &[SEED, subject.as_ref()], cx.program)?;
    let birth = Birth { payer: &buyer, account: &at, program: cx.program, space: Escrow::SIZE };
    birth.create::<Escrow, 2>(&[SEED, subject.as_ref()], bump)?;
    pda::transfer(&buyer, &at, amount)?;
    let mut escrow = account::lend::<Escrow>(&mut at)?;
    let head = escrow.head;
    *escrow = Escrow { head, pad: [0; 6], court, subject, seller, buyer: *buyer.address(), amount };
    Ok(())
}

/// Pays the seller if the court accepted, else the buyer. The case must be one between these two:
/// if not, one of them played both parties. And it must be worth as much, because judges that
/// cover a small reward can be bribed for a large escrow.
///
/// Accounts: escrow w, verdict, payee w.
pub fn pay(cx: &mut Cx) -> Outcome {
    let [mut at, told, mut payee] = account::take(cx.accounts, [W, R, W])?;
    account::owned(&at, cx.program)?;
    let mut escrow = account::lend::<Escrow>(&mut at)?;
    let data = told.try_borrow()?;
    let passed = Passed { address: told.address(), owner: told.owner(), data: &data };
    let case = verdict(&escrow.court, &escrow.subject, &passed).map_err(|why| REFUSALS[why as usize])?;
    require(case.creator == escrow.buyer, Error::NOT_CREATOR)?;
    require(case.worker == escrow.seller, Error::NOT_WORKER)?;
    require(case.reward >= escrow.amount, Error::NOT_COVERED)?;
    let winner = if case.decision == Decision::Accept { &escrow.seller } else { &escrow.buyer };
    account::address(&payee, winner)?;
    let amount = core::mem::take(&mut escrow.amount);
    require(amount > 0, Error::ZERO_AMOUNT)?;
    account::pay(&mut escrow.account, &mut payee, amount)
}

/// By the number of the refusal.
static REFUSALS: [Error; 4] =
    [Error::WRONG_OWNER, Error::WRONG_ACCOUNT, Error::WRONG_ADDRESS, Error::WRONG_STATUS];
