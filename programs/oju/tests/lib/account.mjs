// The program's accounts (docs/protocol.md, section 4), decoded to plain objects and encoded again.

import { bytes, hex } from './bytes.mjs';
import { Layout, discriminator } from './layout.mjs';

const HEAD = 10;
const VERSION = 2;

const RECORDS = {
  Config: 'paused:u8 listed:u8 rules:u32 authority:key pending_authority:key agent_count:u64 network:hash resumed_at:i64 paused_at:i64 paused_seconds:u32 pad:4',
  Rules: `max_rounds:u8 panel_seats:u8 min_seats:u8 max_reworks:u8 draw_delay_slots:u16 number:u32 max_judges:u16
    fee_bps:u16 from:i64 until:i64 min_stake:u64 max_seat_weight:u64 fee_min:u64 min_reward:u64 commit_seconds:u32
    reveal_seconds:u32 verify_seconds:u32 answer_seconds:u32 cooldown_seconds:u32 draw_seconds:u32 evidence_seconds:u32
    creator_bps:u16 worker_bps:u16 risk_bps:u16 golden_gain:u16 golden_loss:u16 absence:u16 minority:u16 trade_bps:u16
    min_work_seconds:u32 claim_bps:u16 preset:u8 credential:u8 cover_bps:u16 pad:2 season_seconds:u32
    batch_seconds:u32 leaf_fee:u64 challenge_seconds:u32 golden_bps:u16 reversal:u16 appeal_seconds:u32 pad:36`,
  RegistryPage: 'pad:2 page:u32 count:u32 pad:4',
  Agent: `pad:2 page:u32 authority:key operator:key card_hash:hash vault:u64 registered_at:i64 tasks_created:u64
    tasks_claimed:u32 tasks_paid:u32 tasks_missed:u32 cases_won:u32 cases_lost:u32 pad:36`,
  AgentData: 'name_len:u8 grant_count:u8 len:u32 authority:key name:hash updated_at:i64',
  Task: `status:u8 on_silence:u8 auction:u8 on_undecided:u8 outcome:u8 resolution:u8 id:u64 creator:key
    creator_operator:key worker:key worker_operator:key task_hash:hash result_hash:hash objection_hash:hash
    counter_hash:hash reward_min:u64 reward_max:u64 reward:u64 escrow:u64 creator_bond:u64 worker_bond:u64
    created_at:i64 claim_by:i64 deadline:i64 submitted_at:i64 auction_seconds:u32 work_seconds:u32 reworks:u8 claims:u8
    trade_bps:u16 claim_bps:u16 seats:u8 dispute:u8 last_worker:key finished_at:i64 claim_bond:u64 auction_from:i64 claimed_at:i64
    released_seconds:u32 rules:u32 engine:key engine_group:key engine_agent:key engine_fee:u64 engine_seconds:u32 auction_run:u32
    seal:hash fee_min:u64`,
  Roster: `pad:2 count:u32 active:u32 season:u32 total_stake:u64 total_rewards:u64 weight:u64 season_at:i64 season_slot:u64
    before_slot:u64 pages:pages pages_before:pages`,
  Case: `status:u8 round:u8 verdict:u8 seats:u8 committed:u8 revealed:u8 max_rounds:u8 panel_seats:u8 min_seats:u8 preset:u8
    draw_delay_slots:u16 level:u8 first_round:u8 task:key payer:key opened_at:i64 seed_slot:u64 drawn_slot:u64 slot_hash:hash draw_by:i64
    commit_ends:i64 reveal_ends:i64 settled_at:i64 seated_weight:u64 accept_weight:u64 reject_weight:u64
    abstain_weight:u64 fee:u64 commit_seconds:u32 reveal_seconds:u32 evidence_seconds:u32 draw_seconds:u32
    risk_bps:u16 golden_gain:u16 golden_loss:u16 absence:u16 minority:u16 golden:u8 applied:u8 golden_bps:u16 reversal:u16
    min_stake:u64 max_seat_weight:u64 batch:u64 appeal_by:i64 first_verdict:u8 first_seats:u8 appeal_seats:u8 season:u8
    appeal_seconds:u32 appeal_rent:u64 appellant:key first_seated_weight:u64 first_accept_weight:u64 first_reject_weight:u64
    first_abstain_weight:u64`,
  Channel: 'pad:6 payer:key payee:key paid:u64',
  Pot: 'pad:6 golden:u64 batches:u64 allowance:u64',
  Admission: 'pad:6 judge:key payer:key',
  Pledge: 'pad:4 creator_paid:u8 worker_paid:u8 task:key mint:key amount:u64',
  Proctor: 'pad:6 proctor:key payer:key',
  Batch: `pad:2 leaves:u32 number:u64 proctor:key root:hash deposit:u64 earned:u64 exposed:u64 committed_at:i64 open_by:i64
    complete_at:i64 keep_until:i64 leaf_fee:u64 challenge_seconds:u32 opened:u32 void:u32 accepts:u32 applied:u32 paused_before:u32 open:hash`,
  VerdictAccount: `is_final:u8 verdict:u8 level:u8 round:u8 joined:u8 pad:1 subject:key engine:key decided_at:i64 accept_weight:u64
    reject_weight:u64 abstain_weight:u64 seated_weight:u64 facts:hash creator:key worker:key result_hash:hash reward:u64`,
};

