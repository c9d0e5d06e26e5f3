//! Golden tasks: who tells right results from wrong ones, and what records are worth. It is that of
//! megabrain/reputation, number by number.

use bytemuck::{Pod, Zeroable};
use pinocchio::Address;

use super::pay::{self, Deed};
use crate::state::class::{Member, NEWCOMER, Parameters, WHOLE, role};
use crate::state::task::{MAX_SEATS, SILENT, Task, past, seat};

/// One task in a record. Records are thousandths of tasks, because they decay.
const UNIT: u32 = 1_000;
/// What a record counts at most.
const MOST: u32 = 1_000 * UNIT;
/// How many tasks without success a record begins with.
const DOUBT: u32 = 3 * UNIT;
/// Basis points of a record that are left after 30 days.
const KEEP: u32 = 8_000;
/// What a failed golden task adds to the alarm; another takes one away.
const STEP: u16 = 3;
/// Failed outcomes that a slash counts as, and that a result without effort does.
const LOST: u32 = 3;
const LOW: u32 = 5;
/// Seconds of a day.
pub const DAY: u64 = 24 * 3_600;
/// Seconds after which records decay.
const MONTH: u64 = 30 * DAY;

/// How many tasks there were, and in how many of them a member succeeded, in thousandths.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Tally {
    /// Successes.
    pub good: u32,
    /// All.
    pub all: u32,
}

impl Tally {
    /// Counts so many tasks that succeeded, or did not.
    pub fn add(&mut self, passed: bool, tasks: u32) {
        let more = tasks.wrapping_mul(UNIT); // of five tasks at most
        self.all += more;
        self.good += if passed { more } else { 0 };
        while self.all > MOST {
            (self.good, self.all) = (self.good / 2, self.all / 2);
        }
    }

    fn decay(&mut self) {
        // At most 2^20 times 2^13, in 64 bits.
        let kept = |n: u32| ((n as u64).wrapping_mul(KEEP as u64) / WHOLE) as u32;
        (self.good, self.all) = (kept(self.good), kept(self.all));
    }

    /// Adds a share of a record in a near class.
    pub fn plus(&mut self, near: Tally, bps: u64) {
        let part = |n: u32| ((n as u64).wrapping_mul(bps) / WHOLE) as u32;
        (self.good, self.all) = (self.good + part(near.good), self.all + part(near.all));
    }

    /// Loses a share of the successes.
    pub fn lose(&mut self, bps: u16) {
        self.good -= ((self.good as u64).wrapping_mul(bps as u64) / WHOLE) as u32;
    }

    /// The share of successes, of so much.
    fn share(&self, full: u64) -> u64 {
        (self.good as u64).wrapping_mul(full) / (self.all + DOUBT) as u64
    }
}

/// The period of 30 days in which this time lies. Records decay at its end.
pub fn month(now: i64) -> u16 {
    (now.max(0) as u64 / MONTH) as u16
}

/// The record of a member in golden tasks and in outcomes, as it has decayed up to now.
pub fn decayed(member: &Member, now: i64) -> (Tally, Tally) {
    let (mut golden, mut outcomes) = (member.golden, member.outcomes);
    for _ in 0..month(now).saturating_sub(member.month).min(64) {
        golden.decay();
        outcomes.decay();
    }
    (golden, outcomes)
}

/// Lets the record of a member decay up to now.
pub fn decay(member: &mut Member, now: i64) {
    (member.golden, member.outcomes) = decayed(member, now);
    member.month = member.month.max(month(now));
}

/// The reputation that follows from a record: half comes from golden tasks, the other half from
/// outcomes, and from these no more than from golden tasks.
pub fn value(member: &Member) -> u16 {
    worth(member.restore, (member.golden, member.outcomes))
}

/// What a record in golden tasks and outcomes is worth. It is a newcomer's until it is restored.
pub fn worth(restore: u8, (golden, outcomes): (Tally, Tally)) -> u16 {
    if restore > 0 {
        return NEWCOMER;
    }
    let half = (WHOLE - NEWCOMER as u64) / 2;
    let golden = golden.share(half);
    NEWCOMER + (golden + golden.min(outcomes.share(half))) as u16
}

/// What a member of a class with golden tasks did in a task. The task may be a golden one, so that
/// an evaluator cannot take its stake out for as long as it would be frozen.
pub fn outcome(member: &mut Member, deed: Deed, terms: &Parameters, now: i64) {
    decay(member, now);
    if member.role == role::EVALUATOR {
        member.exit_at = member.exit_at.max(thawed(terms, now));
    }
    match deed {
        Deed::Nothing => {}
        Deed::Good => {
            member.outcomes.add(true, 1);
            member.restore = member.restore.saturating_sub(1);
        }
        Deed::Outside | Deed::Far => member.outcomes.add(false, 1),
        Deed::Bad => member.outcomes.add(false, LOST),
        Deed::Lazy => {
            member.outcomes.add(false, LOW);
            member.restore = terms.restore_tasks as u8;
        }
        Deed::Stamped => stamped(member, terms, now),
    }
    member.reputation = value(member);
}

/// A golden task that a member passed, or not. Whether an evaluator has stamped.
pub fn passed(member: &mut Member, passed: bool, terms: &Parameters, now: i64, evaluator: bool) -> bool {
    decay(member, now);
    member.golden.add(passed, 1);
    let mut stamps = false;
    if passed {
        member.alarm = member.alarm.saturating_sub(1);
        member.restore = member.restore.saturating_sub(1);
    } else if evaluator {
        member.alarm = member.alarm.saturating_add(STEP as u8);
        stamps = member.alarm as u16 >= terms.golden;
    }
    if stamps {
        stamped(member, terms, now);
    }
    member.reputation = value(member);
    stamps
}

