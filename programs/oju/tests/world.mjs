// One LiteSVM (Agave's own runtime) with one program of ours, and the few things the tests say to it.

import { readFileSync } from 'node:fs';
import {
  AccountRole,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressDecoder,
  getProgramDerivedAddress,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { LiteSVM } from 'litesvm';

export const SYSTEM = '11111111111111111111111111111111';
export const ED25519 = 'Ed25519SigVerify111111111111111111111111111';
export const INSTRUCTIONS = 'Sysvar1nstructions1111111111111111111111111';

export const u16 = (number) => le(number, 2);
export const u32 = (number) => le(number, 4);
export const u64 = (number) => le(number, 8);
export const bytes = (...parts) => Uint8Array.from(Buffer.concat(parts.map((part) => Buffer.from(part))));
export const address = (key) => getAddressDecoder().decode(key);

// Fixed, so that bumps, and with them compute units, are the same in every run.
const PROGRAM = address(new Uint8Array(32).fill(7));

/** `number` in `length` little-endian bytes. */
function le(number, length) {
  const out = new Uint8Array(length);
  let rest = BigInt(number);
  for (let i = 0; i < length; i++, rest >>= 8n) out[i] = Number(rest & 255n);
  if (rest !== 0n) throw new RangeError(`${number} does not fit in ${length} bytes`);
  return out;
}

/** The little-endian number in `length` bytes of `data` from `offset` on. */
export function number(data, offset = 0, length = 8) {
  return data.slice(offset, offset + length).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** The path of the ELF under test, which the caller names in the environment. */
export function elfPath() {
  const path = process.env.OJU_ELF;
  if (!path) throw new Error('OJU_ELF is not set: run ./build.sh test, or point it at an ELF');
  return path;
}

export class World {
  /** A chain that runs the ELF, with a payer of 1,000 SOL. */
  static async open(path = elfPath()) {
    const world = new World();
    world.svm = new LiteSVM();
    world.program = PROGRAM;
    world.svm.addProgram(world.program, readFileSync(path));
    world.payer = await world.wallet(1_000_000_000_000n);
    return world;
  }

  /** A new wallet with `balance` lamports. */
  async wallet(balance = 0n) {
    const signer = await generateKeyPairSigner();
    if (balance > 0n) this.svm.airdrop(signer.address, lamports(balance));
    return signer;
  }

  /** The address and bump of seeds. */
  async pda(...seeds) {
    const [found, bump] = await getProgramDerivedAddress({ programAddress: this.program, seeds });
    return { address: found, bump };
  }

  /** An instruction of the program: eight letters, arguments, accounts. */
  instruction(name, args = [], accounts = []) {
    if (name.length !== 8) throw new Error(`${name} is not eight letters`);
    return { programAddress: this.program, data: bytes(Buffer.from(name), args), accounts };
  }

  /** Sends one instruction of the program. */
  call(name, args, accounts) {
    return this.send([this.instruction(name, args, accounts)]);
  }

  /** Sends instructions in one transaction that the payer pays. */
  async send(instructions) {
    this.svm.expireBlockhash();
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayerSigner(this.payer, draft),
      (draft) => this.svm.setTransactionMessageLifetimeUsingLatestBlockhash(draft),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
    );
    return outcome(this.svm.sendTransaction(await signTransactionMessageWithSigners(message)));
  }

  /** The account, or null. */
  account(at) {
    const account = this.svm.getAccount(at);
    return account.exists ? account : null;
  }
}

/** What a transaction did: `code` is the program's error, `error` anything else that went wrong. */
function outcome(result) {
  const failed = typeof result.err === 'function';
  const meta = failed ? result.meta() : result;
  const error = failed ? result.err() : null;
  const code = failed ? customCode(error) : undefined;
  return {
    ok: !failed,
    code,
    error: failed && code === undefined ? String(error) : undefined,
    units: Number(meta.computeUnitsConsumed()),
    logs: meta.logs(),
    data: Uint8Array.from(meta.returnData().data()),
  };
}

function customCode(error) {
  const inner = typeof error.err === 'function' ? error.err() : undefined;
  return inner?.code;
}

export const writable = (at) => ({ address: at, role: AccountRole.WRITABLE });
export const readonly = (at) => ({ address: at, role: AccountRole.READONLY });
export const signer = (wallet) => ({ address: wallet.address, role: AccountRole.WRITABLE_SIGNER, signer: wallet });
