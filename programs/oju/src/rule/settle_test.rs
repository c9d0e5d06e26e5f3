//! Settlements against the golden vectors, seat by seat.

use super::court::Court;
use super::settle::{Bonds, Settled, settleable};
use super::status::Phase;
use super::tally::side;
use crate::state::case::{ACCEPT, COMMITTED, Case, EQUIVOCATED, MAX_SEATS, NONE, REJECT, REVEALED, result};
use crate::state::roster::{ACTIVE, Entry, FREE, Roster};
use crate::sysvar::Clock;
use crate::vectors::{load, long, small};
use bytemuck::Zeroable;
use serde_json::Value;

const CLOCK: Clock = Clock { slot: 900, time: 77_000 };
/// In other cases' pots and other judges' rewards.
const OTHERS: u64 = 5_000_000_000;

struct Scene {
    case: Case,
    roster: Roster,
    entries: [Entry; MAX_SEATS],
}

impl Scene {
    fn read(vector: &Value) -> Scene {
        let mut case = Case::zeroed();
        let word = |name: &str| small(&vector[name]) as u16;
        (case.round, case.max_rounds) = (word("round") as u8, word("max_rounds") as u8);
        (case.absent_bps, case.minority_bps) = (word("absent_bps"), word("minority_bps"));
        (case.abstain_bps, case.abstain_free) = (word("abstain_bps"), word("abstain_free"));
        (case.draw_delay_slots, case.draw_seconds, case.pot) = (2, 1_800, long(&vector["pot"]));
        let expires = vector["instruction"] == "expire_case";
        case.status = if expires { Phase::Draw } else { Phase::Reveal } as u8;
        let mut scene = Scene { case, roster: Roster::zeroed(), entries: [Entry::zeroed(); MAX_SEATS] };
        for (i, seat) in vector["seats"].as_array().unwrap().iter().enumerate() {
            scene.seat(i, seat, !expires);
        }
        scene.roster.carry = long(&vector["carry"]);
        scene.roster.pots = case.pot + OTHERS;
        scene
    }

    fn seat(&mut self, i: usize, vector: &Value, live: bool) {
        let seat = &mut self.case.panel[i];
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
        (entry.stake, entry.live, entry.locked) = (long(&vector["stake"]), 1, seat.weight + 5);
        (entry.seated, entry.abstained) =
            (small(&vector["entry_seated"]) as u32, small(&vector["entry_abstained"]) as u32);
        self.roster.total_stake += entry.stake;
    }

    fn court(&mut self) -> Court<'_> {
        let (case, roster) = (&mut self.case, &mut self.roster);
        Court { case, roster, entries: &mut self.entries, clock: CLOCK }
    }

    /// The lamports of the Roster's account above its rent.
    fn holds(&self) -> u64 {
        let roster = &self.roster;
        roster.total_stake + roster.total_rewards + roster.carry + roster.pots
    }

    fn agrees(&self, before: &Scene, settled: Settled, after: &Value) {
        let case = &self.case;
        assert_eq!(case.status as u64, small(&after["status"]));
        assert_eq!(
            (case.round as u64, case.verdict as u64),
            (small(&after["round"]), small(&after["verdict"]))
        );
        assert_eq!((settled.shared, settled.bond), (long(&after["shared"]), long(&after["bond"])));
        assert_eq!(settled.verdict, case.verdict);
        assert_eq!((case.pot, self.roster.carry), (long(&after["pot"]), long(&after["carry"])));
        for (i, seat) in after["seats"].as_array().unwrap().iter().enumerate() {
            self.seat_agrees(before, i, seat);
        }
        assert_eq!(self.holds(), before.holds() + settled.bond, "lamports were made or lost");
        assert_eq!(self.roster.total_stake, self.entries.iter().map(|entry| entry.stake).sum::<u64>());
        assert_eq!(self.roster.total_rewards, self.entries.iter().map(|entry| entry.rewards).sum::<u64>());
        assert_eq!(self.roster.pots, OTHERS + case.pot);
        let over = case.status >= Phase::Decided as u8;
        assert_eq!(case.settled_at, if over { CLOCK.time } else { 0 });
        let (slot, by) = if over { (0, 0) } else { (902, 78_800) };
        assert_eq!((case.seed_slot, case.draw_by), (slot, by));
    }

    fn seat_agrees(&self, before: &Scene, i: usize, after: &Value) {
        let (seat, entry, old) = (&self.case.panel[i], &self.entries[i], &before.entries[i]);
        assert_eq!(seat.result as u64, small(&after["result"]), "seat {i}");
        assert_eq!(
            (seat.slashed, seat.earned),
            (long(&after["slashed"]), long(&after["earned"])),
            "seat {i}"
        );
        assert_eq!((entry.stake, entry.rewards), (old.stake - seat.slashed, seat.earned), "seat {i}");
        let settled = before.case.status == Phase::Reveal as u8 && entry.state == ACTIVE;
        assert_eq!(entry.live, old.live - settled as u16);
        assert_eq!(entry.locked, old.locked - if settled { seat.weight } else { 0 });
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
        let bonds = Bonds { creator: long(&vector["creator_bond"]), worker: long(&vector["worker_bond"]) };
        let settled = match vector["instruction"].as_str().unwrap() {
            "settle" => scene.court().settle(&bonds),
            "expire_case" => scene.court().expire(),
            other => panic!("{other}"),
        };
        scene.agrees(&before, settled.unwrap(), &vector["after"]);
    }
}

#[test]
fn a_round_is_settleable_when_nothing_more_can_come() {
    let mut case = Case { seats: 2, commit_ends: 100, reveal_ends: 200, ..Case::zeroed() };
    let mut at = |phase: Phase, flags: [u8; 2], now| {
        case.status = phase as u8;
        (case.panel[0].flags, case.panel[1].flags) = (flags[0], flags[1]);
        settleable(&case, now)
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
fn the_loser_s_bond_is_shared() {
    for (choice, bond) in [(ACCEPT, 30), (REJECT, 40)] {
        let mut scene =
            Scene { case: Case::zeroed(), roster: Roster::zeroed(), entries: [Entry::zeroed(); 28] };
        scene.case = Case { status: Phase::Reveal as u8, seats: 1, seated_weight: 9, ..scene.case };
        let seat = &mut scene.case.panel[0];
        (seat.weight, seat.choice, seat.flags) = (9, choice, COMMITTED | REVEALED);
        *side(&mut scene.case, choice).unwrap() = 9;
        scene.entries[0] = Entry { live: 1, locked: 9, state: ACTIVE, ..Entry::zeroed() };
        let settled = scene.court().settle(&Bonds { creator: 30, worker: 40 }).unwrap();
        assert_eq!(settled, Settled { verdict: choice, shared: bond, bond });
        assert_ne!(settled.verdict, NONE);
        assert_eq!(scene.entries[0].rewards, bond);
    }
}
