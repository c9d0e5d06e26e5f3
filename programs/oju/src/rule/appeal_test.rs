//! Ends of cases with two levels against the golden vectors, seat by seat; and the rules of who
//! sits.

use super::*;
use crate::rule::pay::exposure;
use crate::rule::random::Random;
use crate::rule::status::Phase;
use crate::rule::tally;
use crate::state::case::{ABSTAIN, COMMITTED, EQUIVOCATED, REJECT, REVEALED, Seat, UNDECIDED};
use crate::state::roster::{ACTIVE, EXITING, FREE, OWN, OWN_BEFORE, Roster};
use crate::vectors::{load, long, small};
use bytemuck::Zeroable;
use pinocchio::Address;
use serde_json::Value;
use std::vec::Vec;

const CLOCK: Clock = Clock { slot: 900, time: 77_000 };

/// A case with its judges: those of the first panel, then those of the appeal.
struct Scene {
    case: Case,
    seats: [Seat; 2 * MAX_SEATS],
    roster: Roster,
    entries: Vec<Entry>,
}

impl Scene {
    fn new() -> Scene {
        let case = Case { panel_seats: 28, max_rounds: 2, round: 1, appeal_seconds: 60, ..Case::zeroed() };
        let seats = [Seat::zeroed(); 2 * MAX_SEATS];
        Scene { case, seats, roster: Roster::zeroed(), entries: Vec::new() }
    }

    fn read(vector: &Value) -> Scene {
        let mut scene = Scene::new();
        let (word, case) = (|name: &str| small(&vector[name]) as u16, &mut scene.case);
        (case.preset, case.fee) = (word("preset") as u8, long(&vector["fee"]));
        (case.risk_bps, case.absence, case.minority) = (word("risk_bps"), word("absence"), word("minority"));
        (case.golden_gain, case.golden_loss) = (word("golden_gain"), word("golden_loss"));
        (case.reversal, case.verdict) = (word("reversal"), small(&vector["first"]["verdict"]) as u8);
        scene.level(&vector["first"], 0);
        let first = &vector["first"];
        scene.case.seats = first["seats"].as_array().unwrap().len() as u8;
        (scene.case.accept_weight, scene.case.reject_weight) = (long(&first["accept"]), long(&first["reject"]));
        scene.case.status = Phase::Appealable as u8;
        if !vector["appeal"].is_null() {
            scene.case.appeal(&CLOCK).unwrap();
            scene.case.appeal_seats = 28;
            let appeal = &vector["appeal"];
            scene.level(appeal, 28);
            scene.case.seats = appeal["seats"].as_array().unwrap().len() as u8;
            (scene.case.accept_weight, scene.case.reject_weight) =
                (long(&appeal["accept"]), long(&appeal["reject"]));
            (scene.case.status, scene.case.round) = (Phase::Reveal as u8, 4);
        }
        scene
    }

    /// Reads the seats of a level. Only those of the first one are held; the others are settled.
    fn level(&mut self, vector: &Value, base: usize) {
        for (i, seat) in vector["seats"].as_array().unwrap().iter().enumerate() {
            let index = self.entries.len() as u16;
            let (weight, choice) = (long(&seat["weight"]), small(&seat["choice"]) as u8);
            let mut made = Seat { weight, choice, index, ..Seat::zeroed() };
            made.flags = small(&seat["flags"]) as u8;
            let mut entry = Entry { stake: long(&seat["stake"]), locked: 5, ..Entry::zeroed() };
            entry.state = if seat["present"].as_bool().unwrap() { ACTIVE } else { FREE };
            if base == 0 && made.sided() {
                made.flags |= HELD;
                (entry.live, entry.locked) = (1, 5 + later(&self.case, weight).unwrap());
            }
            self.seats[base + i] = made;
            self.roster.total_stake += entry.stake;
            self.entries.push(entry);
        }
    }

    /// The seats of an appeal against an accept.
    fn seats(&mut self, task: &Task) -> u8 {
        let Court { case, entries, .. } = self.court();
        super::seats(&case, ACCEPT, task, (Season::Now, entries))
    }

    fn court(&mut self) -> Court<'_> {
        let (first, panel) = self.seats.split_at_mut(self.case.base());
        let case = Hearing { case: &mut self.case, first, panel };
        Court { case, roster: &mut self.roster, entries: &mut self.entries, clock: CLOCK }
    }

    fn holds(&self) -> u64 {
        self.roster.total_stake + self.roster.total_rewards
    }
}

