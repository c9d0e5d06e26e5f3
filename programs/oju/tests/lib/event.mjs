// The program's events (docs/protocol.md, section 7), read from a transaction's logs.

import { hex, number } from './bytes.mjs';
import { Layout, discriminator } from './layout.mjs';

const FIELDS = {
  ConfigSet: 'authority:key pending_authority:key paused:u8 listed:u8',
  RulesSet: 'number:u32 from:i64',
  AdmissionSet: 'judge:key admitted:u8',
  ProctorSet: 'proctor:key admitted:u8',
  AgentSet: 'authority:key agent:key operator:key card_hash:hash page:u32',
  VaultMoved: 'authority:key delta:i64 vault:u64',
  DataSet: 'authority:key data:key len:u32',
  GrantSet: 'data:key task:key grantee:key flags:u8',
  TaskMoved: `task:key actor:key from:u8 to:u8 outcome:u8 resolution:u8 hash:hash amount:u64 deadline:i64 at:i64`,
  Paid: 'task:key to:key kind:u8 amount:u64',
  StakeMoved: 'judge:key index:u16 delta:i64 stake:u64 kind:u8',
  JudgeExiting: 'judge:key exit_at:i64',
  WithdrawKeySet: 'judge:key withdraw:key',
  SeasonBegun: 'weight:u64 at:i64 few:u8',
  CaseOpened: 'task:key round:u8 seed_slot:u64 draw_by:i64 at:i64',
  Drawn: 'task:key round:u8 slot:u64 slot_hash:hash weight:u64 commit_ends:i64',
  Committed: 'task:key round:u8 seat:u8 judge:key commitment:hash',
  Revealed: 'task:key round:u8 seat:u8 judge:key choice:u8 opinion_hash:hash receipts_root:hash salt:hash',
  RoundSettled: `task:key round:u8 verdict:u8 accept:u64 reject:u64 abstain:u64 seated:u64 bond:u64 golden:u64 at:i64`,
  Appealable: 'task:key verdict:u8 appeal_by:i64',
  Appealed: 'task:key party:key seats:u8 bond:u64 at:i64',
  CaseFinished: 'task:key verdict:u8 level:u8 bond:u64 golden:u64 at:i64',
  Slashed: 'task:key round:u8 seat:u8 judge:key amount:u64',
  RewardClaimed: 'judge:key amount:u64',
  Closed: 'account:key to:key amount:u64',
  DataPaid: 'payer:key payee:key amount:u64 paid:u64',
  BatchCommitted: 'batch:u64 proctor:key root:hash leaves:u32 deposit:u64 open_by:i64 at:i64',
  LeafOpened: 'batch:u64 index:u32 task:key answer:u8 generator:hash seed:hash void:u8 at:i64',
  LeafApplied: 'task:key batch:u64 answer:u8 taken:u64 paid:u64 fee:u64 at:i64',
  BatchClosed: 'batch:u64 proctor:key outcome:u8 amount:u64',
  ChallengeUpheld: 'batch:u64 golden:key task:key to:key amount:u64',
};

/** The items of the vector at the end of an event. */
const VECTORS = {
  Drawn: new Layout('index:u16 weight:u64'),
  RoundSettled: new Layout('result:u8 slashed:u64 earned:u64'),
  LeafApplied: new Layout('result:u8 slashed:u64 earned:u64'),
  CaseFinished: new Layout('slashed:u64 earned:u64'),
};

export const EVENT_NAMES = Object.keys(FIELDS);

const KINDS = new Map(Object.entries(FIELDS).map(([name, fields]) => [
  hex(discriminator('event', name)), { name, layout: new Layout(fields), items: VECTORS[name] },
]));

/** One event; every byte of `data` must be part of it. */
export function decodeEvent(data) {
  const found = KINDS.get(hex(data.slice(0, 8)));
  if (!found) throw new Error('no event of the program');
  const { name, layout, items } = found;
  const out = { event: name, ...layout.read(data, 8) };
  let end = 8 + layout.size;
  if (items) {
    const count = Number(number(data, end, 4));
    out.seats = Array.from({ length: count }, (_, i) => items.read(data, end + 4 + i * items.size));
    end += 4 + count * items.size;
  }
  if (end !== data.length) throw new Error(`${name} has ${data.length} bytes, not ${end}`);
  return out;
}

/** The events in a transaction's logs, each of which must be one slice. */
export function events(logs) {
  const lines = logs.filter((line) => line.startsWith('Program data: '));
  return lines.map((line) => decodeEvent(Uint8Array.from(Buffer.from(line.slice('Program data: '.length), 'base64'))));
}
