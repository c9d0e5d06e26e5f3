//! The two state machines, each one table (protocol sections 4 and 5).

use crate::error::{Error, Outcome};

/// The status of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Waits for a worker.
    Created = 1,
    /// Has one.
    Claimed,
    /// Is being worked on.
    InProgress,
    /// Reserved: seed 000 lists it, but a result that is in is in verification at once.
    Submitted,
    /// The result is in; the creator has time to answer.
    Verification,
    /// The creator objected; the worker has time to answer.
    Disputed,
    /// A case is open.
    /// Or another program has time to decide, or a respondent to answer.
    Judiciary,
    /// Over: paid or refunded.
    Complete,
    /// Over: the creator took it back.
    Cancelled,
    /// Over: no agent claimed it.
    Expired,
    /// Over: the court decided nothing.
    Undecided,
}

/// The instructions and deadlines that move a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// `cancel_task`.
    Cancel,
    /// `claim_task`.
    Claim,
    /// `start_task`.
    Start,
    /// `release_task`.
    Release,
    /// `submit_result`.
    Submit,
    /// `accept`.
    Accept,
    /// `object`.
    Object,
    /// `rework`.
    Rework,
    /// `counter_object`.
    Counter,
    /// `expire`.
    Expire,
    /// `settle`, `finish_case`, `expire_case` or `settle_by_engine`, with a verdict.
    Decide,
    /// `settle`, `expire_case` or `settle_by_engine`, without.
    GiveUp,
    /// `open_case`: another engine was silent, or the time to answer a dispute is over.
    Appoint,
    /// `join_dispute`.
    Join,
}

/// Every step that a task can make. One that is not here is refused with [`Error::WRONG_STATUS`].
pub const TASK: [(Move, Status, Status); 20] = {
    use Status::*;
    [
        (Move::Cancel, Created, Cancelled),
        (Move::Claim, Created, Claimed),
        (Move::Start, Claimed, InProgress),
        (Move::Release, Claimed, Created),
        (Move::Release, InProgress, Created),
        (Move::Submit, InProgress, Verification),
        (Move::Accept, Verification, Complete),
        (Move::Object, Verification, Disputed),
        (Move::Rework, Disputed, InProgress),
        (Move::Counter, Disputed, Judiciary),
        (Move::Expire, Created, Expired),
        (Move::Expire, Claimed, Created),
        (Move::Expire, InProgress, Created),
        (Move::Expire, Verification, Complete),
        (Move::Expire, Disputed, Complete),
        (Move::Decide, Judiciary, Complete),
        (Move::GiveUp, Judiciary, Undecided),
        (Move::Appoint, Judiciary, Judiciary),
        (Move::Join, Judiciary, Judiciary),
        (Move::Expire, Judiciary, Undecided),
    ]
};

/// The status of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Waits for a panel.
    Draw = 1,
    /// Judges commit.
    Commit,
    /// Judges reveal.
    Reveal,
    /// Over: there is a verdict.
    Decided,
    /// Over: there is none.
    Undecided,
    /// The first panel has a verdict, and the loser may appeal.
    Appealable,
}

/// The instructions and deadlines that move a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// `draw`.
    Seat,
    /// `commit`, while a seat is left that could.
    Commit,
    /// `commit` or `slash_equivocation`, if none is left; every `reveal` (not before commit_ends).
    Reveal,
    /// `settle`, with a verdict, or at the end of an appeal.
    Decide,
    /// `settle`, with a verdict that the loser may appeal, or `expire_case` after a void round.
    Announce,
    /// `appeal`.
    Appeal,
    /// `finish_case`.
    Finish,
    /// `settle`, without, and there is another round.
    Void,
    /// `settle`, without, in the last round, or `finish_case` after it.
    GiveUp,
    /// `expire_case`.
    Expire,
    /// `expire_case`, of an appeal: the first verdict stands.
    Stand,
}

