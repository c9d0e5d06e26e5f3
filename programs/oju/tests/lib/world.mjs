// One LiteSVM (Agave's own runtime) with the program, actors whose keys follow from their names,
// and the checks of every transaction: lamports are conserved, and every account of the program
// holds the lamports that its fields state.

import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  appendTransactionMessageInstructions,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getProgramDerivedAddress,
  pipe,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { LiteSVM } from 'litesvm';
import { decode } from './account.mjs';
import { SYSTEM, address, ascii, bytes, hex, sha256 } from './bytes.mjs';
import { ED25519 } from './call.mjs';
import { events } from './event.mjs';

const FEE = 5_000n;
export const SOL = 1_000_000_000n;

/** Fixed, so that bumps, and with them compute units, are the same in every run. */
export const PROGRAM = address(new Uint8Array(32).fill(7));

/** The path of the ELF under test, which the caller names in the environment. */
export function elfPath() {
  const path = process.env.OJU_ELF;
  if (!path) throw new Error('OJU_ELF is not set: run ./build.sh test, or point it at an ELF');
  return path;
}

const elf = { path: undefined, code: undefined };

function code(path) {
  if (elf.path !== path) Object.assign(elf, { path, code: readFileSync(path) });
  return elf.code;
}

const pdas = new Map();
const wallets = new Map();
const names = new Map();
const peers = new Map();

/** The address and bump of seeds. */
export async function pda(seeds, program = PROGRAM) {
  const key = `${program} ${seeds.map(hex).join(' ')}`;
  if (!pdas.has(key)) {
    const [found, bump] = await getProgramDerivedAddress({ programAddress: program, seeds });
    pdas.set(key, { address: found, bump });
  }
  return pdas.get(key);
}

/** A Solana key that follows from its name. */
export async function wallet(name) {
  if (!wallets.has(name)) {
    const made = await createKeyPairSignerFromPrivateKeyBytes(sha256(ascii(`wallet ${name}`)));
    wallets.set(name, made);
    names.set(made.address, name);
  }
  return wallets.get(name);
}

/** The name of a wallet that was used in this process. */
export const nameOf = (at) => names.get(at);

/** A node key that follows from its name. */
export function peer(name) {
  if (!peers.has(name)) peers.set(name, nodeKey(name));
  return peers.get(name);
}

/** The Solana key of a wallet as one that signs messages. */
export const purse = (name) => signerOf(`wallet ${name}`);

const nodeKey = (name) => signerOf(`peer ${name}`);

