use super::*;
use crate::vectors::{bytes, load};
use std::vec::Vec;

/// FIPS 180-4, example "abc".
const ABC: [u8; 32] = [
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0,
    0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
];

#[test]
fn parts_are_hashed_as_one() {
    assert_eq!(sha256(&[b"abc"]), ABC);
    assert_eq!(sha256(&[b"a", b"", b"bc"]), ABC);
}

/// Reads the vectors of an event into the struct and checks kind, size and place of every field.
fn agrees<E: Event>(fields: &[(&str, usize)]) {
    let vectors = load("events.json");
    let all = vectors.as_array().unwrap();
    let found: Vec<_> = all.iter().filter(|vector| vector["event"] == E::NAME).collect();
    assert!(!found.is_empty(), "no vector of {}", E::NAME);
    for vector in found {
        let data = bytes(&vector["data"]);
        assert_eq!(data[..8], E::KIND);
        let fixed = vector["fields"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|field| !field["name"].as_str().unwrap().starts_with("seats["));
        let fixed: Vec<_> = fixed.collect();
        assert_eq!(fixed.len(), fields.len(), "{}", E::NAME);
        for (field, (name, offset)) in fixed.iter().zip(fields) {
            assert_eq!(field["name"], *name, "{}", E::NAME);
            assert_eq!(field["offset"].as_u64(), Some(8 + *offset as u64), "{} {name}", E::NAME);
        }
        let list = data.len() - 8 - size_of::<E>();
        assert!(list == 0 || ["Drawn", "RoundSettled", "CaseFinished"].contains(&E::NAME), "{} {list}", E::NAME);
    }
}

macro_rules! vectors {
    ($($event:ident { $($field:ident),+ })+) => {
        #[test]
        fn every_field_is_where_the_vectors_have_it() {
            $(agrees::<$event>(&[$((stringify!($field), core::mem::offset_of!($event, $field))),+]);)+
        }
    };
}

vectors! {
    ConfigSet { authority, pending_authority, paused, listed }
    AdmissionSet { judge, admitted }
    RulesSet { number, from }
    AgentSet { authority, agent, operator, card_hash, page }
    VaultMoved { authority, delta, vault }
    DataSet { authority, data, len }
    GrantSet { data, task, grantee, flags }
    TaskMoved { task, actor, from, to, outcome, resolution, hash, amount, deadline, at }
    Paid { task, to, kind, amount }
    StakeMoved { judge, index, delta, stake, kind }
    JudgeExiting { judge, exit_at }
    CaseOpened { task, round, seed_slot, draw_by, at }
    Drawn { task, round, slot, slot_hash, weight, commit_ends }
    Committed { task, round, seat, judge, commitment }
    Revealed { task, round, seat, judge, choice, opinion_hash, receipts_root, salt }
    RoundSettled { task, round, verdict, accept, reject, abstain, seated, bond, golden, at }
    Appealable { task, verdict, appeal_by }
    Appealed { task, party, seats, bond, at }
    CaseFinished { task, verdict, level, bond, golden, at }
    Slashed { task, round, seat, judge, amount }
    RewardClaimed { judge, amount }
    Closed { account, to, amount }
    DataPaid { payer, payee, amount, paid }
}

#[test]
fn the_longest_event_fits() {
    let vectors = load("events.json");
    let longest = vectors.as_array().unwrap().iter().map(|vector| bytes(&vector["data"]).len()).max();
    assert_eq!(longest, Some(MAX_EVENT));
}
