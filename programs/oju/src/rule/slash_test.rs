use super::*;
use crate::state::case::{ACCEPT, NONE};
use crate::state::roster::{ACTIVE, Roster};
use crate::sysvar::Clock;
use bytemuck::Zeroable;

const NOW: i64 = 5_000;

/// Three seats of weight 1,000 whose judges have a stake of 1,500.
struct Scene {
    case: Case,
    panel: [Seat; 4],
    roster: Roster,
    entries: [Entry; 3],
}

impl Scene {
    fn new(phase: Phase) -> Scene {
        let entry = Entry { stake: 1_500, state: ACTIVE, ..Entry::zeroed() };
        let mut case = Case { status: phase as u8, seats: 3, ..Case::zeroed() };
        (case.round, case.reveal_seconds, case.commit_ends, case.reveal_ends) = (2, 60, 8_000, 9_000);
        let mut panel = [Seat::zeroed(); 4];
        for (i, seat) in panel[..3].iter_mut().enumerate() {
            (seat.weight, seat.index) = (1_000, i as u16);
        }
        let roster = Roster { total_stake: 4_500, ..Roster::zeroed() };
        Scene { case, panel, roster, entries: [entry; 3] }
    }

    fn slash(&mut self, seat: usize) -> Outcome<u64> {
        let clock = Clock { slot: 1, time: NOW };
        let case = Hearing { case: &mut self.case, first: &mut [], panel: &mut self.panel };
        Court { case, roster: &mut self.roster, entries: &mut self.entries, clock }.slash_equivocation(seat)
    }
}

#[test]
fn no_more_than_the_stake_is_taken() {
    let mut scene = Scene::new(Phase::Commit);
    scene.entries[0].stake = 120;
    assert_eq!(scene.slash(0), Ok(120));
    assert_eq!((scene.entries[0].stake, scene.roster.total_stake), (0, 4_380));
    assert_eq!(scene.panel[0].slashed, 120);
}

#[test]
fn a_seat_is_slashed_once() {
    let mut scene = Scene::new(Phase::Reveal);
    assert_eq!(scene.slash(1), Ok(1_500));
    assert_eq!(scene.slash(1), Err(Error::EQUIVOCATED));
    assert_eq!((scene.entries[1].equivocated, scene.panel[1].result), (1, result::PENDING));
}

#[test]
fn a_revealed_vote_leaves_the_tally() {
    let mut scene = Scene::new(Phase::Reveal);
    (scene.panel[0].flags, scene.panel[0].choice) = (COMMITTED | REVEALED, ACCEPT);
    (scene.panel[1].flags, scene.case.accept_weight) = (COMMITTED, 1_000);
    scene.slash(1).unwrap();
    assert_eq!(scene.case.accept_weight, 1_000);
    scene.slash(0).unwrap();
    assert_eq!((scene.case.accept_weight, scene.panel[0].choice), (0, ACCEPT));
    assert_eq!((scene.case.verdict, scene.case.reveal_ends), (NONE, 9_000));
}

#[test]
fn the_reveal_begins_when_no_seat_is_left_that_could_commit() {
    let mut scene = Scene::new(Phase::Commit);
    scene.panel[0].flags = COMMITTED;
    scene.slash(0).unwrap();
    scene.slash(1).unwrap();
    assert_eq!((scene.case.status, scene.case.commit_ends), (Phase::Commit as u8, 8_000));
    scene.slash(2).unwrap();
    assert_eq!(scene.case.status, Phase::Reveal as u8);
    assert_eq!((scene.case.commit_ends, scene.case.reveal_ends), (NOW, NOW + 60));
}

#[test]
fn the_reveal_does_not_begin_again_when_commits_are_over() {
    for ends in [NOW - 1, NOW] {
        let mut scene = Scene::new(Phase::Commit);
        scene.case.commit_ends = ends;
        for seat in 0..3 {
            scene.slash(seat).unwrap();
        }
        assert_eq!((scene.case.status, scene.case.commit_ends), (Phase::Commit as u8, ends));
        assert_eq!(scene.case.reveal_ends, 9_000);
    }
}

#[test]
fn the_seats_are_of_the_round_that_was_drawn() {
    let mut case = Case { round: 2, seed_slot: 100, ..Case::zeroed() };
    for (drawn, round) in [(0, 1), (99, 1), (100, 2), (101, 2)] {
        case.drawn_slot = drawn;
        for phase in [Phase::Draw, Phase::Commit, Phase::Reveal, Phase::Decided, Phase::Undecided] {
            case.status = phase as u8;
            assert_eq!(round_of_seats(&case), round);
        }
    }
    assert_eq!(round_of_seats(&Case { round: 1, seed_slot: 100, ..Case::zeroed() }), 0);
}

#[test]
fn late_evidence_pays_no_seat() {
    for phase in [Phase::Decided, Phase::Undecided, Phase::Draw] {
        let mut scene = Scene::new(phase);
        scene.panel[0].result = result::MAJORITY;
        scene.panel[1].result = result::VOTED;
        assert_eq!(scene.slash(0), Ok(1_500));
        assert_eq!(scene.entries.map(|entry| entry.rewards), [0; 3]);
        assert_eq!((scene.panel[0].result, scene.panel[1].earned), (result::EQUIVOCATED, 0));
        assert_eq!((scene.roster.total_rewards, scene.roster.total_stake), (0, 3_000));
    }
}

#[test]
fn who_has_left_is_not_slashed() {
    let mut scene = Scene::new(Phase::Decided);
    scene.entries[0].state = 0;
    assert_eq!(scene.slash(0), Ok(0));
    assert_eq!(
        (scene.entries[0].stake, scene.entries[0].equivocated, scene.roster.total_stake),
        (1_500, 0, 4_500)
    );
}
