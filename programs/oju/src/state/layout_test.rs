//! Every account against the golden vectors: discriminator, sizes, and each field's place.

use super::{admission, agent, batch, case, channel, config, data, pledge, pot, proctor, registry, roster, rules, task, verdict};
use crate::layout::{self, List, Record};
use crate::vectors::{bytes, load};
use core::mem::offset_of;
use serde_json::Value;
use std::format;
use std::string::String;
use std::vec::Vec;

/// Name, offset and size of a field.
type Field = (String, usize, usize);

/// The size of a field of `R`.
fn size<R, F>(_: fn(&R) -> &F) -> usize {
    size_of::<F>()
}

macro_rules! fields {
    ($record:ty: $($field:ident),+ $(,)?) => {{
        type It = $record;
        [$((
            String::from(stringify!($field)),
            offset_of!(It, $field),
            size(|it: &It| &it.$field),
        )),+].to_vec()
    }};
}

fn vectors(name: &str) -> Vec<Value> {
    let all = load("accounts.json");
    let found: Vec<Value> =
        all.as_array().unwrap().iter().filter(|vector| vector["account"] == name).cloned().collect();
    assert!(!found.is_empty(), "no vector of {name}");
    found
}

/// The fields of a vector behind its head, without the raw bytes at the end.
fn listed(vector: &Value) -> Vec<Field> {
    let width = |kind: &Value| match kind.as_str().unwrap() {
        "u8" => 1,
        "u16" => 2,
        "u32" => 4,
        "u64" | "i64" => 8,
        "pubkey" | "hash" => 32,
        _ => 0,
    };
    let all = vector["fields"].as_array().unwrap().iter().filter(|field| field["type"] != "rest");
    all.filter(|field| field["offset"].as_u64().unwrap() >= 10)
        .map(|field| {
            let name = field["name"].as_str().unwrap().into();
            (name, field["offset"].as_u64().unwrap() as usize, width(&field["type"]))
        })
        .collect()
}

/// The fields of item number `i` of an array that begins at `start`.
fn item(array: &str, i: usize, start: usize, size: usize, fields: &[Field]) -> Vec<Field> {
    let place = |(name, at, wide): &Field| (format!("{array}[{i}].{name}"), start + i * size + at, *wide);
    fields.iter().map(place).collect()
}

fn fixed<R: Record>(size: usize, fields: Vec<Field>) {
    assert_eq!(R::SIZE, size);
    for vector in vectors(R::NAME) {
        let data = held(&vector, size);
        assert!(layout::record::<R>(&bytemuck::cast_slice(&data)[..size]).is_ok());
        assert_eq!(listed(&vector), fields, "{}", R::NAME);
    }
}

/// The vector's bytes, aligned as account data is.
fn held(vector: &Value, size: usize) -> Vec<u64> {
    let data = bytes(&vector["data"]);
    assert_eq!((data.len(), vector["size"].as_u64()), (size, Some(size as u64)));
    let mut words = std::vec![0u64; size.div_ceil(8)];
    bytemuck::cast_slice_mut::<_, u8>(&mut words)[..size].copy_from_slice(&data);
    words
}

fn with_list<L: List>(sizes: (usize, usize), fields: Vec<Field>, array: &str, items: Vec<Field>) {
    assert_eq!((L::SIZE, size_of::<L::Item>()), sizes);
    for vector in vectors(L::NAME) {
        let size = vector["size"].as_u64().unwrap() as usize;
        let data = held(&vector, size);
        let (_, found) = layout::list::<L>(&bytemuck::cast_slice(&data)[..size]).unwrap();
        assert_eq!(size, sizes.0 + sizes.1 * found.len());
        let many = if items.is_empty() { 0 } else { found.len() };
        let all = (0..many).flat_map(|i| item(array, i, sizes.0, sizes.1, &items));
        assert_eq!(listed(&vector), fields.iter().cloned().chain(all).collect::<Vec<_>>(), "{}", L::NAME);
    }
}

#[test]
fn config() {
    fixed::<config::Config>(
        144,
        fields!(config::Config: paused, listed, rules, authority, pending_authority, agent_count, network, resumed_at,
            paused_at, paused_seconds),
    );
}

