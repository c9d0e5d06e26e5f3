//! The settlement of a task. It is that of megabrain/pay, number by number: docs/megabrain.md.
//!
//! Scores are hundredths of a point, shares are basis points. Everything but lamports is small: a
//! product of two of them fits in 64 bits, so they are multiplied without a check, which LLVM could
//! not compile.

use crate::arith::mul_div;
use crate::error::Outcome;
use crate::state::class::{Parameters, WHOLE};
use crate::state::task::{MAX_SEATS, SILENT, last, posted, seat};
use crate::state::task::{Said, Task};

/// How a task ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A cluster is paid.
    Paid,
    /// None is.
    Inconclusive,
    /// Nothing is paid before further ones have evaluated.
    Further,
    /// Nothing is paid before further ones have worked.
    Workers,
}

/// What an evaluator is told to have done, for its reputation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deed {
    /// Nothing that counts for it or against it.
    #[default]
    Nothing,
    /// As it should be.
    Good,
    /// No result, a copy, or no evaluation.
    Bad,
    /// An evaluation far from the others.
    Far,
    /// A result outside the paid cluster.
    Outside,
    /// No effort.
    Lazy,
    /// The same of everything.
    Stamped,
}

/// What one worker or evaluator gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Lamports, without the bonus.
    pub paid: u64,
    /// Lamports.
    pub bonus: u64,
    /// Lamports of the stake.
    pub slashed: u64,
    /// Hundredths of a point.
    pub score: u16,
    /// Whether a worker is in the paid cluster.
    pub inside: bool,
    /// What its reputation learns.
    pub deed: Deed,
}

/// A settled task.
pub struct Settlement {
    /// How it ends.
    pub end: End,
    /// How many are called, if it does not.
    pub call: u8,
    /// By the place of the worker.
    pub workers: [Part; MAX_SEATS],
    /// By the place of the evaluator.
    pub evaluators: [Part; MAX_SEATS],
}

/// What the evaluators say of one result.
#[derive(Clone, Copy, Default)]
struct Judgement {
    counts: bool,
    valid: bool,
    score: u64,
    outlier: [bool; MAX_SEATS],
}

/// An evaluation that counts.
#[derive(Clone, Copy, Default)]
struct Vote {
    score: u64,
    weight: u64,
    by: usize,
}

/// Multiplies numbers whose product fits.
#[inline(always)]
fn times(a: u64, b: u64) -> u64 {
    a.wrapping_mul(b)
}

/// Divides, and by one instead of zero. LLVM 22 moves divisions out of the branches that protect
/// them, and the runtime stops a program that divides by zero even if nobody reads the quotient.
#[inline(always)]
fn over(a: u64, b: u64) -> u64 {
    a / b.max(1)
}

fn share(amount: u64, bps: u64) -> Outcome<u64> {
    mul_div(amount, bps, WHOLE)
}

/// What evaluator `e` says of worker `w`, if it counts.
fn said(task: &Task, e: usize, w: usize) -> Option<Said> {
    let judge = &task.judges[e];
    let heard = judge.state == seat::REVEALED && task.finding.rubber[e] == 0;
    Some(judge.said[w]).filter(|said| heard && said.score != SILENT)
}

/// Whether an evaluator that revealed has scored a result.
pub fn heard(task: &Task, e: usize, w: usize) -> bool {
    let said = task.judges[e].said[w];
    task.judges[e].state == seat::REVEALED && said.score != SILENT && said.confidence > 0
}

/// Whether the result of a worker takes part.
pub fn counts(task: &Task, w: usize) -> bool {
    let fact = &task.finding.facts[w];
    task.work[w].state == seat::REVEALED && fact.copy_of == 0 && fact.low_effort == 0
}

