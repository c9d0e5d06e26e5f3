// A court on a chain. It sends instructions and compares every effect of the program with the
// model's prediction.

import assert from 'node:assert/strict';
import { Model } from '../model/model.mjs';
import { NOBODY, address, ascii, bytes, hex, keyBytes, number, sha256, u32, u64 } from './bytes.mjs';
import { CODES, ED25519, ERRORS, call, limit } from './call.mjs';
import { note } from './coverage.mjs';
import { decode, encode } from './account.mjs';
import { PROGRAM, SOL, World, pda } from './world.mjs';

export const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
export const START = 1_800_000_000n;
export const digest = (text) => hex(sha256(ascii(text)));

export const NETWORK = digest('genesis');
/** A program that decides tasks. */
export const ENGINE = address(new Uint8Array(32).fill(11));

/** The defaults of protocol section 4. */
export const PARAMS = Object.freeze({
  min_stake: SOL, max_seat_weight: 10n * SOL, fee_min: 1_000_000n, min_reward: 1_000_000n,
  commit_seconds: 420, reveal_seconds: 180, verify_seconds: 28_800, answer_seconds: 28_800, cooldown_seconds: 172_800,
  draw_seconds: 1_800, evidence_seconds: 86_400, fee_bps: 10, creator_bps: 2_000, worker_bps: 1_000,
  risk_bps: 1_000, golden_gain: 10, golden_loss: 4, absence: 2, minority: 0, max_judges: 512, draw_delay_slots: 2,
  trade_bps: 50, claim_bps: 200, cover_bps: 0, min_work_seconds: 60, season_seconds: 86_400, appeal_seconds: 3_600, reversal: 20, max_rounds: 2, preset: 1,
  panel_seats: 28, min_seats: 7, max_reworks: 3,
  leaf_fee: 28_000_000n, batch_seconds: 0, challenge_seconds: 14_400, golden_bps: 1_000, credential: 0,
});

export const CONFIG = await pda([ascii('config')]);
export const ROSTER = await pda([ascii('roster')]);
export const POT = await pda([ascii('pot')]);
/** The versions of the rules, by number. */
export const RULES = await Promise.all(Array.from({ length: 64 }, (_, n) => pda([ascii('rules'), u32(n)])));
export const PROGRAM_DATA = await pda([keyBytes(PROGRAM)], LOADER);

/** Where a group of another program writes its verdict about a task. */
export function engineVerdictAt(task, engine = ENGINE, group = NOBODY) {
  const of = group === NOBODY ? [] : [keyBytes(group)];
  return pda([ascii('verdict'), keyBytes(task.address), ...of], engine);
}

export class Court extends World {
  /** Who wrote the verdicts of other programs, by address. */
  told = new Map();

  /** A chain with the program deployed by `authority`, and nothing more. */
  static async bare(name) {
    const court = await this.open(name);
    court.at(START, 1_000n);
    court.advance(0n);
    court.authority = await court.fund('authority', 1_000n * SOL);
    court.deployed(court.authority.address);
    return court;
  }

  /** A chain with a Config and an empty Roster. */
  static async begin(name, params = {}) {
    const court = await this.bare(name);
    await court.ok(court.init(params));
    return court;
  }

  /** Writes the loader's account that names the program's upgrade authority (null: immutable). */
  deployed(authority) {
    const flag = authority ? bytes([1], keyBytes(authority)) : bytes([0], new Uint8Array(32));
    const data = bytes(u32(3), u64(7), flag, ascii('the code'));
    this.set({ address: PROGRAM_DATA.address, lamports: this.rent(data.length), programAddress: LOADER, data });
    this.upgrader = authority;
  }

  init(params = {}) {
    const accounts = { authority: this.authority, config: CONFIG, roster: ROSTER, pot: POT, rules: RULES[1], program_data: PROGRAM_DATA };
    return { name: 'init_config', args: { network: NETWORK, listed: 0, ...PARAMS, ...params }, accounts };
  }

  /** Announces the next version of the rules. */
  announce(changes = {}) {
    const { rules } = this.config();
    const accounts = { authority: this.authority, rules: RULES[rules], next: RULES[rules + 1] };
    return { name: 'propose_rules', args: { ...this.version(rules), ...changes }, accounts };
  }

  /** Takes back what is announced; `latest` is its number. */
  takeBack(latest = this.config().rules) {
    return { name: 'withdraw_rules', accounts: { authority: this.authority, rules: RULES[latest - 1], next: RULES[latest] } };
  }

  /** Announces rules, and waits until they are in force. */
  async enact(changes = {}) {
    await this.ok(this.announce(changes));
    this.pass(this.version(this.config().rules).from - this.time);
  }

  pause(paused) { return { name: 'pause', args: { paused }, accounts: { authority: this.authority } }; }

  /** An action that changes nothing. */
  idle() { return this.pause(this.config().paused); }

  version(number) { return this.get(RULES[number].address); }

  /** The accounts that follow from the others. */
  standing(accounts) { return { config: CONFIG, roster: ROSTER, pot: POT, rules: this.rulesFor(accounts) }; }

  /** The account of the rules that an action goes by: the task's, or those in force. */
  rulesFor({ task }) {
    const config = this.config();
    const under = task && this.get(task.address ?? task)?.rules;
    if (!config || under) return RULES[under || 1];
    let number = config.rules;
    while (number > 1 && this.version(number).from > this.time) number -= 1;
    return RULES[number];
  }

