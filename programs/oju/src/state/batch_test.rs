use super::*;
use bytemuck::Zeroable;

fn batch(leaves: u32) -> Batch {
    Batch { leaves, deposit: 100, challenge_seconds: 10, ..Batch::zeroed() }
}

#[test]
fn a_leaf_is_opened_once_and_the_last_completes_the_batch() {
    let mut batch = batch(10);
    for index in [9, 0, 8, 1, 7, 2, 6, 3, 5] {
        assert_eq!(batch.mark(index, 50), Ok(()));
        assert_eq!(batch.mark(index, 51), Err(Error::LEAF_OPEN));
        assert!(!batch.complete() && batch.complete_at == 0);
    }
    assert_eq!(batch.mark(4, 60), Ok(()));
    assert!(batch.complete() && batch.complete_at == 60 && batch.opened == 10);
    assert_eq!(batch.mark(256, 61), Err(Error::NOT_IN_BATCH));
}

#[test]
fn a_fair_batch_is_whole_balanced_and_hardly_void() {
    for (leaves, opened, void, accepts, expected) in [
        (2, 2, 0, 1, true),
        (2, 1, 0, 1, false),
        (2, 2, 0, 0, false),
        (2, 2, 0, 2, false),
        (2, 2, 2, 0, false),
        (4, 4, 1, 2, false),
        (6, 6, 1, 3, false),
        (8, 8, 1, 3, true),
        (8, 8, 1, 4, true),
        (8, 8, 1, 2, false),
        (8, 8, 2, 3, false),
        (9, 9, 1, 4, true),
        (10, 10, 1, 4, true),
        (10, 10, 1, 5, true),
        (10, 10, 1, 3, false),
        (11, 11, 1, 6, false),
        (11, 11, 1, 5, true),
        (20, 20, 0, 9, true),
        (20, 20, 0, 11, true),
        (20, 20, 0, 8, false),
        (20, 20, 0, 12, false),
        (20, 20, 2, 9, true),
        (20, 20, 2, 8, true),
        (20, 20, 2, 10, true),
        (20, 20, 2, 11, false),
        (20, 20, 3, 8, false),
        (256, 256, 25, 115, true),
        (256, 256, 26, 115, false),
    ] {
        let batch = Batch { opened, void, accepts, ..batch(leaves) };
        assert_eq!(batch.fair(), expected, "{leaves} {opened} {void} {accepts}");
    }
}

#[test]
fn a_pause_explains_void_leaves_and_not_closed_ones() {
    for (opened, void, paused, expected) in [
        (10, 1, 110, true),
        (10, 1, 109, false),
        (10, 1, 0, false),
        (10, 10, u32::MAX, true),
        (9, 9, 110, false),
        (0, 0, 110, false),
        (10, 0, 110, false),
    ] {
        let batch = Batch { opened, void, committed_at: 1_000, open_by: 1_100, paused_before: 100, ..batch(10) };
        assert_eq!(batch.stopped(paused), expected, "{opened} {void} {paused}");
    }
}

#[test]
fn the_deposit_bounds_what_the_leaves_can_take() {
    let mut batch = batch(2);
    assert_eq!(batch.expose(60), Ok(()));
    assert_eq!(batch.expose(40), Ok(()));
    assert_eq!(batch.expose(1), Err(Error::DEPOSIT_TOO_SMALL));
}

#[test]
fn a_pause_extends_the_time_to_challenge_by_its_length() {
    let batch = Batch { complete_at: 100, paused_before: 7, ..batch(2) };
    assert_eq!((batch.apply_from(0), batch.apply_from(7), batch.apply_from(8)), (110, 110, 111));
    assert_eq!(batch.apply_from(u32::MAX), 110 + u32::MAX as i64 - 7);
}

#[test]
fn a_leaf_counts_by_its_own_task_in_this_court() {
    let hash = |name: &str| [name.len() as u8; 32];
    let (key, seal) = (Address::new_from_array([9; 32]), hash("the seal"));
    let leaf = Leaf {
        task: &key,
        task_hash: &hash("t"),
        result_hash: &hash("re"),
        objection_hash: &hash("obj"),
        counter_hash: &hash("coun"),
        answer: 1,
        generator: &hash("gener"),
        seed: &hash("seed56"),
    };
    let batch = Batch { committed_at: 100, ..batch(2) };
    let golden = Task {
        seal,
        task_hash: *leaf.task_hash,
        result_hash: *leaf.result_hash,
        objection_hash: *leaf.objection_hash,
        counter_hash: *leaf.counter_hash,
        created_at: 100,
        ..Task::zeroed()
    };
    assert!(batch.has(&golden, &leaf, &seal));
    let other = hash("another seal");
    for (why, task) in [
        ("an ordinary task", Task { seal: other, ..golden }),
        ("another task", Task { task_hash: other, ..golden }),
        ("another result", Task { result_hash: other, ..golden }),
        ("another objection", Task { objection_hash: other, ..golden }),
        ("no counter-objection", Task { counter_hash: [0; 32], ..golden }),
        ("older than the batch", Task { created_at: 99, ..golden }),
        ("decided by another program", Task { engine: key, ..golden }),
    ] {
        assert!(!batch.has(&task, &leaf, &seal), "{why}");
    }
}