/// Combines the evaluations of one result.
#[inline(never)]
fn aggregate(task: &Task, w: usize, sigma: u64) -> Outcome<Judgement> {
    let mut votes = [Vote::default(); MAX_SEATS];
    let mut n = 0;
    for e in 0..(task.seated as usize).min(MAX_SEATS) {
        let Some(said) = said(task, e, w).filter(|said| said.confidence > 0) else { continue };
        let weight = times(said.confidence as u64, task.judges[e].reputation as u64);
        let vote = Vote { score: times(said.score as u64, 100), weight, by: e };
        let mut at = n;
        while at > 0 && votes[at - 1].score > vote.score {
            votes[at] = votes[at - 1];
            at -= 1;
        }
        votes[at] = vote;
        n += 1;
    }
    let votes = &votes[..n];
    let mut told = Judgement { counts: true, ..Judgement::default() };
    if n < 2 {
        return Ok(told);
    }
    let centre = middle(votes);
    let (mut near, mut all, mut supporters) = (0, 0, 0);
    for vote in votes {
        all += vote.weight;
        if vote.score.abs_diff(centre) <= sigma {
            near += vote.weight;
            supporters += 1;
        }
    }
    if times(2, near) < all || supporters < 2 {
        return Ok(told);
    }
    let (mut scores, mut kept) = (0, 0);
    for vote in votes {
        if vote.score.abs_diff(centre) > times(2, sigma) {
            told.outlier[vote.by] = true;
            continue;
        }
        kept += vote.weight;
        scores += times(vote.weight, vote.score);
    }
    (told.valid, told.score) = (true, over(scores, kept));
    Ok(told)
}

/// The weighted median of sorted votes, or the midpoint of two.
fn middle(votes: &[Vote]) -> u64 {
    if let [a, b] = votes {
        return (a.score + b.score) / 2;
    }
    let all: u64 = votes.iter().map(|vote| vote.weight).sum();
    let mut below = 0;
    let mut last = 0;
    let mut half = false;
    for vote in votes {
        if half {
            return (last + vote.score) / 2;
        }
        (below, last) = (below + vote.weight, vote.score);
        if times(2, below) > all {
            return last;
        }
        half = times(2, below) == all;
    }
    last
}

/// How near a score is to the consensus.
fn alignment(score: u64, consensus: u64, sigma: u64) -> u64 {
    let wide = times(2, sigma);
    WHOLE - over(times(WHOLE, score.abs_diff(consensus).min(wide)), wide)
}

/// The quality of a result: its score by its structure, and the odds of that by the difficulty.
fn quality(task: &Task, told: &Judgement, w: usize) -> u64 {
    let q = times(told.score, task.finding.facts[w].complete as u64) / WHOLE;
    let hard = task.difficulty as u64;
    let rest = times(100, WHOLE - q) + times(hard, q); // 100 * WHOLE + (hard - 100) * q
    over(times(times(hard, q), WHOLE), rest)
}

/// The cluster that has enough of the results that count.
fn dominant(task: &Task, consensus: u64, counting: u64) -> u8 {
    for w in 0..(task.drawn as usize).min(MAX_SEATS) {
        let cluster = task.finding.facts[w].cluster;
        if cluster == 0 || !counts(task, w) {
            continue;
        }
        let mut size = 0u64;
        for v in 0..(task.drawn as usize).min(MAX_SEATS) {
            size += (counts(task, v) && task.finding.facts[v].cluster == cluster) as u64;
        }
        if times(size, WHOLE) >= times(consensus, counting) && size >= (task.drawn as u64).min(2) {
            return cluster;
        }
    }
    0
}

/// Settles a task.
struct Settling<'a> {
    task: &'a Task,
    terms: &'a Parameters,
    judged: [Judgement; MAX_SEATS],
    workers: usize,
    evaluators: usize,
    counting: u64,
    sigma: u64,
    cluster: u8,
    out: Settlement,
}

/// Divides the budget and the stakes of a task by the outcome that counts.
#[inline(never)]
pub fn settle(task: &Task, terms: &Parameters) -> Outcome<Settlement> {
    let mut it = Settling {
        task,
        terms,
        judged: [Judgement::default(); MAX_SEATS],
        workers: (task.drawn as usize).min(MAX_SEATS),
        evaluators: (task.seated as usize).min(MAX_SEATS),
        counting: 0,
        sigma: times(100, terms.sigma as u64),
        cluster: 0,
        out: Settlement {
            end: End::Inconclusive,
            call: 0,
            workers: [Part::default(); MAX_SEATS],
            evaluators: [Part::default(); MAX_SEATS],
        },
    };
    for w in 0..it.workers {
        if counts(task, w) {
            it.judged[w] = aggregate(task, w, it.sigma)?;
            it.counting += 1;
        }
    }
    it.decide();
    if it.out.call == 0 {
        it.pay_workers()?;
        it.pay_evaluators()?;
    }
    Ok(it.out)
}

