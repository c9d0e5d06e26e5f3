use super::*;
use crate::rule::random::Random;
use crate::state::case::{ABSTAIN, ACCEPT, COMMITTED, Case, EQUIVOCATED, REJECT, REVEALED};
use crate::state::roster::{ACTIVE, FREE, Roster};
use crate::sysvar::Clock;
use bytemuck::Zeroable;

/// Pays of 500,000: a right vote earns 5,000,000, a wrong one loses 20,000,000.
const SOL: u64 = 1_000_000_000;
const GAIN: u64 = 5_000_000;
const LOSS: u64 = 20_000_000;

struct Scene {
    case: Case,
    panel: [Seat; MAX_SEATS],
    roster: Roster,
    entries: [Entry; MAX_SEATS],
}

fn scene(seats: &[(u8, u8)]) -> Scene {
    let (panel, entries) = ([Seat::zeroed(); MAX_SEATS], [Entry::zeroed(); MAX_SEATS]);
    let mut scene = Scene { case: Case::zeroed(), panel, roster: Roster::zeroed(), entries };
    (scene.case.fee, scene.case.risk_bps) = (1_000_000, 1_000);
    (scene.case.golden_gain, scene.case.golden_loss) = (10, 4);
    for (i, (choice, flags)) in seats.iter().enumerate() {
        let seat = &mut scene.panel[i];
        (seat.weight, seat.index, seat.choice, seat.flags) = (SOL, i as u16, *choice, *flags);
        (scene.entries[i].state, scene.entries[i].stake) = (ACTIVE, SOL);
        scene.roster.total_stake += SOL;
        scene.case.seats += 1;
    }
    scene
}

impl Scene {
    fn apply(&mut self, answer: u8, pot: u64) -> Applied {
        let mut out = Applied::default();
        let (first, panel) = self.panel.split_at_mut(self.case.first_seats as usize);
        let case = Hearing { case: &mut self.case, first, panel };
        let (roster, entries) = (&mut self.roster, &mut self.entries);
        Court { case, roster, entries, clock: Clock { slot: 1, time: 1 } }.apply(answer, pot, &mut out).unwrap();
        let (stake, rewards) = self.entries.iter().fold((0, 0), |(s, r), e| (s + e.stake, r + e.rewards));
        assert_eq!((self.roster.total_stake, self.roster.total_rewards), (stake, rewards));
        assert!(out.paid <= pot + out.taken);
        out
    }

    fn hearing(&mut self) -> Hearing<'_> {
        let (first, panel) = self.panel.split_at_mut(self.case.first_seats as usize);
        Hearing { case: &mut self.case, first, panel }
    }

    /// The first of the seats are those of a first panel, whose verdict was appealed.
    fn appealed(&mut self, first: u8) {
        (self.case.first_seats, self.case.panel_seats, self.case.appeal_seats) = (first, first, 7);
        self.case.seats -= first;
    }

    fn record(&self, i: usize) -> (u8, u8, u8) {
        let entry = &self.entries[i];
        (entry.right, entry.wrong, entry.seen)
    }
}

const VOTED: u8 = COMMITTED | REVEALED;

#[test]
fn right_earns_wrong_loses_and_silence_is_seen() {
    let mut scene = scene(&[
        (ACCEPT, VOTED),
        (REJECT, VOTED),
        (ABSTAIN, VOTED),
        (0, COMMITTED),
        (0, 0),
        (ACCEPT, VOTED | EQUIVOCATED),
        (REJECT, VOTED | EQUIVOCATED),
        (ACCEPT, VOTED),
    ]);
    let done = scene.apply(ACCEPT, SOL);
    assert_eq!((done.taken, done.paid), (LOSS, 2 * GAIN));
    let right = Effect { result: RIGHT, slashed: 0, earned: GAIN };
    let wrong = Effect { result: WRONG, slashed: LOSS, earned: 0 };
    let none = Effect::default();
    assert_eq!(done.seats[..8], [right, wrong, none, none, none, none, none, right]);
    let records = [(1, 0, 1), (0, 1, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1), (1, 0, 1)];
    for (i, expected) in records.into_iter().enumerate() {
        assert_eq!(scene.record(i), expected, "{i}");
    }
    assert_eq!((scene.panel[0].earned, scene.panel[1].slashed), (GAIN, LOSS));
}

/// An answer counts for the votes of both panels.
#[test]
fn both_panels_of_an_appeal_are_paid_by_the_answer() {
    let mut scene = scene(&[(ACCEPT, VOTED), (REJECT, VOTED), (REJECT, VOTED), (ACCEPT, VOTED), (0, 0)]);
    scene.appealed(2);
    let done = scene.apply(REJECT, SOL);
    assert_eq!((done.taken, done.paid), (2 * LOSS, 2 * GAIN));
    assert_eq!(done.seats[..5].iter().map(|seat| seat.result).collect::<std::vec::Vec<_>>(), [WRONG, RIGHT, RIGHT, WRONG, 0]);
    assert_eq!((0..5).map(|i| scene.record(i)).collect::<std::vec::Vec<_>>(), [(0, 1, 1), (1, 0, 1), (1, 0, 1), (0, 1, 1), (0, 0, 1)]);
    assert_eq!((scene.panel[0].slashed, scene.panel[2].earned), (LOSS, GAIN));
}

