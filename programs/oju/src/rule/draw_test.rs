use super::*;
use crate::layout;
use crate::state::case::Case;
use crate::rule::preimage;
use crate::rule::random::Random;
use crate::state::roster::{EXITING, FREE, OWN, OWN_BEFORE, Roster};
use crate::vectors::{address, aligned, hash, load, long, longs, small};
use std::vec::Vec;

struct Scene {
    case: Case,
    panel: Vec<Seat>,
    task: Task,
    seed: [u8; 32],
    season: Season,
}

impl Scene {
    fn new(panel_seats: u8, min_stake: u64, max_seat_weight: u64) -> Scene {
        Scene {
            case: Case {
                panel_seats,
                min_seats: 1,
                seed_slot: 9,
                min_stake,
                max_seat_weight,
                fee: 2_000,
                risk_bps: 1_000,
                golden_gain: 10,
                golden_loss: 4,
                ..Case::zeroed()
            },
            panel: std::vec![Seat::zeroed(); panel_seats as usize],
            task: Task::zeroed(),
            seed: [0; 32],
            season: Season::Now,
        }
    }

    /// The roster indices of the panel.
    fn draw(&mut self, entries: &mut [Entry]) -> Outcome<Vec<u16>> {
        let mut sums = [0; PAGES];
        for (page, sum) in entries.chunks(PAGE).zip(&mut sums) {
            *sum = page.iter().map(|entry| entry.weight_in(self.season)).sum();
        }
        let terms = Terms { seed: self.seed, task: &self.task, season: self.season, sums: &sums };
        draw(&mut Hearing { case: &mut self.case, first: &mut [], panel: &mut self.panel }, &terms, entries)?;
        Ok(self.seated().iter().map(|seat| seat.index).collect())
    }

    fn seated(&self) -> &[Seat] {
        &self.panel[..self.case.seats as usize]
    }
}

#[test]
fn panels_are_those_of_the_vectors() {
    let vectors = load("draws.json");
    let all = vectors.as_array().unwrap();
    assert!(all.len() >= 8);
    for vector in all {
        let mut words = aligned(&vector["roster"]);
        let (roster, entries) = layout::list_mut::<Roster>(bytemuck::cast_slice_mut(&mut words)).unwrap();
        let words = aligned(&vector["task"]);
        let task = *layout::record::<Task>(bytemuck::cast_slice(&words)).unwrap();
        let program = address(&vector["program"]);
        let lot = preimage::Lot {
            task: &address(&vector["task_address"]),
            round: small(&vector["round"]) as u8,
            slot: long(&vector["drawn_slot"]),
            hash: &hash(&vector["slot_hash"]),
        };
        let (least, most) = (long(&vector["min_stake"]), long(&vector["max_seat_weight"]));
        let mut scene = Scene::new(small(&vector["panel_seats"]) as u8, least, most);
        scene.case.seed_slot = long(&vector["seed_slot"]);
        (scene.seed, scene.task) = (preimage::draw_seed(&program, &lot), task);
        assert_eq!(scene.seed, hash(&vector["seed"]));
        let before = entries.to_vec();
        scene.season = roster.season_of(scene.case.seed_slot).unwrap();
        let sum = entries.iter().map(|entry| entry.weight_in(scene.season)).sum::<u64>();
        assert_eq!(roster.sums(scene.season).iter().sum::<u64>(), sum);
        let seats = scene.draw(entries).unwrap();
        let expected: Vec<u64> = vector["seats"].as_array().unwrap().iter().map(small).collect();
        assert_eq!(seats.iter().map(|&seat| seat as u64).collect::<Vec<_>>(), expected, "{}", vector["name"]);
        let weights: Vec<u64> = scene.seated().iter().map(|seat| seat.weight).collect();
        assert_eq!(weights, longs(&vector["weights"]));
        assert_eq!(scene.case.seated_weight, long(&vector["seated_weight"]));
        assert_eq!(roster.count as usize, entries.len());
        for (i, (entry, old)) in entries.iter().zip(&before).enumerate() {
            let weight = seats.iter().position(|&seat| seat as usize == i).map(|seat| weights[seat]);
            assert_eq!(entry.live, old.live + weight.is_some() as u16);
            let reserved = weight.map_or(0, |weight| exposure(&scene.case, weight).unwrap());
            assert_eq!(entry.locked, old.locked + reserved);
        }
    }
}