#[test]
fn ends_are_those_of_the_vectors() {
    let vectors = load("appeals.json");
    let all = vectors.as_array().unwrap();
    assert!(all.len() >= 90);
    for vector in all {
        let (mut scene, name) = (Scene::read(vector), &vector["name"]);
        let (before, stakes) = (scene.holds(), scene.entries.clone());
        let bonds = Bonds::of(long(&vector["creator_bond"]), long(&vector["worker_bond"]), 1);
        let appealed = !vector["appeal"].is_null();
        let turn = if appealed { Turn::Decide } else { Turn::Finish };
        let found = if appealed { small(&vector["appeal"]["verdict"]) as u8 } else { NONE };
        let settled = scene.court().finish(turn, found, &bonds).unwrap();
        let after = &vector["after"];
        assert_eq!(settled.next, Next::Over);
        assert_eq!((settled.bond, settled.golden), (long(&after["bond"]), long(&after["golden"])), "{name}");
        let case = &scene.case;
        assert_eq!((case.verdict, case.status), (small(&after["verdict"]) as u8, Phase::Decided as u8));
        assert_eq!((case.level as u64, case.settled_at), (small(&after["level"]), CLOCK.time), "{name}");
        let mut index = 0;
        for (level, base) in [("first", 0), ("appeal", 28)] {
            for (i, end) in after[level].as_array().unwrap().iter().enumerate() {
                let (seat, entry) = (&scene.seats[base + i], &scene.entries[index]);
                assert_eq!((seat.slashed, seat.earned), (long(&end["slashed"]), long(&end["earned"])), "{name} {i}");
                assert_eq!((entry.stake, entry.rewards), (stakes[index].stake - seat.slashed, seat.earned));
                let freed = base == 0 && entry.state == FREE && stakes[index].live == 1;
                assert_eq!((entry.live, entry.locked == 5), (freed as u16, !freed), "{name} {i}");
                assert!(!seat.has(HELD));
                index += 1;
            }
        }
        assert_eq!(scene.holds() + settled.golden, before + settled.bond, "{name}: lamports were made or lost");
    }
}

#[test]
fn a_verdict_is_held_only_while_seven_others_are_left() {
    for (others, seats) in [(6, 0), (7, 7), (28, 28), (40, 28)] {
        let mut scene = Scene::new();
        (scene.case.seats, scene.case.status, scene.case.seated_weight) = (3, Phase::Reveal as u8, 30);
        (scene.case.fee, scene.case.min_stake, scene.case.accept_weight) = (2, 8, 20);
        (scene.case.abstain_weight, scene.case.max_seat_weight) = (10, 1_000);
        for i in 0..3 + others {
            let authority = Address::new_from_array([i as u8 + 1; 32]);
            scene.entries.push(Entry {
                authority,
                stake: 10,
                weight: 10,
                owned: OWN,
                state: ACTIVE,
                live: (i < 3) as u16,
                ..Entry::zeroed()
            });
        }
        for i in 0..3 {
            let choice = if i < 2 { ACCEPT } else { ABSTAIN };
            let (index, flags) = (i as u16, COMMITTED | REVEALED);
            let judge = scene.entries[i].authority;
            scene.seats[i] = Seat { judge, index, choice, flags, weight: 10, ..Seat::zeroed() };
        }
        assert_eq!(scene.seats(&Task::zeroed()), seats);
        let party = Task { worker: scene.entries[3].authority, ..Task::zeroed() };
        let without = if others == 7 { 0 } else { (others.min(29) - 1).min(28) };
        let expected = if others < 8 { 0 } else { without.min(others - 1) as u8 };
        assert_eq!(scene.seats(&party), expected.min(28));
        let bonds = Bonds { creator: 100, worker: 50, undecided: 0 };
        let settled = scene.court().settle(&bonds, &Task::zeroed()).unwrap();
        let held = seats > 0;
        assert_eq!(settled.next, if held { Next::Window } else { Next::Over });
        assert_eq!(scene.case.status, if held { Phase::Appealable } else { Phase::Decided } as u8);
        assert_eq!((scene.case.verdict, settled.bond), (ACCEPT, if held { 0 } else { 100 }));
        assert_eq!(scene.case.appeal_by, if held { CLOCK.time + 60 } else { 0 });
        assert_eq!(scene.case.settled_at, if held { 0 } else { CLOCK.time });
        let live: Vec<u16> = scene.entries[..3].iter().map(|entry| entry.live).collect();
        assert_eq!(live, if held { [1, 1, 0] } else { [0, 0, 0] });
        assert_eq!(scene.roster.total_rewards, if held { 0 } else { 2 });
        scene.case.appeal_seconds = 0;
        assert_eq!(scene.seats(&Task::zeroed()), 0);
    }
}

