use super::*;
use crate::rule::random::Random;
use bytemuck::Zeroable;
use std::vec::Vec;

const RULES: fn() -> Rules =
    || Rules { min_stake: 100, max_seat_weight: 1_000, min_seats: 2, season_seconds: 86_400, ..Rules::zeroed() };

fn judge(stake: u64) -> Entry {
    Entry { stake, state: ACTIVE, ..Entry::zeroed() }
}

fn weights(entries: &[Entry]) -> Vec<(u64, u64, u8)> {
    entries.iter().map(|entry| (entry.weight, entry.weight_before, entry.owned)).collect()
}

/// The sums of pages of which only the first has a weight.
fn first(sum: u64) -> [u64; PAGES] {
    let mut pages = [0; PAGES];
    pages[0] = sum;
    pages
}

#[test]
fn a_season_fixes_the_weights() {
    let mut roster = Roster::zeroed();
    let mut entries = [judge(100), judge(49), judge(50), judge(2_000), Entry { state: EXITING, ..judge(500) }];
    roster.begin_season(&mut entries, &RULES(), &Clock { slot: 7, time: 70 }).unwrap();
    assert_eq!(weights(&entries), [(100, 0, 1), (0, 0, 1), (50, 0, 1), (1_000, 0, 1), (0, 0, 1)]);
    assert_eq!((roster.weight, roster.pages, roster.season_at, roster.season_slot), (1_150, first(1_150), 70, 7));
    entries[0].stake = 900;
    entries[2].replace(Entry::zeroed());
    entries[3].replace(judge(300));
    roster.begin_season(&mut entries, &RULES(), &Clock { slot: 900, time: 90_000 }).unwrap();
    assert_eq!(weights(&entries), [(900, 100, 3), (0, 0, 3), (0, 50, 1), (300, 1_000, 1), (0, 0, 3)]);
    assert_eq!((roster.pages_before, roster.before_slot, roster.weight), (first(1_150), 7, 1_200));
    assert!(!entries[3].owns(Season::Before) && entries[3].owns(Season::Now));
    assert_eq!(roster.season, 2);
}

/// A case remembers the number of a season. Two turns later the Roster has forgotten it.
#[test]
fn a_season_is_found_by_its_number() {
    for season in [1, 255, 256, 257, u32::MAX] {
        let roster = Roster { season, ..Roster::zeroed() };
        for of in [Season::Now, Season::Before] {
            assert_eq!(roster.numbered(roster.number(of)), Some(of), "{season}");
        }
        let next = Roster { season: season.wrapping_add(1), ..roster };
        assert_eq!(next.numbered(roster.number(Season::Now)), Some(Season::Before));
        assert_eq!(next.numbered(roster.number(Season::Before)), None);
    }
}

/// A judge with a good record, which weighed as much before.
fn proven(stake: u64) -> Entry {
    Entry { right: 20, seen: 20, weight: stake.min(1_000), owned: OWN, ..judge(stake) }
}

fn begin(entries: &mut [Entry], rules: &Rules) -> (bool, Vec<u64>) {
    let few = Roster::zeroed().begin_season(entries, rules, &Clock { slot: 7, time: 70 }).unwrap();
    (few, entries.iter().map(|entry| entry.weight).collect())
}

/// Novices get equal parts of the room in the order of the Roster, and none a weight below a
/// quarter of min_stake. The room stays while they and the proven judges are min_seats together.
#[test]
fn novices_weigh_a_ninth() {
    let bad = Entry { wrong: 20, seen: 20, ..judge(500) };
    let apart = Rules { credential: APART, ..RULES() };
    let mut court = [judge(70), proven(900), judge(100), proven(2_000), bad, judge(60), judge(49), judge(2_000)];
    assert_eq!(begin(&mut court, &apart), (false, [52, 900, 52, 1_000, 0, 52, 0, 52].to_vec()));
    let all = [70, 900, 100, 1_000, 0, 60, 0, 1_000];
    assert_eq!(begin(&mut court, &Rules { credential: 1, ..RULES() }).1, all);
    court[1].stake = 750;
    assert_eq!(begin(&mut court, &apart).1, [48, 750, 48, 1_000, 0, 48, 0, 48]);
    court[1] = judge(900);
    for (min_seats, few) in [(5, false), (6, true)] {
        let weights = if few { all } else { [25, 25, 25, 1_000, 0, 25, 0, 0] };
        assert_eq!(begin(&mut court, &Rules { min_seats, ..apart }), (few, weights.to_vec()));
    }
}