/// The page's rule, done with lists and 128 bits.
fn naive(seed: &[u8; 32], weights: &[u64], panel: usize) -> Vec<u16> {
    let mut left: Vec<(u16, u128)> =
        weights.iter().enumerate().map(|(i, &w)| (i as u16, w as u128)).collect();
    let (mut counter, mut seats) = (0u32, Vec::new());
    while seats.len() < panel && !left.is_empty() {
        let total: u128 = left.iter().map(|(_, weight)| weight).sum();
        let limit = (1u128 << 64) / total * total;
        let number = loop {
            let hash = sha256(&[seed, &counter.to_le_bytes()]);
            counter += 1;
            let x = u64::from_le_bytes(hash[..8].try_into().unwrap()) as u128;
            if x < limit {
                break x % total;
            }
        };
        let mut passed = 0;
        let place = left.iter().position(|(_, weight)| {
            passed += weight;
            number < passed
        });
        seats.push(left.remove(place.unwrap()).0);
    }
    seats
}

#[test]
fn panels_agree_with_the_naive_draw() {
    let mut random = Random::new(5);
    for round in 0..400 {
        let most = if round % 20 == 0 { MAX_JUDGES as u64 } else { 512 };
        let weights: Vec<u64> = (0..random.below(most) + 1).map(|_| (random.number() >> 14) + 1).collect();
        let mut entries: Vec<Entry> = weights.iter().map(|&weight| judge(1, weight)).collect();
        let mut scene = Scene::new(random.below(28) as u8 + 1, 1, 1 << 50);
        scene.seed[..8].copy_from_slice(&random.bits().to_le_bytes());
        let panel = scene.case.panel_seats as usize;
        assert_eq!(scene.draw(&mut entries), Ok(naive(&scene.seed, &weights, panel)), "round {round}");
    }
}

fn judge(n: u8, stake: u64) -> Entry {
    let authority = Address::new_from_array([n; 32]);
    Entry { authority, stake, weight: stake, owned: OWN, state: ACTIVE, ..Entry::zeroed() }
}

#[test]
fn only_the_eligible_sit() {
    let key = |n| Address::new_from_array([n; 32]);
    let mut scene = Scene::new(28, 100, 150);
    scene.task.creator = key(21);
    scene.task.worker = key(22);
    scene.task.creator_operator = key(23);
    let mut entries: Vec<Entry> = (0..9).map(|n| judge(n + 1, 100 + n as u64 * 30)).collect();
    (entries[0].state, entries[1].state, entries[2].stake) = (FREE, EXITING, 49);
    (entries[0].owned, entries[1].owned) = (0, 0); // the first has left, the second has no weight any more
    (entries[3].authority, entries[4].operator, entries[5].operator) = (key(22), key(21), key(23));
    entries[6].operator = key(24);
    assert_eq!(scene.draw(&mut entries).map(|seats| seats.len()), Ok(3));
    assert!(scene.seated().iter().all(|seat| seat.index >= 6 && seat.weight == 150));
    assert_eq!(entries.iter().map(|entry| entry.live).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 0, 1, 1, 1]);
    scene.task.worker_operator = key(24);
    scene.case.min_seats = 3;
    assert_eq!(scene.draw(&mut entries), Err(Error::TOO_FEW_JUDGES));
    scene.case.min_seats = 1;
    entries.clear();
    assert_eq!(scene.draw(&mut entries), Err(Error::TOO_FEW_JUDGES));
}

#[test]
fn a_draw_sees_the_season_and_passes_over_who_is_not_of_it() {
    for season in [Season::Now, Season::Before] {
        let mut scene = Scene::new(28, 100, 150);
        scene.season = season;
        let mut entries: Vec<Entry> = (0..8).map(|n| judge(n + 1, 120)).collect();
        if season == Season::Before {
            for entry in &mut entries {
                (entry.weight, entry.weight_before, entry.owned) = (9, 120, OWN_BEFORE);
            }
        }
        (entries[0].state, entries[1].state) = (EXITING, EXITING); // also before the seed slot
        entries[2].stake = 500; // topped up
        entries[3].stake = 60; // slashed
        entries[4].stake = 49;
        entries[5].owned = OWN + OWN_BEFORE - entries[5].owned; // another judge has it now
        let weights = (entries[6].weight, entries[6].weight_before);
        entries[6].replace(Entry::zeroed());
        assert_eq!((entries[6].weight, entries[6].weight_before, entries[6].owned), (weights.0, weights.1, 0));
        scene.draw(&mut entries).unwrap();
        let mut seats: Vec<(u16, u64)> =
            scene.seated().iter().map(|seat| (seat.index, seat.weight)).collect();
        seats.sort();
        assert_eq!(seats, [(0, 120), (1, 120), (2, 120), (3, 60), (7, 120)]);
    }
}

