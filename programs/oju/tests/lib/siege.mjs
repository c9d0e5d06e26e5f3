// A scene that attacks every instruction before it is sent for the first time, and before it is
// sent for the first time with these accounts: with other data, with fewer accounts, without
// signatures, and with every account replaced by a wrong one.

import assert from 'node:assert/strict';
import { AccountRole } from '@solana/kit';
import { SYSTEM, address, ascii, sha256 } from './bytes.mjs';
import { CODES, roles } from './call.mjs';
import { LOADER } from './court.mjs';
import { Scene } from './scene.mjs';
import { SOL } from './world.mjs';

/** Accounts that hold a record of the program, wherever an instruction names them so. */
const RECORDS = new Set([
  'config', 'rules', 'next', 'roster', 'pot', 'page', 'agent', 'creator_agent', 'worker_agent', 'data', 'task', 'case',
  'payer_agent', 'payee_agent', 'channel', 'admission', 'verdict', 'engine_agent', 'proctor', 'batch', 'golden_task', 'golden_case', 'pledge',
]);
/** Other accounts that are known by themselves, or by the program that owns them. */
const OWNED = new Set(['system', 'instructions', 'program_data', 'mint', 'source', 'destination', 'holding', 'token_program']);
/** Accounts that an instruction makes if they are not there, and else writes to. */
const MADE_OR_USED = new Set(['page', 'data', 'channel']);
/** Whoever these are matters only to some callers, whom the suites of these instructions have. */
const FREE = { write_data: ['task'], revoke: ['task', 'creator_agent'], withdraw_stake: ['wallet'], open_leaf: ['task'], claim_reward: ['wallet'] };

/**
 * Where another rule is broken before the one against duplicates: whether `expire` wants a worker's agent,
 * and `settle_by_engine` that of the engine, is in the task.
 */
const LATER = {
  'settle_by_engine: engine_agent as task': 'WrongAccount',
  'settle_by_engine: engine_agent as pot': 'WrongAccount',
  'settle_by_engine: engine_agent as creator_agent': 'WrongAddress',
  'settle_by_engine: engine_agent as worker_agent': 'WrongAddress',
  'expire: worker_agent as task': 'WrongAccount',
  'expire: worker_agent as pot': 'WrongAccount',
  'expire: worker_agent as creator_agent': 'WrongAddress',
  'open_leaf: case as batch': 'WrongAccount',
  'close_case: appellant as case': 'WrongOwner',
  'close_case: appellant as wallet': 'WrongAddress',
};

/** Where a record that is not the program's has a code of its own, because a person is told what is missing. */
const OTHERS = { 'join_roster: admission': 'NotAdmitted', 'commit_batch: proctor': 'NotProctor' };

const ROLES = [AccountRole.READONLY, AccountRole.WRITABLE, AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER];
const elsewhere = address(sha256(ascii('elsewhere')));

/** The meta with another role. */
const as = (meta, signer, writable) => ({
  address: meta.address, role: ROLES[2 * signer + writable], ...(signer ? { signer: meta.signer } : {}),
});

export class Siege extends Scene {
  /** Names of the instructions that were attacked, and how often. */
  attacked = new Map();
  ways = new Set();

  async ok(action) {
    const { name, before = null } = await action;
    const instruction = this.instruction(await action);
    const way = [name, ...instruction.accounts.map(({ address: at }) => Boolean(this.get(at)))].join();
    if (!this.ways.has(way)) {
      this.ways.add(way);
      await this.attack(name, instruction, before);
    }
    return super.ok(action);
  }

  async attack(name, instruction, before) {
    const places = roles(name).slice(0, instruction.accounts.length);
    const expect = async (error, changed, what) => {
      assert.ok(CODES[error], error);
      const result = await this.dispatch(name, [before, { ...instruction, ...changed }].filter(Boolean));
      assert.equal(result.failed, error, `${name}, ${what}: ${result.error ?? 'succeeded'}\n${result.logs.join('\n')}`);
      this.attacked.set(name, (this.attacked.get(name) ?? 0) + 1);
    };
    const swap = (i, meta) => ({ accounts: instruction.accounts.toSpliced(i, 1, meta) });
    await this.garble(instruction.data, expect);
    await this.disarm(instruction.accounts, places, swap, expect);
    for (const [i, place] of places.entries()) {
      const other = { ...as(instruction.accounts[i], false, place.writable), address: elsewhere };
      if (FREE[name]?.includes(place.account)) continue;
      if (RECORDS.has(place.account)) await this.forge(name, instruction.accounts[i].address, place, (at) => swap(i, at), expect, other);
      else await this.impersonate(place, swap(i, other), expect);
    }
    await this.double(name, instruction.accounts, places, swap, expect);
  }

