//! The rules without accounts. Settlements are compared with megabrain/pay, number by number, by
//! ledger/svm/difftest/brain, which runs the committed ELF.

use bytemuck::Zeroable;
use megabrain::error::Error;
use megabrain::rule::draw::Urn;
use megabrain::rule::pay::{Deed, End, settle};
use megabrain::rule::preimage;
use megabrain::rule::withheld::withheld;
use megabrain::state::class::{LEAST, MAX_MEMBERS, Member, NEWCOMER, Parameters, WHOLE, role, state};
use megabrain::state::task::{Fact, SILENT, Said, Task, posted, seat};
use pinocchio::Address;

fn key(n: u8) -> Address {
    Address::new_from_array([n; 32])
}

fn member(n: u8, operator: u8, stake: u64) -> Member {
    Member {
        agent: key(n),
        operator: key(operator),
        stake,
        reputation: NEWCOMER,
        role: role::WORKER,
        state: state::ACTIVE,
        ..Member::zeroed()
    }
}

fn parameters() -> Parameters {
    Parameters {
        worker_pool: 7_000,
        evaluator_pool: 2_000,
        bonus_pool: 1_000,
        consensus: 6_600,
        pass: 50,
        sigma: 10,
        max_evaluators: 5,
        effort: 1_000,
        worker_stake: 500,
        evaluator_stake: 300,
        missed: 10_000,
        low_effort: 5_000,
        deviation: 2_500,
        rubber_stamp: 7_500,
        freeze_days: 30,
        restore_tasks: 5,
        extension: 1_000,
        submission: 86_400,
        evaluation: 43_200,
        dispute: 21_600,
        arbitration: 172_800,
        reveal: 3_600,
        draw: 600,
        bond: 50_000_000,
        ..Parameters::zeroed()
    }
}

fn drawn(members: &[Member], seed: u8, places: usize) -> Result<Vec<u16>, Error> {
    let mut urn = Urn::new([seed; 32], members, (100, 0), |_, it| it.weight(100, it.reputation))?;
    let mut out = vec![0; places];
    urn.draw(members, &mut out)?;
    Ok(out)
}

#[test]
fn seats_of_one_operator_exclude_each_other() {
    let members = [member(1, 9, 100), member(2, 9, 100), member(3, 3, 100), member(4, 3, 1)];
    for seed in 0..50 {
        let mut both = drawn(&members, seed, 2).unwrap();
        both.sort();
        assert!(both[0] < 2 && both[1] >= 2, "{both:?}");
        assert_eq!(drawn(&members, seed, 3), Err(Error::TOO_FEW_MEMBERS));
    }
}

#[test]
fn a_member_is_drawn_by_its_weight() {
    let members = [member(1, 1, 3_000), member(2, 2, 1_000), member(3, 3, 0)];
    let mut first = 0;
    for a in 0..=255 {
        let place = drawn(&members, a, 1).unwrap()[0];
        assert_ne!(place, 2);
        first += (place == 0) as u32;
    }
    assert!((170..215).contains(&first), "{first} of 256 at three quarters");
}

/// One worker that is split into many has as many chances as before.
#[test]
fn splitting_gains_no_weight() {
    let whole = member(1, 1, 1_000_000).weight(100, NEWCOMER).unwrap();
    let parts: u64 = (0..10).map(|n| member(n, n, 100_000).weight(100, NEWCOMER).unwrap()).sum();
    assert_eq!(whole, parts);
}

#[test]
fn late_stake_and_reputation_count_as_they_should() {
    let mut it = member(1, 1, 1_000);
    (it.fresh, it.since) = (400, 100);
    it.reputation = 5_000;
    assert_eq!(it.weight(100, it.reputation), Ok(300));
    assert_eq!(it.weight(101, it.reputation), Ok(500));
    it.reputation = WHOLE as u16;
    assert_eq!(it.weight(101, it.reputation), Ok(1_000));
    assert!(it.may_sit(role::WORKER, 100, 0, 1_000) && !it.may_sit(role::EVALUATOR, 100, 0, 1_000));
    it.locked = 1;
    assert!(!it.may_sit(role::WORKER, 100, 0, 1_000));
    (it.state, it.exit_slot) = (state::LEAVING, 101);
    assert!(it.may_sit(role::WORKER, 100, 0, 999) && !it.may_sit(role::WORKER, 101, 0, 999));
    it.frozen_until = 5;
    assert!(!it.may_sit(role::WORKER, 100, 4, 999) && it.may_sit(role::WORKER, 100, 5, 999));
}

