//! Whether a posted outcome lacks no more than results that its poster could not have.

use super::pay::heard;
use crate::state::class::Parameters;
use crate::state::task::{Finding, MAX_SEATS, SILENT, Task, seat};

/// Whether all that the disputant's outcome says else follows from results that the posted one
/// takes for no effort, and that fewer than half of the evaluators who revealed have scored. Then
/// their workers showed them in the dispute alone: copies of them, and evaluators who stamped them,
/// are no lies of the poster either. It is that of `megabrain/arbiter`.
#[inline(never)]
pub fn withheld(task: &Task, terms: &Parameters) -> bool {
    let (old, new) = (&task.finding, &task.counter);
    let workers = (task.drawn as usize).min(MAX_SEATS);
    let evaluators = (task.seated as usize).min(MAX_SEATS);
    let revealed = (0..evaluators).filter(|e| task.judges[*e].state == seat::REVEALED).count();
    let mut late = [false; MAX_SEATS];
    for w in 0..workers {
        let scored = (0..evaluators).filter(|e| heard(task, *e, w)).count();
        late[w] = old.facts[w].low_effort != 0 && old.facts[w] != new.facts[w] && scored + scored < revealed;
    }
    let mut follows = late;
    for w in 0..workers {
        let copied = new.facts[w].copy_of as usize;
        follows[w] |= copied > 0 && late.get(copied - 1).is_some_and(|it| *it);
    }
    for w in (0..workers).filter(|w| !follows[*w]) {
        let (a, b) = (&old.facts[w], &new.facts[w]);
        if (a.complete, a.low_effort, a.copy_of) != (b.complete, b.low_effort, b.copy_of) {
            return false;
        }
        if (0..w).any(|v| !follows[v] && together(old, v, w) != together(new, v, w)) {
            return false;
        }
    }
    for e in 0..evaluators {
        let lifted = old.rubber[e] > new.rubber[e] && stamped(task, terms, e, &late);
        if old.rubber[e] != new.rubber[e] && !lifted {
            return false;
        }
    }
    late.contains(&true)
}

/// Whether an evaluator passed a late result, and said about the same of all: it has stamped if
/// that is no effort.
fn stamped(task: &Task, terms: &Parameters, e: usize, late: &[bool; MAX_SEATS]) -> bool {
    let (mut least, mut most, mut passed) = (SILENT, 0, false);
    for w in 0..(task.drawn as usize).min(MAX_SEATS) {
        let score = task.judges[e].said[w].score;
        if score == SILENT || task.work[w].state != seat::REVEALED {
            continue;
        }
        (least, most) = (least.min(score), most.max(score));
        passed |= late[w] && score as u16 >= terms.pass;
    }
    passed && (most - least) as u16 <= terms.sigma
}

/// Whether two results mean the same by an outcome.
fn together(by: &Finding, v: usize, w: usize) -> bool {
    by.facts[v].cluster != 0 && by.facts[v].cluster == by.facts[w].cluster
}
