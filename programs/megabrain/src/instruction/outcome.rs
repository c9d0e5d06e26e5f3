//! `post_outcome`: what the chain cannot compute, from an evaluator with a bond.

use super::terms_of;
use crate::account::{self, R, SW, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::pda;
use crate::state::class::WHOLE;
use crate::state::task::{Fact, Finding, MAX_SEATS, Task, posted, seat, status};
use crate::sysvar::clock;
use crate::wire::Reader;
use bytemuck::Zeroable;

/// Bytes of what an outcome says of a worker.
const FACT: usize = 5;

/// Reads an outcome: of each worker complete u16, cluster, low_effort, copy_of; of each evaluator
/// whether it rubber-stamped; evidence.
#[inline(never)]
pub fn read(arguments: &mut Reader) -> Outcome<(Finding, usize, usize)> {
    let mut finding = Finding::zeroed();
    let (facts, rubber) = (arguments.vector()?, arguments.vector()?);
    let whole = facts.len() % FACT == 0 && facts.len() <= FACT * MAX_SEATS && rubber.len() <= MAX_SEATS;
    require(whole, Error::BAD_INSTRUCTION)?;
    for (fact, bytes) in finding.facts.iter_mut().zip(facts.chunks_exact(FACT)) {
        fact.complete = u16::from_le_bytes([bytes[0], bytes[1]]);
        (fact.cluster, fact.low_effort, fact.copy_of) = (bytes[2], bytes[3], bytes[4]);
    }
    finding.rubber[..rubber.len()].copy_from_slice(rubber);
    finding.evidence = *arguments.bytes()?;
    Ok((finding, facts.len() / FACT, rubber.len()))
}

/// Checks an outcome against the commitments. What was copied was committed before the copy, and a
/// cluster has the number of its first worker, so that one outcome has one encoding.
#[inline(never)]
pub fn check(task: &Task, read: &(Finding, usize, usize)) -> Outcome {
    let (finding, facts, rubber) = read;
    require(*facts == task.drawn as usize && *rubber == task.seated as usize, Error::BAD_OUTCOME)?;
    super::named(&finding.evidence)?;
    for (i, fact) in finding.facts[..*facts].iter().enumerate() {
        let seat = &task.work[i];
        let there = seat.state == seat::REVEALED;
        let Fact { complete, cluster, low_effort, copy_of, .. } = *fact;
        let mut lawful = complete as u64 <= WHOLE && low_effort <= 1 && cluster as usize <= i + 1;
        lawful &= there || *fact == Fact { complete, ..Fact::default() };
        if cluster > 0 && cluster as usize <= i + 1 {
            let first = cluster as usize - 1;
            lawful &= finding.facts[first].cluster == cluster && task.work[first].state == seat::REVEALED;
        }
        if copy_of > 0 {
            let copied = task.work[..*facts].get(copy_of as usize - 1);
            lawful &= copied.is_some_and(|it| it.state == seat::REVEALED && it.committed_at < seat.committed_at);
        }
        require(lawful, Error::BAD_OUTCOME)?;
    }
    require(finding.rubber.iter().all(|it| *it <= 1), Error::BAD_OUTCOME)
}

/// An evaluator that revealed posts the outcome. Its bond comes back unless the court finds that
/// another outcome is right.
///
/// Arguments: outcome. Accounts: evaluator sw, class, task w, system.
pub fn post(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let outcome = read(&mut arguments)?;
    arguments.end()?;
    let [poster, class, mut at, system] = account::take(cx.accounts, [SW, R, W, R])?;
    account::system(&system)?;
    let terms = terms_of(&class, cx.program)?;
    let bond = {
        let mut task = account::open::<Task>(&mut at, cx.program)?;
        account::address(&class, &task.class)?;
        let state = task.evaluator(poster.address())?.state;
        task.at(status::OUTCOME)?;
        require(state == seat::REVEALED, Error::NOT_SEATED)?;
        let now = clock()?.time;
        task.in_time(now)?;
        check(&task, &outcome)?;
        let bond = terms.outcome_bond(task.budget)?;
        (task.finding, task.posted, task.bond) = (outcome.0, posted::POSTER, bond);
        task.poster = *poster.address();
        task.rejected = 0;
        task.enter(status::POSTED, now, terms.dispute);
        bond
    };
    pda::transfer(&poster, &at, bond)
}