/// A proven judge weighs at most what it did, or min_stake, and twice as much after five golden
/// cases.
#[test]
fn the_weight_of_a_proven_judge_grows_with_its_record() {
    let rules = Rules { credential: APART, ..RULES() };
    let of = |weight, since| Entry { stake: 2_000, weight, since, ..proven(0) };
    let mut court = [of(30, 4), of(30, 5), of(300, 0), of(300, 255), of(600, 5), Entry { owned: OWN_BEFORE, ..of(300, 5) }];
    assert_eq!(begin(&mut court, &rules), (false, [100, 200, 300, 600, 1_000, 200].to_vec()));
    assert_eq!(court.map(|entry| entry.since), [4, 0, 0, 0, 0, 0]);
    assert_eq!(begin(&mut court, &rules).1, [100, 200, 300, 600, 1_000, 200]);
    (court[2].since, court[2].stake) = (5, 250);
    assert_eq!((begin(&mut court, &rules).1[2], court[2].since), (250, 5), "less stake keeps the record");
    assert_eq!(begin(&mut court, &RULES()).1[0], 1_000, "no rule asks for a record");
}

/// However many judges of whatever stake and record there are, novices never weigh more than a
/// ninth of the proven ones.
#[test]
fn no_court_lets_novices_weigh_more() {
    let mut random = Random::new(66);
    for _ in 0..200 {
        let mut entries: Vec<Entry> = (0..1 + random.below(512))
            .map(|_| Entry { seen: random.below(3) as u8 * 10, right: random.below(21) as u8, ..judge(random.below(3_000)) })
            .collect();
        let rules = Rules { credential: APART, ..RULES() };
        let few = Roster::zeroed().begin_season(&mut entries, &rules, &Clock { slot: 7, time: 70 }).unwrap();
        let of = |proven: bool| entries.iter().filter(|e| e.proven() == proven).map(|e| e.weight).sum::<u64>();
        assert!(few || 9 * of(false) <= of(true), "{} of {}", of(false), of(true));
    }
}

/// Every page has the sum of its entries, whatever happens to them.
#[test]
fn pages_sum_their_entries() {
    let mut random = Random::new(33);
    let mut roster = Roster::zeroed();
    let mut entries: Vec<Entry> = (0..300).map(|_| judge(random.below(1_500))).collect();
    for slot in 1..60 {
        for _ in 0..40 {
            let entry = &mut entries[random.below(300) as usize];
            match random.below(4) {
                0 => entry.stake += 10,
                1 => entry.state = EXITING,
                2 => entry.replace(Entry::zeroed()),
                _ => entry.replace(judge(random.below(1_500))),
            }
        }
        if random.below(3) == 0 {
            roster.begin_season(&mut entries, &RULES(), &Clock { slot, time: 1 }).unwrap();
        }
        for season in [Season::Now, Season::Before] {
            for (page, &sum) in entries.chunks(PAGE).zip(roster.sums(season)) {
                assert_eq!(sum, page.iter().map(|entry| entry.weight_in(season)).sum::<u64>());
            }
        }
        assert_eq!(roster.weight, roster.pages.iter().sum::<u64>());
    }
}

/// The last season that began before the seed slot counts, however many begin after it.
#[test]
fn a_draw_sees_the_season_of_its_seed_slot() {
    let roster = Roster { season_slot: 900, before_slot: 300, ..Roster::zeroed() };
    for (seed, season) in [
        (u64::MAX, Some(Season::Now)),
        (901, Some(Season::Now)),
        (900, Some(Season::Before)),
        (301, Some(Season::Before)),
        (300, None),
        (0, None),
    ] {
        assert_eq!(roster.season_of(seed), season, "{seed}");
    }
}

/// A stake stays for as long as one of two seasons has its weight.
#[test]
fn a_stake_stays_while_a_season_counts_it() {
    let entry = |owned, weight, weight_before| Entry { owned, weight, weight_before, ..judge(1) };
    let counted = [entry(OWN, 1, 0), entry(OWN_BEFORE, 0, 1), entry(OWN | OWN_BEFORE, 1, 1)];
    let free = [entry(0, 1, 1), entry(OWN, 0, 1), entry(OWN_BEFORE, 1, 0), entry(OWN | OWN_BEFORE, 0, 0)];
    assert!(counted.iter().all(Entry::counted) && !free.iter().any(Entry::counted));
}

