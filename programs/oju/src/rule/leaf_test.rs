use super::*;
use crate::vectors::{bytes, hash, load, small};
use serde_json::Value;
use std::vec::Vec;

/// The leaf in the preimage of a vector.
struct Read {
    raw: Vec<u8>,
    task: Address,
}

impl Read {
    fn of(vector: &Value) -> Read {
        let raw = bytes(&vector["leaf"]);
        let task = Address::new_from_array(raw[11..43].try_into().unwrap());
        Read { raw, task }
    }

    fn part(&self, from: usize) -> &[u8; 32] {
        self.raw[from..from + 32].try_into().unwrap()
    }

    fn leaf(&self) -> Leaf<'_> {
        Leaf {
            task: &self.task,
            task_hash: self.part(43),
            result_hash: self.part(75),
            objection_hash: self.part(107),
            counter_hash: self.part(139),
            answer: self.raw[171],
            generator: self.part(172),
            seed: self.part(204),
        }
    }
}

#[test]
fn leaves_proofs_and_questions_are_those_of_the_vectors() {
    let vectors = load("leaves.json");
    let batches = vectors["batches"].as_array().unwrap();
    assert!(batches.len() >= 5);
    for batch in batches {
        let (leaves, root) = (small(&batch["leaves"]) as u32, hash(&batch["root"]));
        for proof in batch["proofs"].as_array().unwrap() {
            let read = Read::of(proof);
            let (leaf, seal) = (read.leaf(), hash(&proof["seal"]));
            assert_eq!(leaf.bytes()[..], read.raw[..]);
            assert_eq!(leaf.seal(), seal);
            assert_eq!(leaf.challenge(), hash(&proof["question"]));
            let index = small(&proof["index"]) as u32;
            let path: Vec<u8> = proof["path"].as_array().unwrap().iter().flat_map(bytes).collect();
            let at = Place { index, leaves, root: &root };
            assert_eq!(leaf.stands(&seal, &at, &path), Ok(()));
            refuses(&leaf, &seal, &at, &path);
        }
    }
}

fn refuses(leaf: &Leaf, seal: &[u8; 32], at: &Place, path: &[u8]) {
    let Place { index, leaves, root } = *at;
    let refused = Err(Error::NOT_IN_BATCH);
    let other = [7; 32];
    for (place, what) in [
        (Place { index: index ^ 1, leaves, root }, "index"),
        (Place { index: index + 1024, leaves, root }, "index beyond the leaves"),
        (Place { index, leaves: leaves + 1, root }, "leaves"),
        (Place { index, leaves: 0, root }, "no leaves"),
        (Place { index, leaves, root: &other }, "root"),
    ] {
        assert_eq!(leaf.stands(seal, &place, path), refused, "{what}");
    }
    assert_eq!(leaf.stands(&other, at, path), refused, "seal");
    assert_eq!(leaf.stands(seal, at, &[path, &[0; 32]].concat()), refused, "longer");
    assert_eq!(leaf.stands(seal, at, &[path, &[0]].concat()), refused, "a byte more");
    assert_eq!(Leaf { seed: &other, ..*leaf }.stands(seal, at, path), refused, "seed");
}

#[test]
fn every_field_is_in_the_seal() {
    let (task, other, byte) = (Address::new_from_array([1; 32]), Address::new_from_array([2; 32]), [9; 32]);
    let leaf = Leaf {
        task: &task,
        task_hash: &[1; 32],
        result_hash: &[2; 32],
        objection_hash: &[3; 32],
        counter_hash: &[4; 32],
        answer: 1,
        generator: &[5; 32],
        seed: &[6; 32],
    };
    for changed in [
        Leaf { task: &other, ..leaf },
        Leaf { task_hash: &byte, ..leaf },
        Leaf { result_hash: &byte, ..leaf },
        Leaf { objection_hash: &byte, ..leaf },
        Leaf { counter_hash: &byte, ..leaf },
        Leaf { answer: 2, ..leaf },
        Leaf { generator: &byte, ..leaf },
        Leaf { seed: &byte, ..leaf },
    ] {
        assert_ne!(changed.seal(), leaf.seal());
        assert_ne!(changed.challenge(), leaf.challenge());
    }
}

#[test]
fn the_depth_is_that_of_the_next_power_of_two() {
    for (leaves, expected) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (255, 8), (256, 8), (257, 9)] {
        assert_eq!(depth(leaves), expected, "{leaves}");
    }
}
