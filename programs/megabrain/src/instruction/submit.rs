//! Commitments and openings of workers and evaluators.

use pinocchio::Address;

use super::advance::end_if_complete;
use super::{named, terms_of};
use crate::account::{self, Held, R, S, W};
use crate::entry::Cx;
use crate::error::{Error, Outcome, require};
use crate::event::{EvaluationSubmitted, Event, ResultSubmitted};
use crate::rule::preimage;
use crate::state::class::Parameters;
use crate::state::task::{MAX_SEATS, SILENT, Said, Task, seat, status};
use crate::sysvar::{Clock, clock};
use crate::wire::Reader;

/// The longest summary.
const MAX_SUMMARY_CHARS: usize = 500;
const MAX_SUMMARY: usize = 700;
/// Bytes of the longest proof, and of the longest metadata of an evaluation.
const MAX_PROOF: usize = 200;
const MAX_METADATA: usize = 400;

/// What all four instructions have: signer, class, task.
struct Speech<'a> {
    who: Address,
    task: Held<'a, Task>,
    terms: Parameters,
    now: Clock,
}

/// Accounts: agent s, class, task w.
#[inline(always)]
fn speech<'a>(cx: &'a mut Cx) -> Outcome<Speech<'a>> {
    let [agent, class, _] = account::take(cx.accounts, [S, R, W])?;
    let terms = terms_of(&class, cx.program)?;
    let at = cx.accounts.get_mut(2).ok_or(Error::NOT_ENOUGH_ACCOUNTS)?;
    let task = account::open::<Task>(at, cx.program)?;
    account::address(&class, &task.class)?;
    Ok(Speech { who: *agent.address(), task, terms, now: clock()? })
}

/// A worker commits to its result.
///
/// Arguments: commitment. Accounts: worker s, class, task w.
pub fn commit_result(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let commitment = *arguments.bytes::<32>()?;
    arguments.end()?;
    let Speech { who, mut task, terms, now } = speech(cx)?;
    let state = task.worker(&who)?.state;
    task.at(status::WORK)?;
    require(state == seat::DRAWN, Error::ALREADY_COMMITTED)?;
    task.in_time(now.time)?;
    named(&commitment)?;
    let seat = task.worker(&who)?;
    (seat.commitment, seat.committed_at, seat.state) = (commitment, now.time, seat::COMMITTED);
    end_if_complete(&mut task, &terms, now);
    Ok(())
}

/// A worker reveals its result. The result itself is content by its hash.
///
/// Arguments: result_hash, summary, proof, salt. Accounts: worker s, class, task w.
pub fn submit_result(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let hash = *arguments.bytes::<32>()?;
    let (summary, proof) = (arguments.vector()?, arguments.vector()?);
    let salt = *arguments.bytes::<32>()?;
    arguments.end()?;
    let Speech { who, mut task, terms, now } = speech(cx)?;
    let key = *task.account.address();
    let (state, commitment) = {
        let seat = task.worker(&who)?;
        (seat.state, seat.commitment)
    };
    task.at(status::REVEAL)?;
    require(state == seat::COMMITTED, Error::NOT_COMMITTED)?;
    task.in_time(now.time)?;
    named(&hash)?;
    let text = core::str::from_utf8(summary).map_err(|_| Error::BAD_SUMMARY)?;
    let short = summary.len() <= MAX_SUMMARY && text.chars().count() <= MAX_SUMMARY_CHARS;
    require(short, Error::BAD_SUMMARY)?;
    require(proof.len() <= MAX_PROOF, Error::TOO_LONG)?;
    let opened = preimage::result(&key, &who, &hash, (summary, proof), &salt);
    require(opened == commitment, Error::WRONG_OPENING)?;
    let seat = task.worker(&who)?;
    (seat.result_hash, seat.state) = (hash, seat::REVEALED);
    let timestamp = seat.committed_at;
    end_if_complete(&mut task, &terms, now);
    ResultSubmitted { task: key, worker: who, result_hash: hash, timestamp }.log()
}

