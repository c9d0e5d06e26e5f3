// The effect of an instruction with the right accounts, written from docs/protocol.md without a
// look at the program: the error, or every account, lamport and event afterwards.

import { sizeOf } from '../lib/account.mjs';
import { agents } from './agents.mjs';
import { cases } from './cases.mjs';
import { golden } from './golden.mjs';
import { judges } from './judges.mjs';
import { payments } from './payments.mjs';
import { tasks } from './tasks.mjs';

const RULES = { ...agents, ...tasks, ...judges, ...cases, ...payments, ...golden };

/** The rule that an instruction breaks. */
export class Refused extends Error {}

export class Model {
  /**
   * `chain` has `now`, `slot`, `blocks` (newest first), `program`, `before` (the signatures of the instruction before, or
   * null), `upgrader` (address, null or undefined), and the functions `get`, `lamports` and `rent`.
   */
  constructor(chain, args, at) {
    Object.assign(this, { chain, args, at, now: chain.now, records: new Map(), moves: new Map(), events: [] });
  }

  /** Runs an instruction: `{ error }`, or `{ records, moves, events }`. */
  static run(chain, name, args, at) {
    const model = new Model(chain, args, at);
    try {
      if (!RULES[name]) throw new Error(`no rule for ${name}`);
      RULES[name](model);
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      return { error: thrown.message };
    }
    return { records: model.records, moves: model.moves, events: model.events };
  }

  need(holds, error) {
    if (!holds) throw new Refused(error);
  }

  /** The account in a role, to change. */
  open(role) { return this.openAt(this.at[role]); }

  openAt(address) {
    if (!this.records.has(address)) this.records.set(address, structuredClone(this.chain.get(address)));
    return this.records.get(address);
  }

  /** A new account in a role, whose rent `payer` pays. */
  create(role, payer, record, items = 0) {
    const address = this.at[role];
    const [rent, held] = [this.chain.rent(sizeOf(record.kind, items)), this.chain.lamports(address)];
    if (held < rent) this.move(payer, address, rent - held);
    this.records.set(address, record);
    return record;
  }

  /** Closes the account in a role: everything that it holds, but for `less`, goes to `to`. */
  close(role, to, less = 0n) {
    const address = this.at[role];
    const amount = this.chain.lamports(address) - less;
    this.move(address, to, amount);
    this.records.set(address, null);
    this.log('Closed', { account: address, to, amount });
  }

  move(from, to, amount) {
    this.moves.set(from, (this.moves.get(from) ?? 0n) - amount);
    this.moves.set(to, (this.moves.get(to) ?? 0n) + amount);
  }

  log(event, fields) { this.events.push({ event, ...fields }); }
}