/// It loses its record, and is not drawn for a time.
fn stamped(member: &mut Member, terms: &Parameters, now: i64) {
    (member.golden, member.outcomes, member.alarm) = (Tally::default(), Tally::default(), 0);
    member.restore = terms.restore_tasks as u8;
    member.frozen_until = thawed(terms, now);
}

/// When a freeze that begins now is over.
fn thawed(terms: &Parameters, now: i64) -> i64 {
    now + (terms.freeze_days as u64).wrapping_mul(DAY) as i64 // of at most 365 days
}

/// Which results of a golden task count, which of them are right (those with the answer, and those
/// that mean the same), and which were to be seen.
pub struct Truth {
    counts: [bool; MAX_SEATS],
    right: [bool; MAX_SEATS],
    shown: [bool; MAX_SEATS],
    seen: [bool; MAX_SEATS],
}

/// Whether an evaluator is tested. Who was called later could read what others said.
fn heard(task: &Task, e: usize) -> bool {
    let judge = &task.judges[e];
    judge.state == seat::REVEALED && judge.later == 0 && task.finding.rubber[e] == 0
}

/// Whether any of the evaluators that are tested say something of a result, and whether more than
/// half of them do. Otherwise its worker may have shown it too late, or to friends alone.
fn seen(task: &Task, w: usize) -> (bool, bool) {
    let (mut all, mut told) = (0u8, 0u8);
    for e in (0..MAX_SEATS).filter(|e| heard(task, *e)) {
        all += 1;
        told += !silent(task, e, w) as u8;
    }
    (told > 0, told + told > all)
}

fn silent(task: &Task, e: usize, w: usize) -> bool {
    let said = task.judges[e].said[w];
    said.score == SILENT || said.confidence == 0
}

/// Which results are right, if the answer has this hash. `None` if none of them was paid: then the
/// creator alone says that it is the answer.
pub fn truth(task: &Task, answer: &[u8; 32]) -> Option<Truth> {
    let none = [false; MAX_SEATS];
    let mut told = Truth { counts: none, right: none, shown: none, seen: none };
    let mut any = false;
    let workers = (task.drawn as usize).min(MAX_SEATS);
    for w in 0..workers {
        told.counts[w] = pay::counts(task, w) && task.cleared & (1 << w) == 0;
        told.right[w] = told.counts[w] && task.work[w].result_hash == *answer;
        (told.shown[w], told.seen[w]) = seen(task, w);
        any |= told.right[w] && task.work[w].inside != 0;
    }
    for w in 0..workers {
        let cluster = task.finding.facts[w].cluster;
        let same = |v: usize| told.counts[v] && task.work[v].result_hash == *answer;
        let alike = |v: usize| same(v) && task.finding.facts[v].cluster == cluster;
        told.right[w] |= told.counts[w] && cluster > 0 && (0..workers).any(alike);
    }
    if any { Some(told) } else { None }
}

/// Whether an evaluator could not speak of a result: it was absent when it was asked about it, and
/// spoke when further workers had been called, or the other way round.
fn excused(task: &Task, e: usize, w: usize) -> bool {
    let then = task.asked(e, w);
    let spoke = (0..MAX_SEATS).any(|v| task.asked(e, v) == then && !silent(task, e, v));
    task.judges[e].asked > 0 && !spoke
}

impl Truth {
    /// Whether the result of a worker is right; `None` if it does not count.
    pub fn worker(&self, w: usize) -> Option<bool> {
        if self.counts[w] { Some(self.right[w]) } else { None }
    }

    /// Whether an agent has failed: a worker of the first draw whose result is wrong, or an
    /// evaluator that failed when the seal was opened, and does not tell.
    pub fn failed(&self, task: &Task, agent: &Address, terms: &Parameters) -> bool {
        let wrong = |w: usize| {
            let seat = &task.work[w];
            seat.agent == *agent && seat.later == 0 && self.worker(w) == Some(false)
        };
        let missed = |e: usize| {
            let seat = &task.judges[e];
            let failed = seat.agent == *agent && seat.past & past::FAILED != 0;
            failed && self.evaluator(task, e, terms) == Some(false)
        };
        (0..MAX_SEATS).any(|it| wrong(it) || missed(it))
    }

    /// Whether an evaluator tells right results from wrong ones; `None` if there are not both, or
    /// it is not tested. Each right one has the pass mark, and the tolerance more than each wrong
    /// one, and no wrong one has more than the pass mark by the tolerance. Who says nothing of one
    /// that most saw does not tell them, nor who says nothing of most that others saw.
    pub fn evaluator(&self, task: &Task, e: usize, terms: &Parameters) -> Option<bool> {
        let (mut worst, mut best, mut missing) = (u16::MAX, 0u16, false);
        let (mut right, mut wrong) = (false, false);
        let shown = || (0..MAX_SEATS).filter(|w| self.counts[*w] && self.shown[*w] && !excused(task, e, *w));
        let told = shown().filter(|w| !silent(task, e, *w)).count();
        let few = told + told < shown().count();
        for w in shown().filter(|w| few || self.seen[*w] || !silent(task, e, *w)) {
            missing |= silent(task, e, w);
            let score = task.judges[e].said[w].score as u16;
            if self.right[w] {
                (right, worst) = (true, worst.min(score));
            } else {
                (wrong, best) = (true, best.max(score));
            }
        }
        if !heard(task, e) || !right || !wrong {
            return None;
        }
        let apart = worst >= best + terms.sigma;
        Some(!missing && apart && worst >= terms.pass && best < terms.pass + terms.sigma)
    }
}