#[test]
fn five_paid_tasks_restore_what_low_effort_cost() {
    let mut it = member(1, 1, 1);
    it.reputation = 5_000;
    it.blame(2, 5);
    assert_eq!((it.reputation, it.owed, it.restore), (2_500, 2_500, 5));
    for left in (0..5).rev() {
        it.praise();
        assert_eq!(it.restore, left);
    }
    assert!(it.owed == 0 && it.reputation > 5_000);
    for _ in 0..100 {
        it.blame(2, 0);
    }
    assert_eq!(it.reputation, LEAST);
    for _ in 0..1_000 {
        it.praise();
    }
    assert!(it.reputation <= WHOLE as u16);
}

#[test]
fn parameters_have_ranges() {
    assert_eq!(parameters().check(), Ok(()));
    let changes: [fn(&mut Parameters); 17] = [
        |it| it.worker_pool = 7_001,
        |it| it.consensus = 5_000,
        |it| it.pass = 101,
        |it| it.sigma = 0,
        |it| it.max_evaluators = 9,
        |it| it.effort = 5_001,
        |it| it.freeze_days = 366,
        |it| it.restore_tasks = 101,
        |it| it.draw = 3_601,
        |it| it.reveal = 0,
        |it| it.bond = 999_999,
        |it| it.extension = 10_001,
        |it| it.poster = 10_001,
        |it| it.reject = 10_001,
        |it| it.golden = 101,
        |it| it.max_workers = 9,
        |it| it.pad = [0, 0, 0, 0, 0, 1],
    ];
    for (i, change) in changes.iter().enumerate() {
        let mut it = parameters();
        change(&mut it);
        assert_eq!(it.check(), Err(Error::BAD_PARAMETER), "{i}");
    }
}

#[test]
fn the_last_places_of_a_class_are_dear() {
    let it = parameters();
    for (others, times) in [(0, 1), (63, 1), (64, 2), (71, 2), (72, 4), (120, 256), (127, 256)] {
        assert_eq!(it.least_stake(others), times * it.bond, "{others}");
    }
    let all: u64 = (0..MAX_MEMBERS).map(|others| it.least_stake(others)).sum();
    assert!(all > 4_000 * it.bond, "{all}");
    let dearest = Parameters { bond: 1 << 53, ..it };
    assert_eq!(dearest.least_stake(127), 1 << 61);
}

#[test]
fn each_rejected_dispute_doubles_the_stake_of_the_next_up_to_the_budget() {
    let (it, sol) = (parameters(), 1_000_000_000);
    for (rejected, budget, stake) in [
        (0, sol, 50_000_000),
        (1, sol, 100_000_000),
        (4, sol, 800_000_000),
        (5, sol, sol),
        (255, sol, sol),
        (0, 10 * sol, 300_000_000),
        (5, 10 * sol, 9_600_000_000),
        (255, 1 << 53, 1 << 53),
        (255, 1_000_000, 50_000_000),
    ] {
        assert_eq!(it.dispute_stake(rejected, budget), Ok(stake), "{rejected} {budget}");
    }
}

/// A score without confidence is no evaluation: it earns no reputation.
#[test]
fn without_confidence_an_evaluator_said_nothing() {
    let mut it = task([90, 90]);
    it.seated = 3;
    (it.judges[2].state, it.judges[2].reputation) = (seat::REVEALED, 5_000);
    let out = settle(&it, &parameters()).unwrap();
    assert_eq!(out.evaluators[2].deed, Deed::Bad);
    assert_eq!((out.evaluators[2].paid, out.evaluators[2].slashed), (0, 7_500_000));
    it.judges[2].said = [Said { score: 90, confidence: 1 }; 8];
    assert_eq!(settle(&it, &parameters()).unwrap().evaluators[2].deed, Deed::Good);
}

/// A task of three equal results and two evaluators who say this of each.
fn task(scores: [u8; 2]) -> Task {
    let mut it = Task::zeroed();
    (it.drawn, it.seated, it.budget, it.difficulty, it.posted) = (3, 2, 1_000_000_000, 100, 1);
    (it.worker_stake, it.evaluator_stake) = (50_000_000, 30_000_000);
    for w in 0..3 {
        it.work[w].state = seat::REVEALED;
        (it.finding.facts[w].cluster, it.finding.facts[w].complete) = (1, 10_000);
    }
    for (e, score) in scores.iter().enumerate() {
        (it.judges[e].state, it.judges[e].reputation) = (seat::REVEALED, 5_000);
        it.judges[e].said = [Said { score: *score, confidence: 100 }; 8];
    }
    it
}

