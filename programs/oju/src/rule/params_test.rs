use super::*;
use crate::layout;
use crate::vectors::{aligned, bytes, load};

/// The defaults of protocol section 4, from the vectors, with an hour to appeal.
fn default() -> Rules {
    Rules { appeal_seconds: 3_600, ..without_appeals() }
}

fn without_appeals() -> Rules {
    let vectors = load("accounts.json");
    let all = vectors.as_array().unwrap();
    let vector = all.iter().find(|vector| vector["name"] == "rules_default").unwrap();
    let words = aligned(&vector["data"]);
    *layout::record::<Rules>(bytemuck::cast_slice(&words)).unwrap()
}

#[test]
fn a_batch_leaves_time_for_challenges_and_for_its_end() {
    for (batch_seconds, challenge_seconds, evidence_seconds, fine) in [
        (43_200, 4_800, 52_800, true),
        (43_200, 4_799, 86_400, false),
        (43_200, 4_800, 52_799, false),
        (43_200, 21_600, 86_400, true),
        (43_200, 21_601, 86_400, false),
        (1, 4_800, 9_601, true),
        (1, 4_800, 9_600, false),
        (0, 0, 0, true),
        (0, u32::MAX, 0, true),
        (43_200, u32::MAX, 86_400, false),
        (43_200, 1 << 31, 86_400, false),
        (43_200, 4_800, 0, false),
    ] {
        let rules = Rules { batch_seconds, challenge_seconds, evidence_seconds, ..without_appeals() };
        assert_eq!(check(&rules).is_ok(), fine, "{batch_seconds} {challenge_seconds} {evidence_seconds}");
    }
}

/// A challenge is a case, which may be appealed.
#[test]
fn a_challenge_has_time_for_an_appeal() {
    for (challenge_seconds, fine) in [(13_200, true), (13_199, false)] {
        assert_eq!(check(&Rules { batch_seconds: 43_200, challenge_seconds, ..default() }).is_ok(), fine);
    }
}

#[test]
fn a_proctor_gets_no_more_than_half_of_the_least_bond() {
    for (batch_seconds, leaf_fee, fine) in [(0, 28_000_001, true), (1, 28_000_000, true), (1, 28_000_001, false)] {
        assert_eq!(check(&Rules { batch_seconds, leaf_fee, ..default() }).is_ok(), fine);
    }
}

#[test]
fn the_defaults_are_in_range() {
    assert_eq!(check(&default()), Ok(()));
}

#[test]
fn every_parameter_is_read_in_its_place() {
    let vectors = load("instructions.json");
    let all = vectors.as_array().unwrap();
    let vector = all.iter().find(|vector| vector["name"] == "init_config").unwrap();
    let data = bytes(&vector["data"]);
    let mut rules = default();
    let mut reader = Reader::new(&data[41..]);
    read(&mut reader, &mut rules).unwrap();
    reader.end().unwrap();
    assert_eq!((rules.min_stake, rules.max_seat_weight), (1_000_000_007, 1 << 50));
    assert_eq!((rules.commit_seconds, rules.evidence_seconds), (421, 86_401));
    assert_eq!((rules.fee_bps, rules.minority, rules.max_judges, rules.preset), (11, 9, 10_239, 2));
    assert_eq!((rules.leaf_fee, rules.batch_seconds, rules.challenge_seconds), (27_000_001, 43_199, 14_401));
    assert_eq!((rules.golden_bps, rules.credential), (1_003, 1));
    assert_eq!((rules.max_rounds, rules.panel_seats, rules.min_seats, rules.max_reworks), (2, 27, 8, 4));
}

/// For each field: values that are fine, and values that are not.
macro_rules! ranges {
    ($($field:ident: $good:expr, $bad:expr;)*) => {
        #[test]
        fn every_parameter_has_its_range() {
            $(
                for value in $good {
                    let rules = Rules { $field: value, ..default() };
                    assert_eq!(check(&rules), Ok(()), "{} {value}", stringify!($field));
                }
                for value in $bad {
                    let rules = Rules { $field: value, ..default() };
                    assert_eq!(check(&rules), Err(Error::BAD_CONFIG), "{} {value}", stringify!($field));
                }
            )*
        }
    };
}

