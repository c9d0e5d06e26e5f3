//! `admit_proctor`, `revoke_proctor`, `commit_batch`, `close_batch`: who makes golden cases, and
//! what a batch risks.

use pinocchio::{AccountView, Address};

use crate::account::{self, R, S, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{BatchClosed, BatchCommitted, Closed, Event, ProctorSet, closed};
use crate::layout::Record;
use crate::pda::{self, Birth};
use crate::rule::golden;
use crate::state::batch::{self, Batch, MAX_LEAVES, MIN_LEAVES};
use crate::state::config::Config;
use crate::state::pot::Pot;
use crate::state::proctor::{self, Proctor};
use crate::state::rules::Rules;
use crate::sysvar::clock;
use crate::wire::Reader;

/// Lets a key commit batches. Arguments: proctor. Accounts: authority sw, config, proctor w,
/// system.
pub fn admit(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let key = arguments.key()?;
    arguments.end()?;
    let [authority, config, mut account, system] = account::take(cx.accounts, [SW, R, W, R])?;
    account::system(&system)?;
    let config = account::read::<Config>(&config, cx.program)?;
    let seeds = [proctor::SEED, key.as_ref()];
    let bump = pda::vacant(&account, &seeds, cx.program)?;
    config.only_authority(authority.address())?;

    let birth = Birth { payer: &authority, account: &account, program: cx.program, space: Proctor::SIZE };
    birth.create::<Proctor, 2>(&seeds, bump)?;
    let mut proctor = account::lend::<Proctor>(&mut account)?;
    (proctor.proctor, proctor.payer) = (key, *authority.address());
    ProctorSet { proctor: key, admitted: 1 }.log()
}

/// Stops further batches of a proctor. Those that run go on. The rent goes to its payer.
///
/// Accounts: authority s, config, proctor w, wallet w (the payer's).
pub fn revoke(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [authority, config, mut account, mut wallet] = account::take(cx.accounts, [S, R, W, W])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let proctor = account::open::<Proctor>(&mut account, cx.program)?;
    account::address(&wallet, &proctor.payer)?;
    config.only_authority(authority.address())?;
    let key = proctor.proctor;
    drop(proctor);

    let (at, to) = (*account.address(), *wallet.address());
    let amount = account::close(&mut account, &mut wallet)?;
    ProctorSet { proctor: key, admitted: 0 }.log()?;
    Closed { account: at, to, amount }.log()
}

/// Commits to the leaves of a batch. Its tasks must be younger. They are under the same rules,
/// because the batch must be open before others take effect.
///
/// Arguments: root, leaves u32, deposit u64. Accounts: authority sw, config, rules (in force),
/// proctor, pot w, batch w, system.
pub fn commit(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (root, leaves, deposit) = (*arguments.bytes::<32>()?, arguments.u32()?, arguments.u64()?);
    arguments.end()?;
    let [authority, config, rules, proctor, mut pot, mut at, system] =
        account::take(cx.accounts, [SW, R, R, R, W, W, R])?;
    account::system(&system)?;
    let config = account::read::<Config>(&config, cx.program)?;
    let rules = account::read::<Rules>(&rules, cx.program)?;
    let now = clock()?.time;
    rules.in_force(now)?;
    admitted(&proctor, authority.address(), cx.program)?;
    let mut pot = account::open::<Pot>(&mut pot, cx.program)?;
    let number = pot.batches;
    let number_bytes = number.to_le_bytes();
    let seeds = [batch::SEED, &number_bytes];
    let bump = pda::vacant(&at, &seeds, cx.program)?;
    let open_by = now + rules.batch_seconds as i64;
    require(rules.until == 0 || open_by <= rules.until, Error::WRONG_RULES)?;
    let golden = rules.batch_seconds > 0 && (MIN_LEAVES..=MAX_LEAVES).contains(&leaves);
    require(golden && root != [0; 32], Error::BAD_BATCH)?;
    require(pot.spend(leaves), Error::TOO_MANY_LEAVES)?;
    require(deposit >= golden::deposit(&rules, leaves)?, Error::DEPOSIT_TOO_SMALL)?;

    let birth = Birth { payer: &authority, account: &at, program: cx.program, space: Batch::SIZE };
    birth.create::<Batch, 2>(&seeds, bump)?;
    pda::transfer(&authority, &at, deposit)?;
    pot.batches += 1;
    let mut batch = account::lend::<Batch>(&mut at)?;
    (batch.number, batch.proctor, batch.root) = (number, *authority.address(), root);
    (batch.leaves, batch.deposit, batch.leaf_fee) = (leaves, deposit, rules.leaf_fee);
    (batch.committed_at, batch.open_by) = (now, open_by);
    batch.keep_until = now + rules.evidence_seconds as i64;
    (batch.challenge_seconds, batch.paused_before) = (rules.challenge_seconds, config.stood(now));
    BatchCommitted { batch: number, proctor: batch.proctor, root, leaves, deposit, open_by, at: now }.log()
}

/// [`Error::NOT_PROCTOR`] unless the account is the admission of the proctor.
#[inline(never)]
fn admitted(account: &AccountView, key: &Address, program: &Address) -> Outcome {
    require(account.owned_by(program), Error::NOT_PROCTOR)?;
    let proctor = account::read::<Proctor>(account, program)?;
    require(proctor.proctor == *key, Error::NOT_PROCTOR)
}

/// Ends a batch. If it was fair, the proctor gets the deposit when all leaves are applied, or
/// when their cases may be gone. Otherwise the Pot gets it, unless all leaves are open, some are
/// void, and the court was paused for a tenth of the batch's time.
///
/// Accounts: config, batch w, pot w, wallet w (the proctor's). Anyone may send it.
pub fn close(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [config, mut at, mut pot, mut wallet] = account::take(cx.accounts, [R, W, W, W])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let batch = account::open::<Batch>(&mut at, cx.program)?;
    let mut pot = account::open::<Pot>(&mut pot, cx.program)?;
    account::address(&wallet, &batch.proctor)?;
    let now = clock()?.time;
    let outcome = if batch.fair() {
        require(batch.applied == batch.counting() || now >= batch.keep_until, Error::TOO_EARLY)?;
        closed::APPLIED
    } else {
        require(batch.complete() || now >= batch.open_by, Error::TOO_EARLY)?;
        if batch.stopped(config.stood(now)) { closed::PAUSED } else { closed::FORFEITED }
    };
    let (number, proctor, deposit) = (batch.number, batch.proctor, batch.deposit);
    drop(batch);

    if outcome == closed::FORFEITED {
        pot.take(&mut at, deposit)?;
    }
    let amount = account::close(&mut at, &mut wallet)?;
    BatchClosed { batch: number, proctor, outcome, amount }.log()
}
