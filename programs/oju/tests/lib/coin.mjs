// Tokens of SPL Token and Token-2022, put on the chain past all rules.

import * as act from './act.mjs';
import { pda } from './world.mjs';
import { ascii, bytes, address, keyBytes, number, sha256, u32, u64 } from './bytes.mjs';

export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

const at = (...words) => address(sha256(ascii(words.join(' '))));

/** A mint with 6 decimals, and accounts of people: `vault` is the agent's, `wallet` the key's. */
export class Coin {
  constructor(scene, name, program) {
    Object.assign(this, { scene, name, program, mint: at('mint', name, program) });
    this.put(this.mint, bytes(u32(0), new Uint8Array(32), u64(10n ** 18n), [6, 1], new Uint8Array(36)));
  }

  put(where, data) {
    this.scene.set({ address: where, lamports: this.scene.rent(data.length), programAddress: this.program, data });
  }

  /** Gives an owner's account an amount. */
  give(where, owner, amount, state = 1) {
    const data = bytes(keyBytes(this.mint), keyBytes(owner), u64(amount), new Uint8Array(36), [state], new Uint8Array(56));
    this.put(where, data);
  }

  vault(name) { return at('vault', name, this.mint); }
  wallet(name) { return at('wallet', name, this.mint); }

  /** Gives the vault of a name, and its wallet, that much each. */
  async cast(name, amount = 1_000n) {
    this.give(this.vault(name), (await act.agentAt(name)).address, amount);
    this.give(this.wallet(name), await act.key(name), amount);
  }

  /** The token account of the pledge of a task, which is made if it is not there. */
  async holding(task) {
    const owner = (await act.pledgeAt(task.address)).address;
    const { address: where } = await pda([keyBytes(owner), keyBytes(this.program), keyBytes(this.mint)], ASSOCIATED);
    if (!this.scene.raw(where)) this.give(where, owner, 0n);
    return where;
  }

  async pledge(task, amount) {
    const holding = await this.holding(task);
    return act.pledge(task, amount, { mint: this.mint, source: this.vault(task.creator), holding, token_program: this.program });
  }

  async pay(task, party) {
    const holding = await this.holding(task);
    return act.payPledge(task, party, { mint: this.mint, holding, destination: this.vault(party), token_program: this.program });
  }

  held(where) { return number(this.scene.raw(where).data, 64, 8); }

  /** A withdrawal from the vault of `name` to its wallet. */
  async withdraw(name, amount) {
    const accounts = { mint: this.mint, source: this.vault(name), destination: this.wallet(name), token_program: this.program };
    return act.withdrawTokens(name, amount, accounts);
  }
}
