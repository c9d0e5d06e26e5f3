//! Settlements against the golden vectors, seat by seat.

use super::court::Court;
use super::settle::{Bonds, Next, Settled, settleable};
use super::status::Phase;
use super::tally::side;
use crate::state::case::{
    ACCEPT, COMMITTED, Case, EQUIVOCATED, Hearing, MAX_SEATS, NONE, REJECT, REVEALED, Seat, result,
};
use crate::state::roster::{ACTIVE, Entry, FREE, Roster};
use crate::state::task::Task;
use crate::sysvar::Clock;
use crate::vectors::{load, long, small};
use bytemuck::Zeroable;
use serde_json::Value;

const CLOCK: Clock = Clock { slot: 900, time: 77_000 };

struct Scene {
    case: Case,
    panel: [Seat; MAX_SEATS],
    roster: Roster,
    entries: [Entry; MAX_SEATS],
}

impl Scene {
    fn of(case: Case) -> Scene {
        let (panel, entries) = ([Seat::zeroed(); MAX_SEATS], [Entry::zeroed(); MAX_SEATS]);
        Scene { case, panel, roster: Roster::zeroed(), entries }
    }

    fn read(vector: &Value) -> Scene {
        let mut case = Case::zeroed();
        let word = |name: &str| small(&vector[name]) as u16;
        (case.round, case.max_rounds) = (word("round") as u8, word("max_rounds") as u8);
        (case.preset, case.fee) = (word("preset") as u8, long(&vector["fee"]));
        (case.risk_bps, case.absence, case.minority) = (word("risk_bps"), word("absence"), word("minority"));
        case.reversal = word("reversal");
        (case.golden_gain, case.golden_loss) = (word("golden_gain"), word("golden_loss"));
        (case.draw_delay_slots, case.draw_seconds) = (2, 1_800);
        let expires = vector["instruction"] == "expire_case";
        case.status = if expires { Phase::Draw } else { Phase::Reveal } as u8;
        let mut scene = Scene::of(case);
        for (i, seat) in vector["seats"].as_array().unwrap().iter().enumerate() {
            scene.seat(i, seat, !expires);
        }
        scene
    }

    fn seat(&mut self, i: usize, vector: &Value, live: bool) {
        let seat = &mut self.panel[i];
        (seat.weight, seat.index) = (long(&vector["weight"]), i as u16);
        (seat.choice, seat.flags) = (small(&vector["choice"]) as u8, small(&vector["flags"]) as u8);
        seat.result = small(&vector["result_before"]) as u8;
        let seat = *seat;
        self.case.seats += 1;
        self.case.seated_weight += seat.weight;
        if live && seat.has(REVEALED) && !seat.has(EQUIVOCATED) {
            *side(&mut self.case, seat.choice).unwrap() += seat.weight;
        }
        let entry = &mut self.entries[i];
        entry.state = if vector["present"].as_bool().unwrap() { ACTIVE } else { FREE };
        (entry.stake, entry.live, entry.locked) = (long(&vector["stake"]), 1, long(&vector["reserved"]) + 5);
        self.roster.total_stake += entry.stake;
    }

    fn court(&mut self) -> Court<'_> {
        let case = Hearing { case: &mut self.case, first: &mut [], panel: &mut self.panel };
        Court { case, roster: &mut self.roster, entries: &mut self.entries, clock: CLOCK }
    }

    /// The lamports of the Roster's account above its rent.
    fn holds(&self) -> u64 {
        self.roster.total_stake + self.roster.total_rewards
    }

    fn agrees(&self, before: &Scene, settled: Settled, after: &Value) {
        let case = &self.case;
        assert_eq!(case.status as u64, small(&after["status"]));
        assert_eq!(
            (case.round as u64, case.verdict as u64),
            (small(&after["round"]), small(&after["verdict"]))
        );
        assert_eq!((settled.bond, settled.golden), (long(&after["bond"]), long(&after["golden"])));
        assert_eq!(settled.verdict, case.verdict);
        for (i, seat) in after["seats"].as_array().unwrap().iter().enumerate() {
            self.seat_agrees(before, i, seat);
        }
        assert_eq!(
            self.holds() + settled.golden,
            before.holds() + settled.bond,
            "lamports were made or lost"
        );
        assert_eq!(self.roster.total_stake, self.entries.iter().map(|entry| entry.stake).sum::<u64>());
        assert_eq!(self.roster.total_rewards, self.entries.iter().map(|entry| entry.rewards).sum::<u64>());
        let over = case.status >= Phase::Decided as u8;
        assert_eq!(case.settled_at, if over { CLOCK.time } else { 0 });
        let (slot, by) = if over { (0, 0) } else { (902, 78_800) };
        assert_eq!((case.seed_slot, case.draw_by), (slot, by));
    }

    fn seat_agrees(&self, before: &Scene, i: usize, after: &Value) {
        let (seat, entry, old) = (&self.panel[i], &self.entries[i], &before.entries[i]);
        assert_eq!(seat.result as u64, small(&after["result"]), "seat {i}");
        assert_eq!(
            (seat.slashed, seat.earned),
            (long(&after["slashed"]), long(&after["earned"])),
            "seat {i}"
        );
        assert_eq!((entry.stake, entry.rewards), (old.stake - seat.slashed, seat.earned), "seat {i}");
        let settled = before.case.status == Phase::Reveal as u8 && entry.state == ACTIVE;
        assert_eq!(entry.live, old.live - settled as u16);
        assert_eq!(entry.locked, if settled { 5 } else { old.locked });
        assert_eq!(entry.seated, old.seated + settled as u32);
        let counted = |of: u8| (settled && seat.result == of) as u32;
        assert_eq!(entry.majority, counted(result::MAJORITY));
        assert_eq!(entry.minority, counted(result::MINORITY));
        assert_eq!(entry.absent, counted(result::ABSENT));
        assert_eq!(entry.abstained, old.abstained + counted(result::ABSTAINED));
        assert_eq!(entry.equivocated, 0);
    }
}