/// Every step that a case can make.
pub const CASE: [(Turn, Phase, Phase); 18] = {
    use Phase::*;
    [
        (Turn::Seat, Draw, Commit),
        (Turn::Commit, Commit, Commit),
        (Turn::Reveal, Commit, Reveal),
        (Turn::Reveal, Reveal, Reveal),
        (Turn::Decide, Commit, Decided),
        (Turn::Decide, Reveal, Decided),
        (Turn::Announce, Commit, Appealable),
        (Turn::Announce, Reveal, Appealable),
        (Turn::Announce, Draw, Appealable),
        (Turn::Appeal, Appealable, Draw),
        (Turn::Finish, Appealable, Decided),
        (Turn::Void, Commit, Draw),
        (Turn::Void, Reveal, Draw),
        (Turn::GiveUp, Commit, Undecided),
        (Turn::GiveUp, Reveal, Undecided),
        (Turn::GiveUp, Appealable, Undecided),
        (Turn::Expire, Draw, Undecided),
        (Turn::Stand, Draw, Decided),
    ]
};

/// Where the move takes a task that has the status `from`, or [`Error::WRONG_STATUS`].
#[inline(always)]
pub fn task(by: Move, from: u8) -> Outcome<Status> {
    TASK.iter()
        .find(|(step, at, _)| *step == by && *at as u8 == from)
        .map(|(_, _, to)| *to)
        .ok_or(Error::WRONG_STATUS)
}

/// Where the turn takes a case in the phase `from`, or [`Error::WRONG_STATUS`].
#[inline(always)]
pub fn case(by: Turn, from: u8) -> Outcome<Phase> {
    CASE.iter()
        .find(|(step, at, _)| *step == by && *at as u8 == from)
        .map(|(_, _, to)| *to)
        .ok_or(Error::WRONG_STATUS)
}

/// Whether a case is over.
#[inline(always)]
pub fn is_over(phase: u8) -> bool {
    phase == Phase::Decided as u8 || phase == Phase::Undecided as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protocol section 5, status by status: the allowed moves and
    /// their targets. Written from the page, not from the table.
    fn expected(by: Move, from: u8) -> Option<u8> {
        match (from, by) {
            (1, Move::Cancel) => Some(9),
            (1, Move::Claim) => Some(2),
            (1, Move::Expire) => Some(10),
            (2, Move::Start) => Some(3),
            (2 | 3, Move::Release | Move::Expire) => Some(1),
            (3, Move::Submit) => Some(5),
            (5, Move::Accept | Move::Expire) => Some(8),
            (5, Move::Object) => Some(6),
            (6, Move::Rework) => Some(3),
            (6, Move::Counter) => Some(7),
            (6, Move::Expire) => Some(8),
            (7, Move::Decide) => Some(8),
            (7, Move::GiveUp | Move::Expire) => Some(11),
            (7, Move::Appoint | Move::Join) => Some(7),
            _ => None,
        }
    }

    #[test]
    fn every_move_from_every_status() {
        use Move::*;
        let moves = [
            Cancel, Claim, Start, Release, Submit, Accept, Object, Rework, Counter, Expire, Decide, GiveUp, Appoint, Join,
        ];
        for by in moves {
            for from in 0..=255 {
                assert_eq!(task(by, from).ok().map(|to| to as u8), expected(by, from), "{by:?} from {from}");
            }
        }
    }

    #[test]
    fn a_case_is_over_when_nothing_changes_it_any_more() {
        assert_eq!((0..=255).filter(|phase| is_over(*phase)).collect::<std::vec::Vec<u8>>(), [4, 5]);
    }

    #[test]
    fn every_turn_from_every_phase() {
        use Turn::*;
        let allowed: [(Turn, &[u8], u8); 11] = [
            (Seat, &[1], 2),
            (Commit, &[2], 2),
            (Reveal, &[2, 3], 3),
            (Decide, &[2, 3], 4),
            (Void, &[2, 3], 1),
            (GiveUp, &[2, 3, 6], 5),
            (Expire, &[1], 5),
            (Announce, &[1, 2, 3], 6),
            (Appeal, &[6], 1),
            (Finish, &[6], 4),
            (Stand, &[1], 4),
        ];
        for (by, sources, to) in allowed {
            for from in 0..=255 {
                let expected = sources.contains(&from).then_some(to);
                assert_eq!(case(by, from).ok().map(|to| to as u8), expected, "{by:?} from {from}");
            }
        }
    }
}