function signerOf(secret) {
  const seed = bytes(Buffer.from('302e020100300506032b657004220420', 'hex'), sha256(ascii(secret)));
  const key = createPrivateKey({ key: Buffer.from(seed), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  const say = (message) => ({ key: raw, signature: sign(null, message, key), message });
  return { key: raw, address: address(raw), say };
}

export class World {
  /** A chain that runs the ELF. `name` says in a trace which test it is. */
  static async open(name, path = elfPath()) {
    const world = new this();
    world.name = name;
    world.svm = new LiteSVM();
    world.program = PROGRAM;
    world.svm.addProgram(PROGRAM, code(path));
    world.strays = new Map();
    world.payer = await world.fund('payer', 1_000_000n * SOL);
    return world;
  }

  /** A wallet that has at least `balance` lamports. */
  async fund(name, balance) {
    const found = await wallet(name);
    if (this.lamports(found.address) < balance) this.give(found.address, balance);
    return found;
  }

  /** Sets what a wallet holds. */
  give(at, balance) {
    this.set({ address: at, lamports: balance, programAddress: SYSTEM, data: new Uint8Array() });
  }

  /** Puts an account on the chain, past all rules. */
  set({ address: at, lamports, programAddress, data, executable = false }) {
    this.svm.setAccount({ address: at, lamports, programAddress, data, executable, space: BigInt(data.length) });
  }

  get slot() { return this.svm.getClock().slot; }
  get time() { return this.svm.getClock().unixTimestamp; }

  /** Sets the chain's clock. */
  at(time, slot = this.slot) {
    const clock = this.svm.getClock();
    [clock.slot, clock.unixTimestamp] = [BigInt(slot), BigInt(time)];
    this.svm.setClock(clock);
  }

  /** Lets seconds pass; slots follow at five in two seconds. */
  pass(seconds) {
    this.at(this.time + BigInt(seconds), this.slot + BigInt(seconds) * 5n / 2n);
  }

  /** The slot hashes of the given slots, newest first. */
  blocks(slots) {
    const hashes = slots.map((slot) => ({ slot: BigInt(slot), hash: address(sha256(ascii(`slot ${slot}`))) }));
    this.svm.setSlotHashes(hashes);
    this.hashes = hashes;
  }

  /** Lets `count` slots pass and gives each of the last eight a block, as a chain would. */
  advance(count) {
    this.at(this.time + BigInt(Math.ceil(Number(count) * 0.4)), this.slot + BigInt(count));
    this.blocks(Array.from({ length: 8 }, (_, i) => this.slot - 1n - BigInt(i)).filter((slot) => slot >= 0n));
  }

  /** The account, or null. */
  raw(at) {
    const account = this.svm.getAccount(at);
    return account.exists ? account : null;
  }

  /** The decoded account of the program, or null if there is none. */
  get(at) {
    const account = this.raw(at);
    return account?.programAddress === PROGRAM && account.data.length > 0 ? decode(account.data) : null;
  }

  lamports(at) { return this.raw(at)?.lamports ?? 0n; }

  rent(size) { return this.svm.minimumBalanceForRentExemption(BigInt(size)); }

  /** Sends instructions in one transaction that the payer pays, and checks what every transaction has to keep. */
  async send(instructions, payer = this.payer) {
    this.svm.expireBlockhash();
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayerSigner(payer, draft),
      (draft) => this.svm.setTransactionMessageLifetimeUsingLatestBlockhash(draft),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
    );
    const transaction = await signTransactionMessageWithSigners(message);
    const touched = [...new Set([payer.address, ...instructions.flatMap(({ accounts }) => accounts.map((m) => m.address))])];
    const before = new Map(touched.map((at) => [at, this.raw(at)]));
    const result = this.outcome(this.svm.sendTransaction(transaction));
    const proofs = instructions.filter(({ programAddress }) => programAddress === ED25519);
    const signatures = Object.keys(transaction.signatures).length + proofs.reduce((sum, { data }) => sum + data[0], 0);
    this.conserves(before, touched, result, FEE * BigInt(signatures));
    return result;
  }

  /** What a transaction did: `code` is the program's error, `error` anything else that went wrong. */
  outcome(result) {
    const failed = typeof result.err === 'function';
    const meta = failed ? result.meta() : result;
    const error = failed ? result.err() : null;
    const inner = failed && typeof error.err === 'function' ? error.err() : undefined;
    const logs = meta.logs();
    return {
      ok: !failed,
      code: inner?.code,
      error: failed && inner?.code === undefined ? describe(error, inner) : undefined,
      units: Number(meta.computeUnitsConsumed()),
      logs,
      data: Uint8Array.from(meta.returnData().data()),
      events: failed ? [] : events(logs),
    };
  }

  /** Lamports in equal lamports out, but for the fee; and every account of the program holds what it says. */
  conserves(before, touched, result, fee) {
    const sum = (of) => touched.reduce((total, at) => total + of(at), 0n);
    const paid = sum((at) => before.get(at)?.lamports ?? 0n) - sum((at) => this.lamports(at));
    if (result.ok || paid !== 0n) assert.equal(paid, fee, 'lamports were made or lost');
    for (const at of touched) this.holds(at);
  }

  /** An account of the program holds rent and what it counts, and what outsiders sent to it. */
  holds(at) {
    const account = this.raw(at);
    if (account?.programAddress !== PROGRAM || account.data.length === 0 || this.strays.get(at) === null) return;
    const record = decode(account.data);
    const owed = this.rent(account.data.length) + counted(record) + (this.strays.get(at) ?? 0n);
    assert.equal(account.lamports, owed, `${record.kind} ${at} holds other lamports than it counts`);
  }
}

/** What an account says that it holds besides its rent. */
export function counted(record) {
  switch (record.kind) {
    case 'Agent': return record.vault;
    case 'Task': return record.escrow + record.creator_bond + record.worker_bond + record.claim_bond;
    case 'Roster': return rosterHolds(record);
    case 'Pot': return record.golden;
    case 'Batch': return record.deposit + record.earned;
    default: return 0n;
  }
}

function rosterHolds(roster) {
  const sum = (field) => roster.entries.reduce((total, entry) => total + entry[field], 0n);
  assert.equal(roster.total_stake, sum('stake'), 'total_stake is not the sum of the stakes');
  assert.equal(roster.total_rewards, sum('rewards'), 'total_rewards is not the sum of the rewards');
  assert.equal(roster.active, roster.entries.filter(({ state }) => state === 1).length, 'active');
  return roster.total_stake + roster.total_rewards;
}

function describe(error, inner) {
  return inner === undefined ? String(error) : `${error.constructor.name} ${String(inner)}`;
}