/** The array behind a record: its field, its items, how many are used, and how many there is room for (undefined: no more). */
const ARRAYS = {
  RegistryPage: { field: 'entries', item: new Layout('authority:key agent:key'), used: (record) => record.count },
  AgentData: {
    field: 'grants', item: new Layout('task:key grantee:key flags:u8 pad:7'), room: () => 8, used: (record) => record.grant_count,
  },
  Roster: {
    field: 'entries',
    item: new Layout(`authority:key peer:key operator:key withdraw:key stake:u64 rewards:u64 locked:u64 exit_at:i64 joined_at:i64
      seated:u32 majority:u32 minority:u32 absent:u32 abstained:u32 equivocated:u32 live:u16 state:u8 owned:u8 right:u8 wrong:u8 seen:u8 since:u8 weight:u64
      weight_before:u64 exit_slot:u64`),
    used: (record) => record.count,
  },
  Case: {
    field: 'panel',
    item: new Layout(`judge:key commitment:hash weight:u64 slashed:u64 earned:u64 index:u16 choice:u8 flags:u8 result:u8
      pad:3`),
    room: (record) => record.panel_seats,
    used: (record) => record.seats,
  },
};

const KINDS = new Map(Object.entries(RECORDS).map(([name, fields]) => {
  const kind = discriminator('account', name);
  return [hex(kind), { name, kind, record: new Layout(fields), array: ARRAYS[name] }];
}));

export const KIND_NAMES = Object.keys(RECORDS);

/** The size of an account with `items` behind its record (bytes, for AgentData; seats that there is room for, for a Case). */
export function sizeOf(name, items = 0) {
  const { record, array } = of(name);
  const fixed = HEAD + record.size;
  if (name === 'AgentData') return fixed + array.room() * array.item.size + items;
  return array ? fixed + items * array.item.size : fixed;
}

function of(name) {
  return [...KINDS.values()].find((entry) => entry.name === name);
}

/** The account in `data`: its fields, `kind` (its name) and `bump`. Everything is checked: size, version, padding. */
export function decode(data) {
  const found = KINDS.get(hex(data.slice(0, 8)));
  if (!found) throw new Error('no account of the program');
  if (data[8] !== VERSION) throw new Error(`version ${data[8]}`);
  const { name, record, array } = found;
  const out = { kind: name, bump: data[9], ...record.read(data, HEAD) };
  let at = HEAD + record.size;
  if (name === 'Case' && out.appeal_seats > 0) {
    // The seats of the first panel, then those of the appeal.
    for (const [field, used, room] of [['first', out.first_seats, out.panel_seats], ['panel', out.seats, out.appeal_seats]]) {
      out[field] = Array.from({ length: used }, (_, i) => array.item.read(data, at + i * array.item.size));
      at += room * array.item.size;
    }
  } else if (array) {
    const used = array.used(out);
    const room = array.room ? array.room(out) : used;
    out[array.field] = Array.from({ length: used }, (_, i) => array.item.read(data, at + i * array.item.size));
    if (data.slice(at + used * array.item.size, at + room * array.item.size).some((byte) => byte)) {
      throw new Error(`unused ${array.field} are not zero`);
    }
    at += room * array.item.size;
  }
  if (name === 'AgentData') {
    out.content = hex(data.slice(at));
    at += out.len;
  }
  if (at !== data.length) throw new Error(`${name} has ${data.length} bytes, not ${at}`);
  return out;
}

/** The bytes of a decoded account. */
export function encode(account) {
  const { kind, record, array } = of(account.kind);
  const parts = [kind, [VERSION, account.bump], record.write(account)];
  if (account.kind === 'Case' && account.appeal_seats > 0) {
    for (const [field, room] of [['first', account.panel_seats], ['panel', account.appeal_seats]]) {
      parts.push(...account[field].map((item) => array.item.write(item)));
      parts.push(new Uint8Array((room - account[field].length) * array.item.size));
    }
  } else if (array) {
    const items = account[array.field];
    parts.push(...items.map((item) => array.item.write(item)));
    if (array.room) parts.push(new Uint8Array((array.room(account) - items.length) * array.item.size));
  }
  if (account.kind === 'AgentData') parts.push(Buffer.from(account.content, 'hex'));
  return bytes(...parts);
}