#[test]
fn rules() {
    fixed::<rules::Rules>(
        192,
        fields!(rules::Rules: max_rounds, panel_seats, min_seats, max_reworks, draw_delay_slots, number, max_judges,
            fee_bps, from, until, min_stake, max_seat_weight, fee_min, min_reward, commit_seconds, reveal_seconds,
            verify_seconds, answer_seconds, cooldown_seconds, draw_seconds, evidence_seconds, creator_bps, worker_bps,
            risk_bps, golden_gain, golden_loss, absence, minority, trade_bps, min_work_seconds, claim_bps, preset, credential, cover_bps, season_seconds, batch_seconds, leaf_fee, challenge_seconds, golden_bps,
            reversal, appeal_seconds),
    );
}

#[test]
fn agent() {
    fixed::<agent::Agent>(
        192,
        fields!(agent::Agent: page, authority, operator, card_hash, vault, registered_at, tasks_created,
            tasks_claimed, tasks_paid, tasks_missed, cases_won, cases_lost),
    );
}

#[test]
fn task() {
    fixed::<task::Task>(
        600,
        fields!(task::Task: status, on_silence, auction, on_undecided, outcome, resolution, id, creator,
            creator_operator, worker, worker_operator, task_hash, result_hash, objection_hash, counter_hash,
            reward_min, reward_max, reward, escrow, creator_bond, worker_bond, created_at, claim_by, deadline,
            submitted_at, auction_seconds, work_seconds, reworks, claims, trade_bps, claim_bps, seats, dispute, last_worker, finished_at, claim_bond,
            auction_from, claimed_at, released_seconds, rules, engine, engine_group, engine_agent, engine_fee, engine_seconds, auction_run, seal, fee_min),
    );
}

#[test]
fn admission() {
    fixed::<admission::Admission>(80, fields!(admission::Admission: judge, payer));
}

#[test]
fn pledge() {
    fixed::<pledge::Pledge>(88, fields!(pledge::Pledge: creator_paid, worker_paid, task, mint, amount));
}

#[test]
fn proctor() {
    fixed::<proctor::Proctor>(80, fields!(proctor::Proctor: proctor, payer));
}

#[test]
fn batch() {
    fixed::<batch::Batch>(
        208,
        fields!(batch::Batch: leaves, number, proctor, root, deposit, earned, exposed, committed_at, open_by, complete_at,
            keep_until, leaf_fee, challenge_seconds, opened, void, accepts, applied,
            paused_before, open),
    );
}

#[test]
fn channel() {
    fixed::<channel::Channel>(88, fields!(channel::Channel: payer, payee, paid));
}

#[test]
fn pot() {
    fixed::<pot::Pot>(40, fields!(pot::Pot: golden, batches, allowance));
}

#[test]
fn verdict() {
    fixed::<verdict::Verdict>(
        256,
        fields!(verdict::Verdict: is_final, verdict, level, round, joined, subject, engine, decided_at, accept_weight,
            reject_weight, abstain_weight, seated_weight, facts, creator, worker, result_hash, reward),
    );
}

#[test]
fn the_facts_of_a_verdict_are_those_of_its_task_and_its_case() {
    let held_of = |account: &str, name: &str, size: usize| {
        let all = vectors(account);
        held(all.iter().find(|vector| vector["name"] == name).unwrap(), size)
    };
    let (task, case) =
        (held_of("Task", "task_judiciary", 600), held_of("Case", "case_decided", 360 + 96 * 28));
    let told = held_of("VerdictAccount", "verdict", 256);
    let task = layout::record::<task::Task>(bytemuck::cast_slice(&task)).unwrap();
    let (head, panel) = layout::list::<case::Case>(bytemuck::cast_slice(&case)).unwrap();
    let (mut head, mut panel) = (*head, panel.to_vec());
    let case = case::Hearing { case: &mut head, first: &mut [], panel: &mut panel };
    let told = layout::record::<verdict::Verdict>(bytemuck::cast_slice(&told)).unwrap();
    let program = crate::vectors::address(&load("addresses.json")["program"]);
    let mut noted: verdict::Verdict = bytemuck::Zeroable::zeroed();
    noted.head = told.head;
    noted.note(&program, task, &case).unwrap();
    assert_eq!(bytemuck::bytes_of(&noted), bytemuck::bytes_of(told));
    let at = pinocchio::Address::derive_address(&[verdict::SEED, told.subject.as_ref()], Some(told.head.bump), &program);
    let passed = oju_verdict::Passed { address: &at, owner: &program, data: bytemuck::bytes_of(told) };
    assert_eq!(oju_verdict::SIZE, verdict::Verdict::SIZE);
    assert_eq!(oju_verdict::read(&program, &told.subject, &passed), Ok(oju_verdict::Decision::Reject));
    case.panel[0].flags |= case::EQUIVOCATED;
    (case.panel[0].result, case.panel[0].slashed) = (case::result::EQUIVOCATED, 9);
    assert_eq!(verdict::facts(&program, task, &case), Ok(told.facts), "evidence after the end");
    case.panel[0].choice ^= 1;
    assert_ne!(verdict::facts(&program, task, &case), Ok(told.facts));
}