/// The Pot is never overdrawn: each right seat gets an equal part of what is there.
#[test]
fn a_poor_pot_pays_equal_parts() {
    let all = [(REJECT, VOTED), (REJECT, VOTED), (REJECT, VOTED), (ACCEPT, VOTED)];
    let mut poor = scene(&all);
    poor.entries[3].stake = 1_000_001; // so much can be taken only
    poor.roster.total_stake -= SOL - 1_000_001;
    let done = poor.apply(REJECT, 7);
    assert_eq!((done.taken, done.paid), (1_000_001, 3 * 333_336));
    let mut empty = scene(&all[..3]);
    assert_eq!((empty.apply(REJECT, 0).paid, empty.record(0)), (0, (1, 0, 1)));
}

#[test]
fn an_entry_of_somebody_else_is_left_alone() {
    let mut scene = scene(&[(ACCEPT, VOTED), (REJECT, VOTED), (ACCEPT, VOTED)]);
    scene.entries[0].authority = pinocchio::Address::new_from_array([9; 32]);
    scene.entries[1].state = FREE;
    let before = (scene.entries[0], scene.entries[1]);
    let done = scene.apply(ACCEPT, SOL);
    assert_eq!((done.taken, done.paid), (0, GAIN));
    assert_eq!(bytemuck::bytes_of(&scene.entries[0]), bytemuck::bytes_of(&before.0));
    assert_eq!(bytemuck::bytes_of(&scene.entries[1]), bytemuck::bytes_of(&before.1));
}

#[test]
fn records_are_halved_and_never_overflow() {
    let mut random = Random::new(37);
    let mut entry = Entry::zeroed();
    let (mut right, mut wrong, mut seen, mut passed) = (0u32, 0u32, 0u32, false);
    for round in 0..20_000 {
        let able = round > 10_000; // then two of three votes are right
        let choice = [ACCEPT, if able { ACCEPT } else { REJECT }, ABSTAIN, REJECT][random.below(4) as usize];
        let flags = VOTED;
        entry.note(&Seat { choice, flags, ..Seat::zeroed() }, ACCEPT);
        seen += 1;
        right += (choice == ACCEPT) as u32;
        wrong += (choice == REJECT) as u32;
        passed |= 2 * right >= 3 * wrong + 28;
        if seen >= if passed { 64 } else { 200 } {
            (right, wrong, seen) = (right / 2, wrong / 2, seen / 2);
        }
        assert_eq!((entry.right as u32, entry.wrong as u32, entry.seen as u32), (right, wrong, seen));
        assert_eq!((entry.proven(), entry.owned & PROVEN != 0), (passed, passed));
        assert!(entry.seen < 200 && entry.right + entry.wrong <= entry.seen);
    }
    assert!(passed && entry.seen < 64);
}

/// A coin passes once in a hundred at most, however long it goes on and whenever it abstains: the
/// power of its score never rises in the mean.
#[test]
fn no_strategy_of_a_coin_passes_more_than_once_in_a_hundred() {
    let base: f64 = 1.178_724;
    let mean = (base.powi(SCORE.0 as i32) + base.powi(-(SCORE.1 as i32))) / 2.0;
    assert!(mean <= 1.0 && base.powi(PASS as i32) >= 99.8, "{mean} {}", base.powi(PASS as i32));
}

#[test]
fn a_novice_passes_or_fails_by_its_score() {
    for (right, wrong, seen, proven, holds) in [
        (0, 0, 0, false, true),
        (13, 0, 13, false, true),
        (14, 0, 14, true, true),
        (15, 1, 16, false, true),
        (16, 1, 17, true, true),
        (0, 4, 4, false, true),
        (0, 5, 5, false, false),
        (2, 6, 8, false, false),
        (3, 6, 9, false, true),
        (9, 0, 20, false, false),
        (10, 0, 20, false, true),
        (99, 80, 199, false, false),
        (110, 64, 199, true, false),
    ] {
        let entry = Entry { right, wrong, seen, ..Entry::zeroed() };
        assert_eq!((entry.proven(), entry.holds()), (proven, holds), "{right} {wrong} {seen}");
    }
}

#[test]
fn a_record_holds_from_65_percent_and_half_of_the_votes() {
    for (right, wrong, seen, expected) in [
        (0, 0, 0, true),
        (0, 19, 19, true),
        (0, 20, 20, false),
        (12, 8, 20, false),
        (13, 7, 20, true),
        (10, 0, 20, true),
        (9, 0, 20, false),
        (0, 0, 20, false),
        (41, 22, 63, true),
        (40, 23, 63, false),
    ] {
        let entry = Entry { right, wrong, seen, owned: PROVEN, ..Entry::zeroed() };
        assert_eq!(entry.holds(), expected, "{right} {wrong} {seen}");
    }
}

#[test]
fn the_least_deposit_is_what_all_seats_lose_with_the_least_fee() {
    let rules = Rules {
        fee_min: 1_000_000,
        risk_bps: 1_000,
        golden_gain: 10,
        golden_loss: 4,
        max_seat_weight: 10 * SOL,
        ..Rules::zeroed()
    };
    assert_eq!(deposit(&rules, 40), Ok(40 * 28 * LOSS));
    assert_eq!(deposit(&Rules { max_seat_weight: 100_000, ..rules }, 2), Ok(2 * 28 * 10_000));
    assert_eq!(deposit(&Rules { fee_min: 0, ..rules }, 2), Ok(0));
    let mut scene = scene(&[(ACCEPT, VOTED), (0, 0), (REJECT, VOTED)]);
    assert_eq!(exposure(&scene.hearing()), Ok(3 * LOSS));
    scene.appealed(2);
    assert_eq!(exposure(&scene.hearing()), Ok(3 * LOSS), "of both panels");
}
