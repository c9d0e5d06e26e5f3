// Prints what the building blocks cost in compute units on Agave's runtime. Run by `./build.sh costs`.

import { readFileSync } from 'node:fs';
import { SYSTEM, World, bytes, elfPath, readonly, signer, u32, u64, writable } from './world.mjs';

const world = await World.open();
const system = readonly(SYSTEM);

/** Compute units of one call, which must succeed. */
async function units(name, args, accounts) {
  const result = await world.call(name, args, accounts);
  if (!result.ok) throw new Error(`${name}: ${result.code ?? result.error}\n${result.logs.join('\n')}`);
  return result.units;
}

/** Compute units of one call more than of the empty one with the same accounts. */
async function net(name, args, accounts) {
  return await units(name, args, accounts) - await units('noop____', [], accounts);
}

/** Compute units of one division, from a hundred of them. */
async function division(a, b, c) {
  const args = (times) => bytes(u64(a), u64(b), u64(c), u32(times));
  return (await units('muldivs_', args(110)) - await units('muldivs_', args(10))) / 100;
}

/** A counter with room for `seats`. */
async function counter(id, seats) {
  const { address, bump } = await world.pda('counter', u64(id));
  const accounts = [signer(world.payer), writable(address), system];
  return { address, bump, accounts, args: bytes(u64(id), [seats]) };
}

/** An id whose address has this bump. */
async function withBump(bump) {
  for (let id = 1_000; ; id++) if ((await world.pda('counter', u64(id))).bump === bump) return id;
}

const row = (what, cost) => console.log(`| ${what} | ${cost} |`);
const roster = await counter(1, 0);
const other = await counter(2, 0);
const best = await counter(await withBump(255), 1);

console.log(`| operation (ELF of ${readFileSync(elfPath()).length} bytes) | compute units |\n|---|---|`);
row('entry, dispatch, no account', await units('noop____'));
const three = [writable(world.payer.address), system, readonly(world.program)];
row('entry, dispatch, 3 accounts', await units('noop____', [], three));
row('`mul_div`, product in 64 bits', await division(1_000_000, 66, 100));
row('`mul_div`, divisor in 32 bits', await division(10n ** 15n, 10n ** 8n, 10_000));
row('`mul_div`, divisor of 64 bits', await division(2n ** 63n - 1n, 2n ** 62n - 1n, 2n ** 63n + 12345n));
row('sha256 of 2 parts, 12 + 32 bytes, as return data', await net('sha256__', new Uint8Array(32)));
row('sha256 of 2 parts, 12 + 300 bytes, as return data', await net('sha256__', new Uint8Array(300)));
row('event of 2 fields, 8 + 32 bytes', await net('emit____', new Uint8Array(32)));
row('event of 2 fields, 8 + 200 bytes', await net('emit____', new Uint8Array(200)));
row('log of 20 letters', await net('log_____', Buffer.alloc(20, 'a')));
row('clock, as return data', await net('clock___'));
row('rent, as return data', await net('rent____', u32(100)));
world.svm.setSlotHashes(Array.from({ length: 512 }, (_, i) => ({ slot: 9_000n - BigInt(i), hash: SYSTEM })));
row('slot hash out of 512, as return data', await net('slothash', u64(8_700)));
row('`pda::create`, 224 bytes, bump 255', await net('create__', best.args, best.accounts));
row('`pda::transfer` (System CPI)', await net('transfer', u64(10_000_000), best.accounts));
row('`pda::find`, bump 255', await net('findpda_', best.args.slice(0, 8)));
row('`pda::check`', await net('checkpda', bytes([best.bump], best.args.slice(0, 8)), [readonly(best.address)]));
for (const made of [roster, other]) await units('create__', made.args, made.accounts);
row('grow by 192 bytes with its rent (System CPI)', await net('grow____', [], roster.accounts));
for (let i = 1; i < 64; i++) await units('grow____', [], roster.accounts);
row('change one of 64 seats', await net('deposit_', bytes([63], u64(5)), [writable(roster.address)]));
row('`pda::check`, sum of 64 seats, return data', await net('total___', [], [readonly(roster.address)]));
await units('transfer', u64(50_000_000), [signer(world.payer), writable(roster.address), system]);
const pair = [writable(roster.address), writable(other.address)];
row('lamports between two of our accounts', await net('move____', u64(1_000), pair));
const eight = [];
for (let i = 0; i < 8; i++) eight.push(readonly((await world.wallet()).address));
row('`account::distinct` of 8', await net('distinct', [], eight));
row('copy, compare, move and hash 600 bytes', await net('memory__', new Uint8Array(600)));