impl Settling<'_> {
    fn inside(&self, w: usize) -> bool {
        self.cluster != 0 && counts(self.task, w) && self.task.finding.facts[w].cluster == self.cluster
    }

    /// Finds the dominant cluster, and whether the evaluators support it.
    fn decide(&mut self) {
        self.cluster = dominant(self.task, self.terms.consensus as u64, self.counting);
        if self.cluster == 0 {
            self.out.call = self.missing();
            if self.out.call > 0 {
                self.out.end = End::Workers;
            }
            return;
        }
        let few = (self.evaluators as u64) < self.terms.max_evaluators as u64;
        let more = self.task.last & last::EVALUATOR == 0 && few;
        let (mut total, mut members) = (0, 0);
        for w in 0..self.workers {
            if !self.inside(w) {
                continue;
            }
            if !self.judged[w].valid {
                if more {
                    (self.out.end, self.out.call) = (End::Further, 1);
                }
                self.cluster = 0;
                return;
            }
            total += times(self.judged[w].score, self.task.finding.facts[w].complete as u64) / WHOLE;
            members += 1;
        }
        if total < times(times(100, self.terms.pass as u64), members) {
            let doubted = self.terms.reject > 0;
            if doubted && more {
                (self.out.end, self.out.call) = (End::Further, 1);
            }
            if !doubted || more || self.rejected() || self.worthless() {
                self.cluster = 0;
                return;
            }
        }
        self.out.end = End::Paid;
    }

    /// How many further workers make a cluster dominant at least, if all of them agree with it. 0
    /// if so many may not be called. Nobody is called if no outcome says which results mean
    /// the same, unless there is no result at all.
    fn missing(&self) -> u8 {
        let unknown = match self.task.posted {
            posted::UNDECIDED => true,
            posted::NOBODY => self.counting > 0,
            _ => false,
        };
        if unknown || self.task.last & last::WORKER != 0 {
            return 0;
        }
        let mut sizes = [0u64; MAX_SEATS + 1];
        for w in (0..self.workers).filter(|w| self.judged[*w].counts) {
            let cluster = self.task.finding.facts[w].cluster as usize;
            sizes[cluster.min(MAX_SEATS)] += (cluster > 0) as u64;
        }
        let most = sizes.iter().fold(0, |most, size| (*size).max(most));
        let free = (self.terms.max_workers as usize).saturating_sub(self.workers) as u64;
        for more in 1..=free {
            let size = most + more;
            let enough = times(size, WHOLE) >= times(self.terms.consensus as u64, self.counting + more);
            if enough && size >= 2 {
                return more as u8;
            }
        }
        0
    }

    /// Whether the results of the cluster have no quality by which the pool could be divided.
    fn worthless(&self) -> bool {
        (0..self.workers).all(|w| !self.inside(w) || quality(self.task, &self.judged[w], w) == 0)
    }

    /// Whether enough of the weight of the evaluations of the cluster is below the pass mark. Who
    /// is far from the others is slashed for that, and does not decide.
    fn rejected(&self) -> bool {
        let (mut against, mut all) = (0, 0);
        for w in (0..self.workers).filter(|w| self.inside(*w)) {
            let complete = self.task.finding.facts[w].complete as u64;
            for e in (0..self.evaluators).filter(|e| !self.judged[w].outlier[*e]) {
                let Some(said) = said(self.task, e, w) else { continue };
                let weight = times(said.confidence as u64, self.task.judges[e].reputation as u64);
                all += weight;
                let score = times(times(100, said.score as u64), complete) / WHOLE;
                if score < times(100, self.terms.pass as u64) {
                    against += weight;
                }
            }
        }
        times(against, WHOLE) >= times(all, self.terms.reject as u64)
    }

    /// The best of the paid cluster: at the 90th percentile, and better than the median.
    fn winners(&self, qualities: &[u64; MAX_SEATS]) -> [bool; MAX_SEATS] {
        let mut sorted = [0; MAX_SEATS];
        let mut n = 0;
        for w in (0..self.workers).filter(|w| self.inside(*w)) {
            let mut at = n;
            while at > 0 && sorted[at - 1] > qualities[w] {
                sorted[at] = sorted[at - 1];
                at -= 1;
            }
            sorted[at] = qualities[w];
            n += 1;
        }
        let mut best = [false; MAX_SEATS];
        if n > 0 {
            const { assert!(MAX_SEATS < 10, "the nearest rank of the 90th percentile is the last") };
            let (high, median) = (sorted[n - 1], sorted[(n - 1) / 2]);
            for w in (0..self.workers).filter(|w| self.inside(*w)) {
                best[w] = qualities[w] >= high && qualities[w] > median;
            }
        }
        best
    }

    #[inline(never)]
    fn pay_workers(&mut self) -> Outcome {
        let pool = share(self.task.budget, self.terms.worker_pool as u64)?;
        let bonus = share(self.task.budget, self.terms.bonus_pool as u64)?;
        let mut qualities = [0; MAX_SEATS];
        let mut sum = 0;
        for w in 0..self.workers {
            qualities[w] = quality(self.task, &self.judged[w], w);
            sum += if self.inside(w) { qualities[w] } else { 0 };
        }
        let best = self.winners(&qualities);
        let winners = best.iter().filter(|best| **best).count() as u64;
        for w in 0..self.workers {
            let fact = &self.task.finding.facts[w];
            let mut part = Part { score: self.judged[w].score as u16, ..Part::default() };
            let mut slash = 0;
            if self.task.work[w].state != seat::REVEALED || fact.copy_of != 0 {
                (slash, part.deed) = (self.terms.missed, Deed::Bad);
            } else if fact.low_effort != 0 {
                (slash, part.deed) = (self.terms.low_effort, Deed::Lazy);
            } else if self.inside(w) {
                part.paid = mul_div(pool, qualities[w], sum)?;
                (part.inside, part.deed) = (true, Deed::Good);
                if best[w] {
                    part.bonus = over(bonus, winners);
                }
            } else if self.out.end == End::Inconclusive {
                let mut place = over(pool, self.workers as u64);
                if self.judged[w].valid {
                    place = share(place, qualities[w])?;
                }
                part.paid = share(place, self.terms.effort as u64)?;
            } else {
                part.deed = Deed::Outside;
            }
            part.slashed = share(self.task.worker_stake, slash as u64)?;
            self.out.workers[w] = part;
        }
        Ok(())
    }

    /// If nobody posted an outcome, evaluators get the share for effort alone, as workers do. Who
    /// posted it gets as much of a share that is set apart as of its part.
    #[inline(never)]
    fn pay_evaluators(&mut self) -> Outcome {
        if self.evaluators == 0 {
            return Ok(());
        }
        let pool = share(self.task.budget, self.terms.evaluator_pool as u64)?;
        let mut posting = 0;
        if self.task.posted == posted::POSTER {
            posting = share(pool, self.terms.poster as u64)?;
        }
        let place = over(pool - posting, self.evaluators as u64);
        for e in 0..self.evaluators {
            let mut part = Part::default();
            let (mut given, mut earned, mut outlier) = (0, 0, false);
            for w in (0..self.workers).filter(|w| self.judged[*w].counts) {
                let heard = said(self.task, e, w).filter(|said| said.confidence > 0);
                let Some(said) = heard else { continue };
                given += 1;
                let told = &self.judged[w];
                let aligned = if told.valid && self.task.posted != posted::NOBODY {
                    alignment(times(100, said.score as u64), told.score, self.sigma)
                } else {
                    self.terms.effort as u64
                };
                earned += times(aligned, said.confidence as u64) / 100;
                outlier |= told.outlier[e];
            }
            let quality = over(earned, self.counting);
            part.paid = share(place, quality)?;
            if self.task.judges[e].agent == self.task.poster {
                part.paid += share(posting, quality)?;
            }
            let mut slash = 0;
            if self.task.finding.rubber[e] != 0 {
                (slash, part.deed) = (self.terms.rubber_stamp, Deed::Stamped);
            } else if self.counting > 0 && (given == 0 || outlier) {
                let deed = if given == 0 { Deed::Bad } else { Deed::Far };
                (slash, part.deed) = (self.terms.deviation, deed);
            } else if self.out.end == End::Paid && given == self.counting {
                part.deed = Deed::Good;
            }
            part.slashed = share(self.task.evaluator_stake, slash as u64)?;
            self.out.evaluators[e] = part;
        }
        Ok(())
    }
}