/// An evaluator commits to what it says of all results.
///
/// Arguments: commitment. Accounts: evaluator s, class, task w.
pub fn commit_evaluation(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let commitment = *arguments.bytes::<32>()?;
    arguments.end()?;
    let Speech { who, mut task, terms, now } = speech(cx)?;
    let state = task.evaluator(&who)?.state;
    task.at(status::EVALUATE)?;
    require(state == seat::DRAWN, Error::ALREADY_COMMITTED)?;
    task.in_time(now.time)?;
    named(&commitment)?;
    let seat = task.evaluator(&who)?;
    (seat.commitment, seat.state) = (commitment, seat::COMMITTED);
    end_if_complete(&mut task, &terms, now);
    Ok(())
}

/// An evaluator reveals what it says of each result, in the order of the workers: score and
/// confidence, or 255 and 0. What it says of a worker that revealed nothing does not count, and if
/// further workers were called, what it says of results that half of those who spoke had scored,
/// because that can be read, or that it had scored itself.
///
/// Arguments: scores (pairs), evaluation_hash, metadata, salt. Accounts: evaluator s, class, task w
pub fn submit_evaluation(cx: &mut Cx) -> Outcome {
    let mut arguments = Reader::new(cx.data);
    let scores = arguments.vector()?;
    let hash = *arguments.bytes::<32>()?;
    let metadata = arguments.vector()?;
    let salt = *arguments.bytes::<32>()?;
    arguments.end()?;
    let Speech { who, mut task, terms, now } = speech(cx)?;
    let key = *task.account.address();
    let (state, commitment) = {
        let seat = task.evaluator(&who)?;
        (seat.state, seat.commitment)
    };
    task.at(status::REVEAL_SCORES)?;
    require(state == seat::COMMITTED, Error::NOT_COMMITTED)?;
    task.in_time(now.time)?;
    require(metadata.len() <= MAX_METADATA, Error::TOO_LONG)?;
    let opened = preimage::evaluation(&key, &who, &hash, (scores, metadata), &salt);
    require(opened == commitment, Error::WRONG_OPENING)?;
    let said = read(scores, task.drawn as usize)?;
    let e = task.judging().iter().position(|seat| seat.agent == who).ok_or(Error::NOT_SEATED)?;
    let mut asked = [false; MAX_SEATS];
    for w in 0..MAX_SEATS {
        let spoke = task.judges[e].said[w].confidence > 0;
        asked[w] = task.asked(e, w) || spoke;
        if !asked[w] {
            task.judges[e].said[w] = said[w];
        }
    }
    let seat = &mut task.judges[e];
    (seat.evaluation_hash, seat.state) = (hash, seat::REVEALED);
    end_if_complete(&mut task, &terms, now);
    for ((seat, said), asked) in task.sitting().iter().zip(said).zip(asked) {
        if !asked && said.score != SILENT && seat.state == seat::REVEALED {
            let (score, confidence) = (said.score, said.confidence);
            EvaluationSubmitted { task: key, evaluator: who, worker: seat.agent, score, confidence }.log()?;
        }
    }
    Ok(())
}

/// The scores of so many workers.
fn read(scores: &[u8], workers: usize) -> Outcome<[Said; MAX_SEATS]> {
    let mut all = [Said { score: SILENT, confidence: 0 }; MAX_SEATS];
    require(scores.len() == workers + workers, Error::BAD_SCORE)?;
    for (said, pair) in all.iter_mut().zip(scores.chunks_exact(2)) {
        let (score, confidence) = (pair[0], pair[1]);
        let silent = score == SILENT && confidence == 0;
        require(silent || score <= 100 && confidence <= 100, Error::BAD_SCORE)?;
        *said = Said { score, confidence };
    }
    Ok(all)
}
