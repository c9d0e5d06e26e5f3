// The program's instructions (docs/protocol.md, section 5): arguments, accounts, and the Ed25519
// instruction before.

import { readFileSync } from 'node:fs';
import { AccountRole } from '@solana/kit';
import { SYSTEM, bytes, u16, u32 } from './bytes.mjs';
import { Layout, discriminator } from './layout.mjs';

export const ED25519 = 'Ed25519SigVerify111111111111111111111111111';
export const INSTRUCTIONS = 'Sysvar1nstructions1111111111111111111111111';

const BUDGET = 'ComputeBudget111111111111111111111111111111';

/** The instruction that asks for more compute units than 200,000 an instruction. */
export const limit = (units) => ({ programAddress: BUDGET, accounts: [], data: bytes([2], u32(units)) });

export const PARAMS = `min_stake:u64 max_seat_weight:u64 fee_min:u64 min_reward:u64 leaf_fee:u64 commit_seconds:u32
  reveal_seconds:u32 verify_seconds:u32 answer_seconds:u32 cooldown_seconds:u32 draw_seconds:u32 evidence_seconds:u32 min_work_seconds:u32 season_seconds:u32 batch_seconds:u32 challenge_seconds:u32
  appeal_seconds:u32
  fee_bps:u16 creator_bps:u16 worker_bps:u16 risk_bps:u16 golden_gain:u16 golden_loss:u16 absence:u16 minority:u16 max_judges:u16
  draw_delay_slots:u16 trade_bps:u16 claim_bps:u16 cover_bps:u16 golden_bps:u16 reversal:u16 max_rounds:u8 preset:u8 panel_seats:u8 min_seats:u8 max_reworks:u8 credential:u8`;

/** Arguments and accounts of each instruction; `bytes` fields have a length before them. */
const CALLS = {
  init_config: [`network:hash listed:u8 ${PARAMS}`, 'authority:sw config:w roster:w pot:w rules:w program program_data system'],
  propose_rules: [PARAMS, 'authority:sw config:w rules:w next:w system'],
  withdraw_rules: ['', 'authority:sw config:w rules:w next:w'],
  propose_authority: ['authority:key', 'authority:s config:w'],
  accept_authority: ['', 'authority:s config:w'],
  give_up: ['', 'authority:s config:w'],
  pause: ['paused:u8', 'authority:s config:w'],
  open_court: ['', 'authority:s config:w'],
  admit_judge: ['judge:key', 'authority:sw config admission:w system'],
  revoke_admission: ['', 'signer:s config admission:w wallet:w'],
  admit_proctor: ['proctor:key', 'authority:sw config proctor:w system'],
  revoke_proctor: ['', 'authority:s config proctor:w wallet:w'],
  register_agent: ['operator:key card_hash:hash page:u32', 'authority:sw config:w agent:w page:w system operator:s'],
  update_agent: ['operator:key card_hash:hash', 'authority:s agent:w operator:s'],
  deposit: ['amount:u64', 'from:sw agent:w system'],
  withdraw: ['amount:u64', 'authority:sw agent:w'],
  withdraw_tokens: ['amount:u64', 'authority:s agent mint source:w destination:w token_program'],
  pledge_tokens: ['amount:u64', 'authority:sw agent task pledge:w mint source:w holding:w token_program system'],
  pay_pledge: ['', 'task pledge:w agent mint holding:w destination:w token_program wallet:w'],
  write_data: ['name:bytes offset:u32 len:u32 bytes:bytes', 'writer:sw agent data:w task system'],
  grant: ['task:key grantee:key flags:u8', 'authority:s data:w'],
  revoke: ['task:key grantee:key id:u64', 'signer:s data:w task creator_agent'],
  close_data: ['', 'authority:sw data:w'],
  create_task: [
    `task_hash:hash reward_min:u64 reward_max:u64 auction:u8 auction_seconds:u32 work_seconds:u32 claim_by:i64
     on_undecided:u8 seal:hash engine:key engine_group:key engine_agent:key engine_fee:u64 engine_seconds:u32 on_silence:u8 seats:u8 fee_min:u64`,
    'authority:sw config rules agent:w task:w roster system engine_agent',
  ],
  cancel_task: ['', 'authority:s agent:w task:w'],
  claim_task: ['min_reward:u64', 'worker:s config rules worker_agent:w task:w roster'],
  release_task: ['', 'worker:s config worker_agent:w task:w'],
  start_task: ['', 'worker:s task:w'],
  submit_result: ['result_hash:hash', 'worker:s rules creator_agent:w task:w'],
  accept: ['', 'creator:s creator_agent:w worker_agent:w task:w pot:w'],
  object: ['objection_hash:hash', 'creator:s rules creator_agent:w task:w'],
  rework: ['', 'worker:s rules creator_agent:w task:w'],
  counter_object: ['counter_hash:hash', 'worker:sw rules worker_agent:w task:w case:w system'],
  expire: ['', 'config task:w creator_agent:w pot:w worker_agent:w'],
  join_roster: [
    'peer:key operator:key withdraw:key stake:u64',
    'authority:sw config rules roster:w admission instructions system operator:s',
  ],
  top_up: ['amount:u64', 'authority:sw roster:w system'],
  begin_exit: ['judge:key', 'withdraw:s rules roster:w'],
  withdraw_stake: ['judge:key', 'withdraw:s roster:w wallet:w'],
  change_withdraw: ['judge:key withdraw:key', 'withdraw:s roster:w'],
  begin_season: ['', 'rules roster:w'],
  draw: ['', 'roster:w case:w task'],
  commit: ['round:u8 commitment:hash sealed:bytes', 'judge:s case:w'],
  relay_commit: ['round:u8 judge:key commitment:hash sealed:bytes', 'config roster case:w instructions'],
  reveal: ['round:u8 judge:key choice:u8 opinion_hash:hash receipts_root:hash salt:hash', 'case:w'],
  settle: ['', 'roster:w case:w task:w creator_agent:w worker_agent:w pot:w'],
  appeal: ['', 'party:sw roster agent:w task:w case:w system'],
  finish_case: ['', 'roster:w case:w task:w creator_agent:w worker_agent:w pot:w loser:s'],
  expire_case: ['', 'roster:w case:w task:w creator_agent:w worker_agent:w pot:w'],
  slash_equivocation: ['seat:u8', 'config roster:w case:w pot:w instructions'],
  claim_reward: ['judge:key', 'roster:w wallet:w withdraw:s'],
  close_task: ['', 'rules task:w wallet:w pledge'],
  close_case: ['', 'case:w wallet:w appellant:w'],
  pull_payment: ['', 'signer:sw config payer_agent:w payee_agent:w channel:w instructions system'],
  publish_verdict: ['', 'payer:sw task case verdict:w system'],
  settle_by_engine: ['', 'task:w creator_agent:w worker_agent:w pot:w verdict engine_agent:w'],
  open_case: ['', 'payer:sw rules task:w case:w system'],
  open_dispute: ['respondent:key terms_hash:hash claim_hash:hash amount:u64 seats:u8', 'payer:sw claimant:s config rules roster task:w verdict:w system'],
  join_dispute: ['answer_hash:hash', 'respondent:s task:w'],
  settle_dispute: ['', 'roster:w case:w task:w pot:w verdict:w payer:w'],
  commit_batch: ['root:hash leaves:u32 deposit:u64', 'authority:sw config rules proctor pot:w batch:w system'],
  open_leaf: [
    `index:u32 task_hash:hash result_hash:hash objection_hash:hash counter_hash:hash answer:u8 generator:hash seed:hash
     path:bytes`,
    'authority:s batch:w task case:w',
  ],
  apply_leaf: ['', 'config batch:w case:w roster:w pot:w'],
  close_batch: ['', 'config batch:w pot:w wallet:w'],
  uphold_challenge: ['generator:hash seed:hash', 'batch:w golden_task golden_case task case worker_agent:w pot:w wallet:w'],
  appeal_challenge: ['generator:hash seed:hash', 'authority:sw batch golden_task golden_case roster task case:w system'],
};