#[test]
fn settlements_are_those_of_the_vectors() {
    let vectors = load("settlements.json");
    let all = vectors.as_array().unwrap();
    assert!(all.len() >= 50);
    for vector in all {
        let (mut scene, before) = (Scene::read(vector), Scene::read(vector));
        let (creator, worker) = (long(&vector["creator_bond"]), long(&vector["worker_bond"]));
        let bonds = Bonds::of(creator, worker, small(&vector["on_undecided"]) as u8);
        let settled = match vector["instruction"].as_str().unwrap() {
            "settle" => scene.court().settle(&bonds, &Task::zeroed()),
            "expire_case" => scene.court().expire(&bonds, &Task::zeroed()),
            other => panic!("{other}"),
        };
        scene.agrees(&before, settled.unwrap(), &vector["after"]);
    }
}

#[test]
fn a_round_is_settleable_when_nothing_more_can_come() {
    let (mut case, mut panel) = (Case::zeroed(), [Seat::zeroed(); 3]);
    (case.seats, case.commit_ends, case.reveal_ends) = (2, 100, 200);
    let mut at = |phase: Phase, flags: [u8; 2], now| {
        case.status = phase as u8;
        (panel[0].flags, panel[1].flags) = (flags[0], flags[1]);
        settleable(&Hearing { case: &mut case, first: &mut [], panel: &mut panel }, now)
    };
    let both = COMMITTED | REVEALED;
    use Phase::{Commit, Reveal};
    assert_eq!([at(Commit, [0, 0], 99), at(Commit, [0, 0], 100)], [false, true]);
    assert_eq!(
        [at(Commit, [1, 0], 100), at(Commit, [1, 0], 199), at(Commit, [1, 0], 200)],
        [false, false, true]
    );
    assert_eq!([at(Reveal, [both, both], 5), at(Reveal, [both, 0], 5)], [true, true]);
    assert_eq!([at(Reveal, [both, 1], 199), at(Reveal, [both, 1], 200)], [false, true]);
    assert_eq!(
        [at(Reveal, [both, 5], 5), at(Reveal, [4, 4], 5), at(Commit, [4, 1], 150)],
        [true, true, false]
    );
}

#[test]
fn the_loser_s_bond_pays_the_seat_and_the_pot() {
    for (choice, bond) in [(ACCEPT, 30), (REJECT, 40)] {
        let case =
            Case { status: Phase::Reveal as u8, seats: 1, seated_weight: 9, fee: 14, ..Case::zeroed() };
        let mut scene = Scene::of(case);
        let seat = &mut scene.panel[0];
        (seat.weight, seat.choice, seat.flags) = (9, choice, COMMITTED | REVEALED);
        *side(&mut scene.case, choice).unwrap() = 9;
        scene.entries[0] = Entry { live: 1, state: ACTIVE, ..Entry::zeroed() };
        let settled = scene.court().settle(&Bonds { creator: 30, worker: 40, undecided: 5 }, &Task::zeroed()).unwrap();
        assert_eq!(settled, Settled { next: Next::Over, verdict: choice, bond, golden: bond - 7 });
        assert_ne!(settled.verdict, NONE);
        assert_eq!(scene.entries[0].rewards, 7);
    }
}
