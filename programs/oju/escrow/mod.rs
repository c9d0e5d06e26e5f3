//! Somebody else's escrow, which pays by the court's verdict and knows nothing else of the court.

use oju_verdict::{Decision, Passed, verdict};
use pinocchio::{AccountView, Address};

use crate::account::{self, Held, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::layout::{Head, Record};
use crate::pda::{self, Birth};
use crate::sysvar::clock;
use crate::wire::Reader;
use bytemuck::{Pod, Zeroable};

crate::entry::routes! {
    "open_escrow" => self::open,
    "pay_escrow" => self::pay,
    "take_back_escrow" => self::take_back,
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
    /// Unix seconds from which on the buyer may take the money back, if no verdict pays it.
    back_at: i64,
}

impl Record for Escrow {
    const NAME: &'static str = "Escrow";
}

/// The address of an escrow has its buyer, who signs, so nobody else can take it first.
///
/// Arguments: court, subject, seller, amount u64, back_at i64. Accounts: buyer sw, escrow w,
/// system.
pub fn open(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (court, subject, seller) = (arguments.key()?, arguments.key()?, arguments.key()?);
    let (amount, back_at) = (arguments.u64()?, arguments.i64()?);
    arguments.end()?;
    let [buyer, mut at, system] = account::take(cx.accounts, [SW, W, R])?;
    account::system(&system)?;
    let seeds = [SEED, buyer.address().as_ref(), seller.as_ref(), subject.as_ref()];
    let bump = pda::vacant(&at, &seeds, cx.program)?;
    require(back_at > clock()?.time, Error::TOO_LATE)?;
    require(amount > 0, Error::ZERO_AMOUNT)?;
    let birth = Birth { payer: &buyer, account: &at, program: cx.program, space: Escrow::SIZE };
    birth.create::<Escrow, 4>(&seeds, bump)?;
    pda::transfer(&buyer, &at, amount)?;
    let mut escrow = account::lend::<Escrow>(&mut at)?;
    let (head, buyer) = (escrow.head, *buyer.address());
    *escrow = Escrow { head, pad: [0; 6], court, subject, seller, buyer, amount, back_at };
    Ok(())
}

/// Pays the seller if the court accepted, else the buyer.
///
/// Accounts: escrow w, verdict, payee w.
pub fn pay(cx: &mut Cx) -> Outcome {
    let [mut at, told, mut payee] = account::take(cx.accounts, [W, R, W])?;
    account::owned(&at, cx.program)?;
    let mut escrow = account::lend::<Escrow>(&mut at)?;
    let winner = escrow.winner(&told)?;
    account::address(&payee, &winner)?;
    empty(&mut escrow, &mut payee)
}

/// Pays the buyer from back_at on, if there is no verdict that [`pay`] takes. The court may never
/// have had a case, its verdict was not published, or the case was one between others. Without this
/// nobody could ever have the money. A verdict that pays is the winner's also later.
///
/// Accounts: escrow w, verdict (its address, whether it is there or not), buyer sw.
pub fn take_back(cx: &mut Cx) -> Outcome {
    let [mut at, told, mut buyer] = account::take(cx.accounts, [W, R, SW])?;
    account::owned(&at, cx.program)?;
    let mut escrow = account::lend::<Escrow>(&mut at)?;
    let (place, _) = pda::find(&[b"verdict", escrow.subject.as_ref()], &escrow.court)?;
    account::address(&told, &place)?;
    require(escrow.buyer == *buyer.address(), Error::NOT_CREATOR)?;
    require(escrow.winner(&told).is_err(), Error::WRONG_STATUS)?;
    require(clock()?.time >= escrow.back_at, Error::TOO_EARLY)?;
    empty(&mut escrow, &mut buyer)
}

impl Escrow {
    /// Who won by a verdict. The case must be one between these two: if not, one of them played
    /// both parties. And it must be worth as much, because judges that cover a small reward can be
    /// bribed for a large escrow.
    #[inline(never)]
    fn winner(&self, told: &AccountView) -> Outcome<Address> {
        let data = told.try_borrow()?;
        let passed = Passed { address: told.address(), owner: told.owner(), data: &data };
        let case = verdict(&self.court, &self.subject, &passed).map_err(|why| REFUSALS[why as usize])?;
        require(case.creator == self.buyer, Error::NOT_CREATOR)?;
        require(case.worker == self.seller, Error::NOT_WORKER)?;
        require(case.reward >= self.amount, Error::NOT_COVERED)?;
        Ok(if case.decision == Decision::Accept { self.seller } else { self.buyer })
    }
}

/// Pays what the escrow holds, once.
fn empty(escrow: &mut Held<Escrow>, to: &mut AccountView) -> Outcome {
    let amount = core::mem::take(&mut escrow.amount);
    require(amount > 0, Error::ZERO_AMOUNT)?;
    account::pay(&mut escrow.account, to, amount)
}

/// By the number of the refusal.
static REFUSALS: [Error; 4] =
    [Error::WRONG_OWNER, Error::WRONG_ACCOUNT, Error::WRONG_ADDRESS, Error::WRONG_STATUS];