#[test]
fn a_season_ends_after_its_time_and_its_slots() {
    let entries = [Entry { weight: 1, owned: OWN, ..judge(1) }; 2];
    let roster = Roster { season_at: 1_000, season_slot: 5_000, ..Roster::zeroed() };
    let over = |entries: &[Entry], rules: &Rules, time, slot| roster.season_over(entries, rules, &Clock { slot, time });
    assert!(!over(&entries, &RULES(), 87_399, 9_999));
    assert!(over(&entries, &RULES(), 87_400, 5_513));
    assert!(!over(&entries, &RULES(), 87_400, 5_512));
    let fast = Rules { season_seconds: 30, ..RULES() };
    assert!(over(&entries, &fast, 1_030, 5_031) && !over(&entries, &fast, 1_030, 5_030));
    assert!(over(&entries[..1], &RULES(), 0, 5_513), "no panel can be drawn");
    assert!(!over(&entries[..1], &RULES(), 0, 5_512), "draws of older rules would forget their seed slot");
    let new = Roster { season_at: 0, season_slot: 0, ..roster };
    assert!(new.season_over(&[], &RULES(), &Clock { slot: 1, time: 0 }), "the first season of a chain");
    let left = Entry { owned: 0, ..entries[0] };
    assert!(over(&[entries[0], left], &RULES(), 0, 5_513), "a weight of somebody that left");
    let before = Entry { owned: OWN_BEFORE, weight: 0, weight_before: 1, ..entries[0] };
    assert!(!over(&[entries[0], before], &RULES(), 0, 5_513), "a draw may see the season before");
    let leaves = Entry { state: EXITING, exit_slot: 5_488, ..entries[0] };
    assert!(!over(&[entries[0], leaves], &RULES(), 0, 9_999), "a panel could make the court too small");
    let gone = Entry { weight: 0, ..leaves };
    assert!(over(&[entries[0], gone], &RULES(), 0, 9_999));
}

/// A case of the season before is over when a season from which nobody is drawn ends early.
#[test]
fn a_season_that_seats_nobody_lasts_as_long_as_a_case() {
    let weighs = Entry { weight: 1, owned: OWN, ..judge(1) };
    let before = Entry { weight_before: 1, owned: OWN_BEFORE, ..judge(2) };
    let roster = Roster { season_at: 1_000, season_slot: 5_000, ..Roster::zeroed() };
    let rules = Rules { draw_seconds: 1, commit_seconds: 2, reveal_seconds: 3, max_rounds: 2, appeal_seconds: 100, ..RULES() };
    let over = |entries: &[Entry], rules: &Rules, time| roster.season_over(entries, rules, &Clock { slot: 9_999, time });
    assert_eq!([1_123, 1_124].map(|time| over(&[weighs, before], &rules, time)), [false, true]);
    assert_eq!([1_124, 87_399].map(|time| over(&[weighs, weighs], &rules, time)), [false, false]);
    let fast = Rules { season_seconds: 30, ..rules };
    assert_eq!([1_029, 1_030].map(|time| over(&[weighs, before], &fast, time)), [false, true]);
}

/// The season is over as its definition says, which walks before it looks at the clock.
#[test]
fn a_season_that_is_due_needs_no_walk() {
    let mut random = Random::new(219);
    let mut ends = [0; 2];
    for _ in 0..20_000 {
        let mut below = |n: u64| random.below(n);
        let entries: Vec<Entry> = (0..below(6))
            .map(|_| Entry { owned: below(4) as u8, weight: below(2), weight_before: below(2), ..judge(1) })
            .collect();
        let seconds = [30, 120, 124, 130, 86_400][below(5) as usize];
        let rules =
            Rules { draw_seconds: 1, commit_seconds: 2, reveal_seconds: 3, max_rounds: 2, appeal_seconds: 100, ..RULES() };
        let rules = Rules { season_seconds: seconds, min_seats: below(4) as u8, ..rules };
        let roster = Roster { season_at: 1_000, season_slot: below(2) * 5_000, ..Roster::zeroed() };
        let (slot, time) = (5_000 + below(600), 1_000 + below(200) as i64);
        let count = |so: fn(&Entry) -> bool| entries.iter().filter(|entry| so(entry)).count() < rules.min_seats as usize;
        let (few, empty) = (count(Entry::counted), count(Entry::weighs));
        let lasts = if empty { longest(&rules).min(seconds) } else { seconds };
        let apart = roster.season_slot == 0 || slot - 5_000 > WINDOW.min(seconds as u64);
        let over = (few || time >= 1_000 + lasts as i64) && apart;
        assert_eq!(roster.season_over(&entries, &rules, &Clock { slot, time }), over);
        ends[over as usize] += 1;
    }
    assert!(ends.iter().all(|&n| n > 1_000), "{ends:?}");
}