/// Seven judges that weighed when the first panel was drawn may hear the appeal, also if they leave
/// and the season turns. New ones may not.
#[test]
fn an_appeal_counts_the_weights_of_its_first_panels_season() {
    let leaver = Entry { stake: 10, weight_before: 10, owned: OWN | OWN_BEFORE, state: EXITING, ..Entry::zeroed() };
    let new = Entry { stake: 10, weight: 10, weight_before: 10, owned: OWN, state: ACTIVE, ..Entry::zeroed() };
    let mut case = Case { appeal_seconds: 60, season: 255, max_seat_weight: 100, accept_weight: 20, ..Case::zeroed() };
    let case = Hearing { case: &mut case, first: &mut [], panel: &mut [] };
    let roster = |season| Roster { season, ..Roster::zeroed() };
    for (turns, entry, seats) in
        [(511, leaver, 0), (511, new, 7), (512, leaver, 7), (512, new, 0), (513, leaver, 0), (513, new, 7)]
    {
        let season = roster(turns).numbered(case.season).unwrap_or(Season::Now);
        assert_eq!(super::seats(&case, ACCEPT, &Task::zeroed(), (season, &[entry; 7])), seats, "{turns}");
    }
}

/// However many light judges are left, the heaviest panel of them must weigh half of the votes.
#[test]
fn an_appeal_needs_half_of_the_weight_of_the_votes() {
    let court = |weights: &[u64]| -> Vec<Entry> {
        let judge = |&weight: &u64| Entry { weight, stake: weight, owned: OWN, state: ACTIVE, ..Entry::zeroed() };
        weights.iter().map(judge).collect()
    };
    let mut case = Case { appeal_seconds: 1, max_seat_weight: 100, accept_weight: 200, reject_weight: 20, ..Case::zeroed() };
    let case = Hearing { case: &mut case, first: &mut [], panel: &mut [] };
    let seats = |verdict, weights: &[u64]| super::seats(&case, verdict, &Task::zeroed(), (Season::Now, &court(weights)));
    assert_eq!([seats(ACCEPT, &[14; 7]), seats(ACCEPT, &[15; 7]), seats(REJECT, &[2; 7])], [0, 7, 7]);
    assert_eq!([seats(ACCEPT, &[3; 28]), seats(ACCEPT, &[3; 512]), seats(ACCEPT, &[4; 512])], [0, 0, 28]);
    let mut rising: Vec<u64> = (1..=100).map(|n| n / 25).collect(); // 28 of them weigh at most 83
    assert_eq!(seats(ACCEPT, &rising), 0);
    rising.push(18);
    assert_eq!(seats(ACCEPT, &rising), 0);
    rising[100] = 19;
    assert_eq!(seats(ACCEPT, &rising), 28);
    rising[50] = 99;
    assert_eq!((seats(ACCEPT, &rising), seats(ACCEPT, &rising[..60])), (28, 28));
    let mut random = Random::new(87);
    for _ in 0..300 {
        let weights: Vec<u64> = (0..random.below(200)).map(|_| 1 + random.below(9)).collect();
        let mut sorted = weights.clone();
        sorted.sort_by(|a, b| b.cmp(a));
        let heaviest = &sorted[..sorted.len().min(28)];
        let open = heaviest.len() >= 7 && heaviest.iter().sum::<u64>() >= 100;
        assert_eq!(seats(ACCEPT, &weights), if open { heaviest.len() as u8 } else { 0 });
    }
}

/// An appeal against 12 votes reverses with six, and takes money with nine, which are more than two
/// thirds of both.
#[test]
fn a_light_appeal_leaves_the_verdict() {
    for (reject, verdict, clearly) in [(5, ACCEPT, false), (6, REJECT, false), (8, REJECT, false), (9, REJECT, true)] {
        let mut scene = Scene::new();
        (scene.case.status, scene.case.verdict) = (Phase::Appealable as u8, ACCEPT);
        (scene.case.accept_weight, scene.case.seated_weight, scene.case.seats) = (12, 12, 0);
        scene.case.appeal(&CLOCK).unwrap();
        (scene.case.appeal_seats, scene.case.status, scene.case.seats) = (28, Phase::Reveal as u8, 0);
        scene.case.accept_weight = 0;
        (scene.case.reject_weight, scene.case.seated_weight) = (reject, reject);
        assert_eq!(scene.case.too_light(REJECT), verdict == ACCEPT, "{reject}");
        let settled = scene.court().settle(&Bonds::of(1, 1, 1), &Task::zeroed()).unwrap();
        let told = if verdict == ACCEPT { UNDECIDED } else { REJECT };
        assert_eq!((settled.next, settled.verdict), (Next::Finish, told), "{reject}");
        scene.case.verdict = REJECT;
        assert_eq!(scene.case.outweighs(), clearly, "{reject}");
    }
}

