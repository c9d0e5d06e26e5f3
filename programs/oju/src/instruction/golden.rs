//! `open_leaf` and `apply_leaf`: a case becomes golden, and its seats are paid by its answer.

use crate::account::{self, Held, R, S, W};
use crate::arith;
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{Event, LeafApplied, LeafOpened};
use crate::rule::court::Court;
use crate::rule::golden::{self, Applied};
use crate::rule::leaf::{Leaf, Place};
use crate::rule::status::is_over;
use crate::state::batch::Batch;
use crate::state::case::{ACCEPT, Case, Hearing, REJECT};
use crate::state::config::Config;
use crate::state::pot::Pot;
use crate::state::roster::Roster;
use crate::state::task::Task;
use crate::sysvar::clock;
use crate::wire::Reader;
use pinocchio::{AccountView, Address};

/// Opens a leaf: writes its answer into the case of its task, which must be over. If the task is
/// not what the leaf says, or does not exist, the leaf is void; no vote of a golden case was cast
/// then. A case belongs to the batch that opened it first: no second batch draws its challenges.
///
/// Arguments: index u32, task_hash, result_hash, objection_hash, counter_hash, answer u8,
/// generator, seed, path bytes. Accounts: authority s (the proctor), batch w, task, case w (only if
/// the leaf counts).
pub fn open(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let index = arguments.u32()?;
    let [task_hash, result_hash] = [arguments.bytes::<32>()?, arguments.bytes::<32>()?];
    let [objection_hash, counter_hash] = [arguments.bytes::<32>()?, arguments.bytes::<32>()?];
    let answer = arguments.u8()?;
    let [generator, seed] = [arguments.bytes::<32>()?, arguments.bytes::<32>()?];
    let path = arguments.vector()?;
    arguments.end()?;
    let [authority, mut at, task] = account::take(cx.accounts, [S, W, R])?;
    let mut batch = account::open::<Batch>(&mut at, cx.program)?;
    batch.only_proctor(authority.address())?;
    let now = clock()?.time;
    require(now < batch.open_by, Error::TOO_LATE)?;
    require(answer == ACCEPT || answer == REJECT, Error::BAD_CHOICE)?;
    let address = *task.address();
    let leaf = Leaf {
        task: &address,
        task_hash,
        result_hash,
        objection_hash,
        counter_hash,
        answer,
        generator,
        seed,
    };
    let seal = leaf.seal();
    leaf.stands(&seal, &Place { index, leaves: batch.leaves, root: &batch.root }, path)?;
    batch.mark(index, now)?;

    let void = !golden_task(&task, &batch, &leaf, &seal, cx.program);
    if void {
        batch.void += 1;
    } else {
        let [_, _, _, mut case] = account::take(cx.accounts, [S, W, R, W])?;
        let mut docket = account::open_list::<Case>(&mut case, cx.program)?;
        let mut case = Hearing::of(&mut docket)?;
        require(case.task == address, Error::WRONG_ADDRESS)?;
        require(is_over(case.status), Error::WRONG_STATUS)?;
        require(case.golden == 0, Error::LEAF_OPEN)?;
        batch.expose(golden::exposure(&case)?)?;
        (case.golden, case.batch) = (answer, batch.number);
        batch.accepts += (answer == ACCEPT) as u32;
    }
    let (batch, generator, seed) = (batch.number, *generator, *seed);
    LeafOpened { batch, index, task: address, answer, generator, seed, void: void as u8, at: now }.log()
}

/// Whether the account is the task of the leaf, with all documents of the leaf.
#[inline(never)]
fn golden_task(account: &AccountView, batch: &Batch, leaf: &Leaf, seal: &[u8; 32], program: &Address) -> bool {
    account::read::<Task>(account, program).is_ok_and(|task| batch.has(&task, leaf, seal))
}

/// Applies an open leaf: pays and slashes the seats of its case, counts it in the records, and pays
/// the proctor's fee into the batch.
///
/// Accounts: config, batch w, case w, roster w, pot w. Anyone may send it.
pub fn apply(cx: &mut Cx) -> Outcome {
    Reader::new(cx.data).end()?;
    let [config, mut at, mut case, mut roster, mut pot] = account::take(cx.accounts, [R, W, W, W, W])?;
    let config = account::read::<Config>(&config, cx.program)?;
    let mut batch = account::open::<Batch>(&mut at, cx.program)?;
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?;
    let mut listed = account::open_list::<Roster>(&mut roster, cx.program)?;
    let mut pot = account::open::<Pot>(&mut pot, cx.program)?;
    let case = Hearing::of(&mut docket)?;
    let waits = case.golden != 0 && case.applied == 0 && case.batch == batch.number;
    require(waits, Error::NOT_GOLDEN)?;
    config.open()?;
    require(batch.fair(), Error::BATCH_INCOMPLETE)?;
    let clock = clock()?;
    require(clock.time >= batch.apply_from(config.stood(clock.time)), Error::TOO_EARLY)?;

    let mut till = listed.account;
    let (roster, entries) = listed.parts()?;
    let (answer, mut done) = (case.golden, Applied::default());
    let mut court = Court { case, roster, entries, clock };
    court.apply(answer, pot.golden, &mut done)?;
    let Court { mut case, .. } = court;
    case.applied = 1;
    batch.applied += 1;
    pot.take(&mut till, done.taken)?;
    pot.give(&mut till, done.paid)?;
    let fee = if done.judged() { batch.leaf_fee.min(pot.golden) } else { 0 };
    batch.earned = arith::add(batch.earned, fee)?;
    pot.give(&mut batch.account, fee)?;
    told(&case, &batch, &done, fee, clock.time)
}

#[inline(never)]
fn told(case: &Hearing, batch: &Held<Batch>, done: &Applied, fee: u64, at: i64) -> Outcome {
    let (task, answer) = (case.task, case.golden);
    let &Applied { taken, paid, .. } = done;
    LeafApplied { task, batch: batch.number, answer, taken, paid, fee, at }.log_seats(case, done)
}