#[test]
fn registry_page() {
    let items = fields!(registry::Entry: authority, agent);
    with_list::<registry::Page>((24, 64), fields!(registry::Page: page, count), "entries", items);
}

#[test]
fn roster() {
    let items = fields!(roster::Entry: authority, peer, operator, withdraw, stake, rewards, locked, exit_at, joined_at, seated,
        majority, minority, absent, abstained, equivocated, live, state, owned, right, wrong, seen, since, weight, weight_before,
        exit_slot);
    let mut fields = fields!(roster::Roster: count, active, season, total_stake, total_rewards, weight, season_at, season_slot,
        before_slot);
    for (name, start) in [("pages", 72), ("pages_before", 712)] {
        fields.extend((0..80).map(|i| (format!("{name}[{i}]"), start + 8 * i, 8)));
    }
    assert_eq!((offset_of!(roster::Roster, pages), offset_of!(roster::Roster, pages_before)), (72, 712));
    with_list::<roster::Roster>((1_352, 224), fields, "entries", items);
}

#[test]
fn case() {
    let seat = fields!(case::Seat: judge, commitment, weight, slashed, earned, index, choice, flags, result);
    let fields = fields!(case::Case: status, round, verdict, seats, committed, revealed, max_rounds, panel_seats,
        min_seats, preset, draw_delay_slots, level, first_round, task, payer, opened_at, seed_slot, drawn_slot, slot_hash, draw_by, commit_ends,
        reveal_ends, settled_at, seated_weight, accept_weight, reject_weight, abstain_weight, fee, commit_seconds,
        reveal_seconds, evidence_seconds, draw_seconds, risk_bps, golden_gain, golden_loss, absence, minority, golden, applied, golden_bps, reversal,
        min_stake, max_seat_weight, batch, appeal_by, first_verdict, first_seats, appeal_seats, season, appeal_seconds, appeal_rent,
        appellant, first_seated_weight, first_accept_weight, first_reject_weight, first_abstain_weight);
    assert_eq!((size_of::<case::Case>(), size_of::<case::Seat>()), (360, 96));
    for vector in vectors("Case") {
        let data = held(&vector, bytes(&vector["data"]).len());
        let (case, panel) = layout::list::<case::Case>(bytemuck::cast_slice(&data)).unwrap();
        assert_eq!(panel.len(), case.panel_seats as usize + case.appeal_seats as usize);
        let first = (0..case.first_seats as usize).flat_map(|i| item("first", i, 360, 96, &seat));
        let base = 360 + 96 * case.base();
        let seats = (0..case.seats as usize).flat_map(|i| item("panel", i, base, 96, &seat));
        assert_eq!(listed(&vector), fields.iter().cloned().chain(first).chain(seats).collect::<Vec<_>>());
    }
}

#[test]
fn agent_data() {
    let grant = fields!(data::Grant: task, grantee, flags);
    let fields = fields!(data::AgentData: name_len, grant_count, len, authority, name, updated_at);
    assert_eq!((size_of::<data::AgentData>(), size_of::<data::Grant>()), (664, 72));
    for vector in vectors("AgentData") {
        let size = vector["size"].as_u64().unwrap() as usize;
        let words = held(&vector, size);
        let (data, content) = layout::list::<data::AgentData>(&bytemuck::cast_slice(&words)[..size]).unwrap();
        assert_eq!(content.len(), data.len as usize);
        let grants = (0..data.granted().len()).flat_map(|i| item("grants", i, 88, 72, &grant));
        assert_eq!(listed(&vector), fields.iter().cloned().chain(grants).collect::<Vec<_>>());
    }
}
