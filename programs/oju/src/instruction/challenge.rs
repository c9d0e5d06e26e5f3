//! `uphold_challenge`: a leaf is false by a verdict, and its batch is over.

use crate::account::{self, R, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{BatchClosed, ChallengeUpheld, Event, closed};
use crate::rule::leaf::{Leaf, denied};
use crate::rule::status::Phase;
use crate::state::agent;
use crate::state::batch::Batch;
use crate::state::case::{ACCEPT, Case};
use crate::state::pot::Pot;
use crate::state::task::Task;
use crate::wire::Reader;
use pinocchio::{AccountView, Address};

/// So much of the deposit is the worker's that showed the lie: a tenth.
const BOUNTY: u64 = 10;

/// Ends a batch before it is applied. A case has accepted the result that says that a leaf is false,
/// of the task that asks about this leaf.
///
/// Arguments: generator, seed. Accounts: batch w, golden_task, golden_case, task, case, worker_agent
/// w, pot w, wallet w (the proctor's). Anyone may send it.
pub fn uphold(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let (generator, seed) = (arguments.bytes::<32>()?, arguments.bytes::<32>()?);
    arguments.end()?;
    let [mut at, golden_task, golden_case, task, mut case, mut worker, mut pot, mut wallet] =
        account::take(cx.accounts, [W, R, R, R, R, W, W, W])?;
    let batch = account::open::<Batch>(&mut at, cx.program)?;
    let suspect =
        Suspect { batch: batch.number, task: &golden_task, case: &golden_case, generator, seed };
    let asked = suspect.question(cx.program)?;
    let challenge = account::read::<Task>(&task, cx.program)?;
    let mut docket = account::open_list::<Case>(&mut case, cx.program)?; // nothing in it is changed
    let case = docket.parts()?.0;
    account::address(&task, &case.task)?;
    let mut worker = agent::of(&mut worker, &challenge.worker, cx.program)?;
    let mut pot = account::open::<Pot>(&mut pot, cx.program)?;
    account::address(&wallet, &batch.proctor)?;
    require(batch.applied == 0, Error::TOO_LATE)?;
    let accepted = case.status == Phase::Decided as u8 && case.verdict == ACCEPT;
    let answered = challenge.task_hash == asked && challenge.result_hash == denied() && !challenge.is_dispute();
    require(accepted && answered, Error::NOT_FALSE)?;
    let (number, proctor, deposit) = (batch.number, batch.proctor, batch.deposit);
    drop(batch);

    let amount = deposit / BOUNTY;
    worker.credit(amount)?;
    account::pay(&mut at, &mut worker.account, amount)?;
    pot.take(&mut at, deposit - amount)?;
    let (golden, to) = (*golden_task.address(), challenge.worker);
    ChallengeUpheld { batch: number, golden, task: *task.address(), to, amount }.log()?;
    let amount = account::close(&mut at, &mut wallet)?;
    BatchClosed { batch: number, proctor, outcome: closed::FALSE, amount }.log()
}

/// A leaf that may be false, by its golden case.
struct Suspect<'a> {
    batch: u64,
    task: &'a AccountView,
    case: &'a AccountView,
    generator: &'a [u8; 32],
    seed: &'a [u8; 32],
}

impl Suspect<'_> {
    /// The hash of the task that asks about the leaf, which must be an open one of the batch.
    #[inline(never)]
    fn question(&self, program: &Address) -> Outcome<[u8; 32]> {
        let golden = account::read::<Task>(self.task, program)?;
        let mut view = *self.case;
        let mut docket = account::open_list::<Case>(&mut view, program)?; // nothing in it is changed
        let case = docket.parts()?.0;
        account::address(self.task, &case.task)?;
        require(case.golden != 0 && case.batch == self.batch, Error::NOT_GOLDEN)?;
        let leaf = Leaf {
            task: self.task.address(),
            task_hash: &golden.task_hash,
            result_hash: &golden.result_hash,
            objection_hash: &golden.objection_hash,
            counter_hash: &golden.counter_hash,
            answer: case.golden,
            generator: self.generator,
            seed: self.seed,
        };
        require(leaf.seal() == golden.seal, Error::NOT_IN_BATCH)?;
        Ok(leaf.challenge())
    }
}
