//! `admit_judge` and `revoke_admission`: who may join a listed court.

use crate::account::{self, R, S, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{AdmissionSet, Closed, Event};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::state::admission::{self, Admission};
use crate::state::config::Config;
use crate::wire::Reader;
use pinocchio::{AccountView, Address};

/// Lets a judge join. Arguments: judge. Accounts: authority sw, config, admission w, system.
pub fn admit(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let judge = arguments.key()?;
    arguments.end()?;
    let [authority, config, mut account, system] = account::take(cx.accounts, [SW, R, W, R])?;
    account::system(&system)?;
    let config = account::read::<Config>(&config, cx.program)?;
    let seeds = [admission::SEED, judge.as_ref()];
    let bump = pda::vacant(&account, &seeds, cx.program)?;
    config.only_authority(authority.address())?;
    config.only_listed()?;

    let birth = Birth { payer: &authority, account: &account, program: cx.program, space: Admission::SIZE };
    birth.create::<Admission, 2>(&seeds, bump)?;
    let mut admission = account::lend::<Admission>(&mut account)?;
    (admission.judge, admission.payer) = (judge, *authority.address());
    AdmissionSet { judge, admitted: 1 }.log()
}

/// Takes an admission back: the authority of a listed court, anyone in an open one, where
/// it has no use. A judge that sits already stays. The rent goes to its payer.
///
/// Accounts: signer s, config, admission w, wallet w (the payer's).
pub fn revoke(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [signer, config, mut account, mut wallet] = account::take(cx.accounts, [S, R, W, W])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let admission = account::open::<Admission>(&mut account, cx.program)?;
    account::address(&wallet, &admission.payer)?;
    if config.listed != 0 {
        config.only_authority(signer.address())?;
    }
    let judge = admission.judge;
    drop(admission);

    let (at, to) = (*account.address(), *wallet.address());
    let amount = account::close(&mut account, &mut wallet)?;
    AdmissionSet { judge, admitted: 0 }.log()?;
    Closed { account: at, to, amount }.log()
}

/// [`Error::NOT_ADMITTED`] unless the account is the admission of the judge.
#[inline(never)]
pub fn of(account: &AccountView, judge: &Address, program: &Address) -> Outcome {
    require(account.owned_by(program), Error::NOT_ADMITTED)?;
    let admission = account::read::<Admission>(account, program)?;
    require(admission.judge == *judge, Error::NOT_ADMITTED)
}