ranges! {
    max_rounds: [1, 3], [0, 4, 255];
    panel_seats: [7, 28], [0, 6, 29, 255];
    min_seats: [1, 28], [0, 29, 255];
    max_reworks: [0, 255], [];
    min_stake: [1, 10_000_000_000], [0, 10_000_000_001, u64::MAX];
    max_seat_weight: [1_000_000_000, 1 << 50], [0, 999_999_999, (1 << 50) + 1, u64::MAX];
    fee_min: [0, 1 << 50], [(1 << 50) + 1, u64::MAX];
    min_reward: [1, u64::MAX], [0];
    commit_seconds: [1, 18_720], [0, 18_721, 86_401, u32::MAX];
    reveal_seconds: [1, 18_480], [0, 18_481, 86_401, u32::MAX];
    verify_seconds: [1, 2_592_000], [0, 2_592_001, u32::MAX];
    answer_seconds: [1, 2_592_000], [0, 2_592_001, u32::MAX];
    cooldown_seconds: [172_800, 2_592_000], [0, 172_799, 2_592_001, u32::MAX];
    draw_seconds: [1, 20_100], [0, 20_101, 86_401, u32::MAX];
    evidence_seconds: [0, 159_600], [159_601, 2_592_001, u32::MAX];
    fee_bps: [0, 10_000], [10_001, u16::MAX];
    creator_bps: [0, 10_000], [10_001, u16::MAX];
    worker_bps: [0, 10_000], [10_001, u16::MAX];
    risk_bps: [0, 10_000], [10_001, u16::MAX];
    batch_seconds: [0, 1, 43_200], [43_201, 57_601, u32::MAX];
    challenge_seconds: [0, 13_200, u32::MAX], [];
    leaf_fee: [0, u64::MAX], [];
    golden_bps: [0, 5_000], [5_001, u16::MAX];
    credential: [0, 1, 2], [3, 255];
    golden_gain: [6, u16::MAX], [0, 5];
    golden_loss: [3, u16::MAX], [0, 2];
    absence: [0, 40], [41, u16::MAX];
    minority: [0, 39], [40, u16::MAX];
    reversal: [0, 39], [40, u16::MAX];
    appeal_seconds: [0, 76_800], [76_801, 2_592_001, u32::MAX];
    preset: [1, 2], [0, 3, 255];
    max_judges: [7, 10_240], [0, 6, 10_241, u16::MAX];
    draw_delay_slots: [1, 256], [0, 257, u16::MAX];
    trade_bps: [0, 1_000], [1_001, u16::MAX];
    claim_bps: [0, 2_000], [2_001, u16::MAX];
    season_seconds: [1, 86_400], [86_401, 604_800, 0, 604_801, u32::MAX];
    cover_bps: [0, 10_000], [10_001, u16::MAX];
    min_work_seconds: [1, 86_400], [0, 86_401, u32::MAX];
}

#[test]
fn the_ends_of_the_durations_are_in_range() {
    let case = Rules {
        commit_seconds: DAY,
        reveal_seconds: DAY,
        draw_seconds: DAY,
        evidence_seconds: MONTH - 12 * DAY - 3_600,
        cooldown_seconds: MONTH,
        ..default()
    };
    let wait = Rules { verify_seconds: MONTH, answer_seconds: MONTH, ..default() };
    for rules in [case, wait] {
        assert_eq!(check(&rules), Ok(()));
    }
    for rules in [
        Rules { commit_seconds: DAY + 1, evidence_seconds: 0, ..case },
        Rules { reveal_seconds: DAY + 1, evidence_seconds: 0, ..case },
        Rules { draw_seconds: DAY + 1, evidence_seconds: 0, ..case },
        Rules { evidence_seconds: MONTH - 12 * DAY - 3_599, ..case },
        Rules { appeal_seconds: 3_601, ..case },
        Rules { cooldown_seconds: MONTH + 1, ..case },
        Rules { cooldown_seconds: MONTH - 1, ..case },
    ] {
        assert_eq!(check(&rules), Err(Error::BAD_CONFIG));
    }
}