/// After an undecided first panel, the votes of both panels decide. The appeal needs a quorum of
/// its own, and votes for the sides that weigh half of what kept the first panel from a verdict.
#[test]
fn an_appeal_of_nothing_counts_with_the_first_panel() {
    let scenes = [
        (14, 7, 1, REJECT, false, false),
        (14, 28, 0, ACCEPT, false, false),
        (14, 32, 0, ACCEPT, true, false),
        (14, 27, 0, REJECT, false, false),
        (14, 3, 4, REJECT, false, false),
        (0, 7, 1, ACCEPT, true, false),
        (0, 5, 1, ACCEPT, true, true),
        (14, 1, 6, REJECT, true, false),
        (14, 0, 0, NONE, false, false),
    ];
    for (first, accept, reject, found, clear, light) in scenes {
        let mut scene = Scene::new();
        (scene.case.status, scene.case.verdict) = (Phase::Appealable as u8, UNDECIDED);
        (scene.case.reject_weight, scene.case.seated_weight, scene.case.seats) = (first, first + 14, 0);
        scene.case.appeal(&CLOCK).unwrap();
        scene.case.appeal_seats = 28;
        (scene.case.accept_weight, scene.case.reject_weight) = (accept, reject);
        scene.case.seated_weight = accept + reject;
        assert_eq!(tally::verdict(&scene.case), found, "{first} {accept} {reject}");
        assert_eq!(found != NONE && tally::clear(&scene.case), clear, "{first} {accept} {reject}");
        assert_eq!(scene.case.too_light(found), light, "{first} {accept} {reject}");
    }
}

#[test]
fn evidence_while_the_money_waits_takes_the_vote_out_of_its_tally() {
    for appealed in [false, true] {
        let mut scene = Scene::new();
        (scene.case.seats, scene.case.status, scene.case.verdict) = (2, Phase::Appealable as u8, REJECT);
        (scene.case.accept_weight, scene.case.reject_weight, scene.case.seated_weight) = (3, 7, 10);
        for (i, choice) in [ACCEPT, REJECT].into_iter().enumerate() {
            let flags = COMMITTED | REVEALED | HELD;
            scene.seats[i] =
                Seat { index: i as u16, choice, flags, weight: [3, 7][i], ..Seat::zeroed() };
            scene.entries.push(Entry { stake: 100, live: 1, state: ACTIVE, ..Entry::zeroed() });
        }
        scene.roster.total_stake = 200;
        if appealed {
            scene.case.appeal(&CLOCK).unwrap();
            (scene.case.appeal_seats, scene.case.seats) = (7, 0);
            (scene.case.accept_weight, scene.case.reject_weight) = (11, 12);
        }
        assert_eq!(scene.court().slash_equivocation(1), Ok(100));
        let seat = scene.seats[1];
        assert!(seat.has(EQUIVOCATED) && seat.has(HELD) && seat.result == 5);
        let case = &scene.case;
        let found = if appealed {
            assert_eq!((case.accept_weight, case.reject_weight), (11, 12));
            (case.first_accept_weight, case.first_reject_weight)
        } else {
            (case.accept_weight, case.reject_weight)
        };
        assert_eq!((found, case.verdict), ((3, 0), REJECT));
        let (turn, bonds) = (if appealed { Turn::Stand } else { Turn::Finish }, Bonds::of(10, 10, 1));
        let ended = scene.court().finish(turn, NONE, &bonds).unwrap();
        assert_eq!((ended.verdict, scene.case.seated_weight), (REJECT, 10));
        assert_eq!(scene.entries.iter().map(|entry| entry.live).collect::<Vec<_>>(), [0, 0]);
    }
}

#[test]
fn what_is_reserved_covers_what_a_vote_can_still_lose() {
    let case = Case {
        fee: 2_000,
        risk_bps: 1_000,
        golden_gain: 10,
        golden_loss: 4,
        reversal: 20,
        minority: 7,
        ..Case::zeroed()
    };
    for weight in [0, 1, 399, 1_000, 1 << 50] {
        let (all, rest) = (exposure(&case, weight).unwrap(), later(&case, weight).unwrap());
        assert!(rest <= all && rest <= weight / 10);
    }
    assert_eq!((later(&case, 1 << 40), exposure(&case, 1 << 40)), (Ok(20_000), Ok(40_000)));
    assert_eq!(bond(&case), Ok(56_000));
    assert_ne!(UNDECIDED, NONE);
}