  /** Data that is too short or too long, and instructions that do not exist. */
  async garble(data, expect) {
    await expect('BadInstruction', { data: data.slice(0, -1) }, 'data too short');
    await expect('BadInstruction', { data: Uint8Array.from([...data, 0]) }, 'data too long');
    await expect('BadInstruction', { data: new Uint8Array() }, 'no data');
    await expect('BadInstruction', { data: data.map((byte, i) => (i === 7 ? byte ^ 1 : byte)) }, 'another instruction');
  }

  /** Fewer accounts, and accounts without the rights that they need. */
  async disarm(metas, places, swap, expect) {
    for (let n = 0; n < metas.length; n++) await expect('NotEnoughAccounts', { accounts: metas.slice(0, n) }, `${n} accounts`);
    for (const [i, { account, signer, writable }] of places.entries()) {
      if (signer) await expect('NotSigner', swap(i, as(metas[i], false, writable)), `${account} does not sign`);
      if (writable) await expect('NotWritable', swap(i, as(metas[i], signer, false)), `${account} is read only`);
    }
  }

  /** A program, sysvar or wallet that is another one. */
  async impersonate({ account, signer }, changed, expect) {
    if (signer) return;
    const error = OWNED.has(account) ? 'WrongOwner' : 'WrongAddress';
    await expect(error, changed, `another ${account}`);
  }

  /** A record that is not the program's, not of its kind, or not in its place. */
  async forge(name, at, { account }, swap, expect, other) {
    const real = this.raw(at);
    if (!real || real.data.length === 0) return this.occupy(at, account, swap, expect, other);
    const put = (changes) => this.set({ ...real, ...changes });
    const stray = this.strays.get(at);
    this.strays.set(at, null);
    for (const owner of [SYSTEM, LOADER]) {
      put({ programAddress: owner });
      await expect(OTHERS[`${name}: ${account}`] ?? 'WrongOwner', {}, `${account} of ${owner}`);
    }
    const bend = (i, change) => Uint8Array.from(real.data.map((byte, at) => (at === i ? change(byte) : byte)));
    const bent = {
      'another kind': bend(0, (byte) => byte ^ 1), 'another version': bend(8, () => 1), 'version 0': bend(8, () => 0),
      'a byte less': real.data.slice(0, -1), 'a byte more': Uint8Array.from([...real.data, 0]),
      'a kind and no more': real.data.slice(0, 8), 'three bytes': real.data.slice(0, 3),
    };
    for (const [what, data] of Object.entries(bent)) {
      put({ data });
      await expect('WrongAccount', {}, `${account} with ${what}`);
    }
    put({ data: bend(9, (byte) => byte - 1) });
    await expect('WrongAddress', {}, `${account} with another bump`);
    put({});
    this.strays.set(elsewhere, null);
    this.set({ ...real, address: elsewhere });
    await expect('WrongAddress', swap(other), `a copy of ${account} elsewhere`);
    this.restore(elsewhere, null);
    this.strays.set(at, stray);
  }

  /** An account that is to be made: somewhere else, or where there is one already. */
  async occupy(at, account, swap, expect, other) {
    const stray = this.strays.get(at);
    await expect('WrongAddress', swap(other), `${account} elsewhere`);
    this.strays.set(at, null);
    const before = this.raw(at);
    this.set({ address: at, lamports: SOL, programAddress: LOADER, data: new Uint8Array(8) });
    await expect(MADE_OR_USED.has(account) ? 'WrongOwner' : 'AlreadyExists', {}, `${account} of another program`);
    this.restore(at, before);
    this.strays.set(at, stray);
  }

  /** One account in two roles that are both written to. */
  async double(name, metas, places, swap, expect) {
    for (const [i, one] of places.entries()) {
      for (const [j, two] of places.entries()) {
        if (i === j || !one.writable || !two.writable || two.signer) continue;
        const meta = one.signer ? metas[i] : { ...metas[j], address: metas[i].address };
        const error = LATER[`${name}: ${one.account} as ${two.account}`] ?? 'DuplicateAccount';
        await expect(error, swap(j, meta), `${one.account} as ${two.account}`);
      }
    }
  }
}

