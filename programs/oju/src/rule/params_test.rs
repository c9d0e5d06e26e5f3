use super::*;
use crate::layout;
use crate::vectors::{aligned, bytes, load};

/// The defaults of protocol section 4, from the vectors.
fn default() -> Config {
    let vectors = load("accounts.json");
    let all = vectors.as_array().unwrap();
    let vector = all.iter().find(|vector| vector["name"] == "config_default").unwrap();
    let words = aligned(&vector["data"]);
    *layout::record::<Config>(bytemuck::cast_slice(&words)).unwrap()
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
    let mut config = default();
    let mut reader = Reader::new(&data[8..]);
    read(&mut reader, &mut config).unwrap();
    reader.end().unwrap();
    assert_eq!(config.network.to_vec(), data[8..40]);
    assert_eq!((config.min_stake, config.max_seat_weight), (1_000_000_007, 1 << 50));
    assert_eq!((config.commit_seconds, config.evidence_seconds), (421, 86_401));
    assert_eq!((config.bond_bps, config.abstain_free, config.max_judges), (501, 9, 511));
    assert_eq!((config.max_rounds, config.panel_seats, config.min_seats, config.max_reworks), (2, 27, 8, 4));
}

/// For each field: values that are fine, and values that are not.
macro_rules! ranges {
    ($($field:ident: $good:expr, $bad:expr;)*) => {
        #[test]
        fn every_parameter_has_its_range() {
            $(
                for value in $good {
                    let config = Config { $field: value, ..default() };
                    assert_eq!(check(&config), Ok(()), "{} {value}", stringify!($field));
                }
                for value in $bad {
                    let config = Config { $field: value, ..default() };
                    assert_eq!(check(&config), Err(Error::BAD_CONFIG), "{} {value}", stringify!($field));
                }
            )*
        }
    };
}

ranges! {
    paused: [0, 1], [2, 255];
    max_rounds: [1, 3], [0, 4, 255];
    panel_seats: [7, 28], [0, 6, 29, 255];
    min_seats: [1, 28], [0, 29, 255];
    max_reworks: [0, 255], [];
    min_stake: [1, 10_000_000_000], [0, 10_000_000_001, u64::MAX];
    max_seat_weight: [1_000_000_000, 1 << 50], [0, 999_999_999, (1 << 50) + 1, u64::MAX];
    min_bond: [0, u64::MAX], [];
    min_reward: [1, u64::MAX], [0];
    commit_seconds: [1, 26_820], [0, 26_821, 86_401, u32::MAX];
    reveal_seconds: [1, 26_580], [0, 26_581, 86_401, u32::MAX];
    verify_seconds: [1, 2_592_000], [0, 2_592_001, u32::MAX];
    answer_seconds: [1, 2_592_000], [0, 2_592_001, u32::MAX];
    cooldown_seconds: [93_600, u32::MAX], [0, 93_599];
    draw_seconds: [1, 28_200], [0, 28_201, 86_401, u32::MAX];
    evidence_seconds: [0, 165_600], [165_601, 2_592_001, u32::MAX];
    bond_bps: [0, 10_000], [10_001, u16::MAX];
    absent_bps: [0, 10_000], [10_001, u16::MAX];
    minority_bps: [0, 10_000], [10_001, u16::MAX];
    equivocation_bps: [0, 10_000], [10_001, u16::MAX];
    abstain_bps: [0, 10_000], [10_001, u16::MAX];
    abstain_free: [0, u16::MAX], [];
    max_judges: [7, 512], [0, 6, 513, u16::MAX];
    draw_delay_slots: [1, 256], [0, 257, u16::MAX];
    trade_bps: [0, 1_000], [1_001, u16::MAX];
    claim_bps: [0, 2_000], [2_001, u16::MAX];
    min_work_seconds: [1, 86_400], [0, 86_401, u32::MAX];
}

#[test]
fn the_ends_of_the_durations_are_in_range() {
    let most = Config {
        commit_seconds: DAY,
        reveal_seconds: DAY,
        draw_seconds: DAY,
        evidence_seconds: MONTH,
        cooldown_seconds: MONTH + 9 * DAY,
        ..default()
    };
    assert_eq!(check(&most), Ok(()));
    for config in [
        Config { commit_seconds: DAY + 1, cooldown_seconds: u32::MAX, ..most },
        Config { reveal_seconds: DAY + 1, cooldown_seconds: u32::MAX, ..most },
        Config { draw_seconds: DAY + 1, cooldown_seconds: u32::MAX, ..most },
        Config { evidence_seconds: MONTH + 1, cooldown_seconds: u32::MAX, ..most },
        Config { cooldown_seconds: MONTH + 9 * DAY - 1, ..most },
    ] {
        assert_eq!(check(&config), Err(Error::BAD_CONFIG));
    }
}