#[test]
fn equal_results_share_the_worker_pool() {
    let out = settle(&task([90, 90]), &parameters()).unwrap();
    assert_eq!(out.end, End::Paid);
    for part in &out.workers[..3] {
        assert_eq!((part.paid, part.bonus, part.slashed), (233_333_333, 0, 0));
    }
    assert_eq!(out.evaluators[0].paid, 100_000_000);
    assert_eq!(settle(&task([20, 25]), &parameters()).unwrap().end, End::Inconclusive);
    assert_eq!(settle(&task([90, 20]), &parameters()).unwrap().end, End::Further);
    let mut last = task([90, 20]);
    last.last = 1;
    assert_eq!(settle(&last, &parameters()).unwrap().end, End::Inconclusive);
}

/// As many further workers are called as make a cluster dominant at least, and none if too few may
/// be, if no more are there, or if nobody said which results mean the same.
#[test]
fn further_workers_are_called() {
    let terms = Parameters { max_workers: 6, ..parameters() };
    let mut it = task([90, 90]);
    (it.finding.facts[1].cluster, it.finding.facts[2].cluster) = (2, 3);
    let called = |it: &Task, terms: &Parameters| settle(it, terms).map(|out| (out.end, out.call));
    assert_eq!(called(&it, &terms), Ok((End::Workers, 3)));
    assert_eq!(called(&it, &Parameters { max_workers: 5, ..terms }), Ok((End::Inconclusive, 0)));
    (it.finding.facts[2].low_effort, it.posted) = (1, posted::SHOWN);
    assert_eq!(called(&it, &terms), Ok((End::Workers, 1)));
    for which in [posted::NOBODY, posted::UNDECIDED] {
        it.posted = which;
        assert_eq!(called(&it, &terms), Ok((End::Inconclusive, 0)));
    }
    for w in 0..3 {
        it.work[w].state = seat::ABSENT;
    }
    it.posted = posted::NOBODY;
    assert_eq!(called(&it, &terms), Ok((End::Workers, 2)));
    it.last = 2;
    assert_eq!(called(&it, &terms), Ok((End::Inconclusive, 0)));
}

/// Without an outcome, evaluators get a tenth, as workers do. Who posted it has a tenth before
/// that.
#[test]
fn an_outcome_is_worth_posting() {
    let terms = Parameters { poster: 1_000, ..parameters() };
    let mut it = task([90, 90]);
    (it.judges[0].agent, it.judges[1].agent, it.poster) = (key(1), key(2), key(2));
    let paid = |it: &Task| settle(it, &terms).map(|out| [out.evaluators[0].paid, out.evaluators[1].paid]);
    assert_eq!(paid(&it), Ok([90_000_000, 110_000_000]));
    it.posted = posted::DISPUTANT;
    assert_eq!(paid(&it), Ok([100_000_000, 100_000_000]));
    it.posted = posted::UNDECIDED;
    assert_eq!(paid(&it), Ok([100_000_000, 100_000_000]));
    it.posted = posted::NOBODY;
    assert_eq!(paid(&it), Ok([10_000_000, 10_000_000]));
}

/// By `reject`, a cluster with low scores is paid unless enough of the weight is against it, and
/// nobody decides that before all have been asked.
#[test]
fn a_few_do_not_reject_a_cluster() {
    let terms = Parameters { reject: 8_000, max_evaluators: 3, ..parameters() };
    let mut it = task([40, 40]);
    assert_eq!(settle(&it, &terms).unwrap().end, End::Further);
    it.seated = 3;
    (it.judges[2].state, it.judges[2].reputation) = (seat::REVEALED, 5_000);
    it.judges[2].said = [Said { score: 55, confidence: 100 }; 8];
    assert_eq!(settle(&it, &terms).unwrap().end, End::Paid);
    it.judges[2].reputation = 2_000;
    assert_eq!(settle(&it, &terms).unwrap().end, End::Inconclusive);
    let by_mean = Parameters { reject: 0, ..terms };
    assert_eq!(settle(&it, &by_mean).unwrap().end, End::Inconclusive);
}