#[test]
fn who_could_lose_too_much_already_is_skipped() {
    let mut scene = Scene::new(28, 100, 150);
    let mut entries: Vec<Entry> = (0..4).map(|n| judge(n + 1, 120)).collect();
    (entries[0].locked, entries[1].locked) = (120, 121); // a seat of 120 risks nothing: its pay is 0
    entries[2].locked = u64::MAX;
    scene.draw(&mut entries).unwrap();
    assert_eq!(scene.case.seats, 4);

    let mut scene = Scene::new(28, 1_000, 1_500);
    let mut entries: Vec<Entry> = (0..4).map(|n| judge(n + 1, 1_200)).collect();
    (entries[0].locked, entries[1].locked) = (1_080, 1_081); // a seat of 1,200 risks 120
    scene.draw(&mut entries).unwrap();
    let mut seats: Vec<(u16, u64)> =
        scene.seated().iter().map(|seat| (seat.index, seat.weight)).collect();
    seats.sort();
    assert_eq!(seats, [(0, 1_200), (2, 1_200), (3, 1_200)]);
    assert_eq!(entries.iter().map(|entry| entry.live).collect::<Vec<_>>(), [1, 0, 1, 1]);
    assert_eq!(entries[0].locked, 1_200);
}

/// Whoever keeps the others busy does not choose the panel.
#[test]
fn a_draw_waits_while_the_busy_weigh_as_much() {
    for (free, busy, fine) in [(7, 28, false), (14, 14, false), (15, 14, true), (7, 0, true), (0, 7, false)] {
        let mut scene = Scene::new(28, 1_000, 1_500);
        let locked = |n| if n < free { 0 } else { 1_100 };
        let mut entries: Vec<Entry> =
            (0..free + busy).map(|n| Entry { locked: locked(n), ..judge(n as u8 + 1, 1_200) }).collect();
        let seats = scene.draw(&mut entries).map(|seats| seats.len());
        assert_eq!(seats, if fine { Ok(free) } else { Err(Error::TOO_FEW_JUDGES) }, "{free} {busy}");
    }
}

/// A Roster full of judges that are skipped does not make a draw dear.
#[test]
fn a_draw_takes_a_bounded_number_of_numbers() {
    let mut scene = Scene::new(28, 1_000, 1_500);
    let mut entries: Vec<Entry> = (0..512).map(|_| Entry { locked: 1_100, ..judge(1, 1_200) }).collect();
    assert_eq!(scene.draw(&mut entries), Err(Error::TOO_FEW_JUDGES));
    for entry in &mut entries[..384] {
        entry.locked = 0;
    }
    assert_eq!(scene.draw(&mut entries).map(|seats| seats.len()), Ok(28));
}

#[test]
fn a_draw_forgets_the_round_before() {
    let mut scene = Scene::new(3, 1, 10);
    scene.panel.fill(Seat { result: 4, flags: 7, slashed: 1, ..Seat::zeroed() });
    (scene.case.seats, scene.case.committed, scene.case.revealed) = (3, 3, 2);
    (scene.case.accept_weight, scene.case.seated_weight, scene.case.fee) = (5, 6, 7);
    let mut entries = [judge(1, 4), judge(2, 40)];
    scene.draw(&mut entries).unwrap();
    let case = &scene.case;
    assert_eq!((case.seats, case.committed, case.revealed, case.accept_weight), (2, 0, 0, 0));
    assert_eq!((case.seated_weight, case.fee), (14, 7));
    assert!(scene.panel.iter().all(|seat| seat.result == 0 && seat.flags == 0 && seat.slashed == 0));
}

/// A judge that is a party or one's operator, or whose operator is one of them, may not judge. Keys
/// that begin alike are not the same, and no operator is nobody's.
#[test]
fn parties_are_told_by_whole_keys() {
    let key = |last: u8| {
        let mut key = [7; 32];
        key[31] = last;
        Address::new_from_array(key)
    };
    let none = Address::new_from_array([0; 32]);
    let task = Task { creator: key(1), worker: key(2), creator_operator: none, worker_operator: key(4), ..Task::zeroed() };
    for (authority, operator, may) in [
        (key(1), none, false),
        (key(2), none, false),
        (key(3), none, true),
        (key(4), none, false),
        (key(5), key(6), true),
        (key(5), key(1), false),
        (key(5), key(2), false),
        (key(5), key(4), false),
    ] {
        let entry = Entry { authority, operator, ..Entry::zeroed() };
        assert_eq!(Parties::of(&task).may_be_judged_by(&entry), may, "{authority} {operator}");
    }
    let entry = Entry { authority: key(5), ..Entry::zeroed() };
    assert!(Parties::of(&Task::zeroed()).may_be_judged_by(&entry));
    for byte in [0, 8, 16, 24, 31] {
        let mut other = *key(1).as_array();
        other[byte] ^= 1;
        let other = Address::new_from_array(other);
        for entry in [
            Entry { authority: other, ..Entry::zeroed() },
            Entry { authority: key(5), operator: other, ..Entry::zeroed() },
        ] {
            assert!(Parties::of(&task).may_be_judged_by(&entry), "{byte}");
        }
    }
}
