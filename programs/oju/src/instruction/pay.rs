//! `pull_payment`: an agent that gave data takes the promised payment from the payer's vault.

use pinocchio::account::Ref;
use pinocchio::sysvars::instructions::Instructions;
use pinocchio::{AccountView, Address};

use crate::account::{self, R, SW, W};
use crate::arith;
use crate::ed25519;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{DataPaid, Event};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::preimage::{Deal, promised};
use crate::rule::voucher::Voucher;
use crate::state::agent::Agent;
use crate::state::channel::{self, Channel};
use crate::state::config::Config;
use crate::sysvar::clock;
use crate::wire::Reader;

/// Moves the unpaid part of a voucher, as far as the payer's vault goes. Anyone may send it. The
/// instruction just before is an Ed25519 instruction with the payer's signature of the voucher.
///
/// Accounts: signer sw, config, payer_agent w, payee_agent w, channel w, instructions, system.
pub fn pull(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [signer, config, mut payer_agent, mut payee_agent, mut channel, instructions, system] =
        account::take(cx.accounts, [SW, R, W, W, W, R, R])?;
    account::system(&system)?;
    let config = account::read::<Config>(&config, cx.program)?;
    let mut payer = account::open::<Agent>(&mut payer_agent, cx.program)?;
    let mut payee = account::open::<Agent>(&mut payee_agent, cx.program)?;
    let (from, to) = (payer.authority, payee.authority);
    let seeds = [channel::SEED, from.as_ref(), to.as_ref()];
    let fresh = match channel.is_data_empty() {
        true => Some(pda::vacant(&channel, &seeds, cx.program)?),
        false => None,
    };
    let paid = if fresh.is_some() { 0 } else { paid(&channel, &from, &to, cx.program)? };
    let proof = ed25519::instructions(&instructions)?;
    let deal = Deal { network: &config.network, program: cx.program, payer: &from, payee: &to };
    let voucher = signed(&proof, &deal).ok_or(Error::BAD_VOUCHER)?;
    let amount = voucher.pull(clock()?.time, paid, payer.vault)?;

    if let Some(bump) = fresh {
        let birth = Birth { payer: &signer, account: &channel, program: cx.program, space: Channel::SIZE };
        birth.create::<Channel, 3>(&seeds, bump)?;
    }
    let mut channel = account::lend::<Channel>(&mut channel)?;
    let paid = arith::add(paid, amount)?;
    (channel.payer, channel.payee, channel.paid) = (from, to, paid);
    payer.debit(amount)?;
    payee.credit(amount)?;
    account::pay(&mut payer.account, &mut payee.account, amount)?;
    DataPaid { payer: from, payee: to, amount, paid }.log()
}

/// The amount that the channel between the two has paid, after the checks of the account.
#[inline(never)]
fn paid(channel: &AccountView, payer: &Address, payee: &Address, program: &Address) -> Outcome<u64> {
    let channel = account::read::<Channel>(channel, program)?;
    require(channel.payer == *payer && channel.payee == *payee, Error::WRONG_ADDRESS)?;
    Ok(channel.paid)
}

/// The voucher of this deal that the payer's key signed in the instruction just before.
#[inline(always)]
fn signed(proof: &Instructions<Ref<'_, [u8]>>, deal: &Deal) -> Option<Voucher> {
    let before = ed25519::before(proof)?;
    let [signed] = ed25519::exactly::<1>(before.get_instruction_data())?;
    let voucher = promised(signed.message, deal)?;
    (signed.key == deal.payer.as_array()).then_some(voucher)
}