/// One of four evaluators says 100 of junk. It is an outlier, and slashed: it does not decide that
/// junk is paid. Nor is a cluster paid whose results have no quality.
#[test]
fn outliers_do_not_decide() {
    let terms = Parameters { reject: 8_000, max_evaluators: 4, ..parameters() };
    for others in [0, 10] {
        let mut it = task([100, others]);
        it.seated = 4;
        for e in 2..4 {
            it.judges[e] = it.judges[1];
        }
        let out = settle(&it, &terms).unwrap();
        assert_eq!((out.end, out.evaluators[0].deed), (End::Inconclusive, Deed::Far), "{others}");
    }
    let mut it = task([0, 20]);
    it.seated = 3;
    it.judges[2] = it.judges[0];
    assert_eq!(settle(&it, &Parameters { max_evaluators: 3, pass: 20, ..terms }).unwrap().end, End::Paid);
    it.judges[1].said = it.judges[0].said;
    assert_eq!(settle(&it, &Parameters { max_evaluators: 3, ..terms }).unwrap().end, End::Inconclusive);
}

/// A poster keeps its bond if its outcome lacks what no evaluator has seen, and nothing else is
/// false.
#[test]
fn a_withheld_result_wins_no_bond() {
    let posted = || {
        let mut it = task([90, 90]);
        it.counter = it.finding;
        (it.counter.facts[2].copy_of, it.counter.facts[2].cluster) = (1, 0);
        it.finding.facts[0] = Fact::default();
        it.finding.facts[0].low_effort = 1;
        (it.finding.facts[1].cluster, it.finding.facts[2].cluster) = (2, 2);
        for e in 0..2 {
            it.judges[e].said[0] = Said { score: SILENT, confidence: 0 };
        }
        it
    };
    assert!(withheld(&posted(), &parameters()));
    let said = |confidence| Said { score: 90, confidence };
    let marked = |it: &mut Task, score| {
        (it.finding.rubber[1], it.judges[1].said[0]) = (1, Said { score, confidence: 90 });
        it.seated = 4; // one of four has scored it
        (it.judges[2], it.judges[3]) = (it.judges[0], it.judges[0]);
    };
    let changes: [(bool, &dyn Fn(&mut Task)); 10] = [
        (true, &|it| marked(it, 90)),
        (false, &|it| marked(it, 10)), // it did not pass it: the poster lied
        (false, &|it| it.judges[0].said[0] = said(90)),
        (true, &|it| it.judges[0].said[0] = said(0)),
        (false, &|it| it.finding.facts[1].low_effort = 1),
        (false, &|it| it.finding.facts[1].complete = 9_999),
        (false, &|it| it.finding.rubber[1] = 1),
        (true, &|it| (it.finding.rubber[1], it.judges[1].said[0]) = (1, said(0))),
        (false, &|it| it.finding.facts[0] = it.counter.facts[0]),
        (true, &|it| (it.counter.facts[2].copy_of, it.counter.facts[2].cluster) = (0, 1)),
    ];
    for (i, (keeps, change)) in changes.iter().enumerate() {
        let mut it = posted();
        change(&mut it);
        assert_eq!(withheld(&it, &parameters()), *keeps, "{i}");
    }
}

/// All else equal, a better score never earns less.
#[test]
fn a_better_score_never_earns_less() {
    let mut before = 0;
    for score in 60..=100 {
        let mut it = task([80, 80]);
        for e in 0..2 {
            it.judges[e].said[1].score = score;
        }
        let part = settle(&it, &parameters()).unwrap().workers[1];
        assert!(part.paid + part.bonus >= before, "{score}");
        before = part.paid + part.bonus;
    }
}

#[test]
fn a_commitment_binds_everything() {
    let (task, worker, hash, salt) = (key(1), key(2), [3; 32], [4; 32]);
    let of = |task, worker, hash, said, salt| preimage::result(task, worker, hash, said, salt);
    let first = of(&task, &worker, &hash, (b"a", b"b"), &salt);
    let others = [
        of(&key(9), &worker, &hash, (b"a", b"b"), &salt),
        of(&task, &key(9), &hash, (b"a", b"b"), &salt),
        of(&task, &worker, &[9; 32], (b"a", b"b"), &salt),
        of(&task, &worker, &hash, (b"ab", b""), &salt),
        of(&task, &worker, &hash, (b"", b"ab"), &salt),
        of(&task, &worker, &hash, (b"a", b"b"), &[9; 32]),
        preimage::evaluation(&task, &worker, &hash, (b"a", b"b"), &salt),
    ];
    assert!(others.iter().all(|other| *other != first));
}