/// For each field: values of the next version that may follow a value, and values that may not.
macro_rules! steps {
    ($($field:ident $old:literal: $good:expr, $bad:expr;)*) => {
        #[test]
        fn a_version_is_held_to_its_predecessor() {
            $(
                let old = Rules { $field: $old, ..default() };
                for value in $good {
                    let new = Rules { $field: value, ..default() };
                    assert_eq!(follows(&new, &old), Ok(()), "{} {value}", stringify!($field));
                }
                for value in $bad {
                    let new = Rules { $field: value, ..default() };
                    assert_eq!(follows(&new, &old), Err(Error::BAD_CONFIG), "{} {value}", stringify!($field));
                }
            )*
        }
    };
}

steps! {
    commit_seconds 420: [60, 421], [1, 59];
    commit_seconds 5: [5, 60], [1, 4];
    reveal_seconds 180: [60, 179], [1, 59];
    reveal_seconds 5: [5], [4];
    verify_seconds 28_800: [60, 2_592_000], [1, 59];
    verify_seconds 5: [5], [4];
    answer_seconds 28_800: [60, 2_592_000], [1, 59];
    answer_seconds 5: [5], [4];
    draw_seconds 1_800: [60], [59];
    draw_delay_slots 3: [1, 255, 256], [];
    draw_seconds 5: [5], [4];
    evidence_seconds 86_400: [60], [0, 59];
    evidence_seconds 0: [0, 60], [];
    cooldown_seconds 172_800: [172_800, 604_800], [93_600, 172_799, 604_801, 2_592_000];
    cooldown_seconds 604_800: [604_800, 1_209_600], [604_799, 1_209_601];
    min_reward 1_000_000: [1, 10_000_000], [10_000_001, u64::MAX];
    min_reward 50_000_000: [1, 100_000_000], [100_000_001];
    min_reward 18_446_744_073_709_551_615: [1, u64::MAX], [];
    min_stake 1_000_000_000: [1, 2_000_000_000], [2_000_000_001];
    min_stake 1_000_000: [1, 1_000_000_000], [1_000_000_001];
    min_seats 7: [7, 28], [1, 6];
    min_seats 28: [7, 28], [6];
    min_seats 3: [3, 28], [2];
    risk_bps 50: [0, 1_000], [1_001, 10_000];
    risk_bps 5_000: [0, 1_000, 5_000], [5_001];
    season_seconds 86_400: [600, 86_400], [1, 599, 86_401, 604_800];
    season_seconds 30: [30, 86_400], [29];
    cover_bps 500: [100, 1_000], [0, 99, 1_001];
    cover_bps 5_000: [100, 5_000], [0, 99, 5_001];
    cover_bps 50: [50, 1_000], [0, 49];
    fee_min 1_000_000: [0, 10_000_000], [10_000_001, 1_125_899_906_842_624];
    fee_min 50_000_000: [0, 100_000_000], [100_000_001];
    max_seat_weight 20_000_000_000: [10_000_000_000, 40_000_000_000], [9_999_999_999, 40_000_000_001];
    cover_bps 0: [0, 1, 10_000], [];
    appeal_seconds 3_600: [60, 7_200], [0, 59];
    appeal_seconds 20: [20, 60], [0, 19];
    appeal_seconds 0: [0, 1, 3_600], [];
    preset 1: [1, 2], [];
}

/// A draw that waits for more slots than the time to draw has would end every case undecided.
#[test]
fn a_version_leaves_time_to_draw() {
    let old = Rules { draw_seconds: 1_800, ..default() };
    let next = |draw_seconds, draw_delay_slots| follows(&Rules { draw_seconds, draw_delay_slots, ..default() }, &old);
    assert_eq!((next(60, 75), next(60, 76)), (Ok(()), Ok(())));
    assert_eq!((next(60, 78), next(60, 256)), (Err(Error::BAD_CONFIG), Err(Error::BAD_CONFIG)));
    assert_eq!((next(131, 256), next(132, 256)), (Err(Error::BAD_CONFIG), Ok(())));
    let devnet = Rules { draw_seconds: 5, draw_delay_slots: 1, ..default() };
    assert_eq!(follows(&Rules { draw_delay_slots: 4, ..devnet }, &devnet), Ok(()));
}