export const CALL_NAMES = Object.keys(CALLS);

const names = JSON.parse(readFileSync(new URL('../../vectors/names.json', import.meta.url)));

/** The code of an error's name, and back. */
export const CODES = Object.fromEntries(names.errors.map(({ code, name }) => [name, code]));
export const ERRORS = Object.fromEntries(names.errors.map(({ code, name }) => [code, name]));

/** The accounts of an instruction: name, signer, writable. */
export function roles(name) {
  if (!CALLS[name]) throw new Error(`no instruction ${name}`);
  return CALLS[name][1].split(' ').map((role) => {
    const [account, flags = ''] = role.split(':');
    return { account, signer: flags.includes('s'), writable: flags.includes('w') };
  });
}

const ROLES = [AccountRole.READONLY, AccountRole.WRITABLE, AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER];

/** An account of an instruction. `at` is an address, or a wallet that signs. */
export function meta(at, { signer, writable }) {
  const role = ROLES[2 * signer + writable];
  if (!signer) return { address: at.address ?? at, role };
  if (!at.address) throw new Error('a signer has to be a wallet');
  return { address: at.address, role, signer: at };
}

/** The data of an instruction. */
export function data(name, args) {
  const parts = CALLS[name][0].trim().split(/\s+/).filter(Boolean).map((field) => {
    const [key, kind] = field.split(':');
    if (args[key] === undefined) throw new Error(`${name} lacks ${key}`);
    if (kind === 'bytes') return bytes(u32(args[key].length), args[key]);
    return new Layout(field).write(args);
  });
  return bytes(discriminator('global', name), ...parts);
}

/** An instruction of `program`; `accounts` has an address or a wallet for each role, some of which are always the same. */
export function call(program, name, args, accounts) {
  const always = { system: SYSTEM, instructions: INSTRUCTIONS, program };
  const metas = roles(name).filter(({ account }) => accounts[account] !== null).map((role) => {
    const at = accounts[role.account] ?? always[role.account];
    if (!at) throw new Error(`${name} lacks the account ${role.account}`);
    return meta(at, role);
  });
  return { programAddress: program, accounts: metas, data: data(name, args) };
}

/** An Ed25519 instruction that checks signatures: `{ key, signature, message }`. `at` replaces an instruction index. */
export function ed25519(signatures, at = [0xffff, 0xffff, 0xffff]) {
  const entries = [];
  const texts = [];
  let offset = 2 + 14 * signatures.length;
  for (const { key, signature, message } of signatures) {
    const fields = [offset + 32, at[0], offset, at[1], offset + 96, message.length, at[2]];
    entries.push(...fields.map(u16));
    texts.push(key, signature, message);
    offset += 96 + message.length;
  }
  return { programAddress: ED25519, accounts: [], data: bytes([signatures.length, 0], ...entries, ...texts) };
}