#[test]
fn a_judge_that_leaves_answers_for_its_last_seat() {
    let mut entry = Entry { state: EXITING, exit_at: 100, ..judge(1) };
    entry.answers_until(99);
    assert_eq!(entry.exit_at, 100);
    entry.answers_until(101);
    assert_eq!(entry.exit_at, 101);
    let mut stays = judge(1);
    stays.answers_until(101);
    assert_eq!(stays.exit_at, judge(1).exit_at);
}

#[test]
fn a_seed_slot_is_good_for_a_window() {
    assert_eq!([outdated(100, 99), outdated(100, 612), outdated(100, 613)], [false, false, true]);
}

/// A season by the words of the protocol, without marks: the weights, and whether judges were few.
fn slow(entries: &[Entry], rules: &Rules) -> (Vec<(u64, u8)>, bool) {
    let staked = |e: &Entry| e.state == ACTIVE && e.stake >= (rules.min_stake / 2).max(1);
    let base = |e: &Entry| if e.owned & OWN != 0 { e.weight } else { 0 }.max(rules.min_stake);
    let full = |e: &Entry| e.stake.min(rules.max_seat_weight);
    let borne = |e: &Entry| full(e).min(if e.since >= 5 { 2 * base(e) } else { base(e) });
    let fit: Vec<&Entry> = entries.iter().filter(|e| staked(e) && e.holds()).collect();
    let proven = fit.iter().filter(|e| e.proven()).count() as u64;
    let novices = fit.len() as u64 - proven;
    let mut room = fit.iter().filter(|e| e.proven()).map(|e| borne(e)).sum::<u64>() / 9;
    let least = (rules.min_stake / 4).max(1);
    let each = (room / novices.max(1)).max(least);
    let few = rules.credential > 0 && fit.len() < rules.min_seats as usize;
    let apart = rules.credential == 2 && proven + novices.min(room / least) >= rules.min_seats as u64;
    let next = |e: &Entry| {
        let listed = few && e.owned & OWN != 0 && e.weight > 0;
        if !staked(e) || rules.credential > 0 && !e.holds() && !listed {
            return (0, e.since);
        }
        if !apart {
            return (full(e), e.since);
        }
        if !e.proven() {
            let weight = full(e).min(each).min(room);
            let weight = if weight < least { 0 } else { weight };
            room -= weight;
            return (weight, e.since);
        }
        (borne(e), if borne(e) > base(e) { 0 } else { e.since })
    };
    (entries.iter().map(next).collect(), few || rules.credential == 2 && !apart)
}

/// Whatever the judges and the rules are, a season is that of the protocol, and leaves no mark.
#[test]
fn a_season_is_that_of_the_protocol() {
    let mut random = Random::new(219);
    let (mut fews, mut grown) = (0, 0);
    for turn in 0..3_000 {
        let most = if turn % 500 == 0 { MAX_JUDGES as u64 } else { 300 };
        let proven = random.below(11);
        let mut entries: Vec<Entry> = (0..random.below(most + 1))
            .map(|_| Entry {
                state: random.below(3) as u8,
                weight: random.below(1_200) * random.below(2),
                owned: (random.below(4) + if random.below(10) < proven { 4 } else { 0 }) as u8,
                right: random.below(40) as u8,
                wrong: random.below(20) as u8,
                seen: random.below(64) as u8,
                since: random.below(10) as u8,
                ..judge(random.below(2_500))
            })
            .collect();
        let rules = Rules {
            credential: random.below(3) as u8,
            min_seats: [1, 2, 7, 28][random.below(4) as usize],
            min_stake: 1 + random.below(400),
            ..RULES()
        };
        let (expected, told) = slow(&entries, &rules);
        let before = entries.clone();
        let mut roster = Roster::zeroed();
        assert_eq!(roster.begin_season(&mut entries, &rules, &Clock { slot: 7, time: 70 }), Ok(told));
        for ((entry, (weight, since)), was) in entries.iter().zip(expected).zip(&before) {
            assert_eq!((entry.weight, entry.since, entry.weight_before), (weight, since, was.weight));
            assert_eq!(entry.owned, 1 + was.owned % 2 * 2 + (was.owned & PROVEN));
            grown += (was.since > 0 && since == 0) as usize;
        }
        for (page, sum) in entries.chunks(PAGE).zip(roster.pages) {
            assert_eq!(sum, page.iter().map(|entry| entry.weight).sum::<u64>());
        }
        assert_eq!(roster.weight, roster.pages.iter().sum::<u64>());
        fews += told as usize;
    }
    assert!(fews > 200 && grown > 200, "{fews} {grown}");
}