  config() { return this.get(CONFIG.address); }
  roster() { return this.get(ROSTER.address); }
  pot() { return this.get(POT.address); }

  /** The instruction of an action: `{ name, args, accounts }`. */
  instruction({ name, args = {}, accounts = {} }) {
    return call(PROGRAM, name, args, { ...this.standing(accounts), ...accounts });
  }

  /** Sends an action and compares everything with the model. */
  async call(action) {
    const { name, args = {}, accounts = {}, before = null, units } = await action;
    const at = { bumps: {} };
    for (const [role, account] of Object.entries({ ...this.standing(accounts), ...accounts })) {
      if (!account) continue;
      at[role] = account.address ?? account;
      if (account.bump !== undefined) at.bumps[role] = account.bump;
    }
    const expected = Model.run(this.chain(before), name, structuredClone(args), at);
    const instruction = this.instruction({ name, args, accounts });
    const held = new Map(instruction.accounts.map((m) => [m.address, this.lamports(m.address)]));
    const all = [units ? limit(units) : null, before, instruction].filter(Boolean);
    const result = await this.dispatch(name, all);
    this.agrees(name, expected, result, held);
    return result;
  }

  /** Sends instructions, of which the last is the program's, without a look at the model. */
  async dispatch(name, instructions) {
    const result = await this.send(instructions);
    result.failed = ERRORS[result.code];
    note(name, result.ok ? 'ok' : result.failed ?? 'runtime', result.units);
    return result;
  }

  /** What the model needs of the chain. */
  chain(before) {
    return {
      now: this.time, slot: this.slot, blocks: this.hashes, program: PROGRAM, before: signatures(before),
      upgrader: this.upgrader, get: (at) => this.get(at), lamports: (at) => this.lamports(at),
      rent: (size) => this.rent(size), owner: (at) => this.raw(at)?.programAddress,
      holder: (at) => address(this.raw(at).data.slice(32, 64)), foreign: (at, task) => this.foreign(at, task),
    };
  }

  /** The engine of a task decides: its program writes an account. */
  async says(task, verdict, changes = {}) {
    const { engine = ENGINE, owner = engine, group, ...fields } = changes;
    const at = await engineVerdictAt(task, engine, group);
    const data = encode({
      kind: 'VerdictAccount', bump: at.bump, is_final: 1, verdict, level: 0, round: 0, joined: 0, subject: task.address, engine,
      decided_at: this.time, accept_weight: 3n, reject_weight: 0n, abstain_weight: 0n, seated_weight: 5n,
      facts: '00'.repeat(32), creator: NOBODY, worker: NOBODY, result_hash: '00'.repeat(32), reward: 0n, ...fields,
    });
    this.set({ address: at.address, lamports: this.rent(data.length), programAddress: owner, data });
    this.told.set(at.address, [task.address, group ?? NOBODY].join());
    return at;
  }

  /** What a verdict of another program says about a task, or the error that it is refused with. */
  foreign(at, { engine, engine_group, address: subject }) {
    const account = this.raw(at);
    if (account?.programAddress !== engine) return { error: 'WrongOwner' };
    let record;
    try {
      record = decode(account.data);
    } catch {
      return { error: 'WrongAccount' };
    }
    if (record.kind !== 'VerdictAccount') return { error: 'WrongAccount' };
    if (record.subject !== subject || this.told.get(at) !== [subject, engine_group].join()) return { error: 'WrongAddress' };
    if (record.is_final === 0) return { error: 'NotFinal' };
    return record.is_final === 1 && record.verdict >= 1 && record.verdict <= 3 ? record : { error: 'WrongAccount' };
  }

  agrees(name, expected, result, held) {
    const said = result.ok ? undefined : result.failed ?? result.error;
    assert.equal(said, expected.error, `${name}: ${result.logs.join('\n')}`);
    if (!result.ok) return;
    for (const [at, record] of expected.records) assert.deepEqual(this.get(at), record, `${name}: ${at}`);
    for (const [at, lamports] of held) {
      assert.equal(this.lamports(at) - lamports, expected.moves.get(at) ?? 0n, `${name}: lamports of ${at}`);
    }
    assert.deepEqual(result.events, expected.events, `${name}: events`);
  }

  /** Sends and expects success. */
  async ok(action) {
    const result = await this.call(action);
    assert.ok(result.ok, `${(await action).name}: ${result.failed ?? result.error}\n${result.logs.join('\n')}`);
    return result;
  }

  /** Sends and expects the error. */
  async no(error, action) {
    assert.ok(CODES[error], `no error ${error}`);
    const result = await this.call(action);
    const { name } = await action;
    assert.equal(result.failed, error, `${name}: ${result.error ?? 'succeeded'}\n${result.logs.join('\n')}`);
    return result;
  }
}

/** The signatures that an Ed25519 instruction checks: key and message of each; null if one is not self-contained. */
function signatures(instruction) {
  if (instruction?.programAddress !== ED25519) return null;
  const { data } = instruction;
  const all = Array.from({ length: data[0] }, (_, i) => {
    const word = (n) => Number(number(data, 2 + 14 * i + 2 * n, 2));
    const [indices, key, message, length] = [[word(1), word(3), word(6)], word(2), word(4), word(5)];
    if (indices.some((index) => index !== 0xffff)) return null;
    return { key: address(data.slice(key, key + 32)), message: Buffer.from(data.slice(message, message + length)) };
  });
  return all.includes(null) ? null : all;
}