/// Only seats without a side stand against an appeal of nothing: ten absent ones, not 18 votes.
#[test]
fn an_undecided_case_is_that_of_the_seats_without_a_side() {
    for (accept, reject, seated, votes) in
        [(0, 0, 28, 28), (0, 14, 28, 14), (14, 0, 28, 14), (4, 10, 28, 14), (0, 18, 28, 10), (9, 9, 28, 10)]
    {
        let mut scene = Scene::new();
        let case = &mut scene.case;
        (case.accept_weight, case.reject_weight, case.seated_weight) = (accept, reject, seated);
        assert_eq!(case.votes(UNDECIDED), votes);
        (case.status, case.verdict) = (Phase::Appealable as u8, UNDECIDED);
        case.appeal(&CLOCK).unwrap();
        assert_eq!(case.first_votes(), votes);
    }
}

/// A case whose first panel has looked and decided nothing can be appealed although its next round
/// is not drawn. If no panel has looked at it, it is over.
#[test]
fn a_void_round_can_be_appealed_when_the_next_is_not_drawn() {
    for (seats, left, next) in [(7, 7, Next::Window), (7, 6, Next::Over), (0, 7, Next::Over)] {
        let mut scene = Scene::new();
        let entry = Entry { stake: 1, weight: 1, state: ACTIVE, owned: OWN, ..Entry::zeroed() };
        scene.entries = std::vec![entry; seats + left];
        let case = &mut scene.case;
        (case.status, case.round, case.seats) = (Phase::Draw as u8, 2, seats as u8);
        (case.seated_weight, case.max_seat_weight) = (seats as u64, 9);
        for (i, seat) in scene.seats.iter_mut().take(seats).enumerate() {
            seat.index = i as u16;
        }
        let bonds = Bonds { creator: 3, worker: 4, undecided: 5 };
        let settled = scene.court().expire(&bonds, &Task::zeroed()).unwrap();
        assert_eq!((settled.next, settled.verdict), (next, UNDECIDED));
        let waits = next == Next::Window;
        let case = &scene.case;
        assert_eq!((case.round, case.settled_at == 0), (if waits { 1 } else { 2 }, waits));
        let phase = if waits { Phase::Appealable } else { Phase::Undecided };
        assert_eq!((case.status, case.verdict), (phase as u8, UNDECIDED));
        assert_eq!(case.appeal_by, if waits { CLOCK.time + 60 } else { 0 });
    }
}

/// Whatever the block, a walk meets every entry once.
#[test]
fn a_walk_meets_every_entry_once() {
    let mut random = Random::new(219);
    for count in (0..40).chain([512, 10_239, 10_240]) {
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&random.bits().to_le_bytes());
        for hash in [hash, [0; 32], [255; 32]] {
            let mut met: Vec<usize> = Walk::new(&hash, count).collect();
            met.sort();
            assert_eq!(met, (0..count).collect::<Vec<_>>());
        }
    }
}

/// The heaviest of ten thousand are found with few of them compared, in whatever order they come,
/// so that nobody makes a verdict too dear by the order of its judges: neither if they rise, nor if
/// they were arranged for a walk of another block.
#[test]
fn rising_weights_are_rarely_compared() {
    let mut random = Random::new(220);
    let mut hash = || {
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&random.bits().to_le_bytes());
        hash
    };
    let mut arranged = std::vec![0; 10_240];
    for (weight, index) in Walk::new(&hash(), 10_240).enumerate() {
        arranged[index] = weight;
    }
    let rising: Vec<usize> = (0..10_240).collect();
    let falling = rising.iter().rev().copied().collect();
    for weights in [rising, falling, arranged] {
        for _ in 0..200 {
            let (mut heaviest, mut added) = (Heaviest { weights: [0; MAX_SEATS], count: 0, sum: 0 }, 0);
            for index in Walk::new(&hash(), 10_240) {
                if weights[index] as u64 + 1 > heaviest.bar() {
                    heaviest.add(weights[index] as u64 + 1);
                    added += 1;
                }
            }
            assert_eq!(heaviest.sum, (10_213..=10_240u64).sum::<u64>());
            assert!(added < 1_000, "{added}");
        }
    }
}
